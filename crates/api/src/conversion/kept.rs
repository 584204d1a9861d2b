//! What v1alpha3 cannot express of an object, kept so that it comes back on the way up.
//!
//! A change says what a field of v1beta1 holds, and what it would hold had the object been written in v1alpha3. It is
//! made again only where that is still so: a field that a client of v1alpha3 has changed meanwhile stays as the client
//! wants it, and nothing is added to an object that the client has removed.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// One field of a spec, with its value as v1alpha3 alone would give it, and as it is.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The names of the objects that the field is in, and its own.
    field: Vec<String>,

    /// The value that follows from the fields of v1alpha3; absent if none does.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    derived: Option<Value>,

    /// The value in v1beta1; absent if it has none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

/// Tells `null` from an absent field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The changes that turn one spec into another. Lists are compared as a whole: items have no names.
pub fn changes(derived: &Map<String, Value>, wanted: &Map<String, Value>) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(derived, wanted, &mut Vec::new(), &mut changes);
    changes
}

fn compare(
    derived: &Map<String, Value>,
    wanted: &Map<String, Value>,
    path: &mut Vec<String>,
    changes: &mut Vec<Change>,
) {
    let removed = derived.keys().filter(|name| !wanted.contains_key(*name));
    for name in wanted.keys().chain(removed) {
        path.push(name.clone());
        match (derived.get(name), wanted.get(name)) {
            (Some(Value::Object(derived)), Some(Value::Object(wanted))) => {
                compare(derived, wanted, path, changes);
            }
            (derived, wanted) if derived != wanted => {
                changes.push(Change {
                    field: path.clone(),
                    derived: derived.cloned(),
                    value: wanted.cloned(),
                });
            }
            _ => {}
        }
        path.pop();
    }
}

impl Change {
    /// Makes the change, unless the field is no longer what v1alpha3 gave it.
    pub fn make(self, spec: &mut Map<String, Value>) {
        let Some((name, parents)) = self.field.split_last() else { return };
        let mut object = spec;
        for parent in parents {
            let Some(Value::Object(below)) = object.get_mut(parent) else { return };
            object = below;
        }
        if object.get(name) != self.derived.as_ref() {
            return;
        }
        match self.value {
            Some(value) => _ = object.insert(name.clone(), value),
            None => _ = object.remove(name),
        }
    }
}
