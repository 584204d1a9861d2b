//! A PullSecretBinding whose Harbor does not answer.

use crate::{
    pull_secret_binding::{binding, login, logs_in, pull_secrets, with_robot},
    world::{INTERVAL, World, settled},
};
use api::v1beta1::PullSecretBinding;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

fn annotations() -> Value {
    json!({"metadata": {"annotations": {"goharbor.io/rotate-robot": "true"}}})
}

#[tokio::test(start_paused = true)]
async fn a_harbor_that_is_down_is_waited_for_and_what_pods_use_stays() {
    let world = World::new().await;
    let robot = with_robot(&world).await;
    settled().await;
    world.is_down.store(true, Ordering::SeqCst);
    tokio::time::sleep(INTERVAL * 2).await;
    world.create(binding(&robot, annotations())).await;
    world.until_reason::<PullSecretBinding>("team", "ExternalUnreachable").await;
    assert_eq!(
        pull_secrets(&world).await,
        ["of-others"],
        "no pod gets credentials that Harbor does not have"
    );
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    assert!(logs_in(&world, "team-pull").await);

    settled().await;
    let before = login(&world, "team-pull").await;
    world.is_down.store(true, Ordering::SeqCst);
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(login(&world, "team-pull").await, before);
    assert_eq!(pull_secrets(&world).await, ["of-others", "team-pull"]);
    world.is_down.store(false, Ordering::SeqCst);
    world.take_calls();
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    assert!(logs_in(&world, "team-pull").await);
}

#[tokio::test(start_paused = true)]
async fn after_a_lost_answer_the_robot_account_gets_the_same_password_again() {
    let mut world = World::new().await;
    let robot = with_robot(&world).await;
    settled().await;
    world.take_calls();
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(binding(&robot, annotations())).await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    assert_eq!(world.lost_answers.load(Ordering::SeqCst), 0, "an answer was lost");
    let writes = world.take_writes();
    assert!(writes.len() <= 2 && writes.iter().all(|it| it.starts_with("PATCH /robots/")), "{writes:?}");
    assert!(logs_in(&world, "team-pull").await);
    let password = login(&world, "team-pull").await["password"].take();
    world.restart().await;
    tokio::time::sleep(INTERVAL * 2).await;
    assert_eq!(login(&world, "team-pull").await["password"], password);
    assert_eq!(world.take_writes(), Vec::<String>::new());
}
