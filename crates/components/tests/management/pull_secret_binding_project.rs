//! A PullSecretBinding that names its project.

use crate::{
    pull_secret_binding::{Robot, binding, logs_in, with_robot},
    world::World,
};
use api::v1beta1::PullSecretBinding;
use serde_json::{Value, json};

/// A binding that names its project, with permission to set a new password.
fn of_project(robot: &Robot, project: &str) -> Value {
    let annotations = json!({"goharbor.io/rotate-robot": "true"});
    let spec = json!({"projectId": null, "projectName": project});
    binding(robot, json!({"metadata": {"annotations": annotations}, "spec": spec}))
}

#[tokio::test(start_paused = true)]
async fn a_project_is_found_by_its_name() {
    let world = World::new().await;
    let robot = with_robot(&world).await;
    world.create(of_project(&robot, "alpha")).await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    assert!(logs_in(&world, "team-pull").await);
}

#[tokio::test(start_paused = true)]
async fn a_project_that_does_not_exist_is_waited_for_and_one_without_the_robot_account_is_named() {
    let world = World::new().await;
    let robot = with_robot(&world).await;
    world.create(of_project(&robot, "beta")).await;
    let message = world.until_reason::<PullSecretBinding>("team", "ChildrenNotReady").await;
    assert!(message.contains("create it in Harbor, or correct spec.projectName"), "{message}");
    world.ask("POST", "/projects", json!({"project_name": "beta"})).await;
    let message = world.until_reason::<PullSecretBinding>("team", "InvalidSpec").await;
    let expected = format!("spec.robotId: project beta has no robot account with the id {}", robot.id);
    assert!(message.starts_with(&expected), "{message}");
    world.merge::<PullSecretBinding>("team", json!({"spec": {"projectName": "alpha"}})).await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
}
