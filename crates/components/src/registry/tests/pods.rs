use super::{CASES, Case, Registry, a_registry};
use k8s_openapi::api::core::v1::{ResourceRequirements, Secret};
use plan::{Manifest, ObjectKey, PrivilegedPods, References};
use serde_json::json;
use std::collections::BTreeSet;

#[test]
fn b10_each_container_has_the_settings_of_its_own_object() {
    let case = Case::<Registry>::golden("full");
    let requests = |container: &str| {
        let resources: ResourceRequirements = case.container(container).resources.unwrap();
        resources.requests.unwrap()["cpu"].0.clone()
    };
    assert_eq!([requests("registry"), requests("registryctl")], ["200m", "10m"]);
    let policy = |container: &str| case.container(container).image_pull_policy.unwrap();
    assert_eq!([policy("registry"), policy("registryctl")], ["Always", "Never"]);
    assert!(case.environment("registryctl").contains_key("GODEBUG"));
    assert!(!case.environment("registry").contains_key("GODEBUG"));
    assert!(!case.environment("registryctl").contains_key("AWS_EC2_METADATA_DISABLED"));
    assert_eq!(case.container("registryctl").readiness_probe.unwrap().period_seconds, Some(5));
}

#[test]
fn both_containers_reach_the_store_in_the_same_way() {
    for case in CASES.map(Case::<Registry>::golden) {
        let (registry, controller) = (case.environment("registry"), case.environment("registryctl"));
        let of_the_store = |name: &str| name.starts_with("REGISTRY_STORAGE_") || name.ends_with("_PROXY");
        let shared: BTreeSet<_> = registry.iter().filter(|(name, _)| of_the_store(name)).collect();
        let beside: BTreeSet<_> = controller.iter().filter(|(name, _)| of_the_store(name)).collect();
        assert_eq!(shared, beside);
        let mounts = |container| -> Vec<_> {
            let mounts = case.container(container).volume_mounts.unwrap().into_iter();
            mounts
                .filter(|mount| ["storage", "gcs-key", "storage-service-ca"].contains(&&*mount.name))
                .collect()
        };
        assert_eq!(mounts("registry"), mounts("registryctl"));
    }
}

#[test]
fn users_and_private_keys_are_none_of_the_controllers_business() {
    for name in ["full", "tls", "harbor-2.8"] {
        let case = Case::<Registry>::golden(name);
        let mounts = case.container("registryctl").volume_mounts.unwrap();
        let unwanted = [
            "authentication-htpasswd",
            "authentication-token",
            "compatibility-schema1-certificate",
            "internal-certificates",
            "middleware-storage-0",
        ];
        assert!(mounts.iter().all(|mount| !unwanted.contains(&&*mount.name)), "{name}");
        let environment = case.environment("registryctl");
        assert!(!environment.contains_key("REGISTRY_HTTP_SECRET"), "{name}");
        assert!(!environment.contains_key("REGISTRY_REDIS_PASSWORD"), "{name}");
    }
}

#[test]
fn a_store_that_is_away_kills_no_pod() {
    let container = a_registry().container("registry");
    let liveness = container.liveness_probe.unwrap();
    assert_eq!(liveness.http_get, None);
    assert!(liveness.tcp_socket.is_some());
    assert!(container.readiness_probe.unwrap().http_get.is_some());
}

#[test]
fn uploads_get_time_to_end() {
    for (case, drain) in [(a_registry(), 60), (Case::golden("full"), 270)] {
        let pod = case.pod();
        let container = case.container("registry");
        let farewell = container.lifecycle.unwrap().pre_stop.unwrap().exec.unwrap().command.unwrap();
        let farewell: i64 = farewell[1].parse().unwrap();
        assert!(farewell + drain < pod.termination_grace_period_seconds.unwrap());
        assert!(pod.termination_grace_period_seconds.unwrap() >= 120);
    }
    assert_eq!(a_registry().config()["http"]["draintimeout"], "60s");
}

