//! JSON patch, as lenient as the library that kube-apiserver uses.
//!
//! A missing key counts as null: `test` finds it, `replace` sets it, `copy` copies it. Negative indices count from the
//! end. The text before the first slash of a path is ignored.

use super::{DEEPEST, PatchError, cannot_unmarshal, parsed};
use serde_json::{Map, Value};

const MOST_OPERATIONS: usize = 10_000;

/// How much `copy` may add to an object, in bytes.
const MOST_COPIED: usize = 3 * 1024 * 1024;

/// The object after the operations of a patch.
pub(crate) fn json(object: &Value, patch: &[u8]) -> Result<Value, PatchError> {
    let operations = operations(parsed(patch)?)?;
    if operations.len() > MOST_OPERATIONS {
        return Err(PatchError::TooLarge(format!(
            "The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    let mut document = Document { root: object.clone(), copied: 0 };
    for operation in operations {
        document.perform(operation).ok_or(PatchError::Rejected)?;
    }
    Ok(document.root)
}

#[derive(Default)]
struct Operation {
    op: Option<String>,
    path: Option<String>,
    from: Option<String>,
    value: Option<Value>,
}

fn operations(document: Value) -> Result<Vec<Operation>, PatchError> {
    let malformed = |value: &Value, into: &str| {
        PatchError::Malformed(format!("error decoding patch: {}", cannot_unmarshal(value, into)))
    };
    let list = match document {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list,
        other => return Err(malformed(&other, "value of type []handlers.jsonPatchOp")),
    };
    list.into_iter()
        .map(|operation| {
            let mut fields = match operation {
                Value::Null => Map::new(),
                Value::Object(fields) => fields,
                other => return Err(malformed(&other, "value of type handlers.jsonPatchOp")),
            };
            let mut text = |name: &str| match fields.remove(name) {
                None | Some(Value::Null) => Ok(None),
                Some(Value::String(text)) => Ok(Some(text)),
                Some(other) => {
                    Err(malformed(&other, &format!("struct field jsonPatchOp.{name} of type string")))
                }
            };
            let (op, path, from) = (text("op")?, text("path")?, text("from")?);
            Ok(Operation { op, path, from, value: fields.remove("value") })
        })
        .collect()
}

struct Document {
    root: Value,
    copied: usize,
}

/// The operations on the last step of a path. `None` means failure.
impl Document {
    fn perform(&mut self, operation: Operation) -> Option<()> {
        let Operation { op, path, from, value } = operation;
        match op?.as_str() {
            "add" => self.add(&path?, value.unwrap_or_default()),
            "remove" => self.remove(&path?).map(|_| ()),
            "replace" => self.replace(&path?, value),
            "test" => self.test(&path?, value),
            "move" => {
                let value = self.remove(&from?)?;
                self.add(&path?, value)
            }
            "copy" => {
                let (place, key) = self.find(&from?)?;
                let value = at(place, &key)?.clone();
                self.copied += value.to_string().len();
                if self.copied > MOST_COPIED {
                    return None;
                }
                self.add(&path?, value)
            }
            _ => None,
        }
    }

    /// The container that holds the end of a path, and the key in it.
    fn find(&mut self, path: &str) -> Option<(&mut Value, String)> {
        let mut keys = path.split('/').skip(1).map(unescaped);
        let mut key = keys.next()?;
        let mut place = &mut self.root;
        for next in keys {
            place = match place {
                Value::Object(fields) => fields.get_mut(&key)?,
                Value::Array(items) => {
                    let index = index(&key, items.len())?;
                    items.get_mut(index)?
                }
                _ => return None,
            };
            key = next;
        }
        (place.is_object() || place.is_array()).then_some((place, key))
    }

    fn add(&mut self, path: &str, value: Value) -> Option<()> {
        if path.matches('/').count() + depth(&value) > DEEPEST {
            return None;
        }
        let (place, key) = self.find(path)?;
        match place {
            Value::Object(fields) => {
                fields.insert(key, value);
            }
            Value::Array(items) if key == "-" => items.push(value),
            Value::Array(items) => {
                // A negative index counts from behind the end, where an item may be added.
                let index = index(&key, items.len() + 1).filter(|index| *index <= items.len())?;
                items.insert(index, value);
            }
            _ => return None,
        }
        Some(())
    }

    fn remove(&mut self, path: &str) -> Option<Value> {
        let (place, key) = self.find(path)?;
        match place {
            Value::Object(fields) => fields.remove(&key),
            Value::Array(items) => {
                let index = index(&key, items.len()).filter(|index| *index < items.len())?;
                Some(items.remove(index))
            }
            _ => None,
        }
    }

    fn replace(&mut self, path: &str, value: Option<Value>) -> Option<()> {
        if path.is_empty() {
            self.root = value.filter(|value| value.is_object() || value.is_array())?;
            return Some(());
        }
        let value = value.unwrap_or_default();
        if path.matches('/').count() + depth(&value) > DEEPEST {
            return None;
        }
        let (place, key) = self.find(path)?;
        match place {
            Value::Object(fields) => {
                fields.insert(key, value);
            }
            Value::Array(items) => {
                let index = index(&key, items.len())?;
                *items.get_mut(index)? = value;
            }
            _ => return None,
        }
        Some(())
    }

    fn test(&mut self, path: &str, value: Option<Value>) -> Option<()> {
        if path.is_empty() {
            return (Some(&self.root) == value.as_ref()).then_some(());
        }
        let (place, key) = self.find(path)?;
        (*at(place, &key)? == value.unwrap_or_default()).then_some(())
    }
}

/// The value of a key. A missing field is null; a missing item is a failure.
fn at<'v>(place: &'v Value, key: &str) -> Option<&'v Value> {
    match place {
        Value::Object(fields) => Some(fields.get(key).unwrap_or(&Value::Null)),
        Value::Array(items) => items.get(index(key, items.len())?),
        _ => None,
    }
}

/// The index of a key in a list of this length; it may be past the end.
fn index(key: &str, length: usize) -> Option<usize> {
    let number: i64 = key.parse().ok()?;
    if number >= 0 {
        usize::try_from(number).ok()
    } else {
        length.checked_sub(usize::try_from(number.unsigned_abs()).ok()?)
    }
}

fn unescaped(key: &str) -> String {
    // A tilde that stands for itself is `~0`: replacing it last keeps `~01` from becoming a slash.
    key.replace("~1", "/").replace("~0", "~")
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as value;

    fn patched(object: &Value, patch: &Value) -> Result<Value, PatchError> {
        json(object, patch.to_string().as_bytes())
    }

    #[test]
    fn operations_do_what_they_say() {
        let object = value!({"a": {"b/c": 1}, "l": [1, 2]});
        let patch = value!([
            {"op": "test", "path": "/a/b~1c", "value": 1},
            {"op": "add", "path": "/l/-", "value": 3},
            {"op": "add", "path": "/l/0", "value": 0},
            {"op": "copy", "from": "/a", "path": "/d"},
            {"op": "move", "from": "/a/b~1c", "path": "/e"},
            {"op": "replace", "path": "/l/-1", "value": 4},
            {"op": "remove", "path": "/l/1"},
        ]);
        assert_eq!(patched(&object, &patch), Ok(value!({"a": {}, "d": {"b/c": 1}, "e": 1, "l": [0, 2, 4]})));
    }

    #[test]
    fn a_missing_key_counts_as_null() {
        let object = value!({"a": {}});
        assert_eq!(
            patched(&object, &value!([{"op": "test", "path": "/a/x", "value": null}])),
            Ok(object.clone())
        );
        assert_eq!(patched(&object, &value!([{"op": "test", "path": "/a/x"}])), Ok(object.clone()));
        assert_eq!(
            patched(&object, &value!([{"op": "replace", "path": "/a/x", "value": 1}])),
            Ok(value!({"a": {"x": 1}}))
        );
        assert_eq!(
            patched(&object, &value!([{"op": "test", "path": "/b/x", "value": null}])),
            Err(PatchError::Rejected)
        );
    }

    #[test]
    fn operations_that_do_not_fit_are_rejected_without_a_reason() {
        let object = value!({"a": {}, "l": [1], "s": "x"});
        for operation in [
            value!({"op": "remove", "path": "/x"}),
            value!({"op": "remove", "path": "/l/1"}),
            value!({"op": "remove", "path": ""}),
            value!({"op": "add", "path": "/x/y", "value": 1}),
            value!({"op": "add", "path": "/s/y", "value": 1}),
            value!({"op": "add", "path": "/l/2", "value": 1}),
            value!({"op": "add", "path": "/l/-3", "value": 1}),
            value!({"op": "add", "value": 1}),
            value!({"op": "replace", "path": "/l/1", "value": 1}),
            value!({"op": "replace", "path": "", "value": 1}),
            value!({"op": "test", "path": "/a", "value": 1}),
            value!({"op": "move", "from": "/x", "path": "/y"}),
            value!({"op": "copy", "from": "/l/9", "path": "/y"}),
            value!({"op": "frobnicate", "path": "/a"}),
            value!({}),
            value!(null),
        ] {
            assert_eq!(patched(&object, &value!([operation])), Err(PatchError::Rejected), "{operation}");
        }
    }

    #[test]
    fn what_is_no_patch_is_malformed() {
        let object = value!({});
        let malformed = |text: &str| Err(PatchError::Malformed(text.to_owned()));
        assert_eq!(json(&object, b"{"), malformed("invalid JSON patch"));
        assert_eq!(
            patched(&object, &value!({})),
            malformed(
                "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"
            )
        );
        assert_eq!(
            patched(&object, &value!([1])),
            malformed(
                "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"
            )
        );
        assert_eq!(
            patched(&object, &value!([{"op": "add", "path": 1}])),
            malformed(
                "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string"
            )
        );
    }

    #[test]
    fn a_patch_cannot_make_an_object_too_deep_or_too_large() {
        let nest = vec![value!({"op": "copy", "from": "/a", "path": "/a/b"}); 2000];
        assert_eq!(patched(&value!({"a": {}}), &Value::Array(nest)), Err(PatchError::Rejected));
        let many = vec![value!({"op": "test", "path": "/x"}); MOST_OPERATIONS + 1];
        assert_eq!(
            patched(&value!({}), &Value::Array(many)),
            Err(PatchError::TooLarge(
                "The allowed maximum operations in a JSON patch is 10000, got 10001".to_owned()
            ))
        );
    }
}
