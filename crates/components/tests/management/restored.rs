//! A Harbor that comes back as another one: from a backup, or in another version.

use crate::{
    case::Case,
    cases::{cases, prepare},
    contents::contents,
    steps::{create, until_reason},
    world::{INTERVAL, World, settled},
};
use api::v1beta1::{HarborProject, HarborRobot};
use harborserver::Version;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// What is created again if Harbor loses it. A task is not repeated.
fn lasting() -> Vec<Case> {
    cases("it").into_iter().filter(|case| case.kind != "HarborTask").collect()
}

async fn with_objects(version: Version, cases: &[Case]) -> World {
    let world = World::with_version(version).await;
    prepare(&world).await;
    create(&world, cases, json!({})).await;
    until_reason(&world, cases, "Ready").await;
    settled().await;
    world.take_calls();
    world
}

#[tokio::test(start_paused = true)]
async fn after_a_restore_that_changes_all_ids_nothing_is_written_and_the_status_has_the_new_ids() {
    let cases = cases("it");
    let world = with_objects(Version::new(15, 2), &cases).await;
    let id = async || world.get::<HarborProject>("it").await["status"]["projectID"].take();
    let (before, expected) = (id().await, contents(&world).await);
    world.harbor.restore(&world.harbor.backup());
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    assert_eq!(contents(&world).await, expected);
    until_reason(&world, &lasting(), "Ready").await;
    assert_ne!(id().await, before);
    assert_eq!(id().await, world.ask("GET", "/projects/it", Value::Null).await["project_id"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_backup_does_not_have_is_created_again_once() {
    let world = World::new().await;
    prepare(&world).await;
    let (backup, cases) = (world.harbor.backup(), lasting());
    create(&world, &cases, json!({})).await;
    until_reason(&world, &cases, "Ready").await;
    settled().await;
    let expected = contents(&world).await;
    world.harbor.restore(&backup);
    assert_ne!(contents(&world).await, expected);
    tokio::time::sleep(INTERVAL * 3).await;
    until_reason(&world, &cases, "Ready").await;
    assert_eq!(contents(&world).await, expected);
    assert!(world.logs_in_as_robot("it-pull").await);
}

#[tokio::test(start_paused = true)]
async fn passwords_that_are_newer_than_the_backup_are_sent_again_on_request() {
    let world = with_objects(Version::new(15, 2), &lasting()).await;
    let annotate = async |annotation: &str| {
        let annotations = json!({"metadata": {"annotations": {annotation: "1"}}});
        world.merge::<HarborRobot>("it", annotations).await;
        settled().await;
    };
    let backup = world.harbor.backup();
    annotate("goharbor.io/rotate-at").await;
    assert!(world.logs_in_as_robot("it-pull").await);
    world.harbor.restore(&backup);
    tokio::time::sleep(INTERVAL * 2).await;
    assert!(
        !world.logs_in_as_robot("it-pull").await,
        "Harbor does not show passwords, so nothing seems to differ"
    );
    annotate("goharbor.io/reconcile-at").await;
    assert!(world.logs_in_as_robot("it-pull").await);
    world.until_reason::<HarborRobot>("it", "Ready").await;
    world.take_calls();
    tokio::time::sleep(INTERVAL * 2).await;
    assert_eq!(world.take_writes(), Vec::<String>::new(), "it is sent once");
}

#[tokio::test(start_paused = true)]
async fn an_upgrade_of_harbor_is_waited_for_and_changes_nothing() {
    let cases = lasting();
    let world = with_objects(Version::new(9, 5), &cases).await;
    let expected = contents(&world).await.len();
    world.is_down.store(true, Ordering::SeqCst);
    tokio::time::sleep(INTERVAL * 2).await;
    world.harbor.upgrade(Version::new(15, 2));
    world.is_down.store(false, Ordering::SeqCst);
    tokio::time::sleep(INTERVAL * 2).await;
    until_reason(&world, &cases, "Ready").await;
    assert_eq!(contents(&world).await.len(), expected);
    assert!(world.logs_in_as_robot("it-pull").await);
    let created: Vec<_> = world.take_writes().into_iter().filter(|it| it.starts_with("POST")).collect();
    assert_eq!(created, Vec::<String>::new());
}
