//! What waits for the services of a HarborCluster.

use super::{in_cluster, with};
use crate::harbor::Cluster;
use envtest::Requests;
use k8s_openapi::api::apps::v1::Deployment;
use serde_json::json;

#[tokio::test]
async fn changes_of_core_arrive_while_redis_lacks_a_replica() {
    let cluster = Cluster::on(crate::world::World::new().await).await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster.apply(in_cluster()).await;
    cluster.until_healthy("acme").await;

    cluster.crash_one("rfr-acme-redis").await;
    cluster.until_condition("acme", "CacheReady", "ChildrenNotReady").await;
    cluster.apply(with("/spec/core", json!({"resources": {"requests": {"memory": "321Mi"}}}))).await;
    cluster
        .until::<Deployment>("acme-harbor-harbor-core", |it| {
            let pod = it.spec.as_ref().unwrap().template.spec.as_ref().unwrap();
            let requests = pod.containers[0].resources.as_ref().and_then(|it| it.requests.as_ref());
            requests.is_some_and(|it| it.get("memory").is_some_and(|memory| memory.0 == "321Mi"))
        })
        .await;
}
