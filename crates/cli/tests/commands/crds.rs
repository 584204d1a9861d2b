use crate::run::{Folder, documents};
use serde_json::{Value, json};

fn expected() -> Vec<Value> {
    api::crds::all().iter().map(|definition| serde_json::to_value(definition).unwrap()).collect()
}

#[test]
fn all_definitions_are_printed_as_yaml() {
    let ran = Folder::empty().run("crds");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(documents(&ran.stdout), expected());
}

#[test]
fn all_definitions_are_printed_as_a_json_list() {
    let ran = Folder::empty().run("crds --output json");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let list: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(list, json!({"apiVersion": "v1", "kind": "List", "items": expected()}));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = Folder::empty().command("crds").spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}
