//! Compares the current state of an object with the wanted one.

use serde_json::{Map, Value};

/// A value without zeros, empty lists and empty maps, which Kubernetes may leave out or fill in.
pub(crate) fn without_zeros(value: &Value) -> Option<Value> {
    match value {
        Value::Null | Value::Bool(false) => None,
        Value::Number(number) if number.as_f64() == Some(0.0) => None,
        Value::String(text) if text.is_empty() => None,
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) => {
            Some(items.iter().map(|item| without_zeros(item).unwrap_or(Value::Null)).collect())
        }
        Value::Object(fields) => {
            let kept: Map<String, Value> = fields
                .iter()
                .filter_map(|(name, field)| Some((name.clone(), without_zeros(field)?)))
                .collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        other => Some(other.clone()),
    }
}

/// Whether `now` already has all fields of `wanted`.
pub(crate) fn covers(now: &Value, wanted: &Value) -> bool {
    match (now, wanted) {
        (Value::Object(now), Value::Object(wanted)) => {
            wanted.iter().all(|(name, field)| covers(now.get(name).unwrap_or(&Value::Null), field))
        }
        (_, Value::Object(wanted)) => wanted.is_empty(),
        (Value::Array(now), Value::Array(wanted)) => {
            now.len() == wanted.len() && now.iter().zip(wanted).all(|(now, wanted)| covers(now, wanted))
        }
        _ => without_zeros(now) == without_zeros(wanted),
    }
}

/// The merge patch that turns `now` into `wanted`; `None` if they are equal.
pub(crate) fn difference(now: &Value, wanted: &Value) -> Option<Value> {
    // The patch contains zeros, because the schema of a custom kind may require them.
    (without_zeros(now) != without_zeros(wanted)).then(|| merge_patch(now, &without_nulls(wanted.clone())))
}

/// A value without fields that are null.
pub(crate) fn without_nulls(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(|field| *field = without_nulls(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_nulls(item.take())),
        _ => {}
    }
    value
}

fn merge_patch(now: &Value, wanted: &Value) -> Value {
    let (Value::Object(now), Value::Object(wanted)) = (now, wanted) else { return wanted.clone() };
    let removed =
        now.keys().filter(|name| !wanted.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    let changed = wanted.iter().filter_map(|(name, field)| match now.get(name) {
        Some(current) if current == field => None,
        Some(current) => Some((name.clone(), merge_patch(current, field))),
        None => Some((name.clone(), field.clone())),
    });
    Value::Object(removed.chain(changed).collect())
}

#[cfg(test)]
mod tests {
    use super::{covers, difference};
    use serde_json::json;

    #[test]
    fn zero_and_absent_are_the_same() {
        assert_eq!(
            difference(&json!({"replicas": 1}), &json!({"replicas": 1, "ready": 0, "list": []})),
            None
        );
        assert!(covers(&json!({}), &json!({"replicas": 0, "paused": false})));
        assert!(!covers(&json!({"replicas": 3}), &json!({"replicas": 0, "paused": true})));
    }

    #[test]
    fn what_is_no_longer_wanted_is_taken_away() {
        let now = json!({"phase": "Pending", "message": "no", "a": {"b": 1, "c": 2}});
        let wanted = json!({"phase": "Bound", "a": {"b": 1}});
        assert_eq!(
            difference(&now, &wanted),
            Some(json!({"phase": "Bound", "message": null, "a": {"c": null}}))
        );
    }

    #[test]
    fn what_others_have_added_does_not_count() {
        let now =
            json!({"metadata": {"labels": {"a": "1", "b": "2"}}, "spec": {"ports": [{"port": 1, "x": "y"}]}});
        assert!(covers(&now, &json!({"metadata": {"labels": {"a": "1"}}, "spec": {"ports": [{"port": 1}]}})));
        assert!(!covers(&now, &json!({"metadata": {"labels": {"a": "2"}}})));
    }
}
