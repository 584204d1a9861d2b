use super::{CASES, Case, Core, a_core};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn names(case: &Case<Core>) -> Vec<String> {
    variables(case).into_iter().map(|(name, _)| name).collect()
}

fn values(case: &Case<Core>) -> BTreeMap<String, Value> {
    variables(case).into_iter().collect()
}

fn variables(case: &Case<Core>) -> Vec<(String, Value)> {
    let deployment = case.child("Deployment");
    let variables = deployment.pointer("/spec/template/spec/containers/0/env").unwrap().as_array().unwrap();
    let value = |variable: &Value| variable.get("value").or(variable.get("valueFrom")).cloned().unwrap();
    variables.iter().map(|it| (it["name"].as_str().unwrap().to_owned(), value(it))).collect()
}

fn at(version: &str) -> BTreeMap<String, Value> {
    values(&Case::golden("harbor-2.5").annotated("harbor.goharbor.io/version", version))
}

#[test]
fn b03_environment_order_never_changes() {
    for case in CASES.map(Case::<Core>::golden) {
        let first = case.children();
        (0..100).for_each(|_| assert_eq!(case.children(), first));
    }
}

#[test]
fn a_database_is_reached_over_tls_where_it_offers_that_unless_the_spec_says_otherwise() {
    let mode = |parameters: Value| {
        values(&a_core().set("/spec/database/parameters", parameters))["POSTGRESQL_SSLMODE"].clone()
    };
    assert_eq!(mode(json!({})), "prefer");
    assert_eq!(mode(json!({"sslmode": "disable"})), "disable");
    assert_eq!(mode(json!({"sslmode": "verify-full"})), "verify-full");
}

#[test]
fn every_variable_is_set_once() {
    for case in CASES.map(Case::<Core>::golden) {
        let all = names(&case);
        let mut once = all.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), all.len());
    }
}

#[test]
fn variables_come_and_go_with_the_versions_that_read_them() {
    for (variable, versions) in [
        ("WITH_CHARTMUSEUM", ["2.5.0", "2.7.4", "2.8.0"]),
        ("CHART_REPOSITORY_URL", ["2.5.0", "2.7.4", "2.8.0"]),
        ("WITH_NOTARY", ["2.5.0", "2.8.6", "2.9.0"]),
        ("NOTARY_URL", ["2.5.0", "2.8.6", "2.9.0"]),
        ("SYNC_QUOTA", ["2.5.0", "2.14.9", "2.15.0"]),
    ] {
        let present = versions.map(|version| at(version).contains_key(variable));
        assert_eq!(present, [true, true, false], "{variable}");
    }
    let whitelist =
        ["2.13.9", "2.14.0"].map(|version| at(version).contains_key("REPLICATION_ADAPTER_WHITELIST"));
    assert_eq!(whitelist, [false, true]);
}

#[test]
fn the_registries_that_may_be_cached_are_those_of_the_version() {
    let permits = |version: &str, kind: &str| {
        let types = at(version)["PERMITTED_REGISTRY_TYPES_FOR_PROXY_CACHE"].as_str().unwrap().to_owned();
        types.split(',').any(|permitted| permitted == kind)
    };
    assert!(permits("2.13.0", "quay") && !permits("2.14.0", "quay"));
    assert!(!permits("2.6.0", "jfrog-artifactory") && permits("2.7.0", "jfrog-artifactory"));
    assert!(!permits("2.11.0", "ali-acr") && permits("2.12.0", "ali-acr"));
    assert!(permits("2.5.0", "github-ghcr"));
}

#[test]
fn an_image_of_unknown_version_gets_the_newest_environment() {
    let mut custom = Case::<Core>::golden("harbor-2.5").set("/spec/image", json!("example/core:mine"));
    custom.owner.metadata.annotations = None;
    assert!(!names(&custom).contains(&"WITH_NOTARY".to_owned()));
    assert!(names(&custom).contains(&"REPLICATION_ADAPTER_WHITELIST".to_owned()));
}

#[test]
fn without_a_registry_redis_its_url_is_left_out() {
    assert!(!names(&a_core()).contains(&"_REDIS_URL_REG".to_owned()));
    let secret = a_core().child("Secret");
    let keys: Vec<&String> = secret["data"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["HARBOR_ADMIN_PASSWORD", "_REDIS_URL_CORE"]);
}

#[test]
fn a_level_that_the_api_calls_warn_is_warning_for_harbor() {
    let case = a_core().set("/spec/log", json!({"level": "warn"}));
    assert_eq!(values(&case)["LOG_LEVEL"], "warning");
}

#[test]
fn b13_core_does_not_log_passwords_of_redis() {
    let case = a_core().set("/spec/log", json!({"level": "debug"}));
    assert_eq!(values(&case)["LOG_LEVEL"], "info");
}

#[test]
fn b29_the_password_of_jaeger_is_read_from_its_own_key() {
    let variable = |case: Case<Core>| values(&case)["TRACE_JAEGER_PASSWORD"]["secretKeyRef"]["key"].clone();
    assert_eq!(variable(Case::golden("harbor-2.5")), "jaeger-password");
    let both = Case::golden("harbor-2.5").with("jaeger", "postgres-password", "x");
    assert_eq!(variable(both), "jaeger-password");
}

#[test]
fn b29_a_secret_made_for_the_old_key_still_works() {
    let mut old = Case::<Core>::golden("harbor-2.5").with("jaeger", "postgres-password", "x");
    let secret = old.inputs.iter_mut().find(|input| input["metadata"]["name"] == "jaeger").unwrap();
    secret["data"].as_object_mut().unwrap().remove("jaeger-password");
    let variable = &values(&old)["TRACE_JAEGER_PASSWORD"];
    assert_eq!(variable["secretKeyRef"]["key"], "postgres-password");
}

#[test]
fn traces_may_go_through_an_agent_and_wait_as_long_as_by_default() {
    let agent = json!({"enabled": true, "provider": "jaeger",
        "jaeger": {"mode": "agent", "agent": {"host": "jaeger", "port": 6831}}});
    let values_of = |trace: Value| values(&a_core().set("/spec/trace", trace));
    assert_eq!(values_of(agent)["TRACE_JAEGER_AGENT_HOSTNAME"], "jaeger");
    let otel = json!({"enabled": true, "provider": "otel", "otel": {"endpoint": "c:4318", "urlPath": "/v1"}});
    assert_eq!(values_of(otel)["TRACE_OTEL_TIMEOUT"], "10");
}

#[test]
fn siblings_are_reached_without_the_proxy() {
    let exceptions = values(&Case::golden("full"))["NO_PROXY"].clone();
    let exceptions: Vec<&str> = exceptions.as_str().unwrap().split(',').collect();
    for host in ["harbor-core", "harbor-jobservice", "harbor-portal", "harbor-registry", "harbor-registryctl"]
    {
        assert!(exceptions.contains(&host), "{host}");
    }
}

#[test]
fn an_unset_user_is_left_out_since_an_empty_one_makes_harbor_log_the_password() {
    assert!(!names(&a_core()).contains(&"POSTGRESQL_USERNAME".to_owned()));
}
