//! Dependencies between children, and children that are created once.

use super::{CASES, a_harbor, kinds, names, policy, waits_for};
use crate::{cases::Case, harbor::Harbor};
use plan::{Component, DeletionBehavior, Policy};
use serde_json::json;

#[test]
fn jobservice_and_the_exporter_wait_for_core() {
    let plan = Case::<Harbor>::golden("harbor-2.5").plan().unwrap();
    for kind in ["JobService", "Exporter"] {
        assert!(waits_for(&plan, kind, "acme-harbor").contains(&"Core acme-harbor".to_owned()), "{kind}");
    }
}

#[test]
fn b07_every_kind_of_child_is_watched_trivy_and_the_ingress_too() {
    let watched: Vec<_> = Harbor::children().iter().map(|kind| kind.resource.kind.clone()).collect();
    for kind in CASES.map(Case::<Harbor>::golden).iter().flat_map(kinds) {
        assert!(watched.contains(&kind), "{kind}");
    }
    for kind in ["Trivy", "Ingress"] {
        assert!(watched.iter().any(|watched| watched == kind), "{kind}");
    }
}

#[test]
fn an_ingress_waits_for_who_is_behind_it() {
    let case = Case::<Harbor>::golden("harbor-2.5").set("/spec/expose/core/tls", json!(null));
    let plan = case.plan().unwrap();
    let expected = ["Core acme-harbor", "Portal acme-harbor"];
    assert_eq!(waits_for(&plan, "Ingress", "acme-harbor"), expected);
    assert_eq!(waits_for(&plan, "Ingress", "acme-harbor-notaryserver"), ["NotaryServer acme-harbor"]);
}

#[test]
fn every_component_waits_for_its_own_certificate() {
    for (case, kind_of_certificate, name) in
        [("harbor-2.5", "Certificate", "internal-"), ("without-cert-manager", "Secret", "internal-tls-")]
    {
        let plan = Case::<Harbor>::golden(case).plan().unwrap();
        for (kind, part) in [
            ("Registry", "registry"),
            ("RegistryController", "registryctl"),
            ("Core", "core"),
            ("JobService", "jobservice"),
            ("Portal", "portal"),
            ("NotaryServer", "notaryserver"),
        ] {
            let certificate = format!("{kind_of_certificate} acme-harbor-{name}{part}");
            assert!(waits_for(&plan, kind, "acme-harbor").contains(&certificate), "{case}: {kind}");
        }
    }
}

#[test]
fn core_waits_for_everything_it_proves_itself_with() {
    let plan = a_harbor().plan().unwrap();
    let expected = [
        "Secret acme-harbor-registry-basicauth",
        "Secret acme-harbor-core-csrf",
        "Secret acme-harbor-core-secret",
        "Secret acme-harbor-core-encryptionkey",
        "Secret acme-harbor-jobservice-secret",
        "Certificate acme-harbor-core-tokencert",
    ];
    assert_eq!(waits_for(&plan, "Core", "acme-harbor"), expected);
}

#[test]
fn a01_a02_credentials_are_made_once_and_never_again() {
    let case = Case::<Harbor>::golden("harbor-2.5");
    for name in [
        "registry-basicauth",
        "registry-http",
        "core-csrf",
        "core-secret",
        "core-encryptionkey",
        "jobservice-secret",
        "notarysigner-encryption-key",
    ] {
        let policy = policy(&case, &format!("acme-harbor-{name}"));
        assert!(matches!(policy, Policy::CreateOnce { .. }), "{name}: {policy:?}");
    }
}

#[test]
fn the_keys_of_what_is_in_the_database_outlive_their_harbor_unless_data_is_to_be_deleted() {
    let kept = |case: &Case<Harbor>| -> Vec<String> {
        let plan = case.plan().unwrap();
        let kept = plan.graph.iter().filter(|(_, desired, _)| desired.deletion == DeletionBehavior::Kept);
        kept.map(|(_, desired, _)| desired.object.key().name.clone()).collect()
    };
    let case = Case::<Harbor>::golden("harbor-2.5");
    let keys = ["acme-harbor-core-encryptionkey", "acme-harbor-notarysigner-encryption-key"];
    assert_eq!(kept(&case), keys);
    assert_eq!(super::spec(&case, "Core").get("deletionPolicy"), None);
    let case = case.set("/spec/deletionPolicy", json!("Delete"));
    assert_eq!(kept(&case), Vec::<String>::new());
    assert_eq!(super::spec(&case, "Core")["deletionPolicy"], "Delete");
}

#[test]
fn credentials_the_user_has_are_not_made() {
    let case = Case::<Harbor>::golden("harbor-2.15");
    assert_eq!(names(&case, "Secret"), Vec::<String>::new());
    assert_eq!(names(&case, "Certificate"), Vec::<String>::new());
}

#[test]
fn optional_components_are_there_exactly_when_asked_for() {
    let optional = ["Portal", "ChartMuseum", "Exporter", "NotaryServer", "NotarySigner", "Trivy"];
    let everything = kinds(&Case::<Harbor>::golden("harbor-2.5"));
    let bare = kinds(&a_harbor().set("/spec/portal", json!(null)));
    for kind in optional {
        assert!(everything.contains(&kind.to_owned()), "{kind}");
        assert!(!bare.contains(&kind.to_owned()), "{kind}");
    }
}

#[test]
fn components_are_all_called_like_the_harbor() {
    for case in CASES.map(Case::<Harbor>::golden) {
        for child in case.children().iter().filter(|child| child["apiVersion"] == "goharbor.io/v1beta1") {
            assert_eq!(child["metadata"]["name"], "acme-harbor", "{}", child["kind"]);
            let annotations = &child["metadata"]["annotations"];
            assert_eq!(annotations["goharbor.io/network-policies"], "false", "{}", child["kind"]);
            assert!(annotations["harbor.goharbor.io/version"].is_string(), "{}", child["kind"]);
        }
    }
}
