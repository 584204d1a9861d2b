//! The day-2 kinds: what their schemas and rules refuse, what they accept, and that nothing is lost in decoding.

#![allow(clippy::unwrap_used, clippy::panic)] // this is a test, helpers included

#[allow(dead_code, reason = "shared with other tests")]
mod schema;

use api::v1beta1;
use kube::core::cel::Validator;
use regex::Regex;
use schema::schema as schema_of;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The field, with `[*]` for items of lists, and part of the message.
type Refusals = BTreeMap<String, String>;

/// A change to examples, and what becomes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    title: String,
    bases: Vec<String>,
    change: Value,
    /// Whenever the change is made.
    #[serde(default)]
    refused: Refusals,
    /// When the object exists already.
    #[serde(default)]
    frozen: Refusals,
}

fn examples() -> BTreeMap<String, Value> {
    let mut examples: BTreeMap<String, Value> =
        serde_saphyr::from_str(include_str!("day2/examples.yaml")).unwrap();
    for example in examples.values_mut() {
        example["apiVersion"] = json!("goharbor.io/v1beta1");
    }
    examples
}

/// The changes of the file.
fn cases() -> Vec<Case> {
    serde_saphyr::from_str(include_str!("day2/cases.yaml")).unwrap()
}

fn schemas() -> BTreeMap<String, Value> {
    let definitions = api::crds::all().into_iter().map(|crd| serde_json::to_value(crd).unwrap());
    definitions
        .map(|crd| (crd["spec"]["names"]["kind"].as_str().unwrap().to_owned(), evaluable(schema_of(&crd))))
        .collect()
}

/// The schema as the CEL library evaluates it, to which an optional `oldSelf` is a plain value or null.
fn evaluable(schema: &Value) -> Value {
    let text = schema.to_string();
    let text = text.replace("oldSelf.hasValue()", "oldSelf != null").replace("oldSelf.value()", "oldSelf");
    serde_json::from_str(&text).unwrap()
}

fn kind(object: &Value) -> &str {
    object["kind"].as_str().unwrap()
}

/// Does what the API server does with a merge patch.
fn merged(object: &Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else { return patch.clone() };
    let mut fields = object.as_object().cloned().unwrap_or_default();
    for (key, value) in patch {
        if value.is_null() {
            fields.remove(key);
        } else {
            let changed = merged(fields.get(key).unwrap_or(&Value::Null), value);
            fields.insert(key.clone(), changed);
        }
    }
    Value::Object(fields)
}

/// What the API server would refuse about an object: fields and messages.
fn refusals(schema: &Value, object: &Value, old: Option<&Value>) -> Vec<(String, String)> {
    let mut refusals = Vec::new();
    check(&schema["properties"]["spec"], &object["spec"], "spec", &mut refusals);
    if let Err(errors) = Validator::new().validate(schema, object, old) {
        let index = Regex::new(r"\[\d+\]").unwrap();
        for error in errors.as_slice() {
            refusals.push((index.replace_all(&error.field_path, "[*]").into_owned(), error.message.clone()));
        }
    }
    refusals
}

