use super::{Case, JobService, a_jobservice};
use plan::{Class, Classify};
use serde_json::{Value, json};

#[test]
fn every_problem_is_reported_at_once() {
    let error = a_jobservice()
        .with("core-secret", "secret", "")
        .with("jobservice-secret", "secret", "")
        .with("registry-basicauth", "secret", "")
        .set("/spec/workerPool", json!({}))
        .set("/spec/loggers", json!({"files": []}))
        .set("/spec/jobLoggers", json!({"files": [{}, {}]}))
        .set("/spec/updateStrategyType", json!("Sometimes"))
        .set("/spec/webhooks", json!({"maxRetries": 0, "timeout": "soon"}))
        .set("/spec/tls", json!({}))
        .annotated("harbor.goharbor.io/version", "2.4.0")
        .error();
    for problem in [
        "Secret registry/core-secret, key `secret`: is empty",
        "Secret registry/jobservice-secret, key `secret`: is empty",
        "Secret registry/registry-basicauth, key `secret`: is empty",
        "spec.workerPool.redisPool: is not set; describe the Redis database that holds the queue",
        "spec.loggers: names no logger, without which JobService does not start; set stdout: {}, or a file",
        "spec.jobLoggers.files: names 2 files, but JobService keeps one logger of a kind",
        "spec.updateStrategyType: \"Sometimes\" is not a strategy to replace pods",
        "spec.webhooks.maxRetries: is 0, which JobService treats as 4; use 1 to try once",
        "spec.webhooks.timeout: \"soon\" is not a duration",
        "spec.tls.certificateRef: is not set although TLS is on",
        "metadata.annotations[harbor.goharbor.io/version]: Harbor 2.4.0 is older than 2.5",
    ] {
        assert!(error.contains(problem), "{problem}\nis not in\n{error}");
    }
}

#[test]
fn b39_all_missing_objects_are_reported_at_once() {
    let case = Case::<JobService>::golden("full")
        .without("redis")
        .without("cache")
        .without("redis-ca")
        .without("core-secret");
    let error = case.plan().unwrap_err();
    assert_eq!(error.class(), Class::Dependency);
    assert_eq!(
        error.to_string(),
        "Secret registry/cache, Secret registry/core-secret, Secret registry/redis, Secret registry/redis-ca \
         do not exist; create them"
    );
}

#[test]
fn what_a_version_does_not_know_is_refused() {
    let redis = json!({"host": "redis"});
    for (pointer, value, lacks, knows) in [
        ("/spec/webhooks", json!({"timeout": "5s"}), "2.7.4", "2.8.0"),
        ("/spec/reaper", json!({"maxUpdateHours": 48}), "2.7.4", "2.8.0"),
        ("/spec/registryHttpClientTimeout", json!("45m"), "2.6.4", "2.7.0"),
        ("/spec/cacheLayer", json!({"redis": redis}), "2.5.6", "2.6.0"),
        ("/spec/cacheLayer", json!({"redis": redis, "database": 6}), "2.8.6", "2.9.0"),
        ("/spec/workerPool/redisPool", json!({"host": "redis", "username": "u"}), "2.7.4", "2.8.0"),
        (
            "/spec/workerPool/redisPool",
            json!({"host": "redis", "username": "u", "sentinelMasterSet": "m"}),
            "2.14.4",
            "2.15.0",
        ),
    ] {
        let case = |version: &str| {
            a_jobservice().set(pointer, value.clone()).annotated("harbor.goharbor.io/version", version)
        };
        let field = pointer[1..].replace('/', ".");
        let error = case(lacks).error();
        assert!(error.starts_with(&field) && error.contains("does not know"), "{error}");
        assert!(case(knows).plan().is_ok(), "{field}");
    }
}

#[test]
fn jobservice_does_not_start_with_its_own_logs_in_the_database() {
    let error = a_jobservice().set("/spec/loggers", json!({"database": {}})).error();
    assert!(error.starts_with("spec.loggers.database: is set, but only the logs of jobs"), "{error}");
}

#[test]
fn metrics_on_a_port_that_does_not_exist_are_refused() {
    let metrics = |port: Value| a_jobservice().set("/spec/metrics", json!({"enabled": true, "port": port}));
    assert_eq!(
        metrics(json!(65536)).error(),
        "spec.metrics.port: there is no port 65536; use one from 1 to 65535, such as 8001"
    );
    assert!(metrics(json!(65535)).plan().is_ok());
}

#[test]
fn b33_a_name_too_long_for_its_children_is_refused() {
    let error = a_jobservice().set("/metadata/name", json!("x".repeat(53))).error();
    assert!(error.contains("use a name of at most 52 characters"), "{error}");
}

#[test]
fn a_volume_of_exported_scan_results_is_refused_once_harbor_has_none() {
    let volume = json!({"volumeSource": {"persistentVolumeClaim": {"claimName": "exports"}}});
    let case = a_jobservice().set("/spec/storage", json!({"scanDataExports": volume}));
    let error = case.annotated("harbor.goharbor.io/version", "2.8.0").error();
    assert!(
        error.starts_with("spec.storage.scanDataExports: Harbor 2.8.0 has no volume of exported"),
        "{error}"
    );
}
