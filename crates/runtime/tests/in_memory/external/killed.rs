//! An operator that is killed between any two of its requests, to the cluster or to a system outside of it.

use super::{World, boxes, options, settled};
use crate::shelf::{Shelf, ShelfComponent};
use api::names::EXTERNAL_FINALIZER;
use futures::FutureExt as _;
use kube::{Client, ResourceExt as _};
use plan::ComponentKind;
use runtime::Operator;
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// Stops a process at one of the points that it passes, for ever.
#[derive(Default)]
struct Fuse {
    left: AtomicUsize,
    blown: Notify,
}

impl Fuse {
    async fn pass(&self) {
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left == Ok(1) {
            self.blown.notify_one();
        }
        if matches!(left, Ok(1) | Err(_)) {
            std::future::pending::<()>().await;
        }
    }
}

/// Runs an operator until it passes its `points`th point, and kills it there; answers whether it came that far.
async fn run_until(world: &World, points: usize) -> bool {
    let fuse = Arc::new(Fuse { left: AtomicUsize::new(points), blown: Notify::new() });
    let around = Arc::clone(&fuse);
    *world.depots.around.lock().unwrap() = Some(Arc::new(move || {
        let fuse = Arc::clone(&around);
        async move { fuse.pass().await }.boxed()
    }));
    let (client, around) = (world.cluster.client.clone(), Arc::clone(&fuse));
    let guarded = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let (client, fuse) = (client.clone(), Arc::clone(&around));
        async move {
            let is_write = request.method() != http::Method::GET;
            if is_write {
                fuse.pass().await;
            }
            let answer = client.send(request).await;
            if is_write {
                fuse.pass().await;
            }
            answer
        }
    });
    let client = Client::new(guarded.boxed_clone(), "default");
    let operator = Operator::new(client, vec![ComponentKind::of::<ShelfComponent>()], options(&world.depots));
    let process = tokio::spawn(operator.run(CancellationToken::new()));
    let killed = tokio::select! {
        () = fuse.blown.notified() => true,
        () = settled() => false,
    };
    process.abort();
    let _aborted = process.await;
    *world.depots.around.lock().unwrap() = None;
    killed
}

/// Lets an operator do its work undisturbed.
async fn run(world: &World) {
    assert!(!run_until(world, usize::MAX).await);
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_while_it_creates_leaves_nothing_behind_and_nothing_double() {
    for points in 1.. {
        let world = World::without_operator().await;
        world.cluster.create(&Shelf::new("s", boxes([("a", "tea"), ("b", "salt")]))).await;
        let killed = run_until(&world, points).await;
        let shelf = world.cluster.get::<Shelf>("s").await;
        let is_recorded = shelf.finalizers() == [EXTERNAL_FINALIZER];
        assert!(is_recorded || world.depots.names().is_empty(), "{points}: what exists is recorded");

        world.cluster.delete::<Shelf>("s").await;
        run(&world).await;
        assert!(world.cluster.find::<Shelf>("s").await.is_none(), "{points}");
        assert_eq!(world.depots.names(), Vec::<String>::new(), "{points}: nothing is left behind");
        if !killed {
            assert!(points > 10, "{points} points");
            return;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_while_it_creates_is_continued_by_the_next() {
    for points in 1.. {
        let world = World::without_operator().await;
        world.cluster.create(&Shelf::new("s", boxes([("a", "tea"), ("b", "salt")]))).await;
        let killed = run_until(&world, points).await;
        run(&world).await;
        world.cluster.until_reason::<Shelf>("s", "Ready").await;
        assert_eq!(world.depots.names(), ["a", "b"], "{points}");
        let creations =
            world.depots.take_calls().into_iter().filter(|call| call.starts_with("create")).count();
        assert!(creations <= 4, "{points}: {creations}");
        if !killed {
            return;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_while_it_deletes_is_continued_by_the_next_and_deletes_nothing_else() {
    for points in 1.. {
        let world = World::without_operator().await;
        world.depots.put("acme", "theirs", json!({"label": "THEIRS"}));
        world.cluster.create(&Shelf::new("s", boxes([("a", "tea"), ("b", "salt")]))).await;
        run(&world).await;
        world.cluster.delete::<Shelf>("s").await;
        let killed = run_until(&world, points).await;
        run(&world).await;
        assert!(world.cluster.find::<Shelf>("s").await.is_none(), "{points}");
        assert_eq!(world.depots.names(), ["theirs"], "{points}");
        if !killed {
            return;
        }
    }
}
