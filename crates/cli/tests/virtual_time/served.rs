//! What clients notice of what the operator does to a Harbor: nothing, unless the documentation says so.

use crate::{
    clients::{Account, Clients, Failure, Server},
    cluster::{ADMIN_PASSWORD, Cluster, NAMESPACE},
    rotation::{is_done, is_ready, rotations, until},
    upgrade::until_ready,
};
use api::{names::ROTATE_ENCRYPTION_KEY_ANNOTATION, v1beta1::Core};
use envtest::clock;
use futures::StreamExt as _;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use kube::{
    Api,
    api::{Patch, PatchParams},
    runtime::{
        WatchStreamExt as _,
        wait::await_condition,
        watcher::{self, watcher},
    },
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs,
    ops::RangeInclusive,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{task::JoinHandle, time::timeout};

/// How long each pod takes to start, and each migration to end.
const DELAY: Duration = Duration::from_secs(20);

/// A Harbor with one pod of each component, whose images are in an object store.
pub fn harbor(version: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/harbor.yaml");
    let mut harbor: Value = serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    harbor["spec"]["version"] = version.into();
    harbor["spec"]["imageChartStorage"] = json!({
        "s3": {"region": "eu-central-1", "bucket": "images", "accesskey": "harbor", "secretkeyRef": "storage"},
    });
    harbor
}

/// A cluster with such a Harbor, which is ready.
pub async fn a_cluster(version: &str) -> Cluster {
    with(&harbor(version)).await
}

/// A cluster with a Harbor, which is ready.
pub async fn with(harbor: &Value) -> Cluster {
    let cluster = Cluster::slow(DELAY).await;
    cluster.apply("namespace.yaml").await;
    cluster.apply("harbor-inputs.yaml").await;
    cluster.apply_object(harbor).await;
    let _operator = cluster.operator(None);
    until_ready(&cluster).await;
    cluster
}

pub async fn patch<K>(cluster: &Cluster, name: &str, patch: Value)
where
    K: kube::Resource<Scope = k8s_openapi::NamespaceResourceScope, DynamicType = ()>
        + Clone
        + std::fmt::Debug
        + serde::de::DeserializeOwned,
{
    let api: Api<K> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    api.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn no_request_fails_during_an_upgrade_whose_schema_the_version_before_can_use() {
    for (before, wanted) in [("2.13.2", "2.15.2"), ("2.11.2", "2.12.4"), ("2.15.0", "2.15.2")] {
        let cluster = a_cluster(before).await;
        let clients = Clients::of(&cluster, "acme-harbor").await;
        let _operator = cluster.operator(None);
        cluster.apply_object(&harbor(wanted)).await;
        until_ready(&cluster).await;
        println!("from {before} to {wanted}");
        clients.assert_served();
    }
}

#[tokio::test(start_paused = true)]
async fn requests_fail_for_as_long_as_the_status_says_that_core_is_stopped_and_not_longer() {
    let cluster = a_cluster("2.10.3").await;
    let (clients, told) = (Clients::of(&cluster, "acme-harbor").await, Told::by(&cluster));
    let _operator = cluster.operator(None);
    cluster.apply_object(&harbor("2.11.2")).await;
    until_ready(&cluster).await;

    // The migration, and the start of Core: 20 seconds each.
    assert_stopped(&clients, &told, 40..=45);
}

#[tokio::test(start_paused = true)]
async fn requests_fail_for_as_long_as_the_database_gets_another_encryption_key_and_not_longer() {
    const KEY: &str = "acme-key-2";
    let cluster = a_cluster("2.15.2").await;
    let (clients, told) = (Clients::of(&cluster, "acme-harbor").await, Told::by(&cluster));
    let _operator = cluster.operator(None);
    let key = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": KEY, "namespace": NAMESPACE},
        "stringData": {"secret": "0123456789abcdef0123456789abcdef"},
    });
    cluster.apply_object(&key).await;
    let mut wanted = harbor("2.15.2");
    wanted["metadata"]["annotations"] = json!({ROTATE_ENCRYPTION_KEY_ANNOTATION: KEY});
    cluster.apply_object(&wanted).await;
    until(&cluster, |harbor| rotations(harbor).iter().any(is_done) && is_ready(harbor)).await;

    // The pod that encrypts, and the start of Core: 20 seconds each.
    assert_stopped(&clients, &told, 40..=45);
}

