use super::{Case, Core, a_core};
use serde_json::{Value, json};

fn variable(case: &Case<Core>, name: &str) -> Option<Value> {
    let deployment = case.child("Deployment");
    let variables = deployment.pointer("/spec/template/spec/containers/0/env").unwrap().as_array().unwrap();
    let found = variables.iter().find(|variable| variable["name"] == name)?;
    Some(found.get("value").or(found.get("valueFrom")).cloned().unwrap())
}

fn at(version: &str) -> Case<Core> {
    a_core().annotated("harbor.goharbor.io/version", version)
}

#[test]
fn what_is_set_reaches_core() {
    let full = Case::<Core>::golden("full");
    for (name, value) in [
        ("POSTGRESQL_CONN_MAX_LIFETIME", "10m"),
        ("POSTGRESQL_CONN_MAX_IDLE_TIME", "1m30s"),
        ("CACHE_ENABLED", "true"),
        ("CACHE_EXPIRE_HOURS", "12"),
        ("QUOTA_UPDATE_PROVIDER", "redis"),
        ("GDPR_DELETE_USER", "true"),
        ("GDPR_AUDIT_LOGS", "true"),
        ("SKIP_LOG_AUDIT_DATABASE", "true"),
        ("ARTIFACT_PULL_ASYNC_FLUSH_DURATION", "60"),
    ] {
        assert_eq!(variable(&full, name), Some(json!(value)), "{name}");
        assert_eq!(variable(&a_core(), name), None, "{name} is left to Harbor unless set");
    }
    for (name, secret) in
        [("CONFIG_OVERWRITE_JSON", "core-settings"), ("_REDIS_URL_CACHE_LAYER", "harbor-core")]
    {
        let reference = json!({"secretKeyRef": {"name": secret, "key": name}});
        assert_eq!(variable(&full, name), Some(reference));
        assert_eq!(variable(&a_core(), name), None);
    }
}

#[test]
fn what_a_version_does_not_know_is_refused() {
    let layer = json!({"enabled": true, "database": 7});
    for (version, pointer, value, told) in [
        (
            "2.6.0",
            "/spec/database/connectionMaxLifetime",
            json!("5m"),
            "spec.database.connectionMaxLifetime: Harbor 2.6.0 does not know",
        ),
        (
            "2.6.0",
            "/spec/database/connectionMaxIdleTime",
            json!("5m"),
            "spec.database.connectionMaxIdleTime: Harbor 2.6.0 does not know",
        ),
        (
            "2.5.0",
            "/spec/cacheLayer",
            json!({"enabled": true}),
            "spec.cacheLayer: Harbor 2.5.0 does not know a cache layer",
        ),
        ("2.8.0", "/spec/cacheLayer", layer, "spec.cacheLayer.database: Harbor 2.8.0 does not know"),
        ("2.8.0", "/spec/quotaProvider", json!("redis"), "spec.quotaProvider: Harbor 2.8.0 does not know"),
        (
            "2.5.0",
            "/spec/gdpr",
            json!({"deleteUser": true}),
            "spec.gdpr.deleteUser: Harbor 2.5.0 does not know",
        ),
        (
            "2.9.0",
            "/spec/gdpr",
            json!({"auditLogs": true}),
            "spec.gdpr.auditLogs: Harbor 2.9.0 does not know",
        ),
        (
            "2.13.0",
            "/spec/auditLog",
            json!({"skipDatabase": true}),
            "spec.auditLog.skipDatabase: Harbor 2.13.0 does not know",
        ),
    ] {
        let error = at(version).set(pointer, value.clone()).error();
        assert!(error.starts_with(told), "{error}");
        assert!(at("2.15.0").set(pointer, value).plan().is_ok(), "{pointer}");
    }
}

#[test]
fn a_cache_layer_that_is_off_asks_for_nothing() {
    let off = json!({"enabled": false, "expireHours": 1, "database": 7});
    assert_eq!(at("2.5.0").set("/spec/cacheLayer", off).children(), at("2.5.0").children());
}

#[test]
fn the_cache_layer_has_the_redis_of_core_and_a_database_of_its_own() {
    let secret = Case::<Core>::golden("harbor-2.9").child("Secret");
    let url = |key: &str| -> String {
        let bytes: k8s_openapi::ByteString = serde_json::from_value(secret["data"][key].clone()).unwrap();
        String::from_utf8(bytes.0).unwrap()
    };
    let core = url("_REDIS_URL_CORE");
    assert!(core.contains("/0?"), "{core}");
    assert_eq!(url("_REDIS_URL_CACHE_LAYER"), core.replace("/0?", "/7?"));
}

#[test]
fn trap_8_settings_that_core_would_not_survive_or_take_for_a_lock_are_refused() {
    let settings =
        |json: &str| Case::<Core>::golden("full").with("core-settings", "CONFIG_OVERWRITE_JSON", json);
    for (json, problem) in [
        ("", "is not a JSON object"),
        ("\n", "is not a JSON object"),
        ("[]", "is not a JSON object"),
        ("null", "is not a JSON object"),
        ("{\"a\": fake-secret}", "is not a JSON object"),
        ("{}", "holds no setting"),
        (" { } ", "holds no setting"),
    ] {
        let error = settings(json).error();
        let subject = "Secret registry/core-settings, key `CONFIG_OVERWRITE_JSON`: ";
        assert!(error.starts_with(&format!("{subject}{problem}")), "{error}");
        assert!(!error.contains("fake-secret"), "{error}");
    }
    assert!(settings("{\"session_timeout\": 120}\n").plan().is_ok());
}

#[test]
fn what_is_no_duration_is_refused_rather_than_swallowed() {
    for (pointer, field) in [
        ("/spec/database/connectionMaxLifetime", "spec.database.connectionMaxLifetime"),
        ("/spec/database/connectionMaxIdleTime", "spec.database.connectionMaxIdleTime"),
        ("/spec/artifactPullAsyncFlushDuration", "spec.artifactPullAsyncFlushDuration"),
    ] {
        let error = a_core().set(pointer, json!("5")).error();
        assert!(error.starts_with(&format!("{field}: \"5\" is not a duration")), "{error}");
    }
}

#[test]
fn trap_16_every_url_that_core_could_not_read_is_told_at_once() {
    let fields = [
        ("/spec/externalEndpoint", "spec.externalEndpoint"),
        ("/spec/components/jobService/url", "spec.components.jobService.url"),
        ("/spec/components/portal/url", "spec.components.portal.url"),
        ("/spec/components/registry/url", "spec.components.registry.url"),
        ("/spec/components/registry/controllerURL", "spec.components.registry.controllerURL"),
        ("/spec/components/tokenService/url", "spec.components.tokenService.url"),
        ("/spec/components/trivy/adapterURL", "spec.components.trivy.adapterURL"),
        ("/spec/components/notaryServer/url", "spec.components.notaryServer.url"),
        ("/spec/components/chartRepository/url", "spec.components.chartRepository.url"),
        ("/spec/components/trivy/url", "spec.components.trivy.url"),
    ];
    let case = fields.iter().fold(Case::<Core>::golden("harbor-2.5"), |case, (pointer, _)| {
        case.set(pointer, json!("http://admin:hunter2@host"))
    });
    let error = case.error();
    for (_, field) in fields {
        assert!(error.contains(&format!("{field}: names a user; ")), "{field}\nis not in\n{error}");
    }
    assert!(!error.contains("hunter2"), "{error}");
}
