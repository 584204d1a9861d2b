use super::{Key, Store};
use serde_json::json;

fn key(namespace: &str, name: &str) -> Key {
    Key { group: "".into(), plural: "configmaps".into(), namespace: namespace.into(), name: name.into() }
}

fn put(store: &mut Store, namespace: &str, name: &str, data: &str) -> u64 {
    let object = json!({"metadata": {"namespace": namespace, "name": name}, "data": data});
    store.commit(&key(namespace, name), Some(object)).revision
}

#[test]
fn objects_are_listed_as_they_were_at_a_revision() {
    let mut store = Store::new(100);
    put(&mut store, "a", "kept", "1");
    put(&mut store, "a", "changed", "1");
    let then = put(&mut store, "a", "gone", "1");
    put(&mut store, "a", "changed", "2");
    store.commit(&key("a", "gone"), None);
    put(&mut store, "a", "late", "1");

    let names = |objects: Vec<std::sync::Arc<serde_json::Value>>| -> Vec<String> {
        objects.iter().map(|o| format!("{}={}", o["metadata"]["name"], o["data"])).collect()
    };
    let at = store.collection("", "configmaps").objects_at(Some("a"), then).unwrap();
    assert_eq!(names(at), [r#""changed"="1""#, r#""gone"="1""#, r#""kept"="1""#]);
}

#[test]
fn a_revision_older_than_the_log_is_refused() {
    let mut store = Store::new(2);
    let first = put(&mut store, "a", "x", "1");
    (2..5).for_each(|n| {
        put(&mut store, "a", "x", &n.to_string());
    });

    let collection = store.collection("", "configmaps");
    assert_eq!(collection.changes_since(first).err().unwrap().horizon, first + 1);
    assert_eq!(collection.changes_since(first + 1).unwrap().count(), 2);
}

#[test]
fn a_namespace_is_listed_without_its_neighbours() {
    let mut store = Store::new(10);
    for namespace in ["a", "a-b", "b"] {
        put(&mut store, namespace, "x", "1");
    }
    assert_eq!(store.objects("", "configmaps", Some("a")).count(), 1);
    assert_eq!(store.objects("", "configmaps", None).count(), 3);
}

#[test]
fn dependents_follow_owner_references() {
    let mut store = Store::new(10);
    let owned = json!({"metadata": {"name": "x", "ownerReferences": [{"uid": "u"}]}});
    store.commit(&key("a", "x"), Some(owned));
    assert_eq!(store.dependents("u").collect::<Vec<_>>(), [&key("a", "x")]);
    put(&mut store, "a", "x", "free");
    assert_eq!(store.dependents("u").count(), 0);
}
