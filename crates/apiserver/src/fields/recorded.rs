//! A hundred writes that were sent to kube-apiserver 1.37, and its answers.

use super::{ApplyError, Force, Manager, apply, fixture::thing, update};
use crate::patch::merge;
use serde_json::{Value, json};

const RECORDED: &str = include_str!("recorded.jsonl");

/// The times of a recording do not matter; only whether there is one.
fn comparable(object: &Value) -> Value {
    let mut object = object.clone();
    for name in ["apiVersion", "kind"] {
        object.as_object_mut().unwrap().remove(name);
    }
    if let Some(entries) = object.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut) {
        for entry in entries.iter_mut().map(|entry| entry.as_object_mut().unwrap()) {
            entry.remove("fieldsType");
            entry.remove("apiVersion");
            let timed = entry.remove("time").is_some_and(|time| time != json!(false));
            entry.insert("time".to_owned(), timed.into());
        }
        entries.sort_by_key(|entry| {
            [&entry["operation"], &entry["manager"], entry.get("subresource").unwrap_or(&Value::Null)]
                .map(ToString::to_string)
        });
    }
    object
}

/// The effect of the kind's definition on a `Thing`: it sets the default of a protocol, and drops empty
/// metadata.
fn prepared(mut object: Value) -> Value {
    let empty = |value: &Value| *value == json!({}) || *value == json!([]);
    object["metadata"].as_object_mut().unwrap().retain(|_, value| !empty(value));
    let ports = object.pointer_mut("/spec/ports").and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten() {
        let port = port.as_object_mut().unwrap();
        port.entry("protocol").or_insert_with(|| json!("TCP"));
    }
    object
}

fn answer(live: Option<&Value>, step: &Value, now: &str) -> Result<Value, ApplyError> {
    let manager = Manager {
        name: step["manager"].as_str().unwrap(),
        subresource: step.get("subresource").and_then(Value::as_str),
        api_version: "t.example/v1",
        now,
    };
    let reset: &[&[&str]] =
        if manager.subresource.is_some() { &[&["metadata"], &["spec"]] } else { &[&["status"]] };
    let body = &step["body"];
    let mut new = match step["op"].as_str().unwrap() {
        "apply" => {
            let force = if step.get("force").is_some() { Force::Yes } else { Force::No };
            return apply(&thing(), live, body, &manager, force, reset).map(prepared);
        }
        "patch" => prepared(merge(live.unwrap(), body.to_string().as_bytes()).unwrap()),
        _ => {
            let mut created = prepared(body.clone());
            created.as_object_mut().unwrap().remove("status");
            created
        }
    };
    update(&thing(), live, &mut new, &manager, reset);
    Ok(new)
}

#[test]
fn every_answer_is_the_one_that_kube_apiserver_gave() {
    let mut scenario = Value::Null;
    let mut live: Option<Value> = None;
    for (line, step) in RECORDED.lines().enumerate() {
        let step: Value = serde_json::from_str(step).unwrap();
        if step["scenario"] != scenario {
            scenario = step["scenario"].clone();
            live = None;
        }
        let now = format!("2026-01-01T00:{:02}:{:02}Z", line / 60, line % 60);
        match answer(live.as_ref(), &step, &now) {
            Ok(object) => {
                assert_eq!(comparable(&object), comparable(&step["object"]), "line {}", line + 1);
                live = Some(object);
            }
            Err(error) => {
                let failure = error.failure();
                assert_eq!(
                    (json!(failure.code.as_u16()), json!(failure.message)),
                    (step["code"].clone(), step["message"].clone()),
                    "line {}",
                    line + 1
                );
            }
        }
    }
}
