//! An operator that is killed at its requests to Harbor, one after the other.
//!
//! A script with 40 objects sends some hundred requests, and a run of the whole script for each of them takes minutes. So
//! there are two tests. In one, teams come one after the other into one Harbor, and the operator is killed at its first
//! request for the first team, at its second for the second, and so on. In the other, the objects of ten teams are created
//! side by side, and the operator is killed at every fifth write; with `HARBOR_OPERATOR_KILL=every-request`, at every
//! request.

use crate::{
    connection::Counted,
    contents::contents,
    world::{World, settled},
};
use api::v1beta1::{HarborProject, HarborRegistryEndpoint, HarborRobot, HarborUser};
use harborserver::Version;
use serde_json::{Value, json};
use std::ops::Range;

/// The objects of teams: each has a project with members, labels and rules, a robot, a user, and an endpoint.
async fn create(world: &World, teams: Range<usize>) {
    for team in teams {
        let target = |spec: Value| {
            let mut spec = spec;
            spec["harborServerConfig"] = "acme".into();
            spec
        };
        let object = |kind: &str, name: String, spec: Value| json!({"kind": kind, "metadata": {"name": name}, "spec": target(spec)});
        let (project, user) = (format!("team{team}"), format!("user{team}"));
        world.secret(&user, &[("password", "Harbor12345")]).await;
        let profile = json!({
            "username": user, "email": format!("{user}@example.com"), "realname": "User",
            "passwordRef": {"name": user, "key": "password"}, "deletionPolicy": "Delete",
        });
        world.create(object("HarborUser", user.clone(), profile)).await;
        let spec = json!({
            "projectName": project, "storageQuota": "1Gi",
            "memberships": [{"name": user, "type": "user", "role": "developer"}],
            "labels": [{"name": "stable", "color": "#00FF00"}],
            "retention": {"rules": [{"latestPushedK": 10}]},
        });
        world.create(object("HarborProject", project.clone(), spec)).await;
        let access = json!([{"kind": "project", "access": [{"resource": "repository", "action": "pull"}]}]);
        let robot = json!({
            "robotName": "ci", "level": "project", "projectName": project, "permissions": access,
        });
        world.create(object("HarborRobot", project.clone(), robot)).await;
        let endpoint = json!({
            "registryName": project, "type": "docker-registry", "url": "http://hub",
            "deletionPolicy": "Delete",
        });
        world.create(object("HarborRegistryEndpoint", project, endpoint)).await;
    }
}

async fn until_ready(world: &World, teams: Range<usize>) {
    for team in teams {
        let project = format!("team{team}");
        world.until_reason::<HarborUser>(&format!("user{team}"), "Ready").await;
        world.until_reason::<HarborProject>(&project, "Ready").await;
        world.until_reason::<HarborRobot>(&project, "Ready").await;
        world.until_reason::<HarborRegistryEndpoint>(&project, "Ready").await;
    }
}

async fn world() -> World {
    let world = World::without_operator(Version::new(15, 2)).await;
    world.harbor.network().open("http://hub");
    world
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_at_any_request_loses_nothing_and_creates_nothing_twice() {
    const TEAMS: usize = 24;
    let mut undisturbed = world().await;
    create(&undisturbed, 0..TEAMS).await;
    undisturbed.start();
    until_ready(&undisturbed, 0..TEAMS).await;
    let expected = contents(&undisturbed).await;

    let mut world = world().await;
    for team in 0..TEAMS {
        create(&world, team..team + 1).await;
        world.run_until_request(Counted::All, team + 1).await;
        world.start();
        until_ready(&world, team..team + 1).await;
        world.kill();
    }
    assert_eq!(contents(&world).await, expected);
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_among_many_objects_loses_nothing_and_creates_nothing_twice() {
    const TEAMS: usize = 10;
    let mut undisturbed = world().await;
    create(&undisturbed, 0..TEAMS).await;
    undisturbed.start();
    until_ready(&undisturbed, 0..TEAMS).await;
    let expected = contents(&undisturbed).await;
    let requests = undisturbed.take_calls();
    let is_write = |request: &&String| !request.starts_with("GET") && !request.starts_with("HEAD");
    let writes = requests.iter().filter(is_write).count();
    assert!(writes >= 40, "{writes} writes");

    let (counted, number, step) = match std::env::var("HARBOR_OPERATOR_KILL").as_deref() {
        Ok("every-request") => (Counted::All, requests.len(), 1),
        _ => (Counted::Writes, writes, 5),
    };
    for killed_at in (1..=number).step_by(step) {
        let mut world = world().await;
        create(&world, 0..TEAMS).await;
        world.run_until_request(counted, killed_at).await;
        world.start();
        until_ready(&world, 0..TEAMS).await;
        settled().await;
        assert_eq!(contents(&world).await, expected, "killed at {killed_at} of {counted:?}");
    }
}
