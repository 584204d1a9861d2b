//! The definitions and rules of our own operator, which a real server refuses the same things by.

use crate::schema::{CustomSchema, apply_defaults, prune, validate};
use api::crds;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, path::Path};

/// The field a server names (none for the object itself), and part of what it says about it.
type Refusals = BTreeMap<String, String>;

/// A change to some objects, and what becomes of it.
#[derive(Deserialize)]
struct Case {
    title: String,
    bases: Vec<String>,
    change: Value,
    #[serde(default)]
    refused: Refusals,
    #[serde(default)]
    frozen: Refusals,
}

fn fixture<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/cluster/rules").join(name);
    serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn base(bases: &Value, name: &str) -> Value {
    let difference = bases.get(name).expect(name);
    let mut object = match difference.get("like") {
        Some(like) => base(bases, like.as_str().unwrap()),
        None => json!({"apiVersion": "goharbor.io/v1beta1"}),
    };
    object["metadata"]["name"] = json!(name);
    merge(&mut object, difference);
    object.as_object_mut().unwrap().remove("like");
    object
}

fn merge(object: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *object = patch.clone();
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    for (key, value) in patch {
        if value.is_null() {
            object.as_object_mut().unwrap().remove(key);
        } else {
            merge(&mut object[key], value);
        }
    }
}

fn schemas() -> BTreeMap<String, CustomSchema> {
    let definitions = crds::all().into_iter().map(|crd| serde_json::to_value(crd).unwrap());
    definitions
        .map(|crd| {
            let kind = crd["spec"]["names"]["kind"].as_str().unwrap().to_owned();
            let schema = CustomSchema::parse(&crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]);
            (kind.clone(), schema.unwrap_or_else(|wrong| panic!("{kind}: {wrong:#?}")))
        })
        .collect()
}

fn stored(schema: &CustomSchema, mut object: Value) -> Value {
    assert_eq!(prune(schema, &mut object), Vec::<String>::new(), "{object}");
    apply_defaults(schema, &mut object);
    object
}

fn compare(what: &str, told: Vec<(String, String)>, expected: &[&Refusals]) {
    let expected: Vec<(&String, &String)> = expected.iter().copied().flatten().collect();
    let matches = expected.iter().all(|(field, part)| {
        told.iter().any(|(told_field, message)| told_field == *field && message.contains(*part))
    });
    assert!(matches && told.len() == expected.len(), "{what}: expected {expected:?}, but was told {told:#?}");
}

fn refusals(schema: &CustomSchema, new: &Value, old: Option<&Value>) -> Vec<(String, String)> {
    let causes = validate(schema, new, old);
    causes.into_iter().map(|cause| (cause.field.replace("<nil>", ""), cause.message)).collect()
}

#[test]
fn our_rules_decide_every_case_as_a_real_server_does() {
    let schemas = schemas();
    let bases: Value = fixture("bases.yaml");
    let cases: BTreeMap<String, Vec<Case>> = fixture("cases.yaml");
    for case in cases.values().flatten() {
        for name in &case.bases {
            let before = base(&bases, name);
            let schema = &schemas[before["kind"].as_str().unwrap()];
            let mut after = before.clone();
            merge(&mut after, &case.change);
            let (before, after) = (stored(schema, before), stored(schema, after));
            compare(name, refusals(schema, &before, None), &[]);
            compare(
                &format!("{} (creation of {name})", case.title),
                refusals(schema, &after, None),
                &[&case.refused],
            );
            compare(
                &format!("{} (update of {name})", case.title),
                refusals(schema, &after, Some(&before)),
                &[&case.refused, &case.frozen],
            );
        }
    }
}