/// Checks what schemas ask of values, as far as ours ask for it.
fn check(schema: &Value, value: &Value, path: &str, refusals: &mut Vec<(String, String)>) {
    let mut refuse = |problem: &str| refusals.push((path.to_owned(), problem.to_owned()));
    let bound = |name: &str| schema[name].as_f64();
    let size = match value {
        Value::String(text) => Some((text.chars().count(), "minLength", "maxLength")),
        Value::Array(items) => Some((items.len(), "minItems", "maxItems")),
        _ => None,
    };
    if let Some((size, least, most)) = size {
        let size = f64::from(u32::try_from(size).unwrap());
        if bound(least).is_some_and(|least| size < least) {
            refuse("too short");
        }
        if bound(most).is_some_and(|most| size > most) {
            refuse("too long");
        }
    }
    if let Some(number) = value.as_f64()
        && (bound("minimum").is_some_and(|least| number < least)
            || bound("maximum").is_some_and(|most| number > most))
    {
        refuse("out of range");
    }
    if let (Some(pattern), Some(text)) = (schema["pattern"].as_str(), value.as_str())
        && !Regex::new(pattern).unwrap().is_match(text)
    {
        refuse("does not match");
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        refuse("not one of the allowed values");
    }
    for required in schema["required"].as_array().into_iter().flatten() {
        if value.get(required.as_str().unwrap()).is_none() {
            refuse(&format!("{required} is required"));
        }
    }
    for item in value.as_array().into_iter().flatten() {
        check(&schema["items"], item, &format!("{path}[*]"), refusals);
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        let below = [&schema["properties"][name], &schema["additionalProperties"]];
        let path = format!("{path}.{name}");
        match below.into_iter().find(|schema| schema.is_object()) {
            Some(below) => check(below, field, &path, refusals),
            None => refusals.push((path, "unknown".to_owned())),
        }
    }
}

/// Compares what was refused with what a case expects, each way.
fn compare(expected: &[&Refusals], found: &[(String, String)]) -> Result<(), String> {
    let expected: Vec<(&String, &String)> = expected.iter().copied().flatten().collect();
    let missed = expected.iter().find(|(field, part)| {
        !found.iter().any(|(found, message)| found == *field && message.contains(part.as_str()))
    });
    let surprise = found.iter().find(|(found, _)| !expected.iter().any(|(field, _)| *field == found));
    match (missed, surprise) {
        (None, None) => Ok(()),
        _ => Err(format!("expected {expected:?}, found {found:?}")),
    }
}

/// Every rule of the day-2 kinds: kind, field, message.
fn rules() -> BTreeSet<(String, String, String)> {
    fn visit(schema: &Value, field: &str, rule: &mut impl FnMut(&str, &str)) {
        for validation in schema["x-kubernetes-validations"].as_array().into_iter().flatten() {
            rule(field, validation["message"].as_str().unwrap());
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            visit(property, format!("{field}.{name}").trim_start_matches('.'), rule);
        }
        if schema["items"].is_object() {
            visit(&schema["items"], &format!("{field}[*]"), rule);
        }
    }
    let kinds: BTreeSet<String> = examples().values().map(|example| kind(example).to_owned()).collect();
    let mut rules = BTreeSet::new();
    for (kind, schema) in schemas().into_iter().filter(|(kind, _)| kinds.contains(kind)) {
        visit(&schema, "", &mut |field, message| {
            rules.insert((kind.clone(), field.to_owned(), message.to_owned()));
        });
    }
    rules
}

#[test]
fn every_example_is_accepted() {
    let schemas = schemas();
    for (name, example) in examples() {
        assert_eq!(refusals(&schemas[kind(&example)], &example, None), [], "{name}");
        assert_eq!(refusals(&schemas[kind(&example)], &example, Some(&example)), [], "{name} again");
    }
}

