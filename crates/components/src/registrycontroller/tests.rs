//! Tests of the registry controller.

use super::RegistryController;
use crate::cases::Case;
use serde_json::{Value, json};

fn a_controller() -> Case<RegistryController> {
    Case::golden("minimal")
}

#[test]
fn it_makes_nothing_but_says_what_is_wrong() {
    assert_eq!(a_controller().children(), Vec::<Value>::new());
    let error = Case::<RegistryController>::golden("tls")
        .without("jobservice-secret")
        .without("registryctl-internal-tls")
        .error();
    assert_eq!(
        error,
        "Secret registry/jobservice-secret, Secret registry/registryctl-internal-tls do not exist; create them"
    );
}

#[test]
fn secrets_that_let_everybody_in_are_refused() {
    for secret in ["core-secret", "jobservice-secret"] {
        let error = Case::<RegistryController>::golden("full").with(secret, "secret", "").error();
        assert_eq!(error, format!("Secret registry/{secret}, key `secret`: is empty; give it a value"));
    }
}

#[test]
fn without_the_secret_of_jobservice_garbage_collection_would_fail() {
    let error = a_controller().set("/spec/authentication", json!({})).error();
    assert!(error.starts_with("spec.authentication.jobServiceSecretRef: is not set"), "{error}");
}

#[test]
fn it_runs_beside_the_registry_of_its_own_name_and_no_other() {
    let error = a_controller().set("/spec/registryRef", json!("other")).error();
    assert!(error.starts_with("spec.registryRef: names other, but"), "{error}");
    assert!(error.ends_with("set it to harbor, or rename the RegistryController"), "{error}");
}

#[test]
fn tls_without_a_certificate_is_refused() {
    let error = a_controller().set("/spec/tls", json!({})).error();
    assert!(error.starts_with("spec.tls.certificateRef: is not set although TLS is on"), "{error}");
}

#[test]
fn settings_of_pods_are_refused_if_they_never_had_an_effect() {
    let pods = json!({
        "affinity": {}, "autoscaling": {"maxReplicas": 2}, "podDisruptionBudget": {"minAvailable": 1},
        "priorityClassName": "high", "revisionHistoryLimit": 1,
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
    });
    for (field, value) in pods.as_object().unwrap() {
        let error = a_controller().set(&format!("/spec/{field}"), value.clone()).error();
        assert_eq!(
            error,
            format!(
                "spec.{field}: is set, but the registry controller has no pods of its own: it runs in those of the \
                 registry; set the Registry's spec.{field}"
            )
        );
    }
    let taken = json!({
        "nodeSelector": {"zone": "a"}, "replicas": 3, "serviceAccountName": "robot", "templateLabels": {"a": "b"},
        "templateAnnotations": {"a": "b"}, "tolerations": [{"operator": "Exists"}],
    });
    for (field, value) in taken.as_object().unwrap() {
        assert!(a_controller().set(&format!("/spec/{field}"), value.clone()).plan().is_ok(), "{field}");
    }
}
