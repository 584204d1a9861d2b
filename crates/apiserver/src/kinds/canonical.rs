//! The canonical form of built-in objects, as Kubernetes' Go types encode them: empty fields are omitted or
//! shown, and quantities and times have one notation.
//!
//! A client may send `hostNetwork: false` or `cpu: 0.5`; the server stores neither. Custom objects do not
//! change.

use super::{
    quantity::Quantity,
    resource::{Origin, Resource},
};
use crate::go;
use serde_json::{Map, Value};
use std::{collections::HashMap, sync::LazyLock};

/// Brings an object into the form in which it is stored and shown.
pub(crate) fn canonicalise(resource: &Resource, object: &mut Value) {
    if resource.origin == Origin::Custom {
        return;
    }
    let package = go::package(&resource.group);
    if let (Some(fields), Value::Object(object)) =
        (TYPES.get(format!("{package}.{}", resource.kind).as_str()), object)
    {
        tidy(fields, object);
    }
}

static TYPES: LazyLock<HashMap<&'static str, Vec<Field>>> = LazyLock::new(|| {
    include_str!("canonical.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?, words.filter_map(Field::parse).collect()))
        })
        .collect()
});

#[derive(Debug)]
struct Field {
    name: &'static str,
    presence: Presence,
    shape: Shape,
}

/// When a field is present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    /// Unless it is empty.
    Filled,
    /// Always, with its zero value if necessary.
    Always,
    /// If the client set it, to any value.
    Set,
    /// Always, as null if it is not set.
    Nullable,
}

#[derive(Debug)]
enum Shape {
    Text,
    Boolean,
    Number,
    Time,
    MicroTime,
    Quantity,
    List(Box<Shape>),
    Map(Box<Shape>),
    Struct(&'static str),
    Raw,
}

impl Field {
    fn parse(word: &'static str) -> Option<Self> {
        let (name, rest) = word.split_at(word.find(['?', '!', '&'])?);
        let (presence, shape) = if let Some(shape) = rest.strip_prefix("!&") {
            (Presence::Nullable, shape)
        } else if let Some(shape) = rest.strip_prefix('!') {
            (Presence::Always, shape)
        } else if let Some(shape) = rest.strip_prefix('&') {
            (Presence::Set, shape)
        } else {
            (Presence::Filled, &rest[1..])
        };
        Some(Self { name, presence, shape: Shape::parse(shape) })
    }
}

impl Shape {
    fn parse(word: &'static str) -> Self {
        match word {
            "s" => Self::Text,
            "b" => Self::Boolean,
            "i" | "x" => Self::Number,
            "T" => Self::Time,
            "M" => Self::MicroTime,
            "Q" => Self::Quantity,
            "_" => Self::Raw,
            _ => match (word.strip_prefix("[]"), word.strip_prefix("{}")) {
                (Some(item), _) => Self::List(Box::new(Self::parse(item))),
                (_, Some(item)) => Self::Map(Box::new(Self::parse(item))),
                _ => Self::Struct(word),
            },
        }
    }

    fn zero(&self) -> Value {
        match self {
            Self::Text => "".into(),
            Self::Boolean => false.into(),
            Self::Number => 0.into(),
            Self::Quantity => "0".into(),
            Self::Struct(_) => {
                let mut value = Value::Object(Map::new());
                self.tidy(&mut value);
                value
            }
            Self::Time | Self::MicroTime | Self::List(_) | Self::Map(_) | Self::Raw => Value::Null,
        }
    }

    fn is_empty(&self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty() && !matches!(self, Self::Raw),
            Value::Bool(set) => !set,
            Value::Number(number) => number.as_f64() == Some(0.0),
        }
    }

    fn tidy(&self, value: &mut Value) {
        match (self, value) {
            (Self::Struct(name), Value::Object(fields)) => {
                if let Some(known) = TYPES.get(name) {
                    tidy(known, fields);
                }
            }
            // A JSON schema's `items` and `required` may be a list as well.
            (Self::List(item), Value::Array(items)) => items.iter_mut().for_each(|value| item.tidy(value)),
            (Self::Map(item), Value::Object(fields)) => {
                for value in fields.values_mut() {
                    if value.is_null() {
                        *value = item.zero();
                    }
                    item.tidy(value);
                    if let (Self::Quantity, Some(quantity)) = (&**item, quantity(value)) {
                        *value = quantity.in_thousandths().to_string().into();
                    }
                }
            }
            (Self::Quantity, value) => {
                if let Some(quantity) = quantity(value) {
                    *value = quantity.to_string().into();
                }
            }
            (Self::Time, value) => retime(value, 0),
            (Self::MicroTime, value) => retime(value, 6),
            _ => {}
        }
    }
}

fn tidy(known: &[Field], object: &mut Map<String, Value>) {
    object.retain(|_, value| !value.is_null());
    for field in known {
        match object.get_mut(field.name) {
            Some(value) => {
                field.shape.tidy(value);
                if field.presence == Presence::Filled && field.shape.is_empty(value) {
                    object.remove(field.name);
                } else if field.presence == Presence::Always
                    && matches!(value, Value::Array(items) if items.is_empty())
                {
                    *value = Value::Null;
                }
            }
            None => match field.presence {
                Presence::Always => {
                    object.insert(field.name.to_owned(), field.shape.zero());
                }
                Presence::Nullable => {
                    object.insert(field.name.to_owned(), Value::Null);
                }
                Presence::Filled | Presence::Set => {}
            },
        }
    }
}

fn quantity(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

fn retime(value: &mut Value, digits: usize) {
    if let Some(time) = value.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok()) {
        *value = format!("{time:.digits$}").into();
    }
}

#[cfg(test)]
mod tests {
    use super::canonicalise;
    use crate::kinds::Kinds;
    use serde_json::{Value, json};

    fn canonical(group: &str, plural: &str, mut object: Value) -> Value {
        let resource = Kinds::builtin().find(group, "v1", plural).expect("a built-in kind");
        canonicalise(&resource, &mut object);
        object
    }

    #[test]
    fn a_pod_is_kept_as_go_writes_it() {
        let sent = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {}, "creationTimestamp": null},
            "spec": {"hostNetwork": false, "replicas": null, "containers": [{
                "name": "a", "command": [], "securityContext": {},
                "resources": {"limits": {"cpu": 0.5, "memory": "1024Mi"}}, "env": [{"name": "A", "value": ""}],
            }]},
        });
        let kept = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
            "spec": {"containers": [{
                "name": "a", "securityContext": {},
                "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}}, "env": [{"name": "A"}],
            }]},
            "status": {},
        });
        assert_eq!(canonical("", "pods", sent), kept);
    }

    #[test]
    fn a_lease_keeps_microseconds_and_a_condition_seconds() {
        let lease = json!({"metadata": {}, "spec": {"renewTime": "2026-01-02T04:04:05.5+01:00"}});
        assert_eq!(
            canonical("coordination.k8s.io", "leases", lease),
            json!({"metadata": {}, "spec": {"renewTime": "2026-01-02T03:04:05.500000Z"}})
        );
        let pod = json!({"metadata": {}, "spec": {"containers": []}, "status": {"startTime": "2026-01-02T03:04:05.9Z"}});
        assert_eq!(canonical("", "pods", pod)["status"]["startTime"], "2026-01-02T03:04:05Z");
    }
}
