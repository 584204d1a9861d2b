//! Owners whose namespace is being deleted.

use super::*;
use futures::FutureExt as _;
use k8s_openapi::api::{core::v1::Namespace, events::v1::Event};
use kube::api::{DeleteParams, ListParams, PostParams};
use runtime::Scope;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::time::Instant;

const TEAM: &str = "team";

/// A shelf `s` in a namespace of its own, with the box `a`. The Secret of the depot outlives all other objects of the
/// namespace: without it the depot would count as gone.
async fn world(options: impl FnOnce(&mut Options)) -> World {
    let mut world = World::without_operator().await;
    world.cluster = world.cluster.with_options(options);
    let namespace = serde_json::from_value(json!({"metadata": {"name": TEAM}})).unwrap();
    let namespaces: Api<Namespace> = Api::all(world.cluster.client.clone());
    namespaces.create(&PostParams::default(), &namespace).await.unwrap();
    let mut secret = secret("acme", "token", TOKEN);
    secret.metadata.finalizers = Some(vec!["test/last".into()]);
    let secrets: Api<Secret> = Api::namespaced(world.cluster.client.clone(), TEAM);
    secrets.create(&PostParams::default(), &secret).await.unwrap();
    world.cluster.start::<ShelfComponent>();
    shelves(&world).create(&PostParams::default(), &Shelf::new("s", boxes([("a", "tea")]))).await.unwrap();
    settled().await;
    assert_eq!(world.depots.names(), ["a"]);
    world
}

fn shelves(world: &World) -> Api<Shelf> {
    Api::namespaced(world.cluster.client.clone(), TEAM)
}

async fn delete_namespace(world: &World) {
    let namespaces: Api<Namespace> = Api::all(world.cluster.client.clone());
    namespaces.delete(TEAM, &DeleteParams::default()).await.unwrap();
}

/// How long the shelf outlives the deletion of its namespace; `None` if that is more than ten minutes.
async fn outlives(world: &World) -> Option<Duration> {
    let begun = Instant::now();
    let limit = Duration::from_mins(10);
    while begun.elapsed() < limit {
        if shelves(world).get_opt("s").await.unwrap().is_none() {
            return Some(begun.elapsed());
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    None
}

fn unreachable() -> Mood {
    Mood::Failing(SystemError::Unreachable("connection refused".into()))
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_takes_too_long_does_not_keep_a_namespace() {
    let world = world(|_| {}).await;
    let passed = Arc::new(AtomicUsize::new(0));
    let around = move || {
        // Before and after the list. The deletion is never answered.
        let is_answered = passed.fetch_add(1, Ordering::SeqCst) < 2;
        async move { if is_answered { std::future::ready(()).await } else { std::future::pending().await } }
            .boxed()
    };
    *world.depots.around.lock().unwrap() = Some(Arc::new(around));
    delete_namespace(&world).await;
    let wait = outlives(&world).await.unwrap();
    assert!((60..65).contains(&wait.as_secs()), "{wait:?}: one reconcile");
}

#[tokio::test(start_paused = true)]
async fn a_record_that_cannot_be_read_does_not_keep_a_namespace_and_is_reported() {
    let world = world(|_| {}).await;
    let patch = json!({"metadata": {"annotations": {EXTERNAL_ANNOTATION: "gibberish"}}});
    shelves(&world).patch("s", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    delete_namespace(&world).await;
    assert!(outlives(&world).await.is_some_and(|wait| wait <= Duration::from_secs(5)));
    settled().await;
    let events: Api<Event> = Api::namespaced(world.cluster.client.clone(), "default");
    let events = events.list(&ListParams::default()).await.unwrap().items;
    let notes: Vec<_> = events.into_iter().filter_map(|event| event.note).collect();
    let expected = "left what it describes behind when Shelf team/s was deleted with its namespace: the annotation \
                    goharbor.io/external cannot be read";
    assert!(notes.iter().any(|note| note.starts_with(expected)), "{notes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_system_of_the_namespace_itself_goes_with_it_and_needs_no_report() {
    let world = world(|_| {}).await;
    world.depots.set_mood(unreachable());
    delete_namespace(&world).await;
    assert!(outlives(&world).await.is_some_and(|wait| wait <= Duration::from_secs(5)));
    settled().await;
    let events: Api<Event> = Api::namespaced(world.cluster.client.clone(), "default");
    let events = events.list(&ListParams::default()).await.unwrap().items;
    assert!(events.iter().all(|event| event.reason.as_deref() != Some("Abandoned")), "{events:#?}");
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_may_not_see_namespaces_asks_for_none_and_waits_for_the_system() {
    let world = world(|options| options.scopes = vec![Scope::Namespace(TEAM.into())]).await;
    world.depots.set_mood(unreachable());
    world.cluster.take_requests();
    delete_namespace(&world).await;
    assert_eq!(outlives(&world).await, None);
    let requests = world.cluster.take_requests();
    assert!(!requests.iter().any(|request| request.ends_with("/namespaces/team")), "{requests:?}");
    world.depots.set_mood(Mood::Good);
    assert!(outlives(&world).await.is_some());
    assert_eq!(world.depots.names(), Vec::<String>::new());
}
