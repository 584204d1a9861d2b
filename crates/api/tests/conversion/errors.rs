//! What cannot be converted is refused, with the field and a remedy.

use api::{
    conversion::{Version, convert},
    names::V1BETA1_FIELDS_ANNOTATION,
};
use serde_json::{Value, json};

fn refused(object: Value, to: Version) -> String {
    convert(object, to).unwrap_err().to_string()
}

/// What is wrong with a HarborCluster of v1alpha3 with this spec.
fn of_spec(spec: Value) -> String {
    refused(
        json!({"apiVersion": "goharbor.io/v1alpha3", "kind": "HarborCluster", "spec": spec}),
        Version::V1beta1,
    )
}

#[test]
fn objects_of_other_versions_and_kinds() {
    assert_eq!(refused(json!([]), Version::V1beta1), "the object: must be an object, is a list");
    assert_eq!(refused(json!({}), Version::V1beta1), "apiVersion: is missing; add it");
    assert_eq!(refused(json!({"apiVersion": 1}), Version::V1beta1), "apiVersion: must be text");
    assert_eq!(
        refused(json!({"apiVersion": "v1", "kind": "Secret"}), Version::V1beta1),
        "apiVersion: v1 cannot be converted; use goharbor.io/v1alpha3 or goharbor.io/v1beta1"
    );
    assert_eq!(
        refused(json!({"apiVersion": "goharbor.io/v1beta1", "kind": "HarborRobot"}), Version::V1alpha3),
        "kind: HarborRobot does not exist in v1alpha3; use v1beta1"
    );
}

#[test]
fn fields_that_are_no_objects() {
    assert_eq!(of_spec(json!(5)), "spec: must be an object, is a number");
    assert_eq!(of_spec(json!({"inClusterCache": []})), "spec.inClusterCache: must be an object, is a list");
    assert_eq!(
        of_spec(json!({"inClusterStorage": {"minIOSpec": "a"}})),
        "spec.inClusterStorage.minIOSpec: must be an object, is text"
    );
    assert_eq!(
        of_spec(json!({"imageChartStorage": {"redirect": {"disable": "no"}}})),
        "spec.imageChartStorage.redirect.disable: must be true or false"
    );
}

#[test]
fn fields_that_have_no_place() {
    let v1beta1 = "is a field of v1beta1, but apiVersion is goharbor.io/v1alpha3; change one of them";
    assert_eq!(of_spec(json!({"cache": {"kind": "Redis"}})), format!("spec.cache: {v1beta1}"));
    assert_eq!(of_spec(json!({"database": {"kind": "PostgreSQL"}})), format!("spec.database: {v1beta1}"));
    assert_eq!(
        of_spec(json!({"imageChartStorage": {"azure": {}}})),
        "spec.imageChartStorage.azure: is not a field of v1alpha3; remove it"
    );
    assert_eq!(
        of_spec(json!({"inClusterCache": {"redis": {}}})),
        "spec.inClusterCache.redis: is not a field of v1alpha3; remove it"
    );
}

#[test]
fn an_annotation_that_is_not_what_was_written() {
    for annotation in [json!("{"), json!(5), json!("[{\"path\":[]}]")] {
        let object = json!({
            "apiVersion": "goharbor.io/v1alpha3", "kind": "Core",
            "metadata": {"annotations": {V1BETA1_FIELDS_ANNOTATION: annotation}},
        });
        let message = refused(object, Version::V1beta1);
        assert!(
            message.starts_with("metadata.annotations[goharbor.io/v1beta1-fields]: cannot be read ("),
            "{message}"
        );
    }
}

#[test]
fn more_than_annotations_can_hold() {
    let variables: Vec<Value> =
        (0..9000).map(|n| json!({"name": format!("A_LONG_NAME_{n}"), "value": "b"})).collect();
    let object =
        json!({"apiVersion": "goharbor.io/v1beta1", "kind": "Core", "spec": {"extraEnv": variables}});

    let message = refused(object, Version::V1alpha3);

    assert!(message.ends_with("at most 262144 are allowed; read the object in v1beta1"), "{message}");
}
