//! Databases, caches and object stores become ready, with the objects that their operators would create.

use crate::world::{World, condition};
use serde_json::{Value, json};

#[tokio::test]
async fn a_zalando_cluster_runs_with_services_and_a_secret_for_each_user() {
    let world = World::with_definitions().await;
    let spec = json!({"spec": {
        "teamId": "harbor", "numberOfInstances": 2, "volume": {"size": "1Gi"},
        "users": {"harbor": ["superuser"], "read_only": []},
        "postgresql": {"version": "17"},
    }});
    world.create("postgresql", "harbor-db", spec).await;
    let state = |cluster: &Value| cluster["status"]["PostgresClusterStatus"].clone();

    world.until("postgresql", "harbor-db", |cluster| state(cluster) == "Running").await;

    assert_eq!(world.names("Service").await, ["harbor-db", "harbor-db-repl"]);
    let secrets = ["harbor", "postgres", "read-only", "standby"]
        .map(|user| format!("{user}.harbor-db.credentials.postgresql.acid.zalan.do"));
    assert_eq!(world.names("Secret").await, secrets);
    let secret = world.get("Secret", &secrets[0]).await;
    assert_eq!(secret["data"]["username"], "aGFyYm9y");
    assert_eq!(world.names("Pod").await, ["harbor-db-0", "harbor-db-1"]);

    world.fail("postgresql", "harbor-db", "disk full").await;
    world.until("postgresql", "harbor-db", |cluster| state(cluster) == "UpdateFailed").await;
    world.mend("postgresql", "harbor-db").await;
    world.until("postgresql", "harbor-db", |cluster| state(cluster) == "Running").await;
    assert_eq!(world.get("Secret", &secrets[0]).await["data"], secret["data"], "passwords stay");
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_version_that_zalando_does_not_know_is_refused() {
    let world = World::with_definitions().await;
    let cluster: kube::core::DynamicObject = serde_json::from_value(json!({
        "apiVersion": "acid.zalan.do/v1", "kind": "postgresql", "metadata": {"name": "old"},
        "spec": {"teamId": "t", "numberOfInstances": 1, "volume": {"size": "1Gi"}, "postgresql": {"version": "12"}},
    }))
    .unwrap();
    let refused =
        world.api("postgresql").create(&kube::api::PostParams::default(), &cluster).await.unwrap_err();
    assert!(refused.to_string().contains("spec.postgresql.version: Unsupported value: \"12\""), "{refused}");
}

#[tokio::test]
async fn a_cloud_native_cluster_becomes_healthy() {
    let world = World::with_definitions().await;
    let spec = json!({"spec": {
        "instances": 2, "storage": {"size": "1Gi"}, "enableSuperuserAccess": true,
        "bootstrap": {"initdb": {"database": "registry", "owner": "harbor"}},
    }});
    world.create("Cluster", "pg", spec).await;

    let ready = world.until_condition("Cluster", "pg", "Ready", "True").await;

    assert_eq!(ready["reason"], "ClusterIsReady");
    let cluster = world.get("Cluster", "pg").await;
    assert_eq!(cluster["status"]["phase"], "Cluster in healthy state");
    assert_eq!(cluster["status"]["readyInstances"], 2);
    assert_eq!(world.names("Service").await, ["pg-r", "pg-ro", "pg-rw"]);
    assert_eq!(world.names("Secret").await, ["pg-app", "pg-superuser"]);
    assert_eq!(world.names("Pod").await, ["pg-1", "pg-2"]);

    world.merge("Cluster", "pg", json!({"spec": {"instances": 1}})).await;
    world.until("Cluster", "pg", |cluster| cluster["status"]["instances"] == 1).await;
    world.fail("Cluster", "pg", "no primary").await;
    let failed =
        world.until("Cluster", "pg", |cluster| condition(cluster, "Ready")["status"] == "False").await;
    assert_eq!(failed["status"]["phaseReason"], "no primary");
    world.mend("Cluster", "pg").await;
    world.until_condition("Cluster", "pg", "Ready", "True").await;
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_redis_failover_has_servers_and_sentinels_that_need_its_password() {
    let world = World::with_definitions().await;
    let spec = json!({"spec": {
        "redis": {"replicas": 2}, "sentinel": {"replicas": 3}, "auth": {"secretPath": "access"},
    }});
    world.create("RedisFailover", "cache", spec).await;
    world.until("Deployment", "rfs-cache", |sentinel| sentinel["status"]["unavailableReplicas"] == 3).await;

    world.create("Secret", "access", json!({"stringData": {"password": "p"}})).await;

    world.until("StatefulSet", "rfr-cache", |set| set["status"]["readyReplicas"] == 2).await;
    world.until("Deployment", "rfs-cache", |sentinel| sentinel["status"]["availableReplicas"] == 3).await;
    assert_eq!(world.names("Service").await, ["rfr-cache", "rfs-cache"]);
    world.fail("RedisFailover", "cache", "split brain").await;
    world.until("Deployment", "rfs-cache", |sentinel| sentinel["status"]["unavailableReplicas"] == 3).await;
    world.mend("RedisFailover", "cache").await;
    world.until("Deployment", "rfs-cache", |sentinel| sentinel["status"]["availableReplicas"] == 3).await;
    world.assert_quiet().await;
}

#[tokio::test]
async fn operators_of_redis_copy_labels_of_their_resources_to_the_objects_that_they_create() {
    let world = World::with_definitions().await;
    let labels = json!({"team": "platform", "app.kubernetes.io/name": "ours"});
    let failover = json!({"metadata": {"labels": labels}, "spec": {"redis": {"replicas": 1}}});
    world.create("RedisFailover", "cache", failover).await;
    let spec = json!({"clusterSize": 1, "kubernetesConfig": {"image": "redis:7"}});
    world.create("RedisReplication", "cache", json!({"metadata": {"labels": labels}, "spec": spec})).await;

    let ready = |set: &Value| set["status"]["readyReplicas"] == 1;
    let spotahome = world.until("StatefulSet", "rfr-cache", ready).await;
    let opstree = world.until("StatefulSet", "cache", ready).await;

    for (set, name) in [(&spotahome, "cache"), (&opstree, "ours")] {
        for labels in [&set["metadata"]["labels"], &set["spec"]["template"]["metadata"]["labels"]] {
            assert_eq!(labels["team"], "platform");
            assert_eq!(labels["app.kubernetes.io/name"], name);
        }
        assert_eq!(set["spec"]["selector"]["matchLabels"].get("team"), None);
    }
    let sentinels = world.get("Deployment", "rfs-cache").await;
    assert_eq!(sentinels["metadata"]["labels"]["team"], "platform");
}

#[tokio::test]
async fn sentinels_of_the_other_operator_wait_for_their_replication() {
    let world = World::with_definitions().await;
    let image = json!({"image": "redis:7"});
    let sentinel = json!({"spec": {
        "clusterSize": 3, "kubernetesConfig": image, "redisSentinelConfig": {"redisReplicationName": "cache"},
    }});
    world.create("RedisSentinel", "cache", sentinel).await;
    world.create("Redis", "single", json!({"spec": {"kubernetesConfig": image}})).await;
    world.until("StatefulSet", "single", |set| set["status"]["readyReplicas"] == 1).await;
    assert_eq!(world.names("StatefulSet").await, ["single"]);

    let replication = json!({"spec": {"clusterSize": 2, "kubernetesConfig": image}});
    world.create("RedisReplication", "cache", replication).await;

    world.until("RedisReplication", "cache", |cache| cache["status"]["masterNode"] == "cache-0").await;
    world.until("StatefulSet", "cache-sentinel", |set| set["status"]["readyReplicas"] == 3).await;
    for service in ["cache", "cache-headless", "cache-master", "cache-sentinel-headless", "single"] {
        world.get("Service", service).await;
    }
    world.assert_quiet().await;
}

/// A tenant with two servers of two volumes.
fn a_tenant() -> Value {
    let claim = json!({"spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}},
    }});
    json!({"spec": {
        "requestAutoCert": false, "configuration": {"name": "configuration"},
        "pools": [{"name": "zone-harbor", "servers": 2, "volumesPerServer": 2, "volumeClaimTemplate": claim}],
    }})
}

fn state(tenant: &Value) -> Value {
    tenant["status"]["currentState"].clone()
}

#[tokio::test]
async fn a_tenant_is_initialized_once_its_pools_are() {
    let world = World::with_definitions().await;
    let variables = "export MINIO_ROOT_USER=a";
    world.create("Secret", "configuration", json!({"stringData": {"config.env": variables}})).await;
    world.create("Tenant", "store", a_tenant()).await;

    let tenant = world.until("Tenant", "store", |tenant| state(tenant) == "Initialized").await;

    assert_eq!(tenant["status"]["availableReplicas"], 2);
    assert_eq!(tenant["status"]["pools"][0]["ssName"], "store-zone-harbor");
    assert_eq!(tenant["status"]["pools"][0]["state"], "PoolInitialized");
    assert_eq!(world.names("Service").await, ["minio", "store-console", "store-hl"]);
    let claims =
        ["0-store-zone-harbor-0", "0-store-zone-harbor-1", "1-store-zone-harbor-0", "1-store-zone-harbor-1"];
    assert_eq!(world.names("PersistentVolumeClaim").await, claims);
    world.fail("Tenant", "store", "drives offline").await;
    world.until("Tenant", "store", |tenant| state(tenant) == "drives offline").await;
    world.mend("Tenant", "store").await;
    world.until("Tenant", "store", |tenant| state(tenant) == "Initialized").await;
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_second_tenant_in_a_namespace_is_not_brought_up_until_the_first_is_gone() {
    let world = World::with_definitions().await;
    world.create("Secret", "configuration", json!({"stringData": {"config.env": ""}})).await;
    world.create("Tenant", "first", a_tenant()).await;
    world.until("Tenant", "first", |tenant| state(tenant) == "Initialized").await;

    world.create("Tenant", "second", a_tenant()).await;
    let words = "Another MinIO Tenant already exists in the namespace";
    world.until("Tenant", "second", |tenant| state(tenant) == words).await;
    assert_eq!(state(&world.get("Tenant", "first").await), "Initialized");

    world.delete("Tenant", "first").await;
    world.until("Tenant", "second", |tenant| state(tenant) == "Initialized").await;
    world.assert_quiet().await;
}
