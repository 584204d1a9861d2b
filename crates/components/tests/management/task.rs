//! HarborTask.

use crate::{
    cases::prepare,
    world::{INTERVAL, World, settled},
};
use api::v1beta1::HarborTask;
use harborserver::Image;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

fn task(name: &str, what: Value) -> Value {
    let mut spec = what;
    spec["harborServerConfig"] = "acme".into();
    json!({"kind": "HarborTask", "metadata": {"name": name}, "spec": spec})
}

fn starts(calls: &[String]) -> usize {
    calls.iter().filter(|it| it.starts_with("POST /system/gc/schedule")).count()
}

#[tokio::test(start_paused = true)]
async fn a_garbage_collection_runs_once_and_its_result_is_in_the_status() {
    let mut world = World::new().await;
    settled().await;
    world.create(task("gc", json!({"garbageCollection": {"dryRun": true, "deleteUntagged": true}}))).await;
    world.until_reason::<HarborTask>("gc", "Ready").await;
    let status = world.get::<HarborTask>("gc").await["status"].take();
    assert_eq!(status["state"], "Success");
    assert!(status["executionID"].is_i64() && status["endTime"].is_string(), "{status:#}");
    let calls = world.take_calls();
    assert_eq!(starts(&calls), 1, "{calls:?}");

    settled().await;
    world.restart().await;
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(starts(&world.take_calls()), 0, "it is not repeated");
}

/// A Harbor with something to do for each task: the project `alpha` with three images, of which its retention policy keeps
/// one, and the replication policy `copy`.
async fn busy_harbor() -> World {
    let world = World::new().await;
    prepare(&world).await;
    for tag in ["v1", "v2", "v3"] {
        world.harbor.push(&Image::new("alpha/app", tag), "admin").unwrap();
    }
    let project = world.ask("GET", "/projects/alpha", Value::Null).await["project_id"].clone();
    let every = json!([{"kind": "doublestar", "decoration": "matches", "pattern": "**"}]);
    let repositories = json!([{"kind": "doublestar", "decoration": "repoMatches", "pattern": "**"}]);
    let rule = json!({
        "action": "retain", "template": "latestPushedK", "params": {"latestPushedK": 1}, "tag_selectors": every,
        "scope_selectors": {"repository": repositories},
    });
    let retention = json!({
        "algorithm": "or", "scope": {"level": "project", "ref": project}, "rules": [rule],
        "trigger": {"kind": "Schedule", "settings": {"cron": ""}, "references": {}},
    });
    world.ask("POST", "/retentions", retention).await;
    let hub = world.ask("GET", "/registries", Value::Null).await[0]["id"].clone();
    let copy = json!({"name": "copy", "dest_registry": {"id": hub}, "enabled": true});
    world.ask("POST", "/replication/policies", copy).await;
    settled().await;
    world
}

#[tokio::test(start_paused = true)]
async fn each_task_is_followed_to_its_end_and_its_result_is_in_the_status() {
    let world = busy_harbor().await;
    let purge = |dry_run: bool| json!({"auditPurge": {"retentionHours": 24, "eventTypes": ["pull_artifact"], "dryRun": dry_run}});
    for (name, what, state, result) in [
        ("gc", json!({"garbageCollection": {}}), "Success", "0 blobs and 0 manifests deleted, 0 bytes freed"),
        (
            "gc-dry",
            json!({"garbageCollection": {"dryRun": true}}),
            "Success",
            "dry run: 0 blobs and 0 manifests would be deleted, 0 bytes freed",
        ),
        ("scan", json!({"scanAll": {}}), "Success", "3 of 3 artifacts scanned"),
        (
            "purge",
            purge(false),
            "Success",
            "entries older than 24 hours deleted; the log of the run in Harbor has their number",
        ),
        (
            "purge-dry",
            purge(true),
            "Success",
            "dry run: entries older than 24 hours would be deleted; the log of the run in Harbor has their number",
        ),
        (
            "retention",
            json!({"retention": {"projectName": "alpha"}}),
            "Success",
            "2 of 3 artifacts in 1 repositories deleted",
        ),
        (
            "retention-dry",
            json!({"retention": {"projectName": "alpha", "dryRun": true}}),
            "Success",
            "dry run: 2 of 3 artifacts in 1 repositories would be deleted",
        ),
        (
            "copy",
            json!({"replication": {"policyName": "copy"}}),
            "Succeed",
            "1 of 1 tasks succeeded, 0 failed",
        ),
    ] {
        // The run of another object must not be taken for that of this one.
        tokio::time::sleep(Duration::from_mins(2)).await;
        world.take_calls();
        world.create(task(name, what)).await;
        world.until_reason::<HarborTask>(name, "Ready").await;
        let starts = world.take_writes();
        assert_eq!(starts.len(), 1, "{name}: {starts:?}");
        let status = world.get::<HarborTask>(name).await["status"].take();
        let shown = (status["state"].as_str(), status["result"].as_str());
        assert_eq!(shown, (Some(state), Some(result)), "{name}");
        assert!(status["endTime"].is_string(), "{name}: {status:#}");
    }
    world.take_calls();
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new(), "none is repeated");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_was_stopped_in_harbor_has_failed() {
    let world = busy_harbor().await;
    world.create(task("gc", json!({"garbageCollection": {}}))).await;
    while starts(&world.calls()) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let runs = world.ask("GET", "/system/gc", Value::Null).await;
    world.ask("PUT", &format!("/system/gc/{}", runs[0]["id"]), Value::Null).await;
    let message = world.until_reason::<HarborTask>("gc", "ChildFailed").await;
    assert!(message.contains("ended with Stopped"), "{message}");
    let status = world.get::<HarborTask>("gc").await["status"].take();
    assert_eq!((status["state"].as_str(), status["result"].as_str()), (Some("Stopped"), None));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_does_not_make_it_run_twice() {
    let world = World::new().await;
    settled().await;
    world.take_calls();
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(task("gc", json!({"garbageCollection": {}}))).await;
    world.until_reason::<HarborTask>("gc", "Ready").await;
    assert_eq!(starts(&world.take_calls()), 1);
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_does_not_exist_is_named() {
    let world = World::new().await;
    world.create(task("copy", json!({"replication": {"policyName": "nightly"}}))).await;
    let message = world.until_reason::<HarborTask>("copy", "ExternalInUse").await;
    assert!(message.contains("nightly"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_harbor_may_have_forgotten_is_not_repeated() {
    let world = World::new().await;
    settled().await;
    let before = world.harbor.backup();
    world.take_calls();
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(task("gc", json!({"garbageCollection": {}}))).await;
    while starts(&world.calls()) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    world.is_down.store(true, Ordering::SeqCst);
    world.until_reason::<HarborTask>("gc", "ExternalUnreachable").await;
    world.harbor.restore(&before);
    world.is_down.store(false, Ordering::SeqCst);
    let message = world.until_reason::<HarborTask>("gc", "Missing").await;
    assert!(message.contains("it is unknown whether Harbor has run it"), "{message}");
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(starts(&world.calls()), 1);
}
