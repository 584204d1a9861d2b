//! HarborTask.

use crate::world::{INTERVAL, World, settled};
use api::v1beta1::HarborTask;
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
