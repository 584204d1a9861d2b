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
    for (version, pointer, value, expected) in [
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
        assert!(error.starts_with(expected), "{error}");
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
fn trap_16_every_url_that_core_could_not_read_is_reported_at_once() {
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

#[test]
fn the_user_of_the_registry_is_the_one_in_its_secret_if_that_names_one() {
    let case = Case::<Core>::golden("as-the-chart");
    let kept = json!({"secretKeyRef": {"name": "registry-basicauth", "key": "username"}});
    assert_eq!(variable(&case, "REGISTRY_CREDENTIAL_USERNAME"), Some(kept));
    assert_eq!(variable(&a_core(), "REGISTRY_CREDENTIAL_USERNAME"), Some(json!("harbor_registry_user")));
}

#[test]
fn a_user_whom_the_registry_would_turn_away_is_refused() {
    let case = || Case::<Core>::golden("as-the-chart");
    let error = case().with("registry-basicauth", "username", "another-user").error();
    assert_eq!(
        error,
        "Secret registry/registry-basicauth, key `htpasswd`: has no line for the user that Core and JobService \
         log in as; make one with `htpasswd -nbB`, or put the name of the user into the key `username`"
    );
    let unnamed = a_core().with("registry-basicauth", "htpasswd", "another-user:$2y$10$fake");
    assert!(unnamed.error().contains("has no line for the user"), "{}", unnamed.error());
    for name in ["a:b", "a b", "user\n", ""] {
        let error = case().with("registry-basicauth", "username", name).error();
        assert!(error.starts_with("Secret registry/registry-basicauth, key `username`: "), "{error}");
    }
}

#[test]
fn a_part_of_the_requests_is_traced_and_never_more_than_all() {
    let rate = |rate: Value| Case::<Core>::golden("as-the-chart").set("/spec/trace/sampleRate", rate);
    for (requested, expected) in [(json!(0.25), "0.25"), (json!(1), "1"), (json!(0), "0")] {
        assert_eq!(variable(&rate(requested), "TRACE_SAMPLE_RATE"), Some(json!(expected)));
    }
    for wrong in [json!(50), json!(-0.5)] {
        let error = rate(wrong.clone()).error();
        assert_eq!(
            error,
            format!(
                "spec.trace.sampleRate: {wrong} is not a share of all requests; \
                 use a number from 0 to 1, such as 0.1 for every tenth request"
            )
        );
    }
}

#[test]
fn annotations_of_a_user_win_over_those_of_the_operator() {
    let service = Case::<Core>::golden("as-the-chart").child("Service");
    assert_eq!(
        service["metadata"]["annotations"],
        json!({
            "cloud.example.com/neg": "{\"ingress\": true}",
            "prometheus.io/path": "/metrics",
            "prometheus.io/port": "8001",
            "prometheus.io/scrape": "false",
        })
    );
}

#[test]
fn garbage_collection_leaves_new_blobs_alone_for_as_long_as_is_said() {
    let case = Case::<Core>::golden("as-the-chart");
    assert_eq!(variable(&case, "GC_TIME_WINDOW_HOURS"), Some(json!("4")));
    assert_eq!(variable(&a_core(), "GC_TIME_WINDOW_HOURS"), None);
}

#[test]
fn a_pod_counts_as_ready_after_as_many_successes_as_are_said() {
    let case = Case::<Core>::golden("as-the-chart");
    let probe = |name: &str| {
        case.child("Deployment")
            .pointer(&format!("/spec/template/spec/containers/0/{name}"))
            .cloned()
            .unwrap()
    };
    assert_eq!(probe("readinessProbe")["successThreshold"], 2);
    assert_eq!(probe("livenessProbe").get("successThreshold"), None, "Kubernetes wants 1");
}

#[test]
fn a_monitor_says_which_labels_win_and_which_names_the_job() {
    let spec = Case::<Core>::golden("as-the-chart").child("ServiceMonitor")["spec"].clone();
    assert_eq!(spec["jobLabel"], "app.kubernetes.io/component");
    assert_eq!(spec["endpoints"][0]["honorLabels"], true);
}

#[test]
fn passwords_may_be_kept_under_other_keys() {
    let case = || Case::<Core>::golden("as-the-chart");
    for (name, secret, key) in [
        ("HARBOR_ADMIN_PASSWORD", "admin-password", "HARBOR_ADMIN_PASSWORD"),
        ("POSTGRESQL_PASSWORD", "managed-postgres", "password"),
    ] {
        let reference = json!({"secretKeyRef": {"name": secret, "key": key}});
        assert_eq!(variable(&case(), name), Some(reference));
    }
    let error = case().set("/spec/adminInitialPasswordKey", json!("other")).error();
    assert_eq!(error, "Secret registry/admin-password, key `other`: does not exist; add it to the Secret");
    let redis = json!({"host": "redis", "passwordRef": "managed-postgres", "passwordKey": "password"});
    let url = case().set("/spec/redis", redis).child("Secret")["data"]["_REDIS_URL_CORE"].clone();
    let url: k8s_openapi::ByteString = serde_json::from_value(url).unwrap();
    assert!(String::from_utf8(url.0).unwrap().starts_with("redis://:fake-postgres-password@redis"));
}
