use super::{Case, Portal, a_portal, configuration};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Container, PodSpec},
};
use serde_json::json;

fn pod(case: &Case<Portal>) -> PodSpec {
    let deployment: Deployment = serde_json::from_value(case.child("Deployment")).unwrap();
    deployment.spec.unwrap().template.spec.unwrap()
}

fn container(case: &Case<Portal>) -> Container {
    pod(case).containers.remove(0)
}

#[test]
fn b38_a_slow_node_gets_ten_seconds_to_answer_a_probe() {
    let container = container(&a_portal());
    for probe in [container.liveness_probe, container.readiness_probe] {
        assert_eq!(probe.unwrap().timeout_seconds, Some(10));
    }
}

#[test]
fn probes_ask_the_port_that_is_listened_on() {
    for (case, port, scheme, listening) in
        [("minimal", "http", "HTTP", "listen 8080;"), ("tls", "https", "HTTPS", "listen 8443 ssl;")]
    {
        let case = Case::<Portal>::golden(case);
        let probe = container(&case).readiness_probe.unwrap().http_get.unwrap();
        assert_eq!((json!(probe.port), probe.scheme.as_deref()), (json!(port), Some(scheme)));
        assert!(configuration(&case).contains(listening));
    }
}

#[test]
fn whatever_nginx_writes_is_in_the_only_directory_it_may_write_to() {
    for case in ["minimal", "tls", "full"].map(Case::<Portal>::golden) {
        let configuration = configuration(&case);
        let written = configuration.lines().map(str::trim).filter(|line| {
            line.starts_with("pid ") || line.split_whitespace().next().unwrap().ends_with("_temp_path")
        });
        assert_eq!(written.clone().count(), 6);
        assert!(written.clone().all(|line| line.contains(" /tmp/")), "{configuration}");
        let container = container(&case);
        assert_eq!(container.security_context.unwrap().read_only_root_filesystem, Some(true));
        let writable = container.volume_mounts.unwrap().into_iter().filter(|it| it.read_only != Some(true));
        assert_eq!(writable.map(|mount| mount.mount_path).collect::<Vec<_>>(), ["/tmp"]);
    }
}

#[test]
fn b04_replicas_are_left_to_an_autoscaler_unless_set() {
    let replicas = |case: Case<Portal>| case.child("Deployment")["spec"].get("replicas").cloned();
    assert_eq!(replicas(a_portal()), None);
    assert_eq!(replicas(a_portal().set("/spec/replicas", json!(2))), Some(json!(2)));
}

#[test]
fn a08_a_renewed_certificate_restarts_the_pods() {
    let names: Vec<Option<String>> = pod(&Case::golden("tls"))
        .volumes
        .unwrap()
        .into_iter()
        .filter_map(|volume| volume.secret)
        .map(|secret| secret.secret_name)
        .collect();
    assert_eq!(names, [Some("portal-internal-tls".to_owned())]);
}

#[test]
fn a_startup_probe_that_a_user_sets_asks_what_the_liveness_probe_asks() {
    assert_eq!(container(&a_portal()).startup_probe, None);
    let times = json!({"startup": {"failureThreshold": 90}, "liveness": {"periodSeconds": 60}});
    let container = container(&a_portal().set("/spec/probes", times));
    let (startup, liveness) = (container.startup_probe.unwrap(), container.liveness_probe.unwrap());
    assert_eq!(startup.http_get, liveness.http_get);
    assert_eq!((startup.period_seconds, startup.failure_threshold), (Some(10), Some(90)));
    assert_eq!((liveness.period_seconds, liveness.failure_threshold), (Some(60), None));
}

#[test]
fn a_service_account_is_named_in_both_fields_so_that_both_go_with_it() {
    let named = |case: &Case<Portal>| {
        let pod = pod(case);
        (pod.service_account_name, pod.service_account)
    };
    assert_eq!(named(&a_portal()), (None, None));
    let account = || Some("robot".to_owned());
    assert_eq!(named(&a_portal().set("/spec/serviceAccountName", json!("robot"))), (account(), account()));
}
