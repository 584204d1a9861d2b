use super::*;
use k8s_openapi::api::core::v1::Secret;
use kube::core::PartialObjectMeta;
use plan::Health;
use plan::ObservedObject;
use proptest::prelude::*;
use serde_json::json;

/// The observations of an object from its complete and from its lean metadata.
fn both(object: &Value) -> [Option<ObservedObject>; 2] {
    let resource = ApiResource::erase::<Secret>(&());
    let predecessors = ["manager".to_owned()].into();
    let text = object.to_string();
    let whole: PartialObjectMeta<DynamicObject> = serde_json::from_str(&text).unwrap();
    let lean: LeanMetadata = serde_json::from_str(&text).unwrap();
    [whole.metadata, lean.metadata]
        .map(|metadata| ObservedObject::of(&resource, &metadata, Health::READY, &predecessors))
}

fn child() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "name": "s", "namespace": "ns", "uid": "u", "resourceVersion": "7",
            "creationTimestamp": "2026-01-01T00:00:00Z", "deletionTimestamp": "2026-01-02T00:00:00Z",
            "labels": {CONTROLLER_LABEL: "core", "team": "a"},
            "annotations": {IMMUTABLE_ANNOTATION: "true", "note": "b"},
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "p"},
                {"apiVersion": "goharbor.io/v1beta1", "kind": "Core", "name": "c", "uid": "c", "controller": true},
            ],
            "managedFields": [
                {
                    "manager": "harbor-operator/core", "operation": "Apply", "time": "2026-01-01T00:00:00Z",
                    "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {".": {}, "f:a": {}}},
                },
                {
                    "manager": "manager", "operation": "Update",
                    "fieldsV1": {"f:metadata": {"f:ownerReferences": {"k:{\"uid\":\"c\"}": {}}}},
                },
                {"manager": "kubectl", "operation": "Update", "subresource": "status", "fieldsV1": {"f:status": {}}},
            ],
        },
    })
}

#[test]
fn lean_metadata_contains_everything_that_the_index_stores() {
    let kept = json!({"metadata": {"name": "s", "annotations": {KEPT_ANNOTATION: "Core.goharbor.io/c"}}});
    let cluster = json!({"metadata": {
        "name": "s", "labels": {HARBOR_CLUSTER_LABEL: "a"},
        "managedFields": [{"manager": "manager", "operation": "Update", "fieldsV1": {"f:spec": {}}}],
    }});
    for object in [child(), kept, cluster, json!({"metadata": {"name": "s", "labels": null}}), json!({})] {
        let [whole, lean] = both(&object);
        assert_eq!(lean, whole, "{object}");
    }
}

#[test]
fn a_megabyte_of_metadata_becomes_a_few_hundred_bytes() {
    let many = |prefix: &str, value: Value| -> Map<String, Value> {
        (0..40_000).map(|number| (format!("{prefix}{number}"), value.clone())).collect()
    };
    let mut object = child();
    object["metadata"]["labels"] = many("l", "".into()).into();
    object["metadata"]["annotations"] = many("a", "x".into()).into();
    object["metadata"]["managedFields"] = json!([
        {"manager": "harbor-operator/core", "operation": "Apply", "fieldsV1": {"f:data": many("f:k", json!({}))}},
    ]);
    object["metadata"]["finalizers"] = (0..10_000).map(|number| format!("f{number}")).collect();
    object["metadata"]["ownerReferences"] =
        (0..10_000).map(|_| json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "p"})).collect();
    let text = object.to_string();
    assert!(text.len() > 1024 * 1024, "{}", text.len());
    let lean: LeanMetadata = serde_json::from_str(&text).unwrap();
    let kept = serde_json::to_string(&lean.metadata).unwrap();
    assert!(kept.len() < 500, "{kept}");
}

proptest! {
    #[test]
    fn the_observation_from_lean_metadata_never_differs(
        labels in proptest::option::of(proptest::collection::btree_map(any::<String>(), any::<String>(), 0..4)),
        known in any::<String>(),
        manager in prop_oneof![Just("harbor-operator/core".to_owned()), Just("manager".to_owned()), any::<String>()],
        operation in prop_oneof![Just("Apply"), Just("Update"), Just("")],
        field in any::<String>(),
    ) {
        let mut object = child();
        object["metadata"]["labels"] = json!(labels);
        object["metadata"]["annotations"] = json!({KEPT_ANNOTATION: known, &field: known});
        object["metadata"]["managedFields"] = json!([
            {"manager": manager, "operation": operation, "fieldsV1": {&field: {"f:x": {}}}},
        ]);
        let [whole, lean] = both(&object);
        prop_assert_eq!(lean, whole);
    }
}
