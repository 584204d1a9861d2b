use super::{Case, JobService, a_jobservice};
use k8s_openapi::api::{
    apps::v1::{Deployment, DeploymentStrategy},
    core::v1::PodSpec,
};
use serde_json::json;

fn deployment(case: &Case<JobService>) -> Deployment {
    serde_json::from_value(case.child("Deployment")).unwrap()
}

fn pod(case: &Case<JobService>) -> PodSpec {
    deployment(case).spec.unwrap().template.spec.unwrap()
}

#[test]
fn b38_a_start_may_take_as_long_as_jobservice_waits_for_redis() {
    let probe = pod(&a_jobservice()).containers.remove(0).startup_probe.unwrap();
    assert!(probe.period_seconds.unwrap() * probe.failure_threshold.unwrap() > 95);
}

#[test]
fn a_redis_that_is_gone_kills_no_jobs() {
    let container = pod(&a_jobservice()).containers.remove(0);
    let alive = container.liveness_probe.unwrap();
    assert!(alive.http_get.is_none() && alive.tcp_socket.is_some(), "every answer would be an error");
    assert_eq!(container.readiness_probe.unwrap().http_get.unwrap().path.unwrap(), "/api/v1/stats");
}

#[test]
fn probes_over_tls_are_requests_and_outlast_an_hour_without_redis() {
    let container = pod(&Case::golden("tls")).containers.remove(0);
    let alive = container.liveness_probe.unwrap();
    assert_eq!(alive.period_seconds.unwrap() * alive.failure_threshold.unwrap(), 3600);
    for probe in [alive, container.startup_probe.unwrap(), container.readiness_probe.unwrap()] {
        let asked = probe.http_get.unwrap();
        assert_eq!((asked.path.as_deref(), asked.scheme.as_deref()), (Some("/api/v1/stats"), Some("HTTPS")));
        assert_eq!(probe.tcp_socket, None, "JobService would log a failed handshake each time");
    }
}

#[test]
fn pods_are_replaced_as_the_user_says() {
    let strategy = |requested: &str| {
        let case = a_jobservice().set("/spec/updateStrategyType", json!(requested));
        deployment(&case).spec.unwrap().strategy.unwrap()
    };
    let recreate = DeploymentStrategy { type_: Some("Recreate".into()), rolling_update: None };
    assert_eq!(strategy("Recreate"), recreate);
    assert_eq!(strategy(""), strategy("RollingUpdate"));
    assert!(strategy("RollingUpdate").rolling_update.is_some(), "sent, so that it can be taken back");
}

#[test]
fn exports_have_a_volume_in_the_versions_that_write_them_to_one() {
    let mounted = |version: &str| {
        let case = Case::<JobService>::golden("harbor-2.7")
            .set("/spec/cacheLayer", json!(null))
            .set("/spec/registryHttpClientTimeout", json!(null))
            .set("/spec/storage", json!(null))
            .annotated("harbor.goharbor.io/version", version);
        pod(&case).volumes.unwrap().into_iter().any(|volume| volume.name == "job-scandata-exports")
    };
    assert_eq!(
        ["2.5.0", "2.6.0", "2.7.4", "2.8.0", "2.15.0"].map(mounted),
        [false, true, true, false, false]
    );
}

#[test]
fn a_prefix_is_a_directory_within_its_volume() {
    let case = Case::<JobService>::golden("harbor-2.7")
        .set("/spec/jobLoggers", json!({"files": [{"prefix": "/job/logs/"}]}))
        .set("/spec/storage", json!({"scanDataExports": {"prefix": "/exports"}}));
    let mounts = pod(&case).containers.remove(0).volume_mounts.unwrap();
    let within = |name: &str| mounts.iter().find(|mount| mount.name == name).unwrap().sub_path.clone();
    assert_eq!(within("joblogs-0").as_deref(), Some("job/logs"));
    assert_eq!(within("job-scandata-exports").as_deref(), Some("exports"));
    let error = case.set("/spec/jobLoggers", json!({"files": [{"prefix": "../x"}]})).error();
    assert!(error.starts_with("spec.jobLoggers.files[0].prefix: leads out of the volume"), "{error}");
}

#[test]
fn without_settings_everything_is_as_the_schema_defaults_it() {
    let spelt_out = a_jobservice()
        .set("/spec/updateStrategyType", json!("RollingUpdate"))
        .set("/spec/metrics", json!({"enabled": false}))
        .set("/spec/loggers", json!({"stdout": {"level": "INFO"}}))
        .set("/spec/workerPool/backend", json!("redis"))
        .set("/spec/workerPool/workers", json!(10))
        .set("/spec/workerPool/redisPool/idleTimeout", json!("30s"));
    assert_eq!(spelt_out.children(), a_jobservice().children());
}
