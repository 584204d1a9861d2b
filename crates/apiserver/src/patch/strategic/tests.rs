//! Strategic merge patches; every result is one of kube-apiserver.

use super::strategic;
use crate::{
    patch::PatchError,
    schema::{PatchStrategy, Schema, Type},
};
use serde_json::{Value, json};
use std::sync::Arc;

fn object<const N: usize>(fields: [(&str, Schema); N]) -> Schema {
    let properties = fields.into_iter().map(|(name, schema)| (name.to_owned(), Arc::new(schema))).collect();
    Schema { kind: Some(Type::Object), properties, ..Schema::default() }
}

fn merged_list(key: Option<&str>) -> Schema {
    Schema {
        kind: Some(Type::Array),
        items: Some(Arc::new(Schema::default())),
        patch: Some(PatchStrategy { merge: true, retain_keys: false, merge_key: key.map(str::to_owned) }),
        ..Schema::default()
    }
}

fn pod() -> Schema {
    object([
        ("metadata", object([("finalizers", merged_list(None)), ("labels", object([]))])),
        ("containers", merged_list(Some("name"))),
        ("volumes", merged_list(Some("name"))),
        ("args", Schema { kind: Some(Type::Array), ..Schema::default() }),
        ("strategy", object([])),
    ])
}

fn live() -> Value {
    json!({
        "metadata": {"finalizers": ["x", "y", "z"], "labels": {"app": "web", "keep": "me"}},
        "containers": [{"name": "a", "image": 1}, {"name": "b", "image": 1}, {"name": "c", "image": 1}],
        "volumes": [{"name": "v", "emptyDir": {}}],
        "args": [1, 2],
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {}},
    })
}

fn patched(patch: &Value) -> Result<Value, PatchError> {
    strategic(&pod(), &live(), patch.to_string().as_bytes())
}

/// The live object with one field changed.
fn with(path: &str, value: Value) -> Value {
    let mut object = live();
    *object.pointer_mut(path).unwrap() = value;
    object
}

#[test]
fn items_merge_by_key_and_keep_the_order_of_the_live_list() {
    let patch = json!({"containers": [{"name": "d", "image": 2}, {"name": "b", "image": 3}]});
    let expected = json!([
        {"name": "d", "image": 2}, {"name": "a", "image": 1}, {"name": "b", "image": 3}, {"name": "c", "image": 1},
    ]);
    assert_eq!(patched(&patch), Ok(with("/containers", expected)));
}

#[test]
fn an_order_in_the_patch_is_kept() {
    let patch = json!({
        "$setElementOrder/containers": [{"name": "c"}, {"name": "a"}],
        "containers": [{"name": "a", "image": 9}],
    });
    let expected = json!([{"name": "b", "image": 1}, {"name": "c", "image": 1}, {"name": "a", "image": 9}]);
    assert_eq!(patched(&patch), Ok(with("/containers", expected)));

    let patch = json!({"metadata": {"$setElementOrder/finalizers": ["z", "x"], "finalizers": ["x"]}});
    assert_eq!(patched(&patch), Ok(with("/metadata/finalizers", json!(["y", "z", "x"]))));
}

#[test]
fn an_item_is_deleted_and_a_list_replaced_by_a_directive() {
    let patch = json!({"containers": [{"name": "b", "$patch": "delete"}]});
    let expected = json!([{"name": "a", "image": 1}, {"name": "c", "image": 1}]);
    assert_eq!(patched(&patch), Ok(with("/containers", expected)));

    let patch = json!({"containers": [{"$patch": "replace"}, {"name": "z", "image": 7}]});
    assert_eq!(patched(&patch), Ok(with("/containers", json!([{"name": "z", "image": 7}]))));
}

