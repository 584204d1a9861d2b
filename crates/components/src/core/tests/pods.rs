use super::{CASES, Case, Core, a_core};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Container, PodSpec, Secret},
};
use plan::{Manifest, ObjectKey, References};
use serde_json::json;
use std::collections::BTreeSet;

fn deployment(case: &Case<Core>) -> Deployment {
    serde_json::from_value(case.child("Deployment")).unwrap()
}

fn pod(case: &Case<Core>) -> PodSpec {
    deployment(case).spec.unwrap().template.spec.unwrap()
}

fn container(case: &Case<Core>) -> Container {
    pod(case).containers.remove(0)
}

#[test]
fn b38_core_has_a_startup_probe_that_outlasts_a_migration() {
    let probe = container(&a_core()).startup_probe.unwrap();
    assert_eq!((probe.period_seconds, probe.failure_threshold), (Some(10), Some(360)));
    let deadline = deployment(&a_core()).spec.unwrap().progress_deadline_seconds.unwrap();
    assert!(deadline > 3600, "the rollout must not count as failed before the probe does");
}

#[test]
fn a_redis_that_hangs_for_a_minute_does_not_kill_core() {
    let probe = container(&a_core()).liveness_probe.unwrap();
    assert!(
        probe.timeout_seconds.unwrap() > 8,
        "a hanging Redis delays the answer by more than eight seconds"
    );
    assert!(probe.period_seconds.unwrap() * probe.failure_threshold.unwrap() > 60);
}

#[test]
fn uploads_get_time_to_end_before_core_stops() {
    let container = container(&a_core());
    let command = container.lifecycle.unwrap().pre_stop.unwrap().exec.unwrap().command.unwrap();
    let delay: i64 = command[1].parse().unwrap();
    assert_eq!(command[0], "sleep");
    assert!(delay + 3 < pod(&a_core()).termination_grace_period_seconds.unwrap());
}

#[test]
fn a08_renewed_certificates_and_rotated_secrets_restart_the_pods_that_use_them() {
    for case in CASES.map(Case::<Core>::golden) {
        let used = References::of("registry", deployment(&case).pod_template().unwrap());
        let used: BTreeSet<&ObjectKey> = used.keys().collect();
        let reads = case.plan().unwrap().reads;
        // The passwords of Redis reach the pods inside the Secret `harbor-core`; the records are for us.
        let indirect = ["redis", "harbor-core-database", "harbor-core-admin-current"];
        let direct = reads.iter().filter(|key| !key.is_kind() && !indirect.contains(&key.name.as_str()));
        for key in direct {
            assert!(used.contains(key), "{key} was read but is not used");
        }
        assert!(used.contains(&ObjectKey::of::<Secret>("registry", "harbor-core")));
    }
}

#[test]
fn the_private_key_of_the_public_certificate_stays_out_of_the_pods() {
    let pod = pod(&Case::golden("tls"));
    let download = pod.volumes.into_iter().flatten().find(|volume| volume.name == "ca-download").unwrap();
    let items = download.secret.unwrap().items.unwrap();
    assert_eq!(items.iter().map(|item| item.key.as_str()).collect::<Vec<_>>(), ["ca.crt"]);
}

#[test]
fn every_mount_has_a_volume_and_every_name_and_path_is_used_once() {
    for case in CASES.map(Case::<Core>::golden) {
        let mounts = container(&case).volume_mounts.unwrap();
        let volumes: Vec<String> =
            pod(&case).volumes.unwrap().into_iter().map(|volume| volume.name).collect();
        let paths: BTreeSet<&str> = mounts.iter().map(|mount| mount.mount_path.as_str()).collect();
        assert_eq!(paths.len(), mounts.len());
        assert_eq!(volumes.iter().collect::<BTreeSet<_>>().len(), volumes.len());
        assert!(mounts.iter().all(|mount| volumes.contains(&mount.name)));
    }
}

#[test]
fn pods_satisfy_the_restricted_pod_security_standard() {
    for case in CASES.map(Case::<Core>::golden) {
        let security = pod(&case).security_context.unwrap();
        assert_eq!(security.run_as_non_root, Some(true));
        assert_eq!(security.seccomp_profile.unwrap().type_, "RuntimeDefault");
        let security = container(&case).security_context.unwrap();
        assert_eq!(security.allow_privilege_escalation, Some(false));
        assert_eq!(security.capabilities.unwrap().drop, Some(vec!["ALL".to_owned()]));
    }
}

#[test]
fn b04_replicas_are_left_to_an_autoscaler_unless_set() {
    assert_eq!(deployment(&a_core()).spec.unwrap().replicas, None);
    assert_eq!(deployment(&a_core().set("/spec/replicas", json!(0))).spec.unwrap().replicas, Some(0));
}

#[test]
fn labels_of_the_user_reach_the_pods_and_may_repeat_the_selector() {
    let labels = json!({"team": "a", "core.goharbor.io/name": "harbor-core"});
    let deployment = deployment(&a_core().set("/spec/templateLabels", labels));
    let labels = deployment.spec.unwrap().template.metadata.unwrap().labels.unwrap();
    assert_eq!(labels["team"], "a");
    assert_eq!(labels["core.goharbor.io/name"], "harbor-core");
}

#[test]
fn an_image_follows_from_the_version_unless_it_is_named() {
    assert_eq!(container(&a_core()).image.unwrap(), "docker.io/goharbor/harbor-core:v2.15.0");
    let named = a_core().set("/spec/image", json!("example/core:mine"));
    assert_eq!(container(&named).image.unwrap(), "example/core:mine");
}

#[test]
fn without_settings_everything_is_as_the_schema_defaults_it() {
    let spelt_out = a_core()
        .set("/spec/http", json!({"enableGzip": true}))
        .set("/spec/log", json!({"level": "info"}))
        .set("/spec/metrics", json!({"enabled": false}))
        .set("/spec/redis/idleTimeout", json!("30s"));
    assert_eq!(spelt_out.children(), a_core().children());
}

#[test]
fn a_rollout_gets_as_much_time_as_the_startup_probe_gives_a_pod() {
    let deadline = |case: Case<Core>| deployment(&case).spec.unwrap().progress_deadline_seconds;
    assert_eq!(deadline(a_core()), Some(360 * 10 + 300));
    let longer = json!({"startup": {"failureThreshold": 720}});
    assert_eq!(deadline(a_core().set("/spec/probes", longer)), Some(720 * 10 + 300));
    let short = json!({"startup": {"failureThreshold": 3}});
    assert_eq!(
        deadline(a_core().set("/spec/probes", short)),
        None,
        "Kubernetes waits for ten minutes anyway"
    );
}
