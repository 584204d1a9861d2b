//! Objects that kube-apiserver 1.37 was asked to create or change, and its answers.

use super::{validate_create, validate_update};
use crate::kinds::{
    Addresses, Kinds, Resource, advances_generation, allocate, default, prepare_create, prepare_update,
};
use serde_json::{Value, json};

fn messages(group: &str, version: &str, plural: &str, mut object: Value) -> Vec<String> {
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
    let causes = match allocate(&resource, &mut object, &mut Addresses::default()) {
        Ok(()) => validate_create(&resource, &object),
        Err(causes) => causes,
    };
    causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect()
}

#[test]
fn invalid_objects_are_refused_with_the_messages_of_kubernetes() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("refused.json")).expect("the cases");
    let mut different = Vec::new();
    for case in cases {
        let word = |field: &str| case[field].as_str().unwrap_or_default();
        let ours = messages(word("group"), word("version"), word("plural"), case["object"].clone());
        if json!(ours) != case["causes"] {
            different.push(format!("{}\n  theirs {:#}\n  ours {ours:#?}", case["object"], case["causes"]));
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}

/// The object after a change, or its problems.
fn changed(resource: &Resource, old: &Value, mut new: Value) -> Result<Value, Vec<String>> {
    default(resource, &mut new);
    prepare_update(resource, old, &mut new);
    // The recorded server had 10.96.0.0/12.
    let mut addresses = Addresses::default().within([10, 96, 0, 1].into(), [10, 111, 255, 254].into());
    let allocated = allocate(resource, &mut new, &mut addresses);
    let generation = old["metadata"]["generation"].as_i64().unwrap_or_default();
    if advances_generation(resource, old, &new) {
        new["metadata"]["generation"] = (generation + 1).into();
    }
    let causes = match allocated {
        Ok(()) => validate_update(resource, old, &new),
        Err(causes) => causes,
    };
    let messages: Vec<String> =
        causes.iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect();
    if messages.is_empty() { Ok(new) } else { Err(messages) }
}

/// Sets the value at a path such as `spec/ports/0/port`, or removes it.
fn set(object: &mut Value, path: &str, to: &Value) {
    let (parent, field) = path.rsplit_once('/').unwrap_or(("", path));
    let mut place = object;
    for step in parent.split('/').filter(|step| !step.is_empty()) {
        place = match step.parse::<usize>() {
            Ok(index) => &mut place[index],
            Err(_) => &mut place[step],
        };
    }
    match (to, place.as_object_mut()) {
        (Value::Null, Some(fields)) => drop(fields.remove(field)),
        _ => place[field] = to.clone(),
    }
}

#[test]
fn changes_are_accepted_or_refused_as_by_kubernetes() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("changed.json")).expect("the cases");
    let kinds = Kinds::builtin();
    let mut different = Vec::new();
    for case in cases {
        let word = |field: &str| case[field].as_str().unwrap_or_default();
        let resource = kinds.find(word("group"), word("version"), word("plural")).expect("a built-in kind");
        for change in case["changes"].as_array().expect("changes") {
            let mut new = case["old"].clone();
            for (path, value) in change["set"].as_object().expect("what to set") {
                set(&mut new, path, value);
            }
            let theirs = match change.get("causes") {
                Some(messages) => Err(serde_json::from_value(messages.clone()).expect("causes")),
                None => Ok(change["result"].clone()),
            };
            let ours = changed(&resource, &case["old"], new);
            if ours != theirs {
                different.push(format!(
                    "{} {}\n  theirs {theirs:?}\n  ours   {ours:?}",
                    word("plural"),
                    change["set"]
                ));
            }
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}
