use super::{Case, Core, a_core};
use plan::{Class, Classify};
use serde_json::json;

#[test]
fn every_problem_is_reported_at_once() {
    let error = a_core()
        .with("admin-password", "secret", "")
        .with("core-encryption-key", "secret", "0123456789abcdef\n")
        .with("core-csrf", "key", "short")
        .with("token-key", "tls.key", "-----BEGIN PRIVATE KEY-----\n")
        .set("/spec/database/hosts", json!([]))
        .annotated("harbor.goharbor.io/version", "2.4.0")
        .error();
    for problem in [
        "Secret registry/admin-password, key `secret`: is empty",
        "Secret registry/core-encryption-key, key `secret`: holds 17 bytes, Harbor wants exactly 16, 24 or 32; \
         the last one is a line break",
        "Secret registry/core-csrf, key `key`: holds 5 bytes, Harbor wants exactly 32",
        "Secret registry/token-key, key `tls.key`: is in PKCS#8",
        "spec.database.hosts: is empty",
        "metadata.annotations[harbor.goharbor.io/version]: Harbor 2.4.0 is older than 2.5",
    ] {
        assert!(error.contains(problem), "{problem}\nis not in\n{error}");
    }
}

#[test]
fn all_missing_objects_are_reported_at_once() {
    let error = Case::<Core>::golden("full").without("redis").without("core-csrf").without("corporate-ca");
    let error = error.plan().unwrap_err();
    assert_eq!(error.class(), Class::Dependency);
    assert_eq!(
        error.to_string(),
        "Secret registry/core-csrf, Secret registry/corporate-ca, Secret registry/redis do not exist; create them"
    );
}

#[test]
fn a_key_that_is_missing_from_its_secret_is_named() {
    let mut case = a_core();
    let secret = case.inputs.iter_mut().find(|input| input["metadata"]["name"] == "core-secret").unwrap();
    secret["data"] = json!({"password": "eA=="});
    assert_eq!(
        case.error(),
        "Secret registry/core-secret, key `secret`: does not exist; add it to the Secret"
    );
}

#[test]
fn a_database_password_that_harbor_would_pass_on_as_another_is_refused() {
    for password in ["a b", "a\n", " a", ""] {
        let error = Case::<Core>::golden("full").with("postgres", "postgres-password", password).error();
        assert!(error.starts_with("Secret registry/postgres, key `postgres-password`: "), "{error}");
    }
    for password in [r"ab\", "'ab", "'ab'", r"a\\b", r"a\'b"] {
        let error = Case::<Core>::golden("full").with("postgres", "postgres-password", password).error();
        assert!(error.ends_with("so that it is misread; use one that does not"), "{error}");
        assert!(!error.contains(password), "{error}");
    }
    for password in ["a'b", r"a\b", "ab'", "@:/%#?&=\"$+", "pässwörd"] {
        let case = Case::<Core>::golden("full").with("postgres", "postgres-password", password);
        assert!(case.plan().is_ok(), "{password}");
    }
}

#[test]
fn a_label_that_would_hide_pods_from_their_deployment_is_refused() {
    let error = a_core().set("/spec/templateLabels", json!({"core.goharbor.io/name": "mine"})).error();
    assert_eq!(
        error,
        "spec.templateLabels[core.goharbor.io/name]: selects the pods and cannot be changed; \
         remove it or use another key"
    );
}

#[test]
fn b33_a_name_too_long_for_its_children_is_refused() {
    let error = a_core().set("/metadata/name", json!("x".repeat(59))).error();
    assert!(error.contains("use a name of at most 58 characters"), "{error}");
}

#[test]
fn a12_tracing_without_a_backend_is_refused_instead_of_crashing() {
    for (trace, field) in [
        (json!({"provider": "otel", "jaeger": {"mode": "agent"}}), "spec.trace.otel"),
        (json!({"provider": "jaeger"}), "spec.trace.jaeger"),
        (json!({"provider": "jaeger", "jaeger": {"mode": "collector"}}), "spec.trace.jaeger.collector"),
        (json!({"provider": "jaeger", "jaeger": {"mode": "agent"}}), "spec.trace.jaeger.agent"),
        (
            json!({"provider": "jaeger", "jaeger": {"mode": "agent", "agent": {}}}),
            "spec.trace.jaeger.agent.host",
        ),
    ] {
        let mut trace = trace;
        trace["enabled"] = true.into();
        let error = a_core().set("/spec/trace", trace).error();
        assert!(error.starts_with(&format!("{field}: is not set")), "{error}");
    }
}

#[test]
fn tls_without_a_certificate_is_refused() {
    let error = a_core().set("/spec/components/tls", json!({})).error();
    assert!(
        error.starts_with("spec.components.tls.certificateRef: is not set although TLS is on"),
        "{error}"
    );
}

#[test]
fn b15_redis_over_tls_is_refused_before_harbor_2_13() {
    let error = Case::<Core>::golden("rediss").annotated("harbor.goharbor.io/version", "2.12.0").error();
    assert!(
        error.contains("spec.redis.certificateRef: Harbor 2.12.0 does not know TLS towards Redis"),
        "{error}"
    );
    assert!(error.contains("spec.components.registry.redis.certificateRef: "), "{error}");
}

#[test]
fn metrics_on_the_port_of_the_api_are_refused() {
    let error = a_core().set("/spec/metrics", json!({"enabled": true, "port": 8080})).error();
    assert_eq!(error, "spec.metrics.port: 8080 is the port of the API; use another port, such as 8001");
}

#[test]
fn what_is_no_duration_is_refused() {
    let error = a_core().set("/spec/redis/idleTimeout", json!("soon")).error();
    assert!(error.starts_with("spec.redis.idleTimeout: \"soon\" is not a duration"), "{error}");
}

#[test]
fn a_budget_says_exactly_one_thing() {
    for budget in [json!({}), json!({"minAvailable": 1, "maxUnavailable": 1})] {
        let error = a_core().set("/spec/podDisruptionBudget", budget).error();
        assert!(error.starts_with("spec.podDisruptionBudget: needs exactly one of"), "{error}");
    }
}

#[test]
fn b04_replicas_and_an_autoscaler_exclude_each_other() {
    let case = a_core()
        .set("/spec/resources", json!({"requests": {"cpu": "100m"}}))
        .set("/spec/replicas", json!(2))
        .set("/spec/autoscaling", json!({"maxReplicas": 3}));
    assert_eq!(
        case.error(),
        "spec.replicas: is set although an autoscaler chooses the number of pods; remove replicas or autoscaling"
    );
}
