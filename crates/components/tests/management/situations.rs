//! Each kind in each situation. Everything that all kinds have in common is here; the files of the kinds have the rest.

use crate::{
    case::{Case, Existence},
    cases::{cases, owned, prepare},
    steps::{change, create, delete, merge, things, until_gone, until_reason},
    world::{INTERVAL, World, settled},
};
use serde_json::json;
use std::{sync::atomic::Ordering, time::Duration};

async fn world() -> World {
    let world = World::new().await;
    prepare(&world).await;
    world
}

async fn assert_before(world: &World, cases: &[Case]) {
    for (kind, thing) in things(cases) {
        assert_eq!(thing.fields(world, &thing.before).await.as_ref(), Some(&thing.before), "{kind}");
    }
}

async fn assert_after(world: &World, cases: &[Case]) {
    for (kind, thing) in things(cases) {
        assert_eq!(thing.fields(world, &thing.after).await.as_ref(), Some(&thing.after), "{kind}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_kind_is_created_changed_and_repaired_after_a_user_changes_it_in_harbor() {
    let world = world().await;
    let cases = cases("it");
    create(&world, &cases, json!({})).await;
    until_reason(&world, &cases, "Ready").await;
    assert_before(&world, &cases).await;

    change(&world, &cases).await;
    until_reason(&world, &cases, "Ready").await;
    assert_after(&world, &cases).await;

    settled().await;
    for (kind, thing) in things(&cases) {
        thing.drift(&world).await;
        assert_ne!(
            thing.fields(&world, &thing.after).await.as_ref(),
            Some(&thing.after),
            "{kind} has drifted"
        );
    }
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(5)).await;
    assert_after(&world, &cases).await;
    until_reason(&world, &cases, "Ready").await;

    settled().await;
    world.take_calls();
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new(), "nothing differs any more");
}

#[tokio::test(start_paused = true)]
async fn each_kind_is_deleted_in_harbor_only_if_the_policy_says_so() {
    let world = world().await;
    let (gone, kept) = (owned("gone"), owned("kept"));
    create(&world, &gone, json!({"deletionPolicy": "Delete"})).await;
    create(&world, &kept, json!({"deletionPolicy": "Orphan"})).await;
    let mut shared = cases("it");
    shared.retain(|case| case.thing.as_ref().is_none_or(|thing| thing.existence == Existence::Shared));
    create(&world, &shared, json!({})).await;
    for cases in [&gone, &kept, &shared] {
        until_reason(&world, cases, "Ready").await;
    }
    for cases in [&gone, &kept, &shared] {
        delete(&world, cases).await;
        until_gone(&world, cases).await;
    }
    for (kind, thing) in things(&gone) {
        assert_eq!(thing.shown(&world).await, None, "{kind}");
    }
    for cases in [&kept, &shared] {
        assert_before(&world, cases).await;
    }
}

#[tokio::test(start_paused = true)]
async fn each_kind_leaves_alone_what_exists_until_it_is_adopted_and_then_never_deletes_it() {
    let world = world().await;
    let cases = owned("it");
    for (_, thing) in things(&cases) {
        world.ask("POST", thing.list, thing.by_hand.clone().unwrap()).await;
    }
    world.take_calls();
    create(&world, &cases, json!({"creationPolicy": "Create", "deletionPolicy": "Delete"})).await;
    until_reason(&world, &cases, "AlreadyExists").await;
    assert_eq!(world.take_writes(), Vec::<String>::new());

    for case in &cases {
        merge(&world, case, json!({"creationPolicy": "Adopt"})).await;
    }
    until_reason(&world, &cases, "Ready").await;
    assert_before(&world, &cases).await;
    settled().await;
    delete(&world, &cases).await;
    until_gone(&world, &cases).await;
    assert_before(&world, &cases).await;
}

#[tokio::test(start_paused = true)]
async fn each_kind_waits_for_what_it_may_only_adopt() {
    let world = world().await;
    let cases = owned("it");
    create(&world, &cases, json!({"creationPolicy": "Adopt"})).await;
    until_reason(&world, &cases, "Missing").await;
    for (_, thing) in things(&cases) {
        assert_eq!(thing.shown(&world).await, None);
        world.ask("POST", thing.list, thing.by_hand.clone().unwrap()).await;
    }
    until_reason(&world, &cases, "Ready").await;
    assert_before(&world, &cases).await;
}

#[tokio::test(start_paused = true)]
async fn a_second_object_of_each_kind_is_in_conflict_where_it_wants_something_else() {
    let world = world().await;
    let cases = cases("it");
    create(&world, &cases, json!({})).await;
    until_reason(&world, &cases, "Ready").await;
    // Which object is the older one is told by whole seconds.
    tokio::time::sleep(Duration::from_secs(2)).await;
    world.take_calls();
    for case in &cases {
        let Some(change) = &case.change else { continue };
        let mut second = case.object(change.clone());
        second["metadata"]["name"] = "second".into();
        // A robot keeps its password in a Secret of its own.
        if case.kind == "HarborRobot" {
            second["spec"]["secret"]["name"] = "second-pull".into();
        }
        world.create(second).await;
        let message = world.until_reason_of(case.api(&world), "second", "Conflict").await;
        assert!(message.contains(&format!("{} default/it", case.kind)), "{message}");
    }
    tokio::time::sleep(INTERVAL * 2).await;
    assert_before(&world, &cases).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    until_reason(&world, &cases, "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn each_kind_waits_for_a_harbor_that_is_down_or_read_only() {
    let mut world = world().await;
    let cases = cases("it");
    settled().await;
    world.is_down.store(true, Ordering::SeqCst);
    create(&world, &cases, json!({})).await;
    until_reason(&world, &cases, "ExternalUnreachable").await;
    world.is_down.store(false, Ordering::SeqCst);
    until_reason(&world, &cases, "Ready").await;
    assert_before(&world, &cases).await;

    settled().await;
    world.harbor.set_read_only(true);
    change(&world, &cases).await;
    settled().await;
    world.is_down.store(true, Ordering::SeqCst);
    world.restart().await;
    tokio::time::sleep(INTERVAL).await;
    world.harbor.set_read_only(false);
    world.is_down.store(false, Ordering::SeqCst);
    tokio::time::sleep(INTERVAL * 2).await;
    until_reason(&world, &cases, "Ready").await;
    assert_after(&world, &cases).await;
}
