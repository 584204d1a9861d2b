//! Parts of a HarborCluster that become empty.

use super::with;
use crate::harbor::Cluster;
use api::v1beta1::Harbor;
use envtest::Requests;
use k8s_openapi::api::apps::v1::Deployment;
use serde_json::json;

#[tokio::test]
async fn a_part_whose_only_setting_is_removed_stays_without_it() {
    let cluster = Cluster::on(crate::world::World::new().await).await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster.apply(with("/spec/portal", json!({"replicas": 2}))).await;
    cluster.until_healthy("acme").await;
    let pods = |it: &Deployment| it.spec.as_ref().unwrap().replicas;
    cluster.until::<Deployment>("acme-harbor-harbor-portal", |it| pods(it) == Some(2)).await;

    // As `kubectl replace` does: a server-side apply by the user would meet the same trouble with the HarborCluster.
    let removed = json!({"spec": {"portal": {"replicas": null}}});
    cluster.merge::<api::v1beta1::HarborCluster>("acme", removed).await;
    cluster.until::<Deployment>("acme-harbor-harbor-portal", |it| pods(it) == Some(1)).await;
    cluster.until_healthy("acme").await;
    let portal = cluster.get::<Harbor>("acme-harbor").await.spec.installation.portal.clone();
    assert_eq!(serde_json::to_value(portal).unwrap(), json!({}));
}
