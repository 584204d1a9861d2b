//! What becomes of objects outside the cluster that no owner wants any more.

use super::*;
use api::names::{ABANDON_ANNOTATION, EXTERNAL_FINALIZER};
use futures::FutureExt as _;
use k8s_openapi::api::events::v1::Event;
use kube::api::ListParams;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn deleting_an_owner_deletes_what_the_operator_created_and_only_that() {
    let world = World::new().await;
    let on = [("b".to_owned(), "a".to_owned())].into();
    world.ready("s", ShelfSpec { on, ..boxes([("a", "tea"), ("b", "salt")]) }).await;
    world.ready("kept", ShelfSpec { keeps: true, ..boxes([("k", "keys")]) }).await;
    world.depots.put("acme", "theirs", json!({"label": "THEIRS"}));
    assert_eq!(world.cluster.get::<Shelf>("s").await.finalizers(), [EXTERNAL_FINALIZER]);

    for name in ["s", "kept"] {
        world.cluster.delete::<Shelf>(name).await;
        world.cluster.until_gone::<Shelf>(name).await;
    }
    assert_eq!(world.depots.names(), ["k", "theirs"]);
    let deletions: Vec<_> =
        world.depots.take_calls().into_iter().filter(|call| call.starts_with("delete")).collect();
    assert_eq!(deletions, ["delete a", "delete b", "delete a"], "what stands on another goes first");
}

#[tokio::test(start_paused = true)]
async fn what_an_owner_no_longer_wants_is_deleted_and_an_owner_that_wants_nothing_is_let_go() {
    let world = World::new().await;
    world.ready("s", boxes([("a", "tea"), ("b", "salt")])).await;
    world.depots.put("acme", "theirs", json!({"label": "THEIRS"}));
    world.cluster.merge::<Shelf>("s", json!({"spec": {"boxes": {"a": null}}})).await;
    settled().await;
    assert_eq!(world.depots.names(), ["b", "theirs"]);
    assert_eq!(world.record("s").await, Some(json!({"depot:default/acme": {"box": {"b": {}}}})));

    world.cluster.merge::<Shelf>("s", json!({"spec": {"boxes": {"b": null}}})).await;
    settled().await;
    let shelf = world.cluster.get::<Shelf>("s").await;
    assert_eq!(
        (world.depots.names(), shelf.finalizers(), world.record("s").await),
        (vec!["theirs".into()], &[][..], None)
    );
}

#[tokio::test(start_paused = true)]
async fn objects_in_a_system_that_is_no_longer_wanted_are_deleted_there() {
    let world = World::new().await;
    world.cluster.create(&secret("other", "token", TOKEN)).await;
    world.ready("s", boxes([("a", "tea")])).await;
    world.cluster.merge::<Shelf>("s", json!({"spec": {"depot": "other"}})).await;
    settled().await;
    assert_eq!((world.depots.get("acme", "a"), world.depots.get("other", "a").is_some()), (None, true));
}

#[derive(Debug)]
enum Gone {
    TheDriverSaysSo,
    TheComponentSaysSo,
    ItsSecretIsDeleted,
}

