//! The rotation of the key that encrypts credentials in the database.

use super::{
    Cluster, minimal,
    upgrade::{entry, slow},
};
use api::v1beta1::Harbor;
use envtest::Requests;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Pod, Secret},
};
use serde_json::{Value, json};

const POD: &str = "acme-harbor-core-reencrypt";
const RECORD: &str = "acme-harbor-core-database";
const NEXT: &str = "encryption-key-next";

/// The Secret with the key that Core's pods have.
fn key(core: &Deployment) -> Option<String> {
    let pod = core.spec.as_ref()?.template.spec.as_ref()?;
    let mut volumes = pod.volumes.iter().flatten();
    volumes.find(|volume| volume.name == "encryption")?.secret.as_ref()?.secret_name.clone()
}

/// Creates a Secret with another key, and asks for it.
async fn request(cluster: &Cluster) {
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "acme-key-2"},
        "stringData": {"secret": "0123456789abcdef0123456789abcdef"},
    });
    cluster.apply(vec![secret]).await;
    annotate(cluster, json!("acme-key-2")).await;
}

async fn annotate(cluster: &Cluster, secret: Value) {
    let annotation = json!({"metadata": {"annotations": {"goharbor.io/rotate-encryption-key": secret}}});
    cluster.merge::<Harbor>("acme", annotation).await;
}

/// Waits until Core serves with the new key, and nothing is under way.
async fn until_rotated(cluster: &Cluster, requests: &Requests) {
    cluster
        .until::<Deployment>("acme-harbor-core", |core| {
            let available = core.status.as_ref().and_then(|status| status.available_replicas);
            key(core).as_deref() == Some("acme-key-2") && available == Some(1)
        })
        .await;
    cluster.until::<Secret>(RECORD, |record| entry(record, NEXT).is_none()).await;
    cluster.until_ready("acme").await;
    requests.until_quiet().await;
    assert!(!cluster.names::<Pod>().await.contains(&POD.to_owned()));
}

#[tokio::test]
async fn the_database_gets_another_key_while_core_is_stopped_and_core_starts_with_it() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;
    let fingerprint = async || entry(&cluster.get::<Secret>(RECORD).await, "encryption-key-fingerprint");
    let before = fingerprint().await;

    request(&cluster).await;
    until_rotated(&cluster, &requests).await;
    assert_ne!(fingerprint().await, before);

    // The user names the key in the spec, and needs the annotation no longer.
    let core = cluster.get::<Deployment>("acme-harbor-core").await;
    let mut harbor = minimal();
    harbor["spec"]["core"]["encryptionKeyRef"] = "acme-key-2".into();
    cluster.apply(vec![harbor]).await;
    annotate(&cluster, Value::Null).await;
    cluster.until_ready("acme").await;
    requests.until_quiet().await;
    let after = cluster.get::<Deployment>("acme-harbor-core").await;
    assert_eq!(after.metadata.generation, core.metadata.generation, "no pod restarts");
}

#[tokio::test]
async fn an_operator_and_a_pod_that_are_killed_in_the_middle_leave_core_stopped_until_the_end() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let operator = cluster.ready(&requests, minimal()).await;
    cluster.apply(vec![slow(minimal())]).await;
    request(&cluster).await;
    cluster.until::<Secret>(RECORD, |record| entry(record, NEXT).as_deref() == Some("acme-key-2")).await;
    drop(operator);
    cluster.delete::<Pod>(POD).await;
    // Even if the user takes the request back: the pod may have encrypted the credentials.
    annotate(&cluster, Value::Null).await;

    let _operator = cluster.operator(&requests);
    cluster
        .until::<Pod>(POD, |pod| pod.status.as_ref().is_some_and(|it| it.phase.as_deref() == Some("Running")))
        .await;
    requests.until_quiet().await;
    let core = cluster.get::<Deployment>("acme-harbor-core").await;
    assert_eq!(core.spec.and_then(|spec| spec.replicas), Some(0));

    annotate(&cluster, json!("acme-key-2")).await;
    let at_once = json!({"metadata": {"annotations": {"sandbox.goharbor.io/delay": "0s"}}});
    cluster.apply(vec![minimal()]).await;
    cluster.merge::<Pod>(POD, at_once).await;
    until_rotated(&cluster, &requests).await;
}

#[tokio::test]
async fn a_pod_that_fails_is_quoted_and_tries_again_when_it_is_deleted() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;
    cluster.apply(vec![slow(minimal())]).await;
    request(&cluster).await;
    cluster.until_said(&[POD, "is running", "encrypts the credentials in the database"]).await;
    let fails = "the connection to PostgreSQL was lost";
    let fail = json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": fails}}});
    cluster.merge::<Pod>(POD, fail).await;
    let remedy = format!("try again: kubectl -n {} delete pod {POD}", cluster.name);
    cluster.until_said(&[fails, &remedy]).await;
    requests.until_quiet().await;

    cluster.apply(vec![minimal()]).await;
    cluster.delete::<Pod>(POD).await;
    until_rotated(&cluster, &requests).await;
}
