//! Serialises objects with their fields in the order in which people read them.

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap as _, SerializeSeq as _},
};
use serde_json::{Map, Value};

/// The fields that come first. All others follow in alphabetical order.
const FIRST: [&str; 5] = ["apiVersion", "kind", "metadata", "name", "namespace"];

/// The entries of a map, in the order of [`FIRST`].
pub(crate) fn in_reading_order(object: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let first = FIRST.iter().filter_map(|first| object.get_key_value(*first));
    first.chain(object.iter().filter(|(key, _)| !FIRST.contains(&key.as_str())))
}

/// Serialises an object, and all objects in it, with the identifying fields first.
#[derive(Clone, Copy, Debug)]
pub struct Readable<'a>(pub &'a Value);

impl Serialize for Readable<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(object) => {
                let mut map = serializer.serialize_map(Some(object.len()))?;
                for (key, value) in in_reading_order(object) {
                    map.serialize_entry(key, &Self(value))?;
                }
                map.end()
            }
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&Self(item))?;
                }
                list.end()
            }
            other => other.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn identifying_fields_come_first_and_no_field_is_lost() {
        let object = json!({
            "data": {"a": "1"}, "kind": "ConfigMap", "apiVersion": "v1",
            "metadata": {"labels": {}, "namespace": "ns", "name": "n"},
            "list": [{"image": "i", "name": "c"}],
        });
        assert_eq!(
            serde_json::to_string(&Readable(&object)).unwrap(),
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n","namespace":"ns","labels":{}},"data":{"a":"1"},"list":[{"name":"c","image":"i"}]}"#
        );
    }
}
