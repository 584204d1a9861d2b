//! Objects that kube-apiserver 1.37 was asked to create, and what it said of them.

use super::validate_create;
use crate::kinds::{Addresses, Kinds, allocate, default, prepare_create};
use serde_json::{Value, json};

fn told(group: &str, version: &str, plural: &str, mut object: Value) -> Vec<String> {
    let resource = Kinds::builtin().find(group, version, plural).expect("a built-in kind");
    if resource.namespaced {
        object["metadata"]["namespace"] = "default".into();
    }
    if let Some(prefix) = object["metadata"]["generateName"].as_str() {
        object["metadata"]["name"] = format!("{prefix}abcde").into();
    }
    object["metadata"]["uid"] = "u".into();
    default(&resource, &mut object);
    prepare_create(&resource, &mut object, jiff::Timestamp::UNIX_EPOCH);
    default(&resource, &mut object);
    let causes = match allocate(&resource, &mut object, &mut Addresses::default()) {
        Ok(()) => validate_create(&resource, &object),
        Err(causes) => causes,
    };
    causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect()
}

#[test]
fn what_kubernetes_refuses_is_refused_in_its_words() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("refused.json")).expect("the cases");
    let mut different = Vec::new();
    for case in cases {
        let word = |field: &str| case[field].as_str().unwrap_or_default();
        let ours = told(word("group"), word("version"), word("plural"), case["object"].clone());
        if json!(ours) != case["causes"] {
            different.push(format!("{}\n  theirs {:#}\n  ours {ours:#?}", case["object"], case["causes"]));
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}
