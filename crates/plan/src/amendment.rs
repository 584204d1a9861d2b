//! Items that the operator adds to lists in objects of other programs.
//!
//! Not by server-side apply: the API server treats lists such as `imagePullSecrets` of a ServiceAccount as one value, so an
//! apply would replace the items of other managers.

use crate::ObjectKey;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An item of a list in an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amendment {
    /// The list, as a JSON pointer: `/imagePullSecrets`.
    pub list: String,
    /// The item, as the API server stores it.
    pub item: Value,
}

impl Amendment {
    /// Whether an object has the item.
    pub fn is_in(&self, object: &Value) -> bool {
        self.items(object).contains(&self.item)
    }

    /// The operations of a JSON patch that adds the item to an object; none if it is there.
    pub fn addition(&self, object: &Value) -> Vec<Value> {
        let Self { list, item } = self;
        match self.items(object) {
            items if items.contains(item) => Vec::new(),
            [] => vec![json!({"op": "add", "path": list, "value": [item]})],
            _ => vec![json!({"op": "add", "path": format!("{list}/-"), "value": item})],
        }
    }

    /// The operations of a JSON patch that removes the item from an object; none if it is not there.
    pub fn removal(&self, object: &Value) -> Vec<Value> {
        let positions = self.items(object).iter().enumerate().filter(|(_, item)| **item == self.item);
        // From the last to the first: an operation changes the positions behind it.
        let path = |(position, _)| format!("{}/{position}", self.list);
        positions.map(path).rev().map(|path| json!({"op": "remove", "path": path})).collect()
    }

    fn items<'a>(&self, object: &'a Value) -> &'a [Value] {
        object.pointer(&self.list).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

/// An item that the operator added for an owner, to an object in the namespace of the owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amended {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    group: String,
    kind: String,
    name: String,
    /// The item.
    #[serde(flatten)]
    pub amendment: Amendment,
}

impl Amended {
    /// An item of this object.
    pub fn new(object: &ObjectKey, amendment: Amendment) -> Self {
        let (group, kind, name) = (object.group.clone(), object.kind.clone(), object.name.clone());
        Self { group, kind, name, amendment }
    }

    /// The object, for an owner in this namespace.
    pub fn object(&self, namespace: &str) -> ObjectKey {
        ObjectKey::new(&self.group, &self.kind, namespace, &self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn amendment(name: &str) -> Amendment {
        Amendment { list: "/imagePullSecrets".into(), item: json!({"name": name}) }
    }

    fn patched(object: &Value, operations: Vec<Value>) -> Value {
        let mut object = object.clone();
        let patch: json_patch::Patch = serde_json::from_value(Value::Array(operations)).unwrap();
        json_patch::patch(&mut object, &patch).unwrap();
        object
    }

    proptest! {
        #[test]
        fn an_item_is_added_once_and_removed_without_a_trace(names in prop::collection::vec("[a-c]", 0..5)) {
            let items = |names: &[String]| names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>();
            let object = json!({"kind": "ServiceAccount", "imagePullSecrets": items(&names)});
            let added = patched(&object, amendment("b").addition(&object));
            prop_assert!(amendment("b").is_in(&added));
            prop_assert_eq!(amendment("b").addition(&added), Vec::<Value>::new());
            let removed = patched(&added, amendment("b").removal(&added));
            let others: Vec<_> = names.into_iter().filter(|name| name != "b").collect();
            prop_assert_eq!(&removed["imagePullSecrets"], &json!(items(&others)));
            prop_assert_eq!(amendment("b").removal(&removed), Vec::<Value>::new());
        }
    }

    #[test]
    fn a_list_that_does_not_exist_is_created() {
        let object = json!({"kind": "ServiceAccount"});
        let added = patched(&object, amendment("a").addition(&object));
        assert_eq!(added, json!({"kind": "ServiceAccount", "imagePullSecrets": [{"name": "a"}]}));
    }
}
