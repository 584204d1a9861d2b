use super::{Case, Registry, a_registry};
use crate::cases::CERTIFICATE;
use plan::{Class, Classify};
use serde_json::{Value, json};

#[test]
fn a_registry_without_its_controller_waits_for_it() {
    let error = a_registry().without("harbor").plan().unwrap_err();
    assert_eq!(error.class(), Class::Dependency);
    assert_eq!(error.to_string(), "RegistryController registry/harbor does not exist; create it");
}

#[test]
fn all_missing_objects_are_reported_at_once() {
    let error = Case::<Registry>::golden("full")
        .without("redis")
        .without("registry-basicauth")
        .without("jobservice-secret")
        .without("mail")
        .without("s3-ca")
        .error();
    assert_eq!(
        error,
        "Secret registry/jobservice-secret, Secret registry/mail, Secret registry/redis, \
         Secret registry/registry-basicauth, Secret registry/s3-ca do not exist; create them"
    );
}

#[test]
fn every_problem_is_reported_at_once() {
    let error = Case::<Registry>::golden("full")
        .with("registry-basicauth", "htpasswd", "harbor:{SHA}x")
        .with("registry-http", "REGISTRY_HTTP_SECRET", "@x")
        .with("schema1", "tls.key", "-----BEGIN PRIVATE KEY-----\n")
        .with("s3-credentials", "secret", "\n")
        .with("mail", "smtp", "a: b: c")
        .set("/spec/redis/readTimeout", json!("soon"))
        .set("/spec/updateStrategyType", json!("Sometimes"))
        .set("/spec/http/net", json!("unix"))
        .annotated("harbor.goharbor.io/version", "2.4.0")
        .error();
    for problem in [
        "Secret registry/registry-basicauth, key `htpasswd`: names no user with a bcrypt password",
        "Secret registry/registry-http, key `REGISTRY_HTTP_SECRET`: is not a text in YAML",
        "Secret registry/schema1, key `tls.key`: is not a key the registry can load",
        "Secret registry/s3-credentials, key `secret`: is empty",
        "Secret registry/mail, key `smtp`: is not YAML",
        "spec.updateStrategyType: \"Sometimes\" is not a strategy to replace pods",
        "metadata.annotations[harbor.goharbor.io/version]: Harbor 2.4.0 is older than 2.5",
    ] {
        assert!(error.contains(problem), "{problem}\nis not in\n{error}");
    }
}

#[test]
fn every_problem_of_the_configuration_is_reported_at_once() {
    let error = Case::<Registry>::golden("full")
        .set("/spec/redis/readTimeout", json!("soon"))
        .set("/spec/redis/pool/idleTimeout", json!(""))
        .set("/spec/http/net", json!("unix"))
        .set("/spec/http/drainTimeout", json!("1"))
        .set("/spec/authentication/silly", json!({"realm": "a", "service": "b"}))
        .set("/spec/storage/maintenance/uploadPurging/age", json!("old"))
        .set("/spec/health/storageDriver/interval", json!("often"))
        .set("/spec/notifications/endpoints", json!([{"name": "a", "url": "http://b", "backoff": "x"}]))
        .error();
    for field in [
        "spec.redis.readTimeout",
        "spec.redis.pool.idleTimeout",
        "spec.http.net",
        "spec.http.drainTimeout",
        "spec.authentication",
        "spec.storage.maintenance.uploadPurging.age",
        "spec.health.storageDriver.interval",
        "spec.notifications.endpoints[a].backoff",
    ] {
        assert!(error.contains(&format!("{field}: ")), "{field}\nis not in\n{error}");
    }
}

#[test]
fn the_registry_and_its_controller_change_together() {
    let error = a_registry().beside("/spec/tls", json!({"certificateRef": "core-secret"}));
    let error = error.with("core-secret", "tls.crt", CERTIFICATE).with("core-secret", "ca.crt", CERTIFICATE);
    let error = error.with("core-secret", "tls.key", "-----BEGIN PRIVATE KEY-----\n").error();
    assert!(error.starts_with("RegistryController registry/harbor must have spec.tls where"), "{error}");

    let error = a_registry().annotated("harbor.goharbor.io/version", "2.14.0").plan().unwrap_err();
    assert_eq!(
        error.to_string(),
        "RegistryController registry/harbor has version 2.15.0, and the Registry has 2.14.0; it runs in the same pods \
         and must have the same"
    );
    assert!(!error.stalls(), "its Harbor is about to change the other one");
}

#[test]
fn a_cache_in_redis_needs_redis() {
    let error = a_registry().set("/spec/storage/cache", json!({"blobdescriptor": "redis"})).error();
    assert!(error.starts_with("spec.redis: is not set although blob descriptors"), "{error}");
}

#[test]
fn b15_what_harbor_cannot_say_to_redis_is_refused() {
    let at = |version: &str| {
        Case::<Registry>::golden("full")
            .annotated("harbor.goharbor.io/version", version)
            .beside("/metadata/annotations/harbor.goharbor.io~1version", version.into())
    };
    let error = at("2.12.0").error();
    assert!(
        error.contains("spec.redis.certificateRef: Harbor 2.12.0 does not know TLS towards Redis"),
        "{error}"
    );
    assert!(
        error.contains("spec.redis.username: Harbor 2.12.0 does not know names of Redis users"),
        "{error}"
    );
    let error = at("2.14.0").error();
    assert!(error.starts_with("spec.redis.username: ") && !error.contains("certificateRef"), "{error}");
}

#[test]
fn a_debug_server_on_a_port_that_is_taken_is_refused() {
    for port in [5000, 8080, 8443, 80, 443] {
        let error = a_registry().set("/spec/http", json!({"debug": {"port": port}})).error();
        assert!(error.starts_with("spec.http.debug.port: "), "{error}");
    }
}

#[test]
fn a12_tracing_without_a_backend_is_refused_instead_of_crashing() {
    let error = a_registry().set("/spec/trace", json!({"enabled": true, "provider": "otel"})).error();
    assert!(error.starts_with("spec.trace.otel: is not set"), "{error}");
}

#[test]
fn b33_a_name_too_long_for_its_children_is_refused() {
    let name = "x".repeat(52);
    let mut case = a_registry().set("/metadata/name", json!(name)).beside("/metadata/name", json!(name));
    case = case.beside("/spec/registryRef", json!(name));
    assert!(case.error().contains("use a name of at most 51 characters"), "{}", case.error());
}

#[test]
fn a_label_that_would_hide_pods_from_their_deployment_is_refused() {
    let error =
        a_registry().set("/spec/templateLabels", json!({"registry.goharbor.io/name": "mine"})).error();
    assert!(error.starts_with("spec.templateLabels[registry.goharbor.io/name]: selects the pods"), "{error}");
}

#[test]
fn an_http_secret_of_the_old_operator_is_understood() {
    for secret in ["'it''s: #yaml'", "\"a\\\"b\"\n", "plain", "123456"] {
        let case = Case::<Registry>::golden("tls").with("registry-http", "REGISTRY_HTTP_SECRET", secret);
        assert!(case.plan().is_ok(), "{secret}");
    }
    for secret in ["", "a: b", "[a]", "~", "*a"] {
        let case = Case::<Registry>::golden("tls").with("registry-http", "REGISTRY_HTTP_SECRET", secret);
        assert!(case.plan().is_err(), "{secret}");
    }
    assert_eq!(
        Case::<Registry>::golden("tls").environment("registry")["REGISTRY_HTTP_SECRET"],
        Value::from("registry-http/REGISTRY_HTTP_SECRET")
    );
}