#[test]
fn an_object_is_replaced_or_emptied_by_a_directive() {
    let patch = json!({"metadata": {"labels": {"$patch": "replace", "n": "1"}}});
    assert_eq!(patched(&patch), Ok(with("/metadata/labels", json!({"n": "1"}))));
    let patch = json!({"metadata": {"labels": {"$patch": "delete"}}});
    assert_eq!(patched(&patch), Ok(with("/metadata/labels", json!({}))));
}

#[test]
fn scalars_are_added_and_deleted() {
    let patch = json!({"metadata": {"finalizers": ["w", "y"]}});
    assert_eq!(patched(&patch), Ok(with("/metadata/finalizers", json!(["w", "x", "y", "z"]))));
    let patch = json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["y"]}});
    assert_eq!(patched(&patch), Ok(with("/metadata/finalizers", json!(["x", "z"]))));
}

#[test]
fn a_list_that_does_not_merge_is_replaced() {
    assert_eq!(patched(&json!({"args": [3]})), Ok(with("/args", json!([3]))));
}

#[test]
fn keys_that_are_not_retained_go() {
    let patch = json!({"volumes": [{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "cm"}}]});
    assert_eq!(patched(&patch), Ok(with("/volumes", json!([{"name": "v", "configMap": {"name": "cm"}}]))));
    let patch = json!({"strategy": {"$retainKeys": ["type"], "type": "Recreate"}});
    assert_eq!(patched(&patch), Ok(with("/strategy", json!({"type": "Recreate"}))));
}

#[test]
fn null_removes_and_directives_without_anything_to_work_on_vanish() {
    let mut expected = live();
    expected["metadata"].as_object_mut().unwrap().remove("labels");
    expected["new"] = json!({"a": [1]});
    let patch = json!({
        "metadata": {"labels": null},
        "new": {"a": [{"$patch": "delete"}, 1], "b": null},
        "gone": {"$patch": "delete"},
    });
    assert_eq!(patched(&patch), Ok(expected));
    assert_eq!(patched(&json!(null)), Ok(live()));
}

#[test]
fn bad_patches_fail_with_the_messages_of_kubernetes() {
    let unexpected = |text: &str| Err(PatchError::Unexpected(text.to_owned()));
    let malformed = |text: &str| Err(PatchError::Malformed(text.to_owned()));
    assert_eq!(
        patched(&json!({"containers": [{"image": "x"}]})),
        unexpected("map: map[image:x] does not contain declared merge key: name")
    );
    assert_eq!(
        patched(&json!({"containers": [{"name": "a", "$patch": "bogus"}]})),
        unexpected("unknown patch type: bogus in map: map[$patch:bogus name:a]")
    );
    assert_eq!(
        patched(&json!({"metadata": {"$patch": "merge", "labels": {"a": "b"}}})),
        unexpected("unknown patch type: merge in map: map[$patch:merge labels:map[a:b]]")
    );
    assert_eq!(
        patched(&json!({"strategy": {"$retainKeys": ["x"], "type": "Recreate"}})),
        malformed("invalid patch format of retainKeys")
    );
    assert_eq!(
        patched(&json!({"metadata": {"finalizers": ["q", 1]}})),
        unexpected("list element types are not identical: [[x y z] [q 1]]")
    );
    assert_eq!(
        patched(&json!({"metadata": {"$setElementOrder/finalizers": ["x"], "finalizers": ["q"]}})),
        unexpected("The order in patch list:\n[q]\n doesn't match $setElementOrder list:\n[x]\n")
    );
    assert_eq!(
        patched(&json!({"metadata": {"$deleteFromPrimitiveList": ["a"]}})),
        malformed("invalid patch format of primitive list")
    );
    assert_eq!(
        patched(&json!({"metadata": {"$setElementOrder/finalizers": "x"}})),
        unexpected("expected a []interface {}, but received a string")
    );
    assert_eq!(
        patched(&json!([])),
        malformed("json: cannot unmarshal array into Go value of type map[string]interface {}")
    );
    assert_eq!(strategic(&pod(), &live(), b"{"), malformed("invalid JSON patch"));
}
