//! HarborScanner.

use crate::{
    secrecy::assert_nowhere,
    world::{INTERVAL, World, settled},
};
use api::v1beta1::HarborScanner;
use harborserver::Version;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

const VERSIONS: [Version; 3] = [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)];

fn url(name: &str) -> String {
    format!("http://{name}:8080")
}

fn scanner(name: &str, spec: Value) -> Value {
    let mut spec = spec;
    spec["scannerName"] = name.into();
    spec["harborServerConfig"] = "acme".into();
    spec["url"] = spec.get("url").cloned().unwrap_or_else(|| url(name).into());
    json!({"kind": "HarborScanner", "metadata": {"name": name}, "spec": spec})
}

async fn world_with(version: Version, adapters: &[&str]) -> World {
    let world = World::with_version(version).await;
    for name in adapters {
        world.harbor.network().open(&url(name));
    }
    world
}

async fn shown(world: &World, name: &str) -> Value {
    let all = world.ask("GET", "/scanners", Value::Null).await;
    let found = all.as_array().unwrap().iter().find(|it| it["name"] == name);
    found.cloned().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_scanner_is_registered_with_few_requests_and_its_id_is_shown() {
    for version in VERSIONS {
        let world = world_with(version, &["first", "second"]).await;
        settled().await;
        world.take_calls();
        world.create(scanner("first", json!({"url": "http://first:8080/", "description": "d"}))).await;
        world.until_reason::<HarborScanner>("first", "Ready").await;
        let calls = world.take_calls();
        assert!(calls.len() <= 8, "{version}: {calls:?}");
        let found = shown(&world, "first").await;
        assert_eq!([&found["url"], &found["description"]], ["http://first:8080", "d"]);
        assert_eq!(world.get::<HarborScanner>("first").await["status"]["uuid"], found["uuid"]);

        world.create(scanner("second", json!({"default": true, "useInternalAddress": true}))).await;
        world.until_reason::<HarborScanner>("second", "Ready").await;
        let default = [shown(&world, "first").await, shown(&world, "second").await];
        assert_eq!(default.map(|it| it["is_default"].clone()), [json!(false), json!(true)]);
        settled().await;
        world.take_calls();
        tokio::time::sleep(INTERVAL * 3).await;
        assert_eq!(world.take_writes(), Vec::<String>::new(), "{version}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_adapter_that_does_not_answer_is_waited_for() {
    let world = World::new().await;
    world.create(scanner("first", json!({}))).await;
    world.until_reason::<HarborScanner>("first", "ExternalInUse").await;
    world.harbor.network().open(&url("first"));
    world.until_reason::<HarborScanner>("first", "Ready").await;
    world.harbor.network().close(&url("first"));
    world.merge::<HarborScanner>("first", json!({"spec": {"description": "new"}})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(shown(&world, "first").await["description"], "new");
}

#[tokio::test(start_paused = true)]
async fn drift_is_repaired_within_the_interval_and_the_default_scanner_cannot_be_disabled() {
    let world = world_with(Version::new(15, 2), &["first", "second"]).await;
    world.create(scanner("first", json!({}))).await;
    world.until_reason::<HarborScanner>("first", "Ready").await;
    settled().await;
    let mut drifted = shown(&world, "first").await;
    drifted["skip_certVerify"] = true.into();
    let uuid = drifted["uuid"].as_str().unwrap().to_owned();
    world.ask("PUT", &format!("/scanners/{uuid}"), drifted).await;
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    assert_eq!(shown(&world, "first").await["skip_certVerify"], false);

    // Harbor made the first one the default.
    world.merge::<HarborScanner>("first", json!({"spec": {"disabled": true}})).await;
    let message = world.until_reason::<HarborScanner>("first", "ExternalRejected").await;
    assert!(message.contains("make another scanner the default first"), "{message}");
    world.create(scanner("second", json!({"default": true}))).await;
    world.until_reason::<HarborScanner>("second", "Ready").await;
    tokio::time::sleep(INTERVAL * 2).await;
    world.until_reason::<HarborScanner>("first", "Ready").await;
    assert_eq!(shown(&world, "first").await["disabled"], true);
}

#[tokio::test(start_paused = true)]
async fn a_credential_is_sent_again_only_when_it_changes_and_shown_nowhere() {
    for version in VERSIONS {
        let mut world = world_with(version, &["first"]).await;
        world.secret("first", &[("credential", "hunter2\n")]).await;
        let spec = json!({"auth": "bearer", "credentialRef": {"name": "first"}});
        world.create(scanner("first", spec)).await;
        world.until_reason::<HarborScanner>("first", "Ready").await;
        assert_eq!(shown(&world, "first").await["auth"], "Bearer");
        assert_nowhere::<HarborScanner>(&world, "first", "hunter2").await;
        settled().await;
        world.take_calls();
        world.restart().await;
        tokio::time::sleep(INTERVAL * 3).await;
        assert_eq!(world.take_writes(), Vec::<String>::new());
        world.merge::<Secret>("first", json!({"stringData": {"credential": "changed"}})).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(world.take_writes().len(), 1);
        assert_nowhere::<HarborScanner>(&world, "first", "changed").await;
        world.merge::<HarborScanner>("first", json!({"spec": {"description": "other"}})).await;
        world.until_reason::<HarborScanner>("first", "Ready").await;
        world.merge::<HarborScanner>("first", json!({"spec": {"auth": null, "credentialRef": null}})).await;
        world.until_reason::<HarborScanner>("first", "Ready").await;
        assert_eq!(shown(&world, "first").await["auth"], "");
    }
}

#[tokio::test(start_paused = true)]
async fn a_scanner_that_exists_is_adopted_on_request_and_what_was_created_is_deleted() {
    let world = world_with(Version::new(15, 2), &["old", "new", "kept"]).await;
    world.ask("POST", "/scanners", json!({"name": "old", "url": url("old")})).await;
    world.create(scanner("old", json!({"description": "mine"}))).await;
    let message = world.until_reason::<HarborScanner>("old", "AlreadyExists").await;
    assert!(message.contains("spec.creationPolicy"), "{message}");
    world.merge::<HarborScanner>("old", json!({"spec": {"creationPolicy": "Adopt"}})).await;
    world.until_reason::<HarborScanner>("old", "Ready").await;
    assert_eq!(shown(&world, "old").await["description"], "mine");
    world.create(scanner("new", json!({}))).await;
    world.create(scanner("kept", json!({"deletionPolicy": "Orphan"}))).await;
    for name in ["new", "kept"] {
        world.until_reason::<HarborScanner>(name, "Ready").await;
    }
    let mut second = scanner("new", json!({"description": "second"}));
    second["metadata"]["name"] = "second".into();
    world.create(second).await;
    let message = world.until_reason::<HarborScanner>("second", "Conflict").await;
    assert!(message.contains("HarborScanner default/new"), "{message}");
    for name in ["second", "old", "new", "kept"] {
        world.delete::<HarborScanner>(name).await;
        world.until_gone::<HarborScanner>(name).await;
    }
    let all = world.ask("GET", "/scanners", Value::Null).await;
    let mut names: Vec<_> = all.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["kept", "old"]);
}

#[tokio::test(start_paused = true)]
async fn after_a_lost_answer_and_an_outage_of_harbor_there_is_one_scanner() {
    let mut world = world_with(Version::new(15, 2), &["first"]).await;
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(scanner("first", json!({}))).await;
    world.until_reason::<HarborScanner>("first", "Ready").await;
    let posts = world.take_writes().into_iter().filter(|it| it == "POST /scanners").count();
    assert_eq!(posts, 1);
    world.is_down.store(true, Ordering::SeqCst);
    world.merge::<HarborScanner>("first", json!({"spec": {"description": "new"}})).await;
    world.until_reason::<HarborScanner>("first", "ExternalUnreachable").await;
    world.restart().await;
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason::<HarborScanner>("first", "Ready").await;
    assert_eq!(shown(&world, "first").await["description"], "new");
}

#[tokio::test(start_paused = true)]
async fn an_address_that_another_scanner_has_is_refused() {
    let world = world_with(Version::new(15, 2), &["first"]).await;
    world.create(scanner("first", json!({}))).await;
    world.until_reason::<HarborScanner>("first", "Ready").await;
    world.create(scanner("second", json!({"url": url("first")}))).await;
    let message = world.until_reason::<HarborScanner>("second", "ExternalRejected").await;
    assert!(message.contains("must be unique"), "{message}");
}
