//! HarborPreheatInstance.

use crate::{
    secrecy::assert_nowhere,
    world::{INTERVAL, World, settled},
};
use api::v1beta1::HarborPreheatInstance;
use harborserver::Version;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

const VERSIONS: [Version; 3] = [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)];

fn instance(name: &str, spec: Value) -> Value {
    let mut spec = spec;
    spec["instanceName"] = name.into();
    spec["harborServerConfig"] = "acme".into();
    spec["vendor"] = "dragonfly".into();
    spec["endpoint"] = spec.get("endpoint").cloned().unwrap_or_else(|| format!("http://{name}:8001").into());
    json!({"kind": "HarborPreheatInstance", "metadata": {"name": name}, "spec": spec})
}

fn policy(name: &str, policy: Value) -> Value {
    let mut policy = policy;
    policy["project"] = "library".into();
    policy["name"] = name.into();
    policy
}

async fn shown(world: &World, name: &str) -> Value {
    let all = world.ask("GET", "/p2p/preheat/instances", Value::Null).await;
    let found = all.as_array().unwrap().iter().find(|it| it["name"] == name);
    found.cloned().unwrap_or_default()
}

async fn policies(world: &World) -> Vec<Value> {
    let all = world.ask("GET", "/projects/library/preheat/policies", Value::Null).await;
    all.as_array().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn an_instance_and_its_policies_are_created_with_few_requests() {
    for version in VERSIONS {
        let world = World::with_version(version).await;
        settled().await;
        world.take_calls();
        let hot = json!({
            "filters": {"repositories": "base/**", "labels": ["a", "b"]},
            "trigger": {"type": "scheduled", "cron": "0 0 3 * * *"},
        });
        let spec = json!({"description": "d", "default": true, "policies": [policy("hot", hot)]});
        world.create(instance("df", spec)).await;
        world.until_reason::<HarborPreheatInstance>("df", "Ready").await;
        let calls = world.take_calls();
        assert!(calls.len() <= 14, "{version}: {calls:?}");
        let found = shown(&world, "df").await;
        assert_eq!((&found["description"], &found["default"]), (&json!("d"), &json!(true)));
        let hot = policies(&world).await.remove(0);
        assert_eq!((&hot["provider_name"], &hot["enabled"]), (&json!("df"), &json!(true)));
        let filters: Value = serde_json::from_str(hot["filters"].as_str().unwrap()).unwrap();
        let expected = json!([
            {"type": "label", "value": "a,b"}, {"type": "repository", "value": "base/**"},
            {"type": "tag", "value": "**"},
        ]);
        assert_eq!(filters, expected);
        assert_eq!(world.get::<HarborPreheatInstance>("df").await["status"]["instanceID"], found["id"]);
        settled().await;
        world.take_calls();
        tokio::time::sleep(INTERVAL * 3).await;
        assert_eq!(world.take_writes(), Vec::<String>::new(), "{version}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_arrives_within_a_second_drift_is_repaired_and_unlisted_policies_are_deleted() {
    let world = World::new().await;
    let both = json!([policy("hot", json!({})), policy("cold", json!({}))]);
    world.create(instance("df", json!({ "policies": both }))).await;
    world.until_reason::<HarborPreheatInstance>("df", "Ready").await;
    let only = json!([policy("hot", json!({"scope": "allPeers", "extraAttributes": {"header": "x"}}))]);
    world.merge::<HarborPreheatInstance>("df", json!({"spec": {"insecure": true, "policies": only}})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(shown(&world, "df").await["insecure"], true);
    let left = policies(&world).await;
    assert_eq!(left.iter().map(|it| it["name"].as_str().unwrap()).collect::<Vec<_>>(), ["hot"]);
    let attributes: Value = serde_json::from_str(left[0]["extra_attrs"].as_str().unwrap()).unwrap();
    assert_eq!(attributes, json!({"scope": "all_peers", "header": "x"}));

    settled().await;
    let mut drifted = shown(&world, "df").await;
    drifted["insecure"] = false.into();
    world.ask("PUT", "/p2p/preheat/instances/df", drifted).await;
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    assert_eq!(shown(&world, "df").await["insecure"], true);
}

#[tokio::test(start_paused = true)]
async fn deletion_removes_policies_before_their_instance_or_leaves_all() {
    let world = World::new().await;
    world.create(instance("gone", json!({"policies": [policy("hot", json!({}))]}))).await;
    let kept = json!({"deletionPolicy": "Orphan", "policies": [policy("cold", json!({}))]});
    world.create(instance("kept", kept)).await;
    for name in ["gone", "kept"] {
        world.until_reason::<HarborPreheatInstance>(name, "Ready").await;
        world.delete::<HarborPreheatInstance>(name).await;
        world.until_gone::<HarborPreheatInstance>(name).await;
    }
    assert_eq!(
        [shown(&world, "gone").await, shown(&world, "kept").await["name"].clone()],
        [json!(null), "kept".into()]
    );
    assert_eq!(policies(&world).await.iter().map(|it| it["name"].clone()).collect::<Vec<_>>(), ["cold"]);
}

#[tokio::test(start_paused = true)]
async fn an_instance_that_exists_is_adopted_on_request_and_two_objects_do_not_fight() {
    let world = World::new().await;
    let old = json!({
        "name": "df", "vendor": "dragonfly", "endpoint": "http://df:8001", "auth_mode": "NONE", "enabled": true,
    });
    world.ask("POST", "/p2p/preheat/instances", old).await;
    world.create(instance("df", json!({"description": "mine"}))).await;
    let message = world.until_reason::<HarborPreheatInstance>("df", "AlreadyExists").await;
    assert!(message.contains("spec.creationPolicy"), "{message}");
    world.merge::<HarborPreheatInstance>("df", json!({"spec": {"creationPolicy": "Adopt"}})).await;
    world.until_reason::<HarborPreheatInstance>("df", "Ready").await;
    assert_eq!(shown(&world, "df").await["description"], "mine");
    let mut second = instance("df", json!({"creationPolicy": "Adopt", "description": "second"}));
    second["metadata"]["name"] = "second".into();
    world.create(second).await;
    let message = world.until_reason::<HarborPreheatInstance>("second", "Conflict").await;
    assert!(message.contains("HarborPreheatInstance default/df"), "{message}");
    world.delete::<HarborPreheatInstance>("df").await;
    world.until_gone::<HarborPreheatInstance>("df").await;
    assert_eq!(shown(&world, "df").await["name"], "df");
}

#[tokio::test(start_paused = true)]
async fn credentials_are_sent_again_only_when_they_change_and_shown_nowhere() {
    for version in VERSIONS {
        let mut world = World::with_version(version).await;
        world.secret("df", &[("token", "hunter2\n")]).await;
        let spec = json!({"authMode": "oauth", "authInfoRef": {"name": "df"}});
        world.create(instance("df", spec)).await;
        world.until_reason::<HarborPreheatInstance>("df", "Ready").await;
        assert_eq!(shown(&world, "df").await["auth_mode"], "OAUTH");
        assert_nowhere::<HarborPreheatInstance>(&world, "df", "hunter2").await;
        settled().await;
        world.take_calls();
        world.restart().await;
        tokio::time::sleep(INTERVAL * 3).await;
        assert_eq!(world.take_writes(), Vec::<String>::new());
        world.merge::<Secret>("df", json!({"stringData": {"token": "changed"}})).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(world.take_writes().len(), 1);
        assert_nowhere::<HarborPreheatInstance>(&world, "df", "changed").await;
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_lost_answer_and_an_outage_of_harbor_there_is_one_instance() {
    let mut world = World::new().await;
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(instance("df", json!({}))).await;
    world.until_reason::<HarborPreheatInstance>("df", "Ready").await;
    let posts = world.take_writes().into_iter().filter(|it| it.starts_with("POST")).count();
    assert_eq!(posts, 1);
    world.is_down.store(true, Ordering::SeqCst);
    world.merge::<HarborPreheatInstance>("df", json!({"spec": {"description": "new"}})).await;
    world.until_reason::<HarborPreheatInstance>("df", "ExternalUnreachable").await;
    world.restart().await;
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason::<HarborPreheatInstance>("df", "Ready").await;
    assert_eq!(shown(&world, "df").await["description"], "new");
}

#[tokio::test(start_paused = true)]
async fn what_a_version_does_not_have_is_refused_with_the_field() {
    let refused = [
        (
            Version::new(9, 5),
            json!({"extraAttributes": {"a": "b"}}),
            "spec.policies[library/hot].extraAttributes: Harbor 2.9.5 does not have it",
        ),
        (
            Version::new(9, 5),
            json!({"scope": "allPeers"}),
            "spec.policies[library/hot].scope: Harbor 2.9.5 does not have it",
        ),
        (
            Version::new(12, 0),
            json!({"scope": "allPeers"}),
            "spec.policies[library/hot].scope: the operator cannot set it in Harbor 2.12.0",
        ),
    ];
    for (version, hot, expected) in refused {
        let world = World::with_version(version).await;
        world.create(instance("df", json!({"policies": [policy("hot", hot)]}))).await;
        let message = world.until_reason::<HarborPreheatInstance>("df", "InvalidSpec").await;
        assert!(message.starts_with(expected), "{message}");
        assert_eq!(shown(&world, "df").await, Value::Null);
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_waits_for_its_project() {
    let world = World::new().await;
    let mut hot = policy("hot", json!({}));
    hot["project"] = "later".into();
    world.create(instance("df", json!({"policies": [hot]}))).await;
    world.until_reason::<HarborPreheatInstance>("df", "ExternalInUse").await;
    world.ask("POST", "/projects", json!({"project_name": "later"})).await;
    world.until_reason::<HarborPreheatInstance>("df", "Ready").await;
}
