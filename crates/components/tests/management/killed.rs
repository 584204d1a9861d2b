//! An operator that is killed at its requests to Harbor, one after the other.
//!
//! A team has an object of each kind. In one test, the operator is killed at each request that one team needs. In the other,
//! the objects of four teams are created side by side, more than 40, and the operator is killed at every fifth write; with
//! `HARBOR_OPERATOR_KILL=every-request`, at every request.

use crate::{
    connection::Counted,
    contents::contents,
    world::{World, settled},
};
use harborserver::Version;
use kube::Api;
use serde_json::{Value, json};
use std::{collections::BTreeSet, ops::Range};

/// The objects of a team: their kinds and names.
type Objects = Vec<(&'static str, String)>;

/// The objects of teams: each has a project with members, labels and rules, a member of the project `library`, a robot account,
/// a user and a group, an endpoint with a replication that runs once, a scanner, a P2P network, and a label of all projects.
async fn create(world: &World, teams: Range<usize>) -> Objects {
    let mut objects = Objects::new();
    for team in teams {
        let (project, user) = (format!("team{team}"), format!("user{team}"));
        world.secret(&user, &[("password", "Harbor12345")]).await;
        let access = json!([{"kind": "project", "access": [{"resource": "repository", "action": "pull"}]}]);
        for (kind, name, spec) in [
            (
                "HarborUser",
                &user,
                json!({
                    "username": user, "email": format!("{user}@example.com"), "realname": "User",
                    "passwordRef": {"name": user, "key": "password"}, "deletionPolicy": "Delete",
                }),
            ),
            ("HarborUserGroup", &project, json!({"groupName": project, "groupType": "oidc"})),
            (
                "HarborProject",
                &project,
                json!({
                    "projectName": project, "storageQuota": "1Gi",
                    "memberships": [{"name": user, "type": "user", "role": "developer"}],
                    "labels": [{"name": "stable", "color": "#00FF00"}],
                    "retention": {"rules": [{"latestPushedK": 10}]},
                }),
            ),
            (
                "HarborProjectMember",
                &project,
                json!({
                    "projectName": "library", "name": user, "type": "user", "role": "guest",
                }),
            ),
            (
                "HarborRobot",
                &project,
                json!({
                    "robotName": "ci", "level": "project", "projectName": project, "permissions": access,
                }),
            ),
            (
                "HarborRegistryEndpoint",
                &project,
                json!({
                    "registryName": project, "type": "docker-registry", "url": "http://hub",
                    "deletionPolicy": "Delete",
                }),
            ),
            (
                "HarborReplication",
                &project,
                json!({
                    "policyName": project, "destinationRegistryRef": project,
                }),
            ),
            ("HarborTask", &project, json!({"replication": {"replicationRef": project}})),
            (
                "HarborScanner",
                &project,
                json!({
                    "scannerName": project, "url": format!("http://{project}:8080"),
                }),
            ),
            (
                "HarborPreheatInstance",
                &project,
                json!({
                    "instanceName": project, "vendor": "dragonfly", "endpoint": format!("http://{project}:8001"),
                    "policies": [{"project": "library", "name": project}],
                }),
            ),
            // All teams want the same value, and have a label of their own.
            (
                "HarborConfiguration",
                &project,
                json!({
                    "configuration": {"tokenExpiration": 45}, "labels": [{"name": project, "color": "#0065AB"}],
                }),
            ),
        ] {
            let mut spec = spec;
            spec["harborServerConfig"] = "acme".into();
            world.create(json!({"kind": kind, "metadata": {"name": name}, "spec": spec})).await;
            objects.push((kind, name.clone()));
        }
    }
    objects
}

/// Waits until all objects are ready. The operator does not repeat a task that may have run, so those of which it does not
/// know that are not ready; the names of these.
async fn until_ready(world: &World, objects: &[(&'static str, String)]) -> Vec<String> {
    let kinds = components::all();
    let mut unknown = Vec::new();
    for (kind, name) in objects {
        let kind = kinds.iter().find(|known| known.is("goharbor.io", kind)).unwrap();
        let api = Api::default_namespaced_with(world.client.clone(), kind.resource());
        let outcomes =
            if kind.is("goharbor.io", "HarborTask") { ["Ready", "Missing"].as_slice() } else { &["Ready"] };
        if world.until_one_of::<kube::core::DynamicObject>(api, name, outcomes).await == "Missing" {
            unknown.push(name.clone());
        }
    }
    unknown
}

/// A Harbor with a scanner: it makes the first one the default.
async fn world() -> World {
    let world = World::without_operator(Version::new(15, 2)).await;
    world.harbor.network().open_everything();
    world.ask("POST", "/scanners", json!({"name": "default", "url": "http://default:8080"})).await;
    world.take_calls();
    world
}

/// What a Harbor has, and how often each replication has run.
async fn outcome(world: &World) -> BTreeSet<String> {
    let mut outcome = contents(world).await;
    let runs = world.ask("GET", "/replication/executions?page_size=100", Value::Null).await;
    for run in runs.as_array().unwrap() {
        let policy =
            world.ask("GET", &format!("/replication/policies/{}", run["policy_id"]), Value::Null).await;
        let run = run_of(&policy["name"]);
        assert!(outcome.insert(run.clone()), "{run} is repeated");
    }
    outcome
}

/// What a Harbor has after an operator that is not killed, and the requests that it sent.
async fn undisturbed(teams: usize) -> (BTreeSet<String>, Vec<String>) {
    let mut world = world().await;
    let objects = create(&world, 0..teams).await;
    world.start();
    assert_eq!(until_ready(&world, &objects).await, [""; 0]);
    let requests = world.take_calls();
    (outcome(&world).await, requests)
}

/// The run of a replication, as [`outcome`] describes it.
fn run_of(policy: &Value) -> String {
    format!("a run of {policy}")
}

/// Kills an operator at a request, and lets another one finish. Of tasks that may have run, it adds what it would have run.
async fn killed(teams: usize, counted: Counted, number: usize) -> BTreeSet<String> {
    let mut world = world().await;
    let objects = create(&world, 0..teams).await;
    world.run_until_request(counted, number).await;
    world.start();
    let unknown = until_ready(&world, &objects).await;
    settled().await;
    let mut outcome = outcome(&world).await;
    for task in unknown {
        assert!(outcome.insert(run_of(&task.as_str().into())), "the operator finds the run of {task}");
    }
    outcome
}

fn is_write(request: &str) -> bool {
    !request.starts_with("GET") && !request.starts_with("HEAD")
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_at_any_request_loses_nothing_and_creates_nothing_twice() {
    let (expected, requests) = undisturbed(1).await;
    let writes = requests.iter().filter(|request| is_write(request)).count();
    assert!((40..=150).contains(&requests.len()), "{} requests: {requests:#?}", requests.len());
    assert!((16..=30).contains(&writes), "{writes} writes: {requests:#?}");
    for killed_at in 1..=requests.len() {
        let outcome = killed(1, Counted::All, killed_at).await;
        assert_eq!(outcome, expected, "killed at request {killed_at}: {}", requests[killed_at - 1]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_among_many_objects_loses_nothing_and_creates_nothing_twice() {
    const TEAMS: usize = 4;
    let (expected, requests) = undisturbed(TEAMS).await;
    let writes = requests.iter().filter(|request| is_write(request)).count();
    assert!(writes >= 60, "{writes} writes");
    let (counted, number, step) = match std::env::var("HARBOR_OPERATOR_KILL").as_deref() {
        Ok("every-request") => (Counted::All, requests.len(), 1),
        _ => (Counted::Writes, writes, 5),
    };
    println!("{} requests, {writes} of them writes", requests.len());
    for killed_at in (1..=number).step_by(step) {
        assert_eq!(killed(TEAMS, counted, killed_at).await, expected, "killed at {killed_at} of {counted:?}");
    }
}
