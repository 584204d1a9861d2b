//! Features of Harbor's Helm chart.

use super::{Harbor, a_harbor, spec};
use crate::cases::Case;
use serde_json::{Value, json};

fn as_the_chart() -> Case<Harbor> {
    Case::golden("as-the-chart")
}

fn at(value: &Value, pointer: &str) -> Value {
    value.pointer(pointer).cloned().unwrap_or_default()
}

#[test]
fn every_component_finds_the_redis_database_that_is_chosen_for_it() {
    let case = as_the_chart();
    for (kind, pointer, expected) in [
        ("Core", "/redis/database", 0),
        ("Core", "/redis/harborDatabase", 6),
        ("Core", "/components/registry/redis/database", 2),
        ("Registry", "/redis/database", 2),
        ("JobService", "/workerPool/redisPool/database", 1),
        ("Exporter", "/jobservice/redisPool/database", 1),
        ("Trivy", "/redis/database", 5),
    ] {
        assert_eq!(at(&spec(&case, kind), pointer), expected, "{kind} {pointer}");
    }
}

#[test]
fn one_redis_database_is_enough_for_all() {
    let databases = json!({"core": 0, "registry": 0, "jobservice": 0, "trivy": 0});
    let case = as_the_chart().set("/spec/redis/databases", databases);
    assert_eq!(at(&spec(&case, "Registry"), "/redis/database"), 0);
    assert_eq!(at(&spec(&case, "JobService"), "/workerPool/redisPool/database"), 0);
}

#[test]
fn redis_databases_that_a_version_does_not_know_are_refused() {
    let error = a_harbor()
        .set("/spec/redis/databases", json!({"harbor": 6}))
        .set("/spec/version", json!("2.8.0"))
        .error();
    assert!(error.starts_with("spec.redis.databases.harbor: Harbor 2.8.0 does not know"), "{error}");
}

#[test]
fn every_component_speaks_tls_to_a_redis_whose_authority_is_public() {
    let case = as_the_chart();
    for (kind, pointer) in [
        ("Core", "/redis/tls"),
        ("Core", "/components/registry/redis/tls"),
        ("Registry", "/redis/tls"),
        ("JobService", "/workerPool/redisPool/tls"),
        ("Exporter", "/jobservice/redisPool/tls"),
        ("Trivy", "/redis/tls"),
    ] {
        assert_eq!(at(&spec(&case, kind), pointer), true, "{kind} {pointer}");
    }
}

#[test]
fn the_database_may_keep_the_name_it_has() {
    let case = as_the_chart();
    assert_eq!(at(&spec(&case, "Core"), "/database/database"), "registry");
    assert_eq!(at(&spec(&case, "Exporter"), "/database/database"), "registry");
    let both = Case::<Harbor>::golden("harbor-2.5").set("/spec/database/name", json!("registry"));
    assert_eq!(at(&spec(&both, "Core"), "/database/database"), "registry", "without the prefix");
    assert_eq!(at(&spec(&both, "NotaryServer"), "/storage/postgres/database"), "acme-notaryserver");
}

#[test]
fn services_of_core_and_the_portal_carry_annotations() {
    let expected = json!({"cloud.example.com/neg": "{\"ingress\": true}"});
    for kind in ["Core", "Portal"] {
        assert_eq!(spec(&as_the_chart(), kind)["serviceAnnotations"], expected, "{kind}");
    }
}

#[test]
fn a_controllers_own_certificate_serves_an_ingress_over_tls() {
    let ingress = spec(&as_the_chart(), "Ingress");
    assert_eq!(ingress["tls"], json!([{"hosts": ["harbor.example.com"]}]));
    let error = a_harbor().set("/spec/expose/core/ingress/defaultCertificate", json!(true)).error();
    assert_eq!(
        error,
        "spec.expose.core.ingress.defaultCertificate: is true although tls names or asks for a certificate; \
         remove one of them"
    );
}

#[test]
fn users_may_download_an_authority_however_they_are_served() {
    let core = |case: &Case<Harbor>| at(&spec(case, "Core"), "/publicCertificateRef");
    assert_eq!(core(&as_the_chart()), "company-ca");
    assert_eq!(core(&a_harbor()), "public", "that of the Ingress unless set");
    let trusted = at(&spec(&as_the_chart(), "Trivy"), "/server/tokenServiceCertificateAuthorityRefs");
    assert_eq!(trusted, json!(["company-ca"]), "Trivy gets its tokens there");
}

#[test]
fn strong_ciphers_are_for_both_web_servers() {
    assert_eq!(spec(&as_the_chart(), "Portal")["strongCiphers"], true);
    let front = Case::<Harbor>::golden("versions").set("/spec/internalTLS/strongCiphers", json!(true));
    let strong =
        |case: &Case<Harbor>| case.child("ConfigMap").to_string().contains("ECDHE+AESGCM:DHE+AESGCM");
    assert!(strong(&front));
    assert!(!strong(&Case::golden("versions")));
}

#[test]
fn settings_reach_the_component_they_are_for() {
    let case = as_the_chart();
    for (kind, pointer, expected) in [
        ("Core", "/adminInitialPasswordKey", json!("HARBOR_ADMIN_PASSWORD")),
        ("Core", "/database/passwordKey", json!("password")),
        ("Exporter", "/database/passwordKey", json!("password")),
        ("Core", "/gcTimeWindowHours", json!(4)),
        ("Core", "/trace/sampleRate", json!(0.25)),
        ("JobService", "/trace/sampleRate", json!(0.25)),
        ("Core", "/probes/readiness", json!({"successThreshold": 2})),
        ("Core", "/metrics/serviceMonitor/honorLabels", json!(true)),
        ("Trivy", "/server/debugMode", json!(true)),
        ("Registry", "/storage/driver/swift/accesskeyRef", json!("swift")),
    ] {
        assert_eq!(at(&spec(&case, kind), pointer), expected, "{kind} {pointer}");
    }
}
