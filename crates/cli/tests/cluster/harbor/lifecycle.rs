//! A Harbor through its life.

use super::{Cluster, minimal, with};
use api::v1beta1::{
    ChartMuseum, Core, Exporter, JobService, NotaryServer, NotarySigner, Portal, Registry,
    RegistryController, Trivy,
};
use envtest::Requests;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret, Service},
    networking::v1::{Ingress, NetworkPolicy},
};
use kube::ResourceExt as _;
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

#[tokio::test]
async fn a_full_harbor_becomes_ready() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, cluster.full()).await;
    let expected = ["core", "exporter", "jobservice", "nginx", "portal", "registry", "trivy"];
    assert_eq!(cluster.names::<Deployment>().await, expected.map(|part| format!("acme-harbor-{part}")));
}

/// Every object that belongs to the Harbor or to one of its components.
async fn everything(cluster: &Cluster) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    macro_rules! kinds {
        ($($kind:ty),+) => { $(
            let prefix = stringify!($kind);
            all.extend(cluster.names::<$kind>().await.into_iter().map(|name| format!("{prefix} {name}")));
        )+ };
    }
    kinds!(
        Deployment,
        Service,
        ConfigMap,
        Secret,
        Ingress,
        NetworkPolicy,
        Core,
        JobService,
        Portal,
        Registry,
        RegistryController,
        ChartMuseum,
        Exporter,
        NotaryServer,
        NotarySigner,
        Trivy
    );
    all
}

#[tokio::test]
async fn every_optional_component_comes_and_goes_and_leaves_nothing_behind() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let old = with(minimal(), "/spec/version", json!("2.7.4"));
    let _operator = cluster.ready(&requests, old.clone()).await;
    let before = everything(&cluster).await;

    let options: [(&str, Value); 5] = [
        ("/spec/exporter", json!({})),
        ("/spec/trivy", json!({"storage": {}})),
        ("/spec/chartmuseum", json!({})),
        ("/spec/notary", json!({})),
        ("/spec/internalTLS", json!({"enabled": true})),
    ];
    for (field, value) in options {
        let mut harbor = with(old.clone(), field, value);
        if field == "/spec/notary" {
            harbor = with(harbor, "/spec/expose/notary", json!({"ingress": {"host": "notary.example.com"}}));
        }
        cluster.apply(vec![harbor]).await;
        cluster.until_ready("acme").await;
        requests.until_quiet().await;
        assert!(everything(&cluster).await.len() > before.len(), "{field}");

        cluster.apply(vec![old.clone()]).await;
        cluster.until_ready("acme").await;
        requests.until_quiet().await;
        let after = collected(&cluster, &before).await;
        assert_eq!(after, before, "{field}");
    }
}

/// Every object but the Secrets that stay on purpose, once the garbage collector has left only what was there `before`.
async fn collected(cluster: &Cluster, before: &BTreeSet<String>) -> BTreeSet<String> {
    let mut rest = without_kept_secrets(everything(cluster).await, before);
    // The collector of Kubernetes 1.20 pauses for up to a minute each time that another test installs definitions.
    for _ in 0..1800 {
        if rest == *before {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        rest = without_kept_secrets(everything(cluster).await, before);
    }
    rest
}

/// Without the key that Notary's keys are encrypted with, which Notary needs should it come back, and without the
/// Secrets of certificates, which cert-manager leaves.
fn without_kept_secrets(mut all: BTreeSet<String>, before: &BTreeSet<String>) -> BTreeSet<String> {
    all.remove("Secret acme-harbor-notarysigner-encryption-key");
    all.retain(|name| before.contains(name) || !(name.starts_with("Secret") && is_certificate(name)));
    all
}

fn is_certificate(name: &str) -> bool {
    ["-internal-tls-", "-notarysigner-auth", "-notaryserver-auth"].iter().any(|part| name.contains(part))
}

#[tokio::test]
async fn an_upgrade_rolls_every_component_and_jobservice_after_core() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, with(minimal(), "/spec/version", json!("2.14.2"))).await;

    cluster.apply(vec![with(minimal(), "/spec/version", json!("2.15.0"))]).await;
    cluster.until_ready("acme").await;
    for part in ["core", "jobservice", "portal", "registry"] {
        let deployment = cluster.get::<Deployment>(&format!("acme-harbor-{part}")).await;
        let pod = deployment.spec.unwrap().template.spec.unwrap();
        for container in pod.containers {
            assert!(container.image.as_ref().unwrap().ends_with(":v2.15.0"), "{:?}", container.image);
        }
    }
    let message = cluster.until_event("acme-harbor", "RollingOut").await;
    assert!(message.ends_with(":v2.15.0 now"), "{message}");
    let sent = requests.until_quiet().await;
    let position = |what: &str| {
        let path = format!("/namespaces/{}/{what}", cluster.name);
        let is_it = |request: &String| request.starts_with("PATCH ") && request.ends_with(&path);
        sent.iter().rposition(is_it).unwrap()
    };
    // The record says that all replicas of Core have the version. Core's own status may follow later.
    assert!(position("secrets/acme-harbor-core-database") < position("jobservices/acme-harbor"), "{sent:#?}");
}

