//! Tests of the exporter.

use super::Exporter;
use crate::cases::Case;
use k8s_openapi::{ByteString, api::core::v1::Container};
use plan::{Class, Classify};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn an_exporter() -> Case<Exporter> {
    Case::golden("minimal")
}

fn container(case: &Case<Exporter>) -> Container {
    let deployment = case.child("Deployment");
    serde_json::from_value(deployment.pointer("/spec/template/spec/containers/0").unwrap().clone()).unwrap()
}

fn values(case: &Case<Exporter>) -> BTreeMap<String, String> {
    let variables = container(case).env.unwrap().into_iter();
    variables.filter_map(|variable| Some((variable.name, variable.value?))).collect()
}

#[test]
fn b13_the_password_of_redis_is_in_a_secret_and_not_in_the_deployment() {
    let case = Case::<Exporter>::golden("full");
    let url: ByteString =
        serde_json::from_value(case.child("Secret")["data"]["HARBOR_REDIS_URL"].clone()).unwrap();
    assert_eq!(
        String::from_utf8(url.0).unwrap(),
        "rediss+sentinel://:fake%3Ap%40ss%2Fw%23rd%201%25@sentinel-0.example.com:26379,sentinel-1.example.com:26380\
         /harbor/2?idle_timeout_seconds=90"
    );
    assert!(!values(&case).contains_key("HARBOR_REDIS_URL"));
}

#[test]
fn the_queue_that_is_counted_is_the_one_jobservice_works_on() {
    use crate::jobservice::queue_namespace;
    assert_eq!(values(&an_exporter())["HARBOR_REDIS_NAMESPACE"], queue_namespace("registry", "harbor"));
    assert_eq!(values(&Case::golden("full"))["HARBOR_REDIS_NAMESPACE"], "jobs-of-staging");
}

#[test]
fn the_url_of_core_is_split_and_a_port_that_is_not_named_is_the_default() {
    for (url, expected) in [
        ("http://harbor-core", ["http", "harbor-core", "80"]),
        ("https://harbor-core/", ["https", "harbor-core", "443"]),
        ("https://harbor-core:8443", ["https", "harbor-core", "8443"]),
        ("http://[fd00::1]:8080", ["http", "fd00::1", "8080"]),
    ] {
        let values = values(&an_exporter().set("/spec/core/url", json!(url)));
        let passed_on =
            ["SCHEME", "HOST", "PORT"].map(|part| values[&format!("HARBOR_SERVICE_{part}")].clone());
        assert_eq!(passed_on, expected);
    }
}

#[test]
fn a_core_the_exporter_would_not_find_is_refused() {
    for url in
        ["http://", "http://harbor-core:0", "http://harbor-core:http", "http://u:p@core", "http://core/api"]
    {
        let error = an_exporter().set("/spec/core/url", json!(url)).error();
        assert!(error.starts_with("spec.core.url: "), "{error}");
    }
}

#[test]
fn numbers_the_exporter_would_take_for_zero_are_refused() {
    let error = an_exporter()
        .set("/spec/port", json!(70000))
        .set("/spec/database/hosts", json!([{"host": "postgres", "port": 70000}]))
        .set("/spec/cache", json!({"duration": "often"}))
        .set("/spec/jobservice/redisPool/idleTimeout", json!("long"))
        .error();
    for problem in [
        "spec.port: there is no port 70000",
        "spec.database.hosts[0].port: there is no port 70000",
        "spec.cache.duration: \"often\" is not a duration",
        "spec.jobservice.redisPool.idleTimeout: \"long\" is not a duration",
    ] {
        assert!(error.contains(problem), "{problem}\nis not in\n{error}");
    }
}

#[test]
fn a13_a_queue_that_is_not_described_is_refused_instead_of_crashing() {
    for jobservice in [json!(null), json!({})] {
        let error = an_exporter().set("/spec/jobservice", jobservice).error();
        assert!(error.starts_with("spec.jobservice.redisPool: is not set; describe"), "{error}");
    }
}

#[test]
fn b39_all_missing_objects_are_reported_at_once() {
    let case = Case::<Exporter>::golden("full")
        .without("redis")
        .without("postgres")
        .without("internal-ca")
        .without("redis-ca");
    let error = case.plan().unwrap_err();
    assert_eq!(error.class(), Class::Dependency);
    assert_eq!(
        error.to_string(),
        "Secret registry/internal-ca, Secret registry/postgres, Secret registry/redis, Secret registry/redis-ca \
         do not exist; create them"
    );
}

