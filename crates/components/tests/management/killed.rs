//! An operator that is killed at its writes to Harbor, one after the other.

use crate::world::{World, settled};
use api::v1beta1::{HarborProject, HarborRegistryEndpoint, HarborRobot, HarborUser};
use harborserver::Version;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const TEAMS: usize = 10;

/// The objects of ten teams: each has a project with members, labels and rules, a robot, a user, and an endpoint.
async fn teams(world: &World) {
    for team in 0..TEAMS {
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

async fn until_ready(world: &World) {
    for team in 0..TEAMS {
        let project = format!("team{team}");
        world.until_reason::<HarborUser>(&format!("user{team}"), "Ready").await;
        world.until_reason::<HarborProject>(&project, "Ready").await;
        world.until_reason::<HarborRobot>(&project, "Ready").await;
        world.until_reason::<HarborRegistryEndpoint>(&project, "Ready").await;
    }
}

/// What Harbor has, without numbers and times.
async fn contents(world: &World) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut add = |what: &str, list: &Value, fields: &[&str]| {
        for item in list.as_array().into_iter().flatten() {
            let shown: Vec<_> = fields.iter().map(|field| item[*field].to_string()).collect();
            assert!(all.insert(format!("{what} {}", shown.join(" "))), "{what} {shown:?} exists twice");
        }
    };
    let projects = world.ask("GET", "/projects?page_size=100", Value::Null).await;
    add("project", &projects, &["name"]);
    add("endpoint", &world.ask("GET", "/registries?page_size=100", Value::Null).await, &["name", "url"]);
    add("user", &world.ask("GET", "/users?page_size=100", Value::Null).await, &["username"]);
    for project in projects.as_array().unwrap() {
        let (name, id) = (project["name"].as_str().unwrap(), &project["project_id"]);
        let members = world.ask("GET", &format!("/projects/{name}/members"), Value::Null).await;
        add(&format!("member of {name}"), &members, &["entity_name", "role_name"]);
        let labels = world.ask("GET", &format!("/labels?scope=p&project_id={id}"), Value::Null).await;
        add(&format!("label of {name}"), &labels, &["name", "color"]);
        let robots = world.ask("GET", &format!("/robots?q=Level=project,ProjectID={id}"), Value::Null).await;
        add(&format!("robot of {name}"), &robots, &["name"]);
    }
    all
}

async fn world() -> World {
    let world = World::without_operator(Version::new(15, 2)).await;
    world.harbor.network().open("http://hub");
    teams(&world).await;
    world
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_at_any_write_loses_nothing_and_creates_nothing_twice() {
    let mut undisturbed = world().await;
    undisturbed.start();
    until_ready(&undisturbed).await;
    let expected = contents(&undisturbed).await;
    let writes = undisturbed.take_writes().len();
    assert!(writes >= 40, "{writes} writes");

    for killed_at in (1..=writes).step_by(5) {
        let mut world = world().await;
        world.run_until_write(killed_at).await;
        world.start();
        until_ready(&world).await;
        settled().await;
        assert_eq!(contents(&world).await, expected, "killed at write {killed_at}");
    }
}