#[tokio::test]
async fn each_storage_driver_converges() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let moved = with(minimal(), "/metadata/annotations", json!({"goharbor.io/data-moved": "storage"}));
    let _operator = cluster.ready(&requests, moved.clone()).await;
    let stores = [
        json!({"s3": {"region": "r", "bucket": "b", "accesskey": "a", "secretkeyRef": "storage"}}),
        json!({"swift": {"authurl": "https://k.example.com/v3", "container": "c", "username": "u", "passwordRef": "storage"}}),
        json!({"azure": {"accountname": "a", "container": "c", "accountkeyRef": "storage"}}),
        json!({"gcs": {"bucket": "b", "keyDataRef": "storage"}}),
        json!({"oss": {"region": "oss-r", "bucket": "b", "accessKeyID": "a", "accessSecretRef": "storage"}}),
    ];
    for store in stores {
        cluster.apply(vec![with(moved.clone(), "/spec/imageChartStorage", store.clone())]).await;
        cluster.until_ready("acme").await;
        let name = store.as_object().unwrap().keys().next().unwrap();
        let config = cluster.get::<ConfigMap>("acme-harbor-registry").await.data.unwrap();
        assert!(config["config.yml"].contains(&format!("{name}:")), "{name}: {}", config["config.yml"]);
    }
}

#[tokio::test]
async fn a_deleted_harbor_takes_its_children_along_but_not_what_users_made() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;
    cluster.delete::<api::v1beta1::Harbor>("acme").await;
    cluster.until_gone::<Deployment>("acme-harbor-core").await;
    cluster.until_gone::<Secret>("acme-harbor-core-csrf").await;
    assert!(cluster.has::<Secret>("postgres").await);
}

#[tokio::test]
async fn a_harbor_made_anew_over_its_old_database_has_its_old_key() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;
    let key = cluster.get::<Secret>("acme-harbor-core-encryptionkey").await;
    cluster.delete::<api::v1beta1::Harbor>("acme").await;
    cluster.until_gone::<Deployment>("acme-harbor-core").await;
    cluster.until_gone::<Secret>("acme-harbor-core-csrf").await;

    cluster.apply(vec![minimal()]).await;
    cluster.until_ready("acme").await;
    assert_eq!(cluster.get::<Secret>("acme-harbor-core-encryptionkey").await.data, key.data);
}

#[tokio::test]
async fn network_policies_come_with_an_annotation_and_go_with_it() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let asked = json!({"goharbor.io/network-policies": "true"});
    let _operator = cluster.ready(&requests, with(minimal(), "/metadata/annotations", asked)).await;
    assert!(cluster.names::<NetworkPolicy>().await.contains(&"acme-harbor-registry-ingress".to_owned()));
    let harbor = cluster.get::<api::v1beta1::Harbor>("acme").await;
    assert!(harbor.annotations().contains_key("goharbor.io/network-policies"));

    cluster.apply(vec![minimal()]).await;
    cluster.until_gone::<NetworkPolicy>("acme-harbor-registry-ingress").await;
    requests.until_quiet().await;
    assert_eq!(cluster.names::<NetworkPolicy>().await, Vec::<String>::new());
}