#[test]
fn a08_renewed_certificates_and_rotated_secrets_restart_the_pods_that_use_them() {
    // Their content reaches the pods inside the Secret `harbor-registry`.
    const WITHIN: [&str; 11] = [
        "redis",
        "s3-credentials",
        "mail",
        "other-middleware",
        "bugsnag",
        "newrelic",
        "swift-password",
        "swift-secretkey",
        "oss-secret",
        "azure-key",
        "cloudfront",
    ];
    for name in CASES {
        let case = Case::<Registry>::golden(name);
        let used = References::of("registry", case.deployment().pod_template().unwrap());
        let used: BTreeSet<&ObjectKey> = used.keys().collect();
        for key in case.plan().unwrap().reads.iter().filter(|key| key.kind == "Secret") {
            assert!(
                used.contains(key) || WITHIN.contains(&&*key.name),
                "{name}: {key} was read but is not used"
            );
        }
        let own = ObjectKey::of::<Secret>("registry", "harbor-registry");
        let made = case.children().iter().any(|child| child["kind"] == "Secret");
        assert_eq!(used.contains(&own), made, "{name}");
    }
}

#[test]
fn every_mount_has_a_volume_and_every_volume_a_mount() {
    for case in CASES.map(Case::<Registry>::golden) {
        let pod = case.pod();
        let volumes: Vec<String> = pod.volumes.unwrap().into_iter().map(|volume| volume.name).collect();
        let distinct: BTreeSet<String> = volumes.iter().cloned().collect();
        assert_eq!(distinct.len(), volumes.len());
        let mounts = pod.containers.into_iter().flat_map(|container| container.volume_mounts.unwrap());
        assert_eq!(mounts.map(|mount| mount.name).collect::<BTreeSet<_>>(), distinct);
    }
}

#[test]
fn images_are_on_the_volume_where_they_have_always_been() {
    let mount = |case: Case<Registry>| {
        let mounts = case.container("registry").volume_mounts.unwrap();
        mounts.into_iter().find(|mount| mount.name == "storage").unwrap()
    };
    let (whole, part) = (mount(a_registry()), mount(Case::golden("tls")));
    assert_eq!(
        (whole.mount_path.as_str(), whole.sub_path, whole.read_only),
        ("/var/lib/registry", None, None)
    );
    assert_eq!(part.sub_path.unwrap(), "harbor/images");
    assert_eq!(a_registry().config()["storage"]["filesystem"]["rootdirectory"], "/var/lib/registry");
}

#[test]
fn a_large_volume_does_not_delay_every_start() {
    let policy = |name| Case::<Registry>::golden(name).pod().security_context.unwrap().fs_group_change_policy;
    assert_eq!(policy("minimal").as_deref(), Some("OnRootMismatch"));
    assert_eq!(policy("full"), None);
}

#[test]
fn what_users_want_to_run_first_may_do_no_more_than_the_registry_unless_an_administrator_allows_it() {
    let root = json!({"name": "chown", "image": "tools", "securityContext": {"runAsUser": 0}});
    let mut case = Case::<Registry>::golden("full").set("/spec/initContainers", json!([root]));
    case.defaults.privileged_pods = PrivilegedPods::Allowed;
    let first = serde_json::to_value(case.pod().init_containers).unwrap();
    assert_eq!(first[0], root);
    let restricted = json!({"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}});
    assert_eq!((&first[1]["name"], &first[1]["securityContext"]), (&json!("wait"), &restricted));
    assert_eq!(a_registry().pod().init_containers, None);
}

#[test]
fn b04_replicas_are_left_to_an_autoscaler_unless_set() {
    assert_eq!(a_registry().deployment().spec.unwrap().replicas, None);
    assert_eq!(a_registry().set("/spec/replicas", json!(0)).deployment().spec.unwrap().replicas, Some(0));
}

#[test]
fn images_follow_from_the_version_unless_they_are_named() {
    let images =
        |case: &Case<Registry>| ["registry", "registryctl"].map(|it| case.container(it).image.unwrap());
    assert_eq!(
        images(&a_registry()),
        ["docker.io/goharbor/registry-photon:v2.15.0", "docker.io/goharbor/harbor-registryctl:v2.15.0"]
    );
}

#[test]
fn images_of_both_containers_are_pulled_with_the_secrets_of_both() {
    let secrets = |case: &Case<Registry>| {
        case.child("Deployment").pointer("/spec/template/spec/imagePullSecrets").cloned()
    };
    let case = a_registry().set("/spec/imagePullSecrets", json!([{"name": "ours"}, {"name": "shared"}]));
    assert_eq!(secrets(&case), Some(json!([{"name": "ours"}, {"name": "shared"}])));
    let case = case.beside("/spec/imagePullSecrets", json!([{"name": "shared"}, {"name": "theirs"}]));
    assert_eq!(secrets(&case), Some(json!([{"name": "ours"}, {"name": "shared"}, {"name": "theirs"}])));
}
