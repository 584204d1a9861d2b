//! Every fault of `spec/upstream-baseline.md`, section 6: each hand edit and each deletion is repaired.

use super::{Cluster, minimal};
use api::v1beta1::{Core, Portal};
use envtest::Requests;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret, Service},
    networking::v1::Ingress,
};
use serde_json::json;

#[tokio::test]
async fn b05_b36_a_child_deleted_by_hand_comes_back() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;

    cluster.delete::<Deployment>("acme-harbor-core").await;
    cluster.until::<Deployment>("acme-harbor-core", |_| true).await;
    for part in ["core", "portal", "registry", "registryctl", "jobservice"] {
        let name = format!("acme-harbor-{part}");
        cluster.delete::<ConfigMap>(&name).await;
        cluster.until::<ConfigMap>(&name, |_| true).await;
        cluster.delete::<Service>(&name).await;
        cluster.until::<Service>(&name, |_| true).await;
    }
    let portal = cluster.get::<Portal>("acme-harbor").await.metadata.uid;
    cluster.delete::<Portal>("acme-harbor").await;
    cluster.until::<Portal>("acme-harbor", |now| now.metadata.uid != portal).await;
    // The old operator did not watch it.
    cluster.delete::<Ingress>("acme-harbor").await;
    cluster.until::<Ingress>("acme-harbor", |_| true).await;
    cluster.until_ready("acme").await;
}

#[tokio::test]
async fn a_generated_secret_that_is_deleted_is_made_anew_and_its_users_follow() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;
    let before = cluster.get::<Deployment>("acme-harbor-core").await.metadata.generation;

    cluster.delete::<Secret>("acme-harbor-core-csrf").await;
    cluster.until::<Secret>("acme-harbor-core-csrf", |_| true).await;
    cluster.until::<Deployment>("acme-harbor-core", |it| it.metadata.generation > before).await;
    cluster.until_ready("acme").await;
}

#[tokio::test]
async fn b05_a_child_edited_by_hand_is_put_right() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;

    cluster.merge::<ConfigMap>("acme-harbor-core", json!({"data": {"app.conf": "DRIFT"}})).await;
    cluster
        .until::<ConfigMap>("acme-harbor-core", |config| config.data.as_ref().unwrap()["app.conf"] != "DRIFT")
        .await;

    let image =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "core", "image": "evil:1"}]}}}});
    let patch = kube::api::Patch::Strategic(&image);
    let params = kube::api::PatchParams::default();
    cluster.api::<Deployment>().patch("acme-harbor-core", &params, &patch).await.unwrap();
    cluster
        .until::<Deployment>("acme-harbor-core", |deployment| {
            let pod = deployment.spec.as_ref().unwrap().template.spec.as_ref().unwrap();
            pod.containers[0].image.as_deref() != Some("evil:1")
        })
        .await;

    let selector = json!({"spec": {"selector": {"portal.goharbor.io/name": "another"}}});
    cluster.merge::<Service>("acme-harbor-portal", selector).await;
    cluster
        .until::<Service>("acme-harbor-portal", |service| {
            let selector = service.spec.as_ref().unwrap().selector.as_ref().unwrap();
            selector["portal.goharbor.io/name"] == "acme-harbor-portal"
        })
        .await;

    cluster.merge::<Ingress>("acme-harbor", json!({"spec": {"tls": null}})).await;
    cluster.until::<Ingress>("acme-harbor", |ingress| ingress.spec.as_ref().unwrap().tls.is_some()).await;

    cluster.merge::<Core>("acme-harbor", json!({"spec": {"log": {"level": "debug"}}})).await;
    cluster
        .until::<Core>("acme-harbor", |core| {
            core.spec.log.as_ref().is_some_and(|log| log.level.as_str() == "info")
        })
        .await;
    cluster.until_ready("acme").await;
}

#[tokio::test]
async fn b04_the_number_of_pods_is_an_autoscalers_where_replicas_is_unset() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;

    cluster.merge::<Deployment>("acme-harbor-portal", json!({"spec": {"replicas": 3}})).await;
    cluster.merge::<ConfigMap>("acme-harbor-portal", json!({"metadata": {"labels": {"team": "a"}}})).await;
    requests.until_quiet().await;

    let deployment = cluster.get::<Deployment>("acme-harbor-portal").await;
    assert_eq!(deployment.spec.unwrap().replicas, Some(3));
    let config = cluster.get::<ConfigMap>("acme-harbor-portal").await;
    assert_eq!(config.metadata.labels.unwrap()["team"], "a");
}

#[tokio::test]
async fn b06_a_secret_that_does_not_exist_is_named_and_nothing_pretends_to_be_ready() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster.delete::<Secret>("postgres").await;
    cluster.apply(vec![minimal()]).await;

    let expected = format!("Secret {}/postgres does not exist; create it", cluster.name);
    cluster
        .until::<api::v1beta1::Harbor>("acme", |harbor| {
            let conditions = harbor.status.iter().flat_map(|status| &status.common.conditions);
            conditions.into_iter().any(|c| {
                c.type_ == "Ready"
                    && c.status == "False"
                    && c.message.as_ref().is_some_and(|m| m.contains(&expected))
            })
        })
        .await;

    cluster.apply(super::inputs()).await;
    cluster.until_ready("acme").await;
}
