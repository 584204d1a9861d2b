//! PullSecretBindings that set the password of one robot account.

use crate::{
    pull_secret_binding::{Robot, binding, login, logs_in, pull_secrets, with_robot},
    world::{INTERVAL, World, settled},
};
use api::v1beta1::PullSecretBinding;
use harborserver::Version;
use serde_json::{Value, json};
use std::time::Duration;

/// A binding of this name, with permission to set a new password.
fn rotating(robot: &Robot, name: &str) -> Value {
    let annotations = json!({"goharbor.io/rotate-robot": "true"});
    binding(robot, json!({"metadata": {"name": name, "annotations": annotations}}))
}

/// Whether the pull secret of each binding gets into the project.
async fn log_in(world: &World, bindings: [&str; 2]) -> [bool; 2] {
    let [one, other] = bindings.map(|name| format!("{name}-pull"));
    [logs_in(world, &one).await, logs_in(world, &other).await]
}

#[tokio::test(start_paused = true)]
async fn of_two_bindings_that_rotate_one_robot_account_only_the_older_sets_the_password() {
    let world = World::new().await;
    let robot = with_robot(&world).await;
    world.create(rotating(&robot, "team")).await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    settled().await;
    let before = login(&world, "team-pull").await;
    world.take_calls();

    world.create(rotating(&robot, "second")).await;

    let message = world.until_reason::<PullSecretBinding>("second", "Conflict").await;
    let expected = "robot acme/alpha+ci already belongs to PullSecretBinding default/team, which is older; delete one of \
                    the two, or let them differ in what they manage";
    assert_eq!(message, expected);
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    assert_eq!(login(&world, "team-pull").await, before);
    assert!(logs_in(&world, "team-pull").await);
    assert_eq!(pull_secrets(&world).await, ["of-others", "team-pull"]);

    world.delete::<PullSecretBinding>("team").await;
    world.until_reason::<PullSecretBinding>("second", "Ready").await;
    assert!(logs_in(&world, "second-pull").await);
    assert_eq!(pull_secrets(&world).await, ["of-others", "second-pull"]);
}

#[tokio::test(start_paused = true)]
async fn bindings_that_are_reconciled_at_the_same_time_leave_the_robot_account_to_the_older() {
    for [older, younger] in [["first", "second"], ["second", "first"]] {
        let mut world = World::without_operator(Version::new(15, 2)).await;
        let robot = with_robot(&world).await;
        world.create(rotating(&robot, older)).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        world.create(rotating(&robot, younger)).await;

        world.start();

        world.until_reason::<PullSecretBinding>(older, "Ready").await;
        world.until_reason::<PullSecretBinding>(younger, "Conflict").await;
        settled().await;
        assert!(logs_in(&world, &format!("{older}-pull")).await, "{older} is older");
    }
}

#[tokio::test(start_paused = true)]
async fn an_older_binding_that_may_rotate_later_takes_the_robot_account_and_its_deletion_gives_it_back() {
    let world = World::new().await;
    let robot = with_robot(&world).await;
    world.create(binding(&robot, json!({}))).await;
    world.until_reason::<PullSecretBinding>("team", "InvalidSpec").await;
    settled().await;
    world.create(rotating(&robot, "second")).await;
    world.until_reason::<PullSecretBinding>("second", "Ready").await;

    let permitted = json!({"metadata": {"annotations": {"goharbor.io/rotate-robot": "true"}}});
    world.merge::<PullSecretBinding>("team", permitted).await;

    world.until_reason::<PullSecretBinding>("second", "Conflict").await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    settled().await;
    assert_eq!(log_in(&world, ["team", "second"]).await, [true, false]);

    world.delete::<PullSecretBinding>("team").await;
    world.until_gone::<PullSecretBinding>("team").await;
    world.until_reason::<PullSecretBinding>("second", "Ready").await;
    settled().await;
    assert!(logs_in(&world, "second-pull").await);
}
