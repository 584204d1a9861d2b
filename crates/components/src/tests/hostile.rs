//! Hostile content in Secrets and objects of other programs leads to a plan or a refusal: no panic, no quote,
//! and no name of an object taken from it.

use crate::cases::{AnyCase, base64};
use plan::{Failure, ObjectKey, PlanError};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Part of every value that must not appear in a message.
const MARKER: &str = "hunter2";

/// A golden case, to be planned with other inputs.
struct Subject {
    name: String,
    inputs: Vec<Value>,
    #[allow(clippy::type_complexity, reason = "it is used once")]
    plan: Box<dyn Fn(Vec<Value>) -> Result<Vec<ObjectKey>, PlanError>>,
}

fn subjects() -> Vec<Subject> {
    let mut subjects = Vec::new();
    for (directory, case) in crate::all().iter().flat_map(AnyCase::all) {
        let inputs = case.inputs.clone();
        let plan = move |inputs| {
            let plan = AnyCase { inputs, ..case.clone() }.plan()?;
            let children = plan.graph.iter().map(|(_, desired, _)| desired.object.key());
            Ok(children.chain(plan.reads.iter().cloned()).collect())
        };
        subjects.push(Subject { name: directory.display().to_string(), inputs, plan: Box::new(plan) });
    }
    subjects
}

/// What a broken or compromised program could write.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let pem = |label: &str, body: &str| {
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n").into_bytes()
    };
    let fixed = vec![
        Vec::new(),
        vec![0],
        vec![0xff, 0xfe, b'\n'],
        format!("{MARKER}\n\x1b[2J\0\u{202e}").into_bytes(),
        MARKER.repeat(100_000).into_bytes(),
        "[".repeat(100_000).into_bytes(),
        "{\"a\":".repeat(50_000).into_bytes(),
        format!("{{\"{MARKER}\": [").into_bytes(),
        format!("a: &{MARKER} [1]\nb: *{MARKER}\n").into_bytes(),
        format!("{MARKER}:{MARKER}\n").repeat(20_000).into_bytes(),
        pem("CERTIFICATE", MARKER),
        pem("CERTIFICATE", &"AAAA".repeat(100_000)),
        pem("RSA PRIVATE KEY", MARKER),
        "-----BEGIN CERTIFICATE-----\n".repeat(10_000).into_bytes(),
        b"-----BEGIN ".repeat(10_000),
        b"../../victim/secrets/creds".to_vec(),
    ];
    prop_oneof![
        4 => proptest::sample::select(fixed),
        1 => proptest::collection::vec(any::<u8>(), 0..200),
        1 => any::<String>().prop_map(|text| format!("{MARKER}{text}").into_bytes()),
    ]
}

/// An entry of a Secret: bytes, or a type that Secrets cannot hold.
fn entry(content: &[u8], shape: u8) -> Value {
    match shape {
        0 => Value::from(String::from_utf8_lossy(content)),
        1 => json!({"a": [String::from_utf8_lossy(content)]}),
        2 => json!(7),
        _ => base64(content),
    }
}

/// Replaces each text within a value.
fn overwrite(value: &mut Value, with: &Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|field| overwrite(field, with)),
        Value::Array(items) => items.iter_mut().for_each(|item| overwrite(item, with)),
        Value::String(_) => *value = with.clone(),
        _ => {}
    }
}

fn is_foreign(input: &Value) -> bool {
    input["kind"] != "Secret" && !input["apiVersion"].as_str().unwrap_or_default().starts_with("goharbor.io/")
}

fn is_name(key: &ObjectKey) -> bool {
    // What lives inside a Harbor may have any name that Harbor accepts.
    key.system().is_some()
        || key.is_kind()
        || key.is_definition()
        || key.is_all()
        || key.name.len() <= 253
            && key
                .name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.'))
            && !key.name.contains("..")
}

#[test]
fn whatever_others_write_is_planned_with_or_refused_without_being_quoted() {
    let subjects = subjects();
    let with_inputs: Vec<_> = subjects.iter().filter(|subject| !subject.inputs.is_empty()).collect();
    let which = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let law = (which, content(), 0..20_u8);
    proptest!(ProptestConfig::with_cases(600), |((one, two, three) in law.0, content in law.1, shape in law.2)| {
        let subject = one.get(&with_inputs);
        let mut inputs = subject.inputs.clone();
        let index = two.index(inputs.len());
        let input = &mut inputs[index];
        if is_foreign(input) {
            let text = Value::from(String::from_utf8_lossy(&content));
            overwrite(&mut input["spec"], &text);
            overwrite(&mut input["status"], &text);
        } else if let Some(data) = input["data"].as_object_mut().filter(|data| !data.is_empty()) {
            let key = data.keys().nth(three.index(data.len())).cloned().unwrap_or_default();
            data.insert(key, entry(&content, shape));
        }
        match (subject.plan)(inputs) {
            Ok(keys) => for key in keys {
                prop_assert!(is_name(&key), "{}: {key}", subject.name);
            },
            Err(error) => {
                let Failure { message, .. } = Failure::from(&error);
                prop_assert!(message.len() < 2_100, "{}: {}", subject.name, message.len());
                prop_assert!(!message.chars().any(char::is_control), "{}: {message:?}", subject.name);
                prop_assert!(!message.contains(MARKER), "{}: {message}", subject.name);
            }
        }
    });
}
