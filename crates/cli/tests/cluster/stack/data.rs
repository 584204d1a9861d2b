//! What holds data is not lost by accident.

use super::{Cluster, external_redis, in_cluster, objects, with, with_garbage_collector};
use crate::{
    harbor::{claim, images},
    world::{World, root},
};
use api::{
    thirdparty::{minio::Tenant, spotahome::RedisFailover, zalando::Postgresql},
    v1beta1::{Harbor, HarborCluster, Registry},
};
use envtest::Requests;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};

/// The name of the database, which has that of its namespace in it.
fn database(cluster: &Cluster) -> String {
    format!("postgresql-{}-acme", cluster.name)
}

#[tokio::test]
async fn a10_deleting_a_stack_keeps_its_data_and_another_of_the_same_name_goes_on_with_it() {
    let cluster = with_garbage_collector().await;
    let _operator = cluster.operator(&Requests::default());
    cluster.apply(in_cluster()).await;
    let ready = cluster.until_healthy("acme").await;
    assert_eq!(serde_json::to_value(ready.status.unwrap().deletion_policy).unwrap(), json!("Retain"));
    let secrets = ["minio-acme-creds", "acme-harbor-harbor-core-encryptionkey"];
    let mut before = Vec::new();
    for secret in secrets {
        before.push(cluster.get::<Secret>(secret).await.data);
    }
    let uids = (
        cluster.get::<Postgresql>(&database(&cluster)).await.metadata.uid,
        cluster.get::<Tenant>("minio-acme").await.metadata.uid,
    );

    cluster.deleted("acme").await;
    cluster.until_gone::<Harbor>("acme-harbor").await;
    cluster.until_gone::<RedisFailover>("acme-redis").await;
    cluster.apply(in_cluster()).await;
    cluster.until_healthy("acme").await;

    for (secret, before) in secrets.iter().zip(before) {
        assert_eq!(cluster.get::<Secret>(secret).await.data, before, "{secret}");
    }
    let after = (
        cluster.get::<Postgresql>(&database(&cluster)).await.metadata.uid,
        cluster.get::<Tenant>("minio-acme").await.metadata.uid,
    );
    assert_eq!(after, uids);
}

#[tokio::test]
async fn b41_data_is_deleted_with_a_stack_that_requests_it() {
    let cluster = with_garbage_collector().await;
    let _operator = cluster.operator(&Requests::default());
    cluster.apply(in_cluster()).await;
    cluster.until_healthy("acme").await;
    cluster.apply(with("/spec/deletionPolicy", json!("Delete"))).await;
    let status = cluster.until_healthy("acme").await.status.unwrap();
    assert_eq!(serde_json::to_value(status.deletion_policy).unwrap(), json!("Delete"));

    cluster.deleted("acme").await;

    cluster.until_gone::<Postgresql>(&database(&cluster)).await;
    cluster.until_gone::<Tenant>("minio-acme").await;
    cluster.until_gone::<Secret>("minio-acme-creds").await;
    cluster.until_gone::<Secret>("acme-harbor-harbor-core-encryptionkey").await;
}

#[tokio::test]
async fn a05_deleting_a_stack_leaves_its_namesake_in_another_namespace_alone() {
    let mut delete: Vec<Value> = with("/spec/deletionPolicy", json!("Delete"));
    let (here, there) = (with_garbage_collector().await, with_garbage_collector().await);
    let _operators = [&here, &there].map(|it| it.operator(&Requests::default()));
    for cluster in [&here, &there] {
        cluster.apply(std::mem::take(&mut delete)).await;
        delete = with("/spec/deletionPolicy", json!("Delete"));
        cluster.until_healthy("acme").await;
    }
    let before = there.claims().await;

    here.deleted("acme").await;
    here.until_gone::<Tenant>("minio-acme").await;
    here.until_gone::<Postgresql>(&database(&here)).await;

    there.until_healthy("acme").await;
    assert!(!before.is_empty());
    assert_eq!(there.claims().await, before);
}

#[tokio::test]
async fn a_service_moves_only_after_a_user_confirms_that_its_data_was_moved() {
    let cluster = Cluster::on(World::new().await).await;
    let _operator = cluster.operator(&Requests::default());
    cluster.apply(in_cluster()).await;
    cluster.until_healthy("acme").await;

    cluster.apply(with("/spec/cache", external_redis())).await;
    let message = cluster.until_condition("acme", "Ready", "InvalidSpec").await;
    assert!(message.contains("spec.cache") && message.contains("goharbor.io/data-moved: cache"), "{message}");
    assert_eq!(cluster.get::<Harbor>("acme-harbor").await.spec.redis.server.host, "rfs-acme-redis");

    cluster
        .merge::<HarborCluster>(
            "acme",
            json!({"metadata": {"annotations": {"goharbor.io/data-moved": "cache"}}}),
        )
        .await;
    cluster.until_healthy("acme").await;
    assert_eq!(cluster.get::<Harbor>("acme-harbor").await.spec.redis.server.host, "redis.caches.svc");
    cluster.until_gone::<RedisFailover>("acme-redis").await;
}

#[tokio::test]
async fn what_a_stack_may_move_its_harbor_moves() {
    let cluster = Cluster::on(World::new().await).await;
    let _operator = cluster.operator(&Requests::default());
    let mut stack = objects(root().join("examples/minimal.yaml"));
    cluster.apply(stack.clone()).await;
    cluster.until_healthy("acme").await;

    let mut moved = stack.pop().unwrap();
    moved["metadata"]["annotations"] = json!({"goharbor.io/data-moved": "storage"});
    moved["spec"]["storage"]["spec"]["fileSystem"]["registryPersistentVolume"]["claimName"] = json!("others");
    cluster.apply(vec![claim("others"), moved]).await;
    cluster.until_healthy("acme").await;
    let registry = cluster.get::<Registry>("acme-harbor-harbor").await;
    assert_eq!(images(&registry).as_deref(), Some("others"));
}

#[tokio::test]
async fn a_key_that_is_restored_from_a_backup_beforehand_is_used() {
    let cluster = Cluster::on(World::new().await).await;
    let key = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "acme-harbor-harbor-core-encryptionkey"},
        "stringData": {"secret": "0123456789abcdef"},
    });
    cluster.apply(vec![key]).await;
    let _operator = cluster.operator(&Requests::default());
    cluster.apply(in_cluster()).await;
    cluster.until_healthy("acme").await;

    let kept = cluster.get::<Secret>("acme-harbor-harbor-core-encryptionkey").await;
    assert_eq!(kept.data.unwrap()["secret"].0, b"0123456789abcdef");
    assert_eq!(kept.metadata.owner_references, None);
}