#[tokio::test(start_paused = true)]
async fn a_system_that_is_gone_does_not_keep_an_owner_from_being_deleted() {
    for gone in [Gone::TheDriverSaysSo, Gone::TheComponentSaysSo, Gone::ItsSecretIsDeleted] {
        let world = World::new().await;
        world.ready("s", boxes([("a", "tea")])).await;
        match gone {
            Gone::TheDriverSaysSo => world.depots.set_mood(Mood::Failing(SystemError::Gone)),
            Gone::TheComponentSaysSo => {
                world.cluster.merge::<Secret>("acme", json!({"stringData": {"closed": ""}})).await;
            }
            Gone::ItsSecretIsDeleted => world.cluster.delete::<Secret>("acme").await,
        }
        world.cluster.delete::<Shelf>("s").await;
        world.cluster.until_gone::<Shelf>("s").await;
        assert_eq!(world.depots.names(), ["a"], "{gone:?}");
        settled().await;
        let events = world.cluster.api::<Event>().list(&ListParams::default()).await.unwrap();
        let notes: Vec<_> = events.items.iter().filter_map(|event| event.note.clone()).collect();
        let expected = "left box acme/a as it is: its system is gone, or goharbor.io/abandon is set";
        assert!(notes.iter().any(|note| note == expected), "{gone:?}: {notes:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_missing_secret_is_no_reason_to_forget_an_object_while_its_owner_stays() {
    let world = World::new().await;
    world.ready("s", boxes([("a", "tea"), ("b", "salt")])).await;
    world.cluster.delete::<Secret>("acme").await;
    world.cluster.merge::<Shelf>("s", json!({"spec": {"boxes": {"a": null, "b": null}}})).await;
    let message = world.cluster.until_reason::<Shelf>("s", "DependencyMissing").await;
    assert_eq!(message, "Secret default/acme does not exist; create it");
    world.cluster.create(&secret("acme", "token", TOKEN)).await;
    world.cluster.until_reason::<Shelf>("s", "Ready").await;
    assert_eq!(world.depots.names(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_record_that_a_user_wrote_makes_the_operator_delete_nothing() {
    let world = World::new().await;
    world.depots.put("acme", "theirs", json!({"label": "THEIRS"}));
    world.ready("s", boxes([("a", "tea")])).await;
    let forged =
        json!({"objects": {"depot:default/acme": {"box": {"theirs": {}, "a": {}}}}, "signature": "0"});
    let patch = json!({
        "metadata": {"annotations": {EXTERNAL_ANNOTATION: forged.to_string()}}, "spec": {"boxes": {"a": null}},
    });
    world.cluster.merge::<Shelf>("s", patch).await;
    settled().await;
    assert_eq!(world.depots.names(), ["a", "theirs"]);
    world.cluster.delete::<Shelf>("s").await;
    world.cluster.until_gone::<Shelf>("s").await;
    assert_eq!(world.depots.names(), ["a", "theirs"]);
}

#[tokio::test(start_paused = true)]
async fn a_record_that_cannot_be_read_is_reported_and_does_not_keep_an_abandoned_owner() {
    let world = World::new().await;
    world.ready("s", boxes([("a", "tea")])).await;
    let annotate = async |name: &str, value: &str| {
        let patch = json!({"metadata": {"annotations": {name: value}}, "spec": {"keeps": true}});
        world.cluster.merge::<Shelf>("s", patch).await;
    };
    annotate(EXTERNAL_ANNOTATION, "gibberish").await;
    let message = world.cluster.until_reason::<Shelf>("s", "Undecodable").await;
    assert!(
        message.starts_with("the annotation goharbor.io/external cannot be read; restore it, or"),
        "{message}"
    );
    world.cluster.delete::<Shelf>("s").await;
    annotate(ABANDON_ANNOTATION, "true").await;
    world.cluster.until_gone::<Shelf>("s").await;
    assert_eq!(world.depots.names(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn an_owner_waits_for_a_system_that_does_not_answer_until_the_user_abandons_what_is_in_it() {
    let world = World::new().await;
    world.ready("s", boxes([("a", "tea")])).await;
    world.depots.set_mood(Mood::Failing(SystemError::Unreachable("connection refused".into())));
    world.cluster.delete::<Shelf>("s").await;
    let message = world.cluster.until_reason::<Shelf>("s", "ExternalUnreachable").await;
    let expected = "cannot read box acme/a in the depot acme: connection refused; to delete this object and leave what \
                    the operator created outside the cluster, set the annotation goharbor.io/abandon: \"true\" on it";
    assert_eq!(message, expected);
    world
        .cluster
        .merge::<Shelf>("s", json!({"metadata": {"annotations": {ABANDON_ANNOTATION: "true"}}}))
        .await;
    world.cluster.until_gone::<Shelf>("s").await;
    assert_eq!(world.depots.names(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_status_that_is_written_meanwhile_does_not_delay_the_end_of_an_owner_that_has_failed_often() {
    let world = World::new().await;
    world.ready("s", boxes([("a", "tea")])).await;
    world.depots.set_mood(Mood::Failing(SystemError::Unreachable("connection refused".into())));
    world.cluster.delete::<Shelf>("s").await;
    tokio::time::sleep(Duration::from_mins(10)).await;
    let shelves = world.cluster.api::<Shelf>();
    let count = Arc::new(AtomicUsize::new(0));
    let around = move || {
        let (shelves, number) = (shelves.clone(), count.fetch_add(1, Ordering::SeqCst));
        let status = Patch::Merge(json!({"status": {"observedGeneration": number}}));
        async move {
            let _ = shelves.patch_status("s", &PatchParams::default(), &status).await;
        }
        .boxed()
    };
    *world.depots.around.lock().unwrap() = Some(Arc::new(around));
    world.depots.set_mood(Mood::Good);
    while !world.depots.names().is_empty() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let deleted = Instant::now();
    world.cluster.until_gone::<Shelf>("s").await;
    assert!(deleted.elapsed() < Duration::from_secs(1), "{:?}", deleted.elapsed());
}
