//! Label selectors of the structured kind.

use serde_json::Value;

/// Whether a `LabelSelector` selects an object with these labels. An absent or empty selector selects everything.
pub(crate) fn selector_matches(selector: &Value, labels: &Value) -> bool {
    let exact = selector["matchLabels"].as_object();
    let expressions = selector["matchExpressions"].as_array();
    exact.into_iter().flatten().all(|(key, value)| labels.get(key) == Some(value))
        && expressions.into_iter().flatten().all(|expression| expression_matches(expression, labels))
}

/// Whether a `LabelSelector` is empty.
pub(super) fn is_empty(selector: &Value) -> bool {
    let empty = |field: &str| match &selector[field] {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    };
    empty("matchLabels") && empty("matchExpressions")
}

fn expression_matches(expression: &Value, labels: &Value) -> bool {
    let value = expression["key"].as_str().and_then(|key| labels.get(key));
    let listed = || expression["values"].as_array().into_iter().flatten().any(|listed| Some(listed) == value);
    match expression["operator"].as_str() {
        Some("In") => value.is_some() && listed(),
        Some("NotIn") => !listed(),
        Some("Exists") => value.is_some(),
        Some("DoesNotExist") => value.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::selector_matches;
    use serde_json::{Value, json};

    #[test]
    fn a_selector_selects_what_meets_all_of_it() {
        let labels = json!({ "app": "web", "tier": "front" });
        let matches = |operator: &str, key: &str, values: Value| {
            let expression = json!({ "key": key, "operator": operator, "values": values });
            selector_matches(&json!({ "matchExpressions": [expression] }), &labels)
        };
        assert!(selector_matches(&Value::Null, &Value::Null));
        assert!(selector_matches(&json!({ "matchLabels": { "app": "web" } }), &labels));
        assert!(!selector_matches(&json!({ "matchLabels": { "app": "web", "tier": "back" } }), &labels));
        assert!(matches("In", "app", json!(["web", "db"])));
        assert!(!matches("In", "none", json!(["web"])));
        assert!(matches("NotIn", "none", json!(["web"])));
        assert!(!matches("NotIn", "app", json!(["web"])));
        assert!(matches("Exists", "app", json!(null)));
        assert!(!matches("DoesNotExist", "app", json!(null)));
    }
}