/// Requests have failed as long as the status said that Core was stopped, for so many seconds, and for no other reason.
fn assert_stopped(clients: &Clients, told: &Told, seconds: RangeInclusive<i64>) {
    let failures = clients.failures();
    let unexpected: Vec<&Failure> =
        failures.iter().filter(|it| it.what != "GET /service/token: no pod of Core is ready").collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
    let gap = (failures[0].at, failures[failures.len() - 1].at);
    let told = told.unavailable();
    let [(from, reason), (to, _)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(reason, "Stopped");
    let second = SignedDuration::from_secs(1);
    let differences = [gap.0.duration_since(*from), gap.1.duration_since(*to)];
    assert!(differences.iter().all(|it| it.abs() <= second), "{gap:?}, and the status {from} to {to}");
    let length = to.duration_since(*from).as_secs();
    assert!(seconds.contains(&length), "{length} seconds");
}

#[tokio::test(start_paused = true)]
async fn requests_fail_while_a_registry_whose_volume_only_one_pod_can_mount_is_replaced() {
    let on_a_volume = |version: &str| {
        let mut harbor = harbor(version);
        let volume = json!({"registryPersistentVolume": {"claimName": "images"}});
        harbor["spec"]["imageChartStorage"] = json!({ "filesystem": volume });
        harbor
    };
    let cluster = with(&on_a_volume("2.13.2")).await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    let _operator = cluster.operator(None);
    cluster.apply_object(&on_a_volume("2.15.2")).await;
    until_ready(&cluster).await;

    let failures = clients.failures();
    let what: BTreeSet<_> = failures.iter().map(|failure| failure.what.as_str()).collect();
    assert_eq!(what, ["GET /v2/library/busybox/manifests/latest: no pod of the registry is ready"].into());
    let length = failures[failures.len() - 1].at.duration_since(failures[0].at).as_secs();
    assert!((18..=21).contains(&length), "as long as a pod takes to start, and not {length} seconds");
}

#[tokio::test(start_paused = true)]
async fn no_request_fails_when_the_password_of_the_administrator_changes() {
    let cluster = a_cluster("2.15.2").await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    let _operator = cluster.operator(None);
    let wanted = "Another-Harbor12345";
    patch::<Secret>(&cluster, "harbor-admin", json!({"stringData": {"secret": wanted}})).await;
    let secrets: Api<Secret> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let is_written = |secret: Option<&Secret>| {
        let value = secret.and_then(|secret| secret.data.as_ref()?.get("password"));
        value.is_some_and(|value| value.0 == wanted.as_bytes())
    };
    let written = await_condition(secrets, "acme-harbor-core-admin-current", is_written);
    timeout(Duration::from_mins(2), Box::pin(written)).await.expect("it is changed").unwrap();
    tokio::time::sleep(Duration::from_mins(2)).await;

    clients.assert_served();
    assert!(Account::admin(wanted).is_known(&cluster.harbor).await);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert!(!Account::admin(ADMIN_PASSWORD).is_known(&cluster.harbor).await);
}

#[tokio::test(start_paused = true)]
async fn clients_notice_what_does_not_fit_together() {
    let cluster = a_cluster("2.15.2").await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    tokio::time::sleep(Duration::from_mins(2)).await;
    clients.assert_served();
    let noticed = async |what: &str| {
        tokio::time::sleep(Duration::from_mins(1)).await;
        let failures = clients.failures();
        assert!(failures.iter().any(|failure| failure.what.contains(what)), "{what}: {failures:#?}");
    };

    clients.serve(Server::postgres().accepting("another").refusing("example-only-postgres"));
    noticed("PostgreSQL refuses the password of acme-harbor-core-").await;

    // A second pod of Core has the new values, and the first one the old ones.
    let password = json!({"stringData": {"secret": "another"}});
    patch::<Secret>(&cluster, "acme-harbor-registry-basicauth", password).await;
    patch::<Secret>(&cluster, "acme-harbor-core-tokencert", json!({"stringData": {"tls.key": "another"}}))
        .await;
    patch::<Deployment>(&cluster, "acme-harbor-core", json!({"spec": {"replicas": 2}})).await;
    noticed(" refuses the token of acme-harbor-core-").await;
    noticed(" refuses the login of acme-harbor-core-").await;

    patch::<Deployment>(&cluster, "acme-harbor-registry", json!({"spec": {"replicas": 0}})).await;
    noticed("no pod of the registry is ready").await;
    patch::<Deployment>(&cluster, "acme-harbor-core", json!({"spec": {"replicas": 0}})).await;
    noticed("no pod of Core is ready").await;
}

/// What the condition `Available` of Core says, whenever its status changes. That of the Harbor counts JobService, too, which
/// starts after Core.
struct Told {
    said: Arc<Mutex<Vec<(Timestamp, String, String)>>>,
    task: JoinHandle<()>,
}

impl Told {
    fn by(cluster: &Cluster) -> Self {
        let said = Arc::<Mutex<Vec<_>>>::default();
        let noted = Arc::clone(&said);
        let api: Api<Core> = Api::namespaced(cluster.client.clone(), NAMESPACE);
        let task = tokio::spawn(async move {
            let mut cores = std::pin::pin!(watcher(api, watcher::Config::default()).applied_objects());
            while let Some(Ok(core)) = cores.next().await {
                let conditions = core.status.into_iter().flat_map(|status| status.conditions);
                for condition in conditions.filter(|condition| condition.type_ == "Available") {
                    let mut said: std::sync::MutexGuard<'_, Vec<(_, String, _)>> = noted.lock().unwrap();
                    if said.last().is_none_or(|(_, status, _)| *status != condition.status) {
                        let reason = condition.reason.unwrap_or_default();
                        said.push((clock(), condition.status, reason));
                    }
                }
            }
        });
        Self { said, task }
    }

    /// When Core became unavailable, why, and when it became available again.
    fn unavailable(&self) -> Vec<(Timestamp, String)> {
        let said = self.said.lock().unwrap();
        let later = said.iter().skip_while(|(_, status, _)| status == "True");
        later.map(|(at, _, reason)| (*at, reason.clone())).collect()
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        self.task.abort();
    }
}
