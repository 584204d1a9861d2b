//! Tests of Portal.

mod adoption;
mod network;
mod pods;

use super::Portal;
use crate::cases::Case;
use plan::Component;
use serde_json::json;

fn a_portal() -> Case<Portal> {
    Case::golden("minimal")
}

fn configuration(case: &Case<Portal>) -> String {
    case.child("ConfigMap")["data"]["nginx.conf"].as_str().unwrap().to_owned()
}

#[test]
fn b36_the_configuration_is_a_child_that_is_watched() {
    assert!(Portal::children().iter().any(|kind| kind.resource.kind == "ConfigMap"));
}

#[test]
fn the_api_browser_has_a_page_where_harbor_has_one() {
    let browser = |version: &str| {
        configuration(&a_portal().annotated("harbor.goharbor.io/version", version))
            .contains("location /devcenter-api-2.0 {")
    };
    assert_eq!(["2.6.4", "2.7.0", "2.15.0"].map(browser), [false, true, true]);
}

#[test]
fn no_connections_always_meant_the_default_number() {
    let none = a_portal().set("/spec/maxConnections", json!(0));
    assert_eq!(none.children(), a_portal().children());
}

#[test]
fn so_few_connections_that_nginx_would_not_start_are_refused() {
    let requested = |connections: i32| a_portal().set("/spec/maxConnections", json!(connections));
    assert!(requested(3).plan().is_ok());
    assert_eq!(
        requested(2).error(),
        "spec.maxConnections: 2 leaves nginx no connection for users; use more, such as 1024"
    );
    assert!(requested(2).set("/spec/network", json!({"ipFamilies": ["IPv4"]})).plan().is_ok());
}

#[test]
fn tls_without_a_certificate_is_refused() {
    let error = a_portal().set("/spec/tls", json!({})).error();
    assert!(error.starts_with("spec.tls.certificateRef: is not set although TLS is on"), "{error}");
}

#[test]
fn b39_a_certificate_that_is_not_there_is_named_before_anything_is_applied() {
    let error = Case::<Portal>::golden("tls").without("portal-internal-tls").error();
    assert_eq!(error, "Secret registry/portal-internal-tls does not exist; create it");
    let error = Case::<Portal>::golden("tls").with("portal-internal-tls", "tls.key", "").error();
    assert_eq!(error, "Secret registry/portal-internal-tls, key `tls.key`: is empty; give it a value");
}

#[test]
fn b33_a_name_too_long_for_its_children_is_refused() {
    let error = a_portal().set("/metadata/name", json!("x".repeat(57))).error();
    assert!(error.contains("use a name of at most 56 characters"), "{error}");
}

#[test]
fn strong_ciphers_are_offered_where_they_are_asked_for() {
    let ciphers = |case: Case<Portal>| {
        let text = configuration(&case);
        text.lines().find(|line| line.contains("ssl_ciphers")).map(|line| line.trim().to_owned())
    };
    let strong = "ssl_ciphers ECDHE+AESGCM:DHE+AESGCM:ECDHE+RSA+SHA256:DHE+RSA+SHA256:!AES128;";
    assert_eq!(ciphers(Case::golden("as-the-chart")).as_deref(), Some(strong));
    assert!(ciphers(Case::golden("tls")).is_some_and(|line| line.contains("!aNULL:kECDH+AESGCM")));
}
