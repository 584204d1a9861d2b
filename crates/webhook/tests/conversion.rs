//! Reviews of objects of both versions, and bodies that are none.

#![allow(clippy::unwrap_used, clippy::panic)] // this is a test, helpers included

use proptest::prelude::*;
use serde_json::{Value, json};
use webhook::conversion::{Outcome, review};

fn body(desired: &str, objects: Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "request": {"uid": "705ab4f5", "desiredAPIVersion": desired, "objects": objects},
    })
}

/// The answer to a review.
fn answer(body: &Value) -> (Value, Outcome) {
    let reviewed = review(&serde_json::to_vec(body).unwrap()).unwrap();
    (serde_json::from_slice(&reviewed.body).unwrap(), reviewed.outcome)
}

fn answered(response: Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "response": response})
}

fn cluster(api_version: &str, spec: Value) -> Value {
    json!({
        "apiVersion": api_version,
        "kind": "HarborCluster",
        "metadata": {
            "name": "acme", "namespace": "registry", "uid": "a", "resourceVersion": "7", "generation": 2,
            "creationTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["example.com/f"], "labels": {"a": "b"},
            "managedFields": [{"manager": "kubectl"}],
        },
        "spec": spec,
        "status": {"status": "healthy"},
    })
}

const OLD: &str = "goharbor.io/v1alpha3";
const NEW: &str = "goharbor.io/v1beta1";

#[test]
fn objects_are_converted_in_both_directions_with_their_metadata_and_status() {
    let old = cluster(OLD, json!({"redis": {"host": "redis"}}));
    let new = cluster(NEW, json!({"cache": {"kind": "Redis", "spec": {"redis": {"host": "redis"}}}}));

    for (desired, expected) in [(OLD, &old), (NEW, &new)] {
        let (answer, outcome) = answer(&body(desired, json!([old, new])));
        let response = json!({"uid": "705ab4f5", "convertedObjects": [expected, expected], "result": {"status": "Success"}});
        assert_eq!((answer, outcome), (answered(response), Outcome::Converted(2)));
    }
}

#[test]
fn one_object_that_cannot_be_converted_fails_the_review_with_its_name_and_field() {
    let objects = json!([cluster(OLD, json!({})), cluster(OLD, json!({"inClusterCache": 1}))]);

    let message = "HarborCluster registry/acme: spec.inClusterCache: must be an object, is a number";
    let response = json!({
        "uid": "705ab4f5", "convertedObjects": [], "result": {"status": "Failure", "message": message},
    });
    assert_eq!(answer(&body(NEW, objects)), (answered(response), Outcome::Failed));
}

#[test]
fn a_version_that_does_not_exist_fails_the_review() {
    let message =
        "apiVersion: goharbor.io/v2 cannot be converted; use goharbor.io/v1alpha3 or goharbor.io/v1beta1";
    let response = json!({
        "uid": "705ab4f5", "convertedObjects": [], "result": {"status": "Failure", "message": message},
    });
    assert_eq!(answer(&body("goharbor.io/v2", json!([]))), (answered(response), Outcome::Failed));
}

#[test]
fn other_bodies_are_refused_without_being_quoted() {
    let refused = |body: &str| {
        let message = review(body.as_bytes()).unwrap_err().to_string();
        message
            .strip_prefix("the body is no ConversionReview of apiextensions.k8s.io/v1: ")
            .unwrap()
            .to_owned()
    };
    assert_eq!(refused(""), "it is not JSON at line 1, column 0");
    assert_eq!(refused("{\"hunter2"), "it is not JSON at line 1, column 9");
    let wrong = "a field is missing or has the wrong type at line 1, column";
    assert!(refused("[]").starts_with(wrong));
    let changed = |pointer: &str, value: &str| {
        let mut body = body(NEW, json!([]));
        *body.pointer_mut(pointer).unwrap() = value.into();
        refused(&body.to_string())
    };
    assert_eq!(changed("/apiVersion", "apiextensions.k8s.io/v1beta1"), "it has another apiVersion or kind");
    assert_eq!(changed("/request/uid", ""), "request.uid is empty");
    assert!(changed("/request/objects", "hunter2").starts_with(wrong));
}

#[test]
fn an_object_that_cannot_be_read_is_refused_without_being_quoted() {
    let body = body(NEW, json!([cluster(OLD, json!({})), "DEEP"])).to_string();
    for (object, why) in [
        (
            format!("{{\"hunter2\":{}1{}}}", "[".repeat(200), "]".repeat(200)),
            "it is not JSON at line 1, column ",
        ),
        ("{\"hunter2\":1e999}".to_owned(), "it is not JSON at line 1, column "),
    ] {
        let message = review(body.replace("\"DEEP\"", &object).as_bytes()).unwrap_err().to_string();
        let told = message.strip_prefix("the body is no ConversionReview of apiextensions.k8s.io/v1: ");
        assert_eq!(told.map(|it| it.starts_with(why)), Some(true), "{message}");
    }
}

#[test]
fn all_objects_of_a_long_list_are_converted_in_their_order() {
    let names: Vec<_> = (0..2000).map(|number| format!("acme-{number}")).collect();
    let cluster_named = |version: &str, name: &String| {
        let mut object = cluster(version, json!({}));
        object["metadata"]["name"] = name.clone().into();
        object
    };
    let objects: Vec<_> = names.iter().map(|name| cluster_named(NEW, name)).collect();
    let (answer, outcome) = answer(&body(OLD, objects.into()));
    let converted: Vec<_> = names.iter().map(|name| cluster_named(OLD, name)).collect();
    assert_eq!(
        (&answer["response"]["convertedObjects"], outcome),
        (&converted.into(), Outcome::Converted(2000))
    );
}

#[test]
fn a_body_that_is_too_deep_is_refused() {
    let body = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(review(body.as_bytes()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_review_with_one_byte_changed_is_answered_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let old = cluster(OLD, json!({"inClusterStorage": {"kind": "MinIO", "minIOSpec": {"replicas": 4}}}));
        let mut body = serde_json::to_vec(&body(NEW, json!([old]))).unwrap();
        let at = at.index(body.len());
        body[at] = byte;
        let _ = review(&body);
    }
}