#[test]
fn every_case_ends_as_it_says_and_every_rule_has_one() {
    let (schemas, examples) = (schemas(), examples());
    let mut unbroken = rules();
    let mut problems = Vec::new();
    let mut attempt = |title: &str, expected: &[&Refusals], object: &Value, old: Option<&Value>| {
        let found = refusals(&schemas[kind(object)], object, old);
        if let Err(problem) = compare(expected, &found) {
            let moment = if old.is_some() { "existing" } else { "new" };
            problems.push(format!("{title} ({moment} {}): {problem}", object["metadata"]["name"]));
        }
        for (field, message) in found {
            unbroken.remove(&(kind(object).to_owned(), field, message));
        }
    };
    for case in cases() {
        for base in &case.bases {
            let example = &examples[base];
            let changed = merged(example, &case.change);
            attempt(&case.title, &[&case.refused], &changed, None);
            attempt(&case.title, &[&case.refused, &case.frozen], &changed, Some(example));
        }
    }
    // All kinds inline the same target.
    for example in examples.values().filter(|example| kind(example) != "HarborConfiguration") {
        if example["spec"]["harborRef"].is_null() {
            continue;
        }
        let elsewhere = json!({"spec": {"harborRef": null, "harborServerConfig": "main"}});
        let of_a_server = merged(example, &elsewhere);
        let moved = merged(&of_a_server, &json!({"spec": {"harborServerConfig": "other"}}));
        let expected = BTreeMap::from([
            ("spec".to_owned(), "cannot change".to_owned()),
            ("spec.harborServerConfig".to_owned(), "cannot change after creation".to_owned()),
        ]);
        let expected: Refusals = expected
            .into_iter()
            .filter(|(field, _)| kind(example) == "HarborTask" || field != "spec")
            .collect();
        attempt(
            "an object stays with its HarborServerConfiguration",
            &[&expected],
            &moved,
            Some(&of_a_server),
        );
    }

    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(unbroken.is_empty(), "no case breaks {unbroken:#?}");
}

#[test]
fn an_old_harborconfiguration_that_names_no_harbor_can_still_be_changed() {
    let object = json!({
        "apiVersion": "goharbor.io/v1beta1", "kind": "HarborConfiguration", "metadata": {"name": "a"}, "spec": {}
    });
    let labelled = merged(&object, &json!({"metadata": {"labels": {"a": "b"}}}));

    assert_eq!(refusals(&schemas()["HarborConfiguration"], &labelled, Some(&object)), []);
}

/// Decodes an object and writes it again.
fn round_trip(object: &Value) -> Value {
    fn through<K: DeserializeOwned + Serialize>(object: &Value) -> Value {
        let decoded: K = serde_json::from_value(object.clone()).unwrap();
        serde_json::to_value(decoded).unwrap()
    }
    match kind(object) {
        "HarborConfiguration" => through::<v1beta1::HarborConfiguration>(object),
        "HarborPreheatInstance" => through::<v1beta1::HarborPreheatInstance>(object),
        "HarborProject" => through::<v1beta1::HarborProject>(object),
        "HarborProjectMember" => through::<v1beta1::HarborProjectMember>(object),
        "HarborRegistryEndpoint" => through::<v1beta1::HarborRegistryEndpoint>(object),
        "HarborReplication" => through::<v1beta1::HarborReplication>(object),
        "HarborRobot" => through::<v1beta1::HarborRobot>(object),
        "PullSecretBinding" => through::<v1beta1::PullSecretBinding>(object),
        "HarborScanner" => through::<v1beta1::HarborScanner>(object),
        "HarborServerConfiguration" => through::<v1beta1::HarborServerConfiguration>(object),
        "HarborTask" => through::<v1beta1::HarborTask>(object),
        "HarborUser" => through::<v1beta1::HarborUser>(object),
        "HarborUserGroup" => through::<v1beta1::HarborUserGroup>(object),
        kind => panic!("unknown kind {kind}"),
    }
}

#[test]
fn an_object_of_each_kind_is_written_as_it_was_read() {
    let mut kinds = BTreeSet::new();
    for (name, example) in examples() {
        assert_eq!(round_trip(&example), example, "{name}");
        kinds.insert(kind(&example).to_owned());
    }
    assert_eq!(kinds.len(), 13, "{kinds:?}");
}

#[test]
fn no_members_and_members_left_alone_are_two_things() {
    let without = &examples()["project-of-a-server"];
    let none = merged(without, &json!({"spec": {"memberships": []}}));

    assert_eq!(round_trip(without)["spec"].get("memberships"), None);
    assert_eq!(round_trip(&none)["spec"]["memberships"], json!([]));
}

#[test]
fn a_status_carries_no_rules() {
    for (kind, field, _) in rules() {
        assert!(!field.starts_with("status"), "{kind} {field}");
    }
}
