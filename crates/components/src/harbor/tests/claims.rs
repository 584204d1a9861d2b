//! The claims that the operator creates.

use super::{Harbor, waits_for};
use crate::cases::Case;
use plan::{DeletionBehavior, Policy};
use serde_json::{Value, json};

const IMAGES: &str = "/spec/imageChartStorage/filesystem/registryPersistentVolume";

fn a_harbor() -> Case<Harbor> {
    Case::golden("volumes")
}

/// With an existing claim for images.
fn with_claim(mut case: Case<Harbor>, labels: Value, spec: Value) -> Case<Harbor> {
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "acme-images", "namespace": "registry", "labels": labels},
        "spec": spec,
    }));
    case
}

fn ours() -> Value {
    json!({"goharbor.io/operator-controller": "harbor", "app.kubernetes.io/instance": "acme"})
}

fn fast(size: &str) -> Value {
    json!({
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast",
        "volumeName": "pv-1",
        "resources": {"requests": {"storage": size}},
    })
}

fn claims(case: &Case<Harbor>) -> Vec<(String, DeletionBehavior, bool)> {
    let plan = case.plan().unwrap();
    let claims = plan.graph.iter().map(|(_, desired, _)| desired);
    let claims = claims.filter(|desired| desired.object.key().kind == "PersistentVolumeClaim");
    claims.map(|it| (it.object.key().name.clone(), it.deletion, it.policy == Policy::Apply)).collect()
}

#[test]
fn a_claim_is_created_as_it_is_described_and_once_for_all_that_name_it() {
    let names = ["acme-images", "acme-job-logs", "acme-trivy"];
    let expected: Vec<_> = names.map(|name| (name.to_owned(), DeletionBehavior::Kept, true)).into();
    assert_eq!(claims(&a_harbor()), expected);
    let claim = a_harbor().child("PersistentVolumeClaim");
    assert_eq!(
        claim["spec"],
        json!({
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "fast",
            "resources": {"requests": {"storage": "200Gi"}},
        })
    );
    assert_eq!(claim["metadata"]["annotations"]["backup.example.com/plan"], "daily");
}

#[test]
fn without_create_a_claim_is_the_users() {
    let case = a_harbor().set(&format!("{IMAGES}/create"), Value::Null);
    assert!(!claims(&case).iter().any(|(name, ..)| name == "acme-images"));
    let case = with_claim(case, json!({}), fast("1Gi"));
    assert!(!claims(&case).iter().any(|(name, ..)| name == "acme-images"), "nor one that exists");
}

#[test]
fn pods_come_after_their_claims() {
    let plan = a_harbor().plan().unwrap();
    for kind in ["Registry", "JobService", "Trivy"] {
        let after = waits_for(&plan, kind, "acme-harbor");
        assert!(after.contains(&"PersistentVolumeClaim acme-images".to_owned()), "{kind}: {after:?}");
    }
}

#[test]
fn claims_go_with_the_harbor_only_where_data_does() {
    let case = a_harbor().set("/spec/deletionPolicy", json!("Delete"));
    assert!(claims(&case).iter().all(|(_, deletion, _)| *deletion == DeletionBehavior::Owned));
}

#[test]
fn a_claim_that_is_no_longer_created_stays_as_it_is() {
    for (policy, deletion) in [("Retain", DeletionBehavior::Kept), ("Delete", DeletionBehavior::Owned)] {
        let case = a_harbor().set(&format!("{IMAGES}/create"), Value::Null);
        let case = with_claim(case.set("/spec/deletionPolicy", json!(policy)), ours(), fast("200Gi"));
        let left = claims(&case).into_iter().find(|(name, ..)| name == "acme-images");
        assert_eq!(
            left,
            Some(("acme-images".to_owned(), deletion, false)),
            "{policy}: wanted, and not written"
        );
    }
}

#[test]
fn a_claim_grows_and_never_shrinks() {
    assert!(with_claim(a_harbor(), ours(), fast("100Gi")).plan().is_ok());
    let error = with_claim(a_harbor(), ours(), fast("300Gi")).error();
    assert_eq!(
        error,
        "spec.imageChartStorage.filesystem.registryPersistentVolume.create.size: the claim acme-images has \
         300Gi, and volumes do not shrink; set at least 300Gi"
    );
}

#[test]
fn a_claim_keeps_its_class_and_its_mode() {
    let mut other = fast("100Gi");
    other["storageClassName"] = json!("slow");
    other["accessModes"] = json!(["ReadWriteMany"]);
    let error = with_claim(a_harbor(), ours(), other).error();
    for problem in [
        "registryPersistentVolume.create.storageClassName: the claim acme-images is of class \"slow\"",
        "registryPersistentVolume.create.accessMode: the claim acme-images is ReadWriteMany, which cannot change",
    ] {
        assert!(error.contains(problem), "{error}");
    }
    let unset = a_harbor().set(&format!("{IMAGES}/create/storageClassName"), Value::Null);
    assert!(with_claim(unset, ours(), fast("100Gi")).plan().is_ok(), "whatever the default class was");
}

#[test]
fn a_claim_that_the_operator_did_not_create_is_never_written_to() {
    for labels in [json!({}), json!({"app.kubernetes.io/instance": "acme", "component": "registry"})] {
        let error = with_claim(a_harbor(), labels, fast("100Gi")).error();
        assert_eq!(
            error,
            "spec.imageChartStorage.filesystem.registryPersistentVolume.create: the claim acme-images exists \
             and was not created for this Harbor; remove it to use the claim as it is, or name another claim"
        );
    }
}

#[test]
fn two_volumes_on_one_claim_say_the_same_of_it() {
    let error =
        a_harbor().set("/spec/trivy/storage/reportsPersistentVolume/create/size", json!("20Gi")).error();
    assert_eq!(
        error,
        "spec.trivy.storage.reportsPersistentVolume.create: another volume creates the claim acme-trivy in \
         another way; say the same of both, or name another claim"
    );
}

#[test]
fn what_is_no_size_is_refused() {
    let error = a_harbor().set(&format!("{IMAGES}/create/size"), json!("big")).error();
    assert!(
        error.contains("registryPersistentVolume.create.size: \"big\" is not the size of a volume"),
        "{error}"
    );
}