#[test]
fn cores_defaults_are_spelt_out_for_the_exporter_has_none() {
    let values = values(&an_exporter());
    let passed_on =
        ["USERNAME", "DBNAME", "PORT"].map(|name| values[&format!("HARBOR_DATABASE_{name}")].as_str());
    assert_eq!(passed_on, ["postgres", "registry", "5432"]);
    let error = an_exporter().set("/spec/database/passwordRef", json!(null)).error();
    assert!(error.starts_with("spec.database.passwordRef: is not set; name the Secret"), "{error}");
}

#[test]
fn without_settings_metrics_are_cached_as_they_always_were() {
    let spelt_out = an_exporter().set("/spec/cache", json!({"duration": "30s", "cleanInterval": "4h"}));
    assert_eq!(spelt_out.children(), an_exporter().children());
    assert_eq!(values(&an_exporter())["HARBOR_EXPORTER_CACHE_CLEAN_INTERVAL"], "14400");
}

#[test]
fn an_autoscaler_is_refused_and_replicas_are_not() {
    let requests = json!({"requests": {"cpu": "100m"}});
    let scaled =
        an_exporter().set("/spec/resources", requests).set("/spec/autoscaling", json!({"maxReplicas": 3}));
    let error = scaled.error();
    assert!(error.starts_with("spec.autoscaling: is set, but every pod"), "{error}");
    let old = an_exporter().set("/spec/replicas", json!(2));
    assert_eq!(old.child("Deployment")["spec"]["replicas"], 2);
}

#[test]
fn what_a_version_does_not_know_is_refused() {
    let sentinel = json!({"host": "redis", "username": "u", "sentinelMasterSet": "m"});
    for (pointer, value, lacks, knows) in [
        ("/spec/database/connectionMaxLifetime", json!("5m"), "2.6.4", "2.7.0"),
        ("/spec/database/connectionMaxIdleTime", json!("5m"), "2.6.4", "2.7.0"),
        ("/spec/jobservice/redisPool", json!({"host": "redis", "username": "u"}), "2.7.4", "2.8.0"),
        ("/spec/jobservice/redisPool", sentinel, "2.14.4", "2.15.0"),
    ] {
        let case = |version: &str| {
            an_exporter().set(pointer, value.clone()).annotated("harbor.goharbor.io/version", version)
        };
        let error = case(lacks).error();
        let field = pointer[1..].replace('/', ".");
        assert!(error.starts_with(&field) && error.contains("does not know"), "{error}");
        assert!(case(knows).plan().is_ok(), "{field}");
    }
}

#[test]
fn the_log_never_holds_the_password_of_redis() {
    let level = |case: Case<Exporter>, level: &str| {
        values(&case.set("/spec/log", json!({"level": level})))["LOG_LEVEL"].clone()
    };
    let with_password = || Case::golden("full");
    let levels = ["debug", "info", "warning", "error", "panic"];
    let passed_on = levels.map(|it| level(with_password(), it));
    assert_eq!(passed_on, ["info", "info", "warning", "error", "fatal"]);
    let open = an_exporter().set("/spec/jobservice/redisPool", json!({"host": "redis"}));
    assert_eq!(level(open, "debug"), "debug", "there is nothing to keep");
    assert!(!values(&an_exporter()).contains_key("LOG_LEVEL"));
}

#[test]
fn b38_only_the_authority_of_a_certificate_is_mounted_and_metrics_stay_in_clear_text() {
    let case = Case::<Exporter>::golden("tls");
    let deployment = case.child("Deployment");
    let volumes = deployment.pointer("/spec/template/spec/volumes").unwrap();
    let expected = json!([{"name": "exporter-internal-tls-certifacts", "secret":
        {"secretName": "exporter-internal-tls", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]);
    assert_eq!(volumes, &expected);
    let probe = container(&case).readiness_probe.unwrap().http_get.unwrap();
    assert_eq!((probe.path.as_deref(), probe.scheme.as_deref()), (Some("/"), Some("HTTP")));
    let error = case.set("/spec/tls", json!({})).error();
    assert!(error.starts_with("spec.tls.certificateRef: is not set although TLS is on"), "{error}");
}

#[test]
fn a09_the_network_policy_opens_the_port_of_the_metrics() {
    let case = Case::<Exporter>::golden("full");
    let opened: Vec<Value> =
        case.child("NetworkPolicy")["spec"]["ingress"][0]["ports"].as_array().unwrap().clone();
    let opened: Vec<&str> = opened.iter().map(|port| port["port"].as_str().unwrap()).collect();
    let listening: Vec<String> =
        container(&case).ports.unwrap().into_iter().map(|port| port.name.unwrap()).collect();
    assert_eq!(opened, listening);
}

#[test]
fn b33_a_name_too_long_for_its_children_is_refused() {
    let error = an_exporter().set("/metadata/name", json!("x".repeat(55))).error();
    assert!(error.contains("use a name of at most 54 characters"), "{error}");
}
