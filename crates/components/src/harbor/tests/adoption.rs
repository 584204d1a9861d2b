//! Compares with objects of the operator's predecessor, if a copy of them is available.

use super::Harbor;
use crate::{cases::Case, tests::predecessor::Predecessor};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The predecessor's Harbor, and all its objects.
fn old() -> Option<(Case<Harbor>, Vec<Value>)> {
    let Predecessor { objects, mut case } = Predecessor::<Harbor>::at_hand()?;
    case.inputs = objects.iter().filter(|object| object["kind"] != "Harbor").cloned().collect();
    Some((case, objects))
}

#[test]
fn every_old_child_of_a_harbor_is_wanted_under_its_name_and_no_other_is_new() {
    let Some((case, objects)) = old() else { return };
    let name = |object: &Value| {
        (object["kind"].as_str().unwrap().to_owned(), object["metadata"]["name"].as_str().unwrap().to_owned())
    };
    let owned = |object: &&Value| object["metadata"]["ownerReferences"][0]["kind"] == "Harbor";
    let before: BTreeSet<_> = objects.iter().filter(owned).map(name).collect();
    let after: BTreeSet<_> = case.children().iter().map(name).collect();
    assert_eq!(before, after);
}

/// Fields that the predecessor set because Go writes empty objects, and intended differences.
const DIFFERENT: [&str; 11] = [
    // More connections.
    "/redis/pool",
    "/storage/redirect",
    "/resources",
    "/compatibility",
    "/notifications",
    "/middlewares",
    "/http/http2",
    "/http/enableGzip",
    "/storage/maintenance/readOnly",
    "/validation/manifests",
    // Whole days; hours became none (B12).
    "/jobLoggers/files",
];

#[test]
fn components_get_the_settings_that_they_had_before() {
    let Some((case, objects)) = old() else { return };
    for child in case.children().iter().filter(|child| child["apiVersion"] == "goharbor.io/v1beta1") {
        let was = objects.iter().find(|object| object["kind"] == child["kind"]).unwrap();
        compare(&was["spec"], &child["spec"], "", &child["kind"]);
    }
}

fn compare(was: &Value, is: &Value, path: &str, kind: &Value) {
    if DIFFERENT.contains(&path) {
        return;
    }
    match was {
        Value::Object(fields) => {
            for (name, field) in fields {
                compare(field, is.get(name).unwrap_or(&json!(null)), &format!("{path}/{name}"), kind);
            }
        }
        was => assert_eq!(normal(was), normal(is), "{kind} {path}"),
    }
}

/// Go writes `168h0m0s` where we write `168h`.
fn normal(value: &Value) -> Value {
    match value.as_str() {
        Some(text) => json!(text.replace("h0m0s", "h")),
        None => value.clone(),
    }
}

#[test]
fn the_old_token_certificate_keeps_its_subject_and_its_key() {
    let Some((case, objects)) = old() else { return };
    let was = objects.iter().find(|object| {
        object["metadata"]["name"] == "h-harbor-core-tokencert" && object["kind"] == "Certificate"
    });
    let was = &was.unwrap()["spec"];
    let is = &case.child("Certificate")["spec"];
    for field in ["commonName", "duration", "issuerRef", "secretName", "usages"] {
        assert_eq!(is[field], was[field], "{field}");
    }
    assert_eq!(is["privateKey"]["size"], was["privateKey"]["size"]);
}

#[test]
fn the_old_ingress_leads_where_it_led() {
    let Some((case, objects)) = old() else { return };
    let was = objects.iter().find(|object| object["kind"] == "Ingress").unwrap();
    assert_eq!(case.child("Ingress")["spec"], was["spec"]);
}
