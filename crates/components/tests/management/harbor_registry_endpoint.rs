//! HarborRegistryEndpoint.

use crate::{
    secrecy::assert_nowhere,
    world::{INTERVAL, World, settled},
};
use api::v1beta1::HarborRegistryEndpoint;
use harborserver::Version;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

const HUB: &str = "https://hub.docker.com";

fn endpoint(name: &str, spec: Value) -> Value {
    let mut spec = spec;
    spec["registryName"] = name.into();
    spec["harborServerConfig"] = "acme".into();
    spec["type"] = spec.get("type").cloned().unwrap_or_else(|| "docker-hub".into());
    spec["url"] = spec.get("url").cloned().unwrap_or_else(|| HUB.into());
    json!({"kind": "HarborRegistryEndpoint", "metadata": {"name": name}, "spec": spec})
}

async fn world_with_hub() -> World {
    let world = World::new().await;
    world.harbor.network().open(HUB);
    world
}

async fn shown(world: &World, name: &str) -> Value {
    let all = world.ask("GET", "/registries", Value::Null).await;
    let found = all.as_array().unwrap().iter().find(|it| it["name"] == name);
    found.cloned().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_is_created_with_few_requests_and_its_id_is_shown() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = World::with_version(version).await;
        world.harbor.network().open(HUB);
        settled().await;
        world.take_calls();
        world.create(endpoint("hub", json!({"url": "https://hub.docker.com/", "description": "d"}))).await;
        world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
        let calls = world.take_calls();
        assert!(calls.len() <= 8, "{version}: {calls:?}");
        let registry = shown(&world, "hub").await;
        assert_eq!([&registry["url"], &registry["description"]], [HUB, "d"]);
        let status = world.get::<HarborRegistryEndpoint>("hub").await["status"].take();
        assert_eq!((&status["registryID"], &status["created"]), (&registry["id"], &json!(true)));
        assert_eq!(status["resolvedHarbor"]["name"], "acme");
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_arrives_within_a_second_and_drift_is_repaired_within_the_interval() {
    let world = world_with_hub().await;
    world.create(endpoint("hub", json!({}))).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    world
        .merge::<HarborRegistryEndpoint>("hub", json!({"spec": {"description": "new", "insecure": true}}))
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let registry = shown(&world, "hub").await;
    assert_eq!((&registry["description"], &registry["insecure"]), (&json!("new"), &json!(true)));

    settled().await;
    world.ask("PUT", &format!("/registries/{}", registry["id"]), json!({"insecure": false})).await;
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    assert_eq!(shown(&world, "hub").await["insecure"], true);

    settled().await;
    world.take_calls();
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_registry_that_is_down_makes_no_endpoint_invalid() {
    let world = World::new().await;
    for (name, kind, url) in [("hub", "docker-hub", HUB), ("other", "harbor", "https://other.example.com")] {
        world.create(endpoint(name, json!({"type": kind, "url": url}))).await;
        world.until_reason::<HarborRegistryEndpoint>(name, "ExternalInUse").await;
        let object = world.get::<HarborRegistryEndpoint>(name).await;
        let stalled =
            object["status"]["conditions"].as_array().unwrap().iter().find(|it| it["type"] == "Stalled");
        assert!(stalled.is_none_or(|it| it["status"] == "False"), "{object:#}");
        world.harbor.network().open(url);
        world.until_reason::<HarborRegistryEndpoint>(name, "Ready").await;
    }
    // Nothing is sent while nothing differs, so the next outage changes nothing.
    world.harbor.network().close(HUB);
    tokio::time::sleep(INTERVAL * 3).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn whether_harbor_reaches_the_registry_is_a_condition_and_an_event_of_its_own() {
    let world = world_with_hub().await;
    world.create(endpoint("hub", json!({}))).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    let health = async || {
        settled().await;
        let condition = world.condition::<HarborRegistryEndpoint>("hub", "RemoteHealthy").await;
        [condition["status"].clone(), condition["reason"].clone()]
    };
    assert_eq!(health().await, ["True", "Healthy"]);
    world.take_calls();
    world.harbor.network().close(HUB);
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(health().await, ["False", "Unhealthy"]);
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    let note = "Harbor does not reach the registry, or not with its credentials; check its address, credentials and network";
    assert_eq!(world.event_notes("Unhealthy").await, [note]);
    let others: Vec<_> =
        world.take_calls().into_iter().filter(|it| it.starts_with("GET /registries/")).collect();
    assert_eq!(others, Vec::<String>::new(), "the list has the health of all registries");
    world.harbor.network().open(HUB);
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(health().await, ["True", "Healthy"]);
}

#[tokio::test(start_paused = true)]
async fn deletion_leaves_the_endpoint_unless_the_policy_says_otherwise() {
    let world = world_with_hub().await;
    world.create(endpoint("kept", json!({}))).await;
    world.create(endpoint("deleted", json!({"deletionPolicy": "Delete"}))).await;
    for name in ["kept", "deleted"] {
        world.until_reason::<HarborRegistryEndpoint>(name, "Ready").await;
        world.delete::<HarborRegistryEndpoint>(name).await;
        world.until_gone::<HarborRegistryEndpoint>(name).await;
    }
    assert_eq!(shown(&world, "kept").await["name"], "kept");
    assert_eq!(shown(&world, "deleted").await, Value::Null);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_a_replication_uses_is_deleted_after_it() {
    let world = world_with_hub().await;
    world.create(endpoint("hub", json!({"deletionPolicy": "Delete"}))).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    let id = shown(&world, "hub").await["id"].clone();
    let policy = json!({"name": "p", "src_registry": {"id": id}, "enabled": true});
    world.ask("POST", "/replication/policies", policy).await;
    world.delete::<HarborRegistryEndpoint>("hub").await;
    settled().await;
    assert_eq!(shown(&world, "hub").await["name"], "hub");
    let policy = world.ask("GET", "/replication/policies", Value::Null).await[0]["id"].clone();
    world.ask("DELETE", &format!("/replication/policies/{policy}"), Value::Null).await;
    world.until_gone::<HarborRegistryEndpoint>("hub").await;
    assert_eq!(shown(&world, "hub").await, Value::Null);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_exists_is_left_alone_until_it_is_adopted_and_is_then_never_deleted() {
    let world = world_with_hub().await;
    world.ask("POST", "/registries", json!({"name": "hub", "type": "docker-hub", "url": HUB})).await;
    world.create(endpoint("hub", json!({"description": "mine", "deletionPolicy": "Delete"}))).await;
    let message = world.until_reason::<HarborRegistryEndpoint>("hub", "AlreadyExists").await;
    assert!(message.contains("spec.creationPolicy"), "{message}");
    assert_eq!(shown(&world, "hub").await["description"], Value::Null);
    world.merge::<HarborRegistryEndpoint>("hub", json!({"spec": {"creationPolicy": "Adopt"}})).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    assert_eq!(shown(&world, "hub").await["description"], "mine");
    assert_eq!(world.get::<HarborRegistryEndpoint>("hub").await["status"]["created"], false);
    world.delete::<HarborRegistryEndpoint>("hub").await;
    world.until_gone::<HarborRegistryEndpoint>("hub").await;
    assert_eq!(shown(&world, "hub").await["name"], "hub");
}

#[tokio::test(start_paused = true)]
async fn two_objects_for_one_endpoint_do_not_fight() {
    let world = world_with_hub().await;
    world.create(endpoint("hub", json!({}))).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    let mut second = endpoint("hub", json!({"description": "second"}));
    second["metadata"]["name"] = "second".into();
    world.create(second).await;
    let message = world.until_reason::<HarborRegistryEndpoint>("second", "Conflict").await;
    assert!(message.contains("HarborRegistryEndpoint default/hub"), "{message}");
    assert_eq!(shown(&world, "hub").await["description"], Value::Null);
}

#[tokio::test(start_paused = true)]
async fn a_password_is_sent_once_again_when_it_changes_and_shown_nowhere() {
    let mut world = World::new().await;
    world.harbor.network().open_to(HUB, "me", "hunter2");
    world.secret("hub", &[("accessKey", "me"), ("accessSecret", "hunter2\n")]).await;
    world.create(endpoint("hub", json!({"credential": {"secretRef": {"name": "hub"}}}))).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    assert_eq!(shown(&world, "hub").await["credential"]["access_key"], "me");
    assert_nowhere::<HarborRegistryEndpoint>(&world, "hub", "hunter2").await;
    settled().await;
    world.take_calls();
    world.restart().await;
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());

    world.harbor.network().open_to(HUB, "me", "changed");
    world.merge::<Secret>("hub", json!({"stringData": {"accessSecret": "changed"}})).await;
    settled().await;
    assert_eq!(world.take_writes().len(), 1);
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    // A wrong password looks like a registry that is down.
    world.merge::<Secret>("hub", json!({"stringData": {"accessSecret": "wrong"}})).await;
    let message = world.until_reason::<HarborRegistryEndpoint>("hub", "ExternalInUse").await;
    assert!(!message.contains("wrong"), "{message}");
    assert_nowhere::<HarborRegistryEndpoint>(&world, "hub", "wrong").await;

    world.merge::<HarborRegistryEndpoint>("hub", json!({"spec": {"credential": null}})).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    assert_eq!(shown(&world, "hub").await["credential"]["access_key"], Value::Null);
}

#[tokio::test(start_paused = true)]
async fn after_a_lost_answer_and_an_outage_of_harbor_there_is_one_endpoint() {
    let mut world = world_with_hub().await;
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(endpoint("hub", json!({}))).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    let posts = world.take_writes().into_iter().filter(|it| it == "POST /registries").count();
    assert_eq!(posts, 1);

    let id = world.get::<HarborRegistryEndpoint>("hub").await["status"]["registryID"].clone();
    world.is_down.store(true, Ordering::SeqCst);
    world.merge::<HarborRegistryEndpoint>("hub", json!({"spec": {"description": "new"}})).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "ExternalUnreachable").await;
    world.restart().await;
    settled().await;
    assert_eq!(world.get::<HarborRegistryEndpoint>("hub").await["status"]["registryID"], id);
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    assert_eq!(shown(&world, "hub").await["description"], "new");
}

#[tokio::test(start_paused = true)]
async fn what_a_version_does_not_have_is_refused_with_the_field() {
    let world = World::with_version(Version::new(9, 5)).await;
    world.harbor.network().open(HUB);
    world.secret("ca", &[("ca.crt", "x"), ("other", "not a certificate")]).await;
    let refused = [
        (json!({"type": "volcengine-cr"}), "spec.type: Harbor 2.9.5 does not have it; "),
        (json!({"type": "nonsense"}), "spec.type: Harbor 2.9.5 does not have it; "),
        (
            json!({"caCertificateRef": {"name": "ca"}}),
            "spec.caCertificateRef: Harbor 2.9.5 does not have it; ",
        ),
    ];
    for (index, (spec, expected)) in refused.into_iter().enumerate() {
        let name = format!("refused-{index}");
        world.create(endpoint(&name, spec)).await;
        let message = world.until_reason::<HarborRegistryEndpoint>(&name, "InvalidSpec").await;
        assert!(message.starts_with(expected), "{message}");
    }
    world.harbor.upgrade(Version::new(15, 2));
    world.create(endpoint("ca", json!({"caCertificateRef": {"name": "ca", "key": "other"}}))).await;
    world.secret("empty", &[("accessKey", "me"), ("accessSecret", "")]).await;
    world.create(endpoint("empty", json!({"credential": {"secretRef": {"name": "empty"}}}))).await;
    let message = world.until_reason::<HarborRegistryEndpoint>("empty", "InvalidSpec").await;
    assert_eq!(message, "Secret default/empty, key `accessSecret`: is empty; give it a value");
    world.create(endpoint("missing", json!({"credential": {"secretRef": {"name": "missing"}}}))).await;
    let message = world.until_reason::<HarborRegistryEndpoint>("missing", "DependencyMissing").await;
    assert_eq!(message, "Secret default/missing does not exist; create it");
    tokio::time::sleep(INTERVAL * 2).await;
    let message = world.until_reason::<HarborRegistryEndpoint>("ca", "InvalidSpec").await;
    assert!(message.starts_with("Secret default/ca, key `other`: "), "{message}");
    assert!(!message.contains("not a certificate"), "{message}");
}
