//! HarborReplication.

use crate::world::{INTERVAL, World, settled};
use api::v1beta1::{HarborRegistryEndpoint, HarborReplication};
use harborserver::Version;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

const HUB: &str = "https://hub.docker.com";

fn replication(name: &str, spec: Value) -> Value {
    let mut spec = spec;
    spec["policyName"] = name.into();
    spec["harborServerConfig"] = "acme".into();
    json!({"kind": "HarborReplication", "metadata": {"name": name}, "spec": spec})
}

fn endpoint(name: &str, registry: &str) -> Value {
    let spec = json!({
        "harborServerConfig": "acme", "registryName": registry, "type": "docker-hub", "url": HUB,
        "deletionPolicy": "Delete",
    });
    json!({"kind": "HarborRegistryEndpoint", "metadata": {"name": name}, "spec": spec})
}

/// A Harbor with the registry endpoint `hub`.
async fn world_with_hub(version: Version) -> World {
    let world = World::with_version(version).await;
    world.harbor.network().open(HUB);
    world.ask("POST", "/registries", json!({"name": "hub", "type": "docker-hub", "url": HUB})).await;
    world
}

async fn policies(world: &World) -> Vec<Value> {
    world.ask("GET", "/replication/policies", Value::Null).await.as_array().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_policy_is_created_with_few_requests_and_its_id_is_shown() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = world_with_hub(version).await;
        settled().await;
        world.take_calls();
        let spec = json!({
            "sourceRegistryName": "hub", "destinationNamespace": "library", "flattening": 1,
            "trigger": {"type": "scheduled", "cron": "0 0 3 * * *"},
            "filters": {
                "name": "library/**", "tag": {"excludes": "dev*"}, "label": {"matches": ["a", "b"]},
                "resource": "image",
            },
        });
        world.create(replication("nightly", spec)).await;
        world.until_reason::<HarborReplication>("nightly", "Ready").await;
        let calls = world.take_calls();
        assert!(calls.len() <= 10, "{version}: {calls:?}");
        let policy = policies(&world).await.remove(0);
        assert_eq!(policy["src_registry"]["name"], "hub");
        assert_eq!(policy["dest_namespace"], "library");
        assert_eq!(policy["trigger"]["trigger_settings"]["cron"], "0 0 3 * * *");
        assert_eq!(policy["filters"].as_array().unwrap().len(), 4);
        assert_eq!((&policy["override"], &policy["enabled"]), (&json!(true), &json!(true)));
        let status = world.get::<HarborReplication>("nightly").await["status"].take();
        assert_eq!((&status["policyID"], &status["created"]), (&policy["id"], &json!(true)));
        settled().await;
        world.take_calls();
        tokio::time::sleep(INTERVAL * 3).await;
        assert_eq!(world.take_writes(), Vec::<String>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_waits_for_its_endpoint_and_both_are_deleted_in_any_order() {
    let world = World::new().await;
    world.create(replication("push", json!({"destinationRegistryRef": "remote"}))).await;
    let message = world.until_reason::<HarborReplication>("push", "DependencyMissing").await;
    assert!(message.contains("HarborRegistryEndpoint default/remote"), "{message}");
    world.create(endpoint("remote", "hub")).await;
    let message = world.until_reason::<HarborReplication>("push", "ChildrenNotReady").await;
    assert_eq!(message, "HarborRegistryEndpoint default/remote: does not exist in Harbor yet");
    world.harbor.network().open(HUB);
    world.until_reason::<HarborReplication>("push", "Ready").await;
    assert_eq!(policies(&world).await[0]["dest_registry"]["name"], "hub");

    world.delete::<HarborRegistryEndpoint>("remote").await;
    world.delete::<HarborReplication>("push").await;
    world.until_gone::<HarborReplication>("push").await;
    world.until_gone::<HarborRegistryEndpoint>("remote").await;
    assert_eq!(policies(&world).await, [] as [Value; 0]);
    assert_eq!(world.ask("GET", "/registries", Value::Null).await, json!([]));
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_by_name_is_waited_for_too() {
    let world = World::new().await;
    world.harbor.network().open(HUB);
    world.create(replication("pull", json!({"sourceRegistryName": "hub"}))).await;
    let message = world.until_reason::<HarborReplication>("pull", "ChildrenNotReady").await;
    assert_eq!(
        message,
        "registry acme/hub: does not exist; create it in Harbor, or correct spec.sourceRegistryName"
    );
    world.ask("POST", "/registries", json!({"name": "hub", "type": "docker-hub", "url": HUB})).await;
    world.until_reason::<HarborReplication>("pull", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn a_change_arrives_within_a_second_and_drift_is_repaired_within_the_interval() {
    let world = world_with_hub(Version::new(15, 2)).await;
    world.create(replication("pull", json!({"sourceRegistryName": "hub"}))).await;
    world.until_reason::<HarborReplication>("pull", "Ready").await;
    world
        .merge::<HarborReplication>("pull", json!({"spec": {"speedKb": 100, "filters": {"name": "a/**"}}}))
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut policy = policies(&world).await.remove(0);
    assert_eq!((&policy["speed"], &policy["filters"][0]["value"]), (&json!(100), &json!("a/**")));

    settled().await;
    policy["speed"] = 5.into();
    policy["enabled"] = false.into();
    world.ask("PUT", &format!("/replication/policies/{}", policy["id"]), policy.clone()).await;
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    let policy = policies(&world).await.remove(0);
    assert_eq!((&policy["speed"], &policy["enabled"]), (&json!(100), &json!(true)));
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_exists_is_left_alone_until_it_is_adopted_and_kept_or_deleted_as_the_policy_says() {
    let world = world_with_hub(Version::new(15, 2)).await;
    let id = world.ask("GET", "/registries", Value::Null).await[0]["id"].clone();
    let old = json!({"name": "old", "src_registry": {"id": id}, "enabled": false});
    world.ask("POST", "/replication/policies", old).await;
    world.create(replication("old", json!({"sourceRegistryName": "hub"}))).await;
    world.until_reason::<HarborReplication>("old", "AlreadyExists").await;
    world.merge::<HarborReplication>("old", json!({"spec": {"creationPolicy": "CreateOrAdopt"}})).await;
    world.until_reason::<HarborReplication>("old", "Ready").await;
    assert_eq!(policies(&world).await[0]["enabled"], true);

    world.create(replication("kept", json!({"sourceRegistryName": "hub", "deletionPolicy": "Orphan"}))).await;
    world.create(replication("new", json!({"sourceRegistryName": "hub"}))).await;
    let mut second = replication("new", json!({"sourceRegistryName": "hub", "speedKb": 7}));
    second["metadata"]["name"] = "second".into();
    for name in ["kept", "new"] {
        world.until_reason::<HarborReplication>(name, "Ready").await;
    }
    world.create(second).await;
    let message = world.until_reason::<HarborReplication>("second", "Conflict").await;
    assert!(message.contains("HarborReplication default/new"), "{message}");
    for name in ["second", "old", "kept", "new"] {
        world.delete::<HarborReplication>(name).await;
        world.until_gone::<HarborReplication>(name).await;
    }
    let mut names: Vec<_> = policies(&world).await.iter().map(|it| it["name"].to_string()).collect();
    names.sort();
    assert_eq!(names, ["\"kept\"", "\"old\""]);
}

#[tokio::test(start_paused = true)]
async fn after_a_lost_answer_and_an_outage_of_harbor_there_is_one_policy() {
    let mut world = world_with_hub(Version::new(15, 2)).await;
    world.take_calls();
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(replication("pull", json!({"sourceRegistryName": "hub"}))).await;
    world.until_reason::<HarborReplication>("pull", "Ready").await;
    let posts = world.take_writes().into_iter().filter(|it| it.starts_with("POST")).count();
    assert_eq!(posts, 1);
    world.is_down.store(true, Ordering::SeqCst);
    world.merge::<HarborReplication>("pull", json!({"spec": {"speedKb": 9}})).await;
    world.until_reason::<HarborReplication>("pull", "ExternalUnreachable").await;
    world.restart().await;
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason::<HarborReplication>("pull", "Ready").await;
    assert_eq!(policies(&world).await[0]["speed"], 9);
}

#[tokio::test(start_paused = true)]
async fn what_a_version_does_not_have_is_refused_with_the_field() {
    let refused = [
        (Version::new(5, 6), json!({"copyByChunk": true}), "spec.copyByChunk: Harbor 2.5.6 does not have it"),
        (
            Version::new(9, 5),
            json!({"singleActive": true}),
            "spec.singleActive: Harbor 2.9.5 does not have it",
        ),
        (
            Version::new(9, 5),
            json!({"filters": {"resource": "chart"}}),
            "spec.filters.resource: Harbor 2.9.5 has no charts of ChartMuseum",
        ),
    ];
    for (version, spec, expected) in refused {
        let world = world_with_hub(version).await;
        let mut spec = spec;
        spec["sourceRegistryName"] = "hub".into();
        world.create(replication("pull", spec)).await;
        let message = world.until_reason::<HarborReplication>("pull", "InvalidSpec").await;
        assert!(message.starts_with(expected), "{message}");
        assert_eq!(policies(&world).await, [] as [Value; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_in_another_harbor_is_refused() {
    let world = world_with_hub(Version::new(15, 2)).await;
    let other = json!({
        "serverURL": "https://other.example.com", "version": "v2.15.2",
        "accessCredential": {"namespace": "default", "accessSecretRef": "acme-credentials"},
    });
    world
        .create(json!({"kind": "HarborServerConfiguration", "metadata": {"name": "other"}, "spec": other}))
        .await;
    let mut remote = endpoint("remote", "elsewhere");
    remote["spec"]["harborServerConfig"] = "other".into();
    world.create(remote).await;
    world.create(replication("pull", json!({"sourceRegistryRef": "remote"}))).await;
    let message = world.until_reason::<HarborReplication>("pull", "InvalidSpec").await;
    assert_eq!(
        message,
        "HarborRegistryEndpoint default/remote: is in another Harbor; give both objects the same harborRef or \
         harborServerConfig"
    );
}
