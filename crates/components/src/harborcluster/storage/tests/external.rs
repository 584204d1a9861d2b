use super::{a_cluster, harbor_storage};
use crate::{cases::Case, harborcluster::HarborCluster};
use serde_json::{Value, json};

/// A spec with a store of every kind.
fn every_store() -> Value {
    json!({
        "minIO": {"replicas": 2, "volumesPerServer": 2},
        "fileSystem": {"registryPersistentVolume": {"claimName": "images", "maxthreads": 100}},
        "s3": {"region": "eu", "bucket": "b"},
        "swift": {"authurl": "https://swift.example.com", "container": "c"},
        "azure": {"container": "c"},
        "gcs": {"bucket": "b"},
        "oss": {"region": "oss-eu", "accessKeyID": "id", "bucket": "b", "accessSecretRef": "oss"},
    })
}

fn of_kind(kind: &str) -> Case<HarborCluster> {
    a_cluster().set("/spec/storage", json!({"kind": kind, "spec": every_store()}))
}

#[test]
fn a_store_is_chosen_by_its_kind_whatever_else_is_set() {
    let kinds = [
        ("FileSystem", "filesystem"),
        ("S3", "s3"),
        ("Swift", "swift"),
        ("Azure", "azure"),
        ("Gcs", "gcs"),
        ("Oss", "oss"),
    ];
    for (kind, field) in kinds {
        let storage = harbor_storage(&of_kind(kind));
        let fields: Vec<_> = storage.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, [field]);
    }
    let wanted =
        json!({"filesystem": {"registryPersistentVolume": {"claimName": "images", "maxthreads": 100}}});
    assert_eq!(harbor_storage(&of_kind("FileSystem")), wanted);
}

#[test]
fn a_store_that_exists_has_no_children() {
    let kinds: Vec<_> = of_kind("S3").children().into_iter().map(|child| child["kind"].clone()).collect();
    assert_eq!(kinds, ["Harbor"]);
}

#[test]
fn redirection_is_the_harbors_upside_down() {
    for enable in [true, false] {
        let case = of_kind("Gcs").set("/spec/storage/spec/redirect", json!({"enable": enable}));
        assert_eq!(harbor_storage(&case)["redirect"], json!({"disable": !enable}));
    }
    assert_eq!(harbor_storage(&of_kind("Gcs"))["redirect"], Value::Null, "as the Harbor has it by default");
}

#[test]
fn a_kind_of_which_nothing_is_said_is_refused() {
    for (kind, field) in [("Swift", "swift"), ("FileSystem", "fileSystem"), ("MinIO", "minIO")] {
        let error = of_kind(kind).set(&format!("/spec/storage/spec/{field}"), Value::Null).error();
        let expected =
            format!("spec.storage.spec.{field}: is required for kind {kind}; set it, or choose another kind");
        assert_eq!(error, expected);
    }
}

#[test]
fn the_certificate_of_a_store_is_trusted_by_those_who_are_sent_to_it() {
    let case = Case::<HarborCluster>::golden("storage-s3").set("/spec/trivy", json!({"storage": {}}));
    let spec = case.child("Harbor")["spec"].clone();
    for component in ["core", "jobservice", "trivy"] {
        assert_eq!(spec[component]["certificateRefs"], json!(["s3-ca"]), "{component}");
    }
    assert_eq!(spec["chartmuseum"], Value::Null, "what is not installed stays so");
    let twice = case.set("/spec/core", json!({"certificateRefs": ["s3-ca"]}));
    assert_eq!(twice.child("Harbor")["spec"]["core"]["certificateRefs"], json!(["s3-ca"]));
}
