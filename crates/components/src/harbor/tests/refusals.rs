//! Refused specs, and their messages.

use super::{Harbor, a_harbor};
use crate::cases::Case;
use plan::{Class, Classify};
use serde_json::json;

#[test]
fn what_a_version_lacks_is_refused_with_the_version_where_it_ended() {
    let case = Case::<Harbor>::golden("harbor-2.5").set("/spec/version", json!("2.9.0"));
    let error = case.plan().unwrap_err();
    assert_eq!((error.class(), error.reason()), (Class::Invalid, "InvalidSpec"));
    let reported = error.to_string();
    assert!(
        reported.contains("spec.chartmuseum: Harbor 2.9.0 has no ChartMuseum: it ended with Harbor 2.8"),
        "{reported}"
    );
    assert!(
        reported.contains("spec.notary: Harbor 2.9.0 has no Notary: it ended with Harbor 2.9"),
        "{reported}"
    );
}

#[test]
fn a_limit_for_jobs_that_is_no_duration_is_refused_before_an_upgrade_needs_it() {
    let error = a_harbor().set("/spec/upgrade", json!({"drainTimeout": "soon"})).plan().unwrap_err();
    assert!(error.to_string().contains("spec.upgrade.drainTimeout: "), "{error}");
}

#[test]
fn versions_from_2_5_to_2_15_are_accepted_whatever_the_patch() {
    for version in ["2.5.0", "2.9.17", "2.15.99", "v2.15.0"] {
        assert!(a_harbor().set("/spec/version", json!(version)).plan().is_ok(), "{version}");
    }
    for version in ["2.4.9", "2.16.0", "latest", "2.15"] {
        let error = a_harbor().set("/spec/version", json!(version)).error();
        assert!(error.starts_with("spec.version: "), "{error}");
    }
}

#[test]
fn a03_notary_that_is_not_exposed_is_refused_and_needs_no_ingress_of_core() {
    let case = Case::<Harbor>::golden("harbor-2.8");
    let error = case.set("/spec/expose/notary", json!(null)).error();
    assert!(error.starts_with("spec.expose.notary: is required when notary is set"), "{error}");
    let case = Case::<Harbor>::golden("harbor-2.8").set("/spec/expose/core", json!({}));
    assert_eq!(super::names(&case, "Ingress"), ["acme-harbor-notaryserver"]);
}

#[test]
fn urls_harbor_cannot_be_reached_under_are_refused() {
    for url in ["https://", "https://harbor.example.com/path", "https://a@b", "https://a?b", "https://a b"] {
        let error = a_harbor().set("/spec/externalURL", json!(url)).error();
        assert!(error.starts_with("spec.externalURL: "), "{error}");
    }
    let case = a_harbor().set("/spec/externalURL", json!("http://harbor.example.com:8080/"));
    assert_eq!(super::spec(&case, "Core")["externalEndpoint"], "http://harbor.example.com:8080");
}

#[test]
fn several_stores_and_none_are_refused() {
    let none = a_harbor().set("/spec/imageChartStorage", json!({})).error();
    assert!(none.starts_with("spec.imageChartStorage: names no store"), "{none}");
    let two = a_harbor().set("/spec/imageChartStorage/s3", json!({"region": "r", "bucket": "b"})).error();
    assert!(two.starts_with("spec.imageChartStorage: names several stores"), "{two}");
}

#[test]
fn a_proxy_for_a_component_that_uses_none_is_refused() {
    let error = a_harbor().set("/spec/proxy", json!({"components": ["portal"]})).error();
    assert!(error.starts_with("spec.proxy.components: \"portal\" uses no proxy"), "{error}");
}

#[test]
fn a_route_needs_a_gateway_and_clear_text_behind_it() {
    let mut case = Case::<Harbor>::golden("harbor-2.15");
    case.without.push("gateway.networking.k8s.io".into());
    let error = case.plan().unwrap_err();
    assert_eq!((error.class(), error.reason()), (Class::Dependency, "KindMissing"));
    let case = Case::<Harbor>::golden("harbor-2.15").set("/spec/internalTLS", json!({"enabled": true}));
    assert!(
        case.error().starts_with("spec.expose.core.route: a gateway uses clear text"),
        "{}",
        case.error()
    );
}

#[test]
fn b39_a_certificate_the_reverse_proxy_needs_is_looked_at_first() {
    let case = Case::<Harbor>::golden("versions");
    assert_eq!(case.without("public").error(), "Secret registry/public does not exist; create it");
    let error = Case::<Harbor>::golden("versions").with("public", "tls.key", "").error();
    assert!(error.starts_with("Secret registry/public, key `tls.key`: is empty"), "{error}");
}

#[test]
fn b33_a_name_too_long_for_the_longest_service_is_refused() {
    assert!(a_harbor().set("/metadata/name", json!("x".repeat(44))).plan().is_ok());
    let error = a_harbor().set("/metadata/name", json!("x".repeat(45))).error();
    assert!(error.starts_with("metadata.name: ") && error.ends_with("at most 44 characters"), "{error}");
}

#[test]
fn settings_of_the_pods_of_the_registry_controller_are_sent_to_where_they_count() {
    let error =
        a_harbor().set("/spec/registryctl", json!({"affinity": {}, "priorityClassName": "high"})).error();
    for field in ["affinity", "priorityClassName"] {
        let expected = format!(
            "spec.registryctl.{field}: is set, but the registry controller has no pods of its own: it runs in those of \
             the registry; set spec.registry.{field}"
        );
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn a_volume_of_exported_scan_results_is_refused_once_harbor_has_none() {
    let storage = json!({"storage": {"scanDataExportsPersistentVolume": {"claimName": "exports"}}});
    let at = |version: &str| {
        a_harbor().set("/spec/jobservice", storage.clone()).set("/spec/version", json!(version))
    };
    for version in ["2.5.6", "2.6.4", "2.7.4"] {
        assert!(at(version).plan().is_ok(), "{version}");
    }
    assert_eq!(
        at("2.8.0").error(),
        "spec.jobservice.storage.scanDataExportsPersistentVolume: Harbor 2.8.0 has no volume of exported scan results: \
         it ended with Harbor 2.8; remove spec.jobservice.storage.scanDataExportsPersistentVolume, or stay below \
         Harbor 2.8"
    );
}

#[test]
fn claims_of_devices_that_pods_cannot_have_are_refused() {
    let case = Case::<Harbor>::golden("without-cert-manager");
    let error = case.set("/spec/nginx", json!({"resources": {"claims": [{"name": "gpu"}]}})).error();
    assert_eq!(
        error,
        "spec.nginx.resources.claims: is set, but the pods have no resource claims that it could name; remove it"
    );
}
