//! Properties of patches for any input.

use super::{json, merge, strategic};
use crate::schema::{PatchStrategy, Schema, Type};
use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
use serde_json::{Map, Value, json as value};
use std::sync::Arc;

/// A name that documents and patches share, or a directive of patches.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a",
        "b",
        "name",
        "list",
        "$patch",
        "$retainKeys",
        "$setElementOrder/list",
        "$deleteFromPrimitiveList/list",
    ])
    .prop_map(str::to_owned)
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3).prop_map(Value::from),
        prop::sample::select(vec!["x", "name", "delete", "replace", "merge"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(name(), inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn operation() -> impl Strategy<Value = Value> {
    let path = prop::collection::vec(prop::sample::select(vec!["a", "b", "0", "-1", "-", "9"]), 0..3)
        .prop_map(|keys| keys.iter().map(|key| format!("/{key}")).collect::<Vec<_>>().concat());
    let op = prop::sample::select(vec!["add", "remove", "replace", "move", "copy", "test", "other"]);
    (op, path.clone(), path, document())
        .prop_map(|(op, path, from, value)| value!({"op": op, "path": path, "from": from, "value": value}))
}

/// A schema in which `list` merges by `name`, at every depth that documents have.
fn schema(depth: usize) -> Schema {
    let mut schema = Schema { kind: Some(Type::Object), ..Schema::default() };
    if depth > 0 {
        let below = Arc::new(self::schema(depth - 1));
        let patch = PatchStrategy { merge: true, retain_keys: false, merge_key: Some("name".to_owned()) };
        let list = Schema { items: Some(Arc::clone(&below)), patch: Some(patch), ..Schema::default() };
        schema.properties.insert("list".to_owned(), Arc::new(list));
        schema.additional = Some(below);
    }
    schema
}

/// The merge patch from one object to another.
fn difference(from: &Map<String, Value>, to: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for name in from.keys().filter(|name| !to.contains_key(*name)) {
        patch.insert(name.clone(), Value::Null);
    }
    for (name, to) in to {
        match (from.get(name), to) {
            (Some(from), to) if from == to => {}
            (Some(Value::Object(from)), Value::Object(to)) => {
                patch.insert(name.clone(), Value::Object(difference(from, to)));
            }
            _ => {
                patch.insert(name.clone(), to.clone());
            }
        }
    }
    patch
}

/// Removes fields that are null, which a merge patch cannot set.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name, without_nulls(value)))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

proptest! {
    #[test]
    fn no_patch_makes_the_server_panic(object in document(), patch in document(), operations in prop::collection::vec(operation(), 0..6)) {
        let _ = json(&object, patch.to_string().as_bytes());
        let _ = json(&object, Value::Array(operations).to_string().as_bytes());
        let _ = merge(&object, patch.to_string().as_bytes());
        let _ = strategic(&schema(5), &object, patch.to_string().as_bytes());
    }

    #[test]
    fn merging_the_difference_of_two_objects_into_the_first_gives_the_second(from in document(), to in document()) {
        let (from, to) = (without_nulls(value!({"o": from})), without_nulls(value!({"o": to})));
        let patch = Value::Object(difference(from.as_object().unwrap(), to.as_object().unwrap()));
        prop_assert_eq!(merge(&from, patch.to_string().as_bytes()), Ok(to));
    }

    #[test]
    fn a_strategic_patch_without_directives_lists_or_nulls_is_a_merge_patch(from in document(), patch in document()) {
        let (from, patch) = (value!({"o": plain(from)}), value!({"o": plain(patch)}));
        let patch = patch.to_string();
        prop_assert_eq!(strategic(&schema(5), &from, patch.as_bytes()), merge(&from, patch.as_bytes()));
    }
}

fn plain(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .filter(|(name, value)| !name.starts_with('$') && !value.is_null() && !value.is_array())
                .map(|(name, value)| (name, plain(value)))
                .collect(),
        ),
        Value::Array(_) | Value::Null => Value::Object(Map::new()),
        other => other,
    }
}
