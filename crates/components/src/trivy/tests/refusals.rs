use super::{Case, Trivy, a_trivy};
use plan::{Class, Classify};
use serde_json::{Value, json};

const VERSION: &str = "harbor.goharbor.io/version";

#[test]
fn a_trivy_without_redis_is_refused() {
    let error = a_trivy().set("/spec/redis", Value::Null).error();
    assert!(error.starts_with("spec.redis: is not set"), "{error}");
}

#[test]
fn all_missing_objects_are_reported_at_once() {
    let case = Case::<Trivy>::golden("full").without("redis").without("github").without("public-certificate");
    let error = case.plan().unwrap_err();
    assert_eq!(error.class(), Class::Dependency);
    assert_eq!(
        error.to_string(),
        "Secret registry/github, Secret registry/public-certificate, Secret registry/redis do not exist; create them"
    );
}

#[test]
fn all_problems_are_reported_at_once() {
    let error = Case::<Trivy>::golden("full")
        .annotated(VERSION, "2.6.0")
        .set("/spec/timeout", json!("soon"))
        .set("/spec/server/readTimeout", json!("5"))
        .set("/spec/redis/pool/idleTimeout", json!("later"))
        .set("/spec/redis/jobs/scanTTL", json!("never"))
        .set("/spec/storage/cache/prefix", json!("../elsewhere"))
        .with("corporate-ca", "ca.crt", "")
        .error();
    for problem in [
        "spec.timeout: \"soon\" is not a duration",
        "spec.server.readTimeout: \"5\" is not a duration",
        "spec.redis.pool.idleTimeout: \"later\" is not a duration",
        "spec.redis.jobs.scanTTL: \"never\" is not a duration",
        "spec.storage.cache.prefix: leads out of the volume",
        "Secret registry/corporate-ca, key `ca.crt`: is empty",
        "spec.redis.username: Harbor 2.6.0 does not know names of Redis users",
        "spec.securityChecks: Harbor 2.6.0 does not know a choice of security checks: it began with Harbor 2.7",
        "spec.dbRepository: Harbor 2.6.0 does not know mirrors of Trivy's databases: it began with Harbor 2.12",
        "spec.javaDbRepository: Harbor 2.6.0 does not know mirrors",
        "spec.skipJavaDBUpdate: Harbor 2.6.0 does not know a choice about the database of Java packages",
    ] {
        assert!(error.contains(problem), "{problem}\nis not in\n{error}");
    }
}

#[test]
fn a_user_behind_sentinel_is_refused_where_the_adapter_would_forget_the_name() {
    let error = Case::<Trivy>::golden("full").annotated(VERSION, "2.14.0").error();
    assert!(error.starts_with("spec.redis.username: Harbor 2.14.0 does not know"), "{error}");
    let direct = Case::<Trivy>::golden("rediss").annotated(VERSION, "2.14.0");
    assert!(direct.plan().is_ok());
}

#[test]
fn b15_redis_over_tls_is_refused_before_harbor_2_13() {
    let error = Case::<Trivy>::golden("rediss").annotated(VERSION, "2.12.0").error();
    assert!(error.starts_with("spec.redis.certificateRef: Harbor 2.12.0 does not know TLS"), "{error}");
}

#[test]
fn callers_are_not_let_in_without_certificates_because_tls_is_off() {
    let error = Case::<Trivy>::golden("tls").set("/spec/server/tls", Value::Null).error();
    assert!(error.starts_with("spec.server.clientCertificateAuthorityRefs: is set without TLS"), "{error}");
}

#[test]
fn tls_without_a_certificate_is_refused() {
    let error = a_trivy().set("/spec/server/tls", json!({})).error();
    assert!(error.starts_with("spec.server.tls.certificateRef: is not set although TLS is on"), "{error}");
}

#[test]
fn b33_a_name_too_long_for_its_children_is_refused() {
    let error = a_trivy().set("/metadata/name", json!("x".repeat(58))).error();
    assert!(error.contains("use a name of at most 57 characters"), "{error}");
}

#[test]
fn b39_a_token_that_is_missing_is_named_before_anything_is_made() {
    let error = Case::<Trivy>::golden("full").without("github").error();
    assert_eq!(error, "Secret registry/github does not exist; create it");
}
