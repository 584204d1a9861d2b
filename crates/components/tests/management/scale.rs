//! What objects cost when nothing changes: 150 projects, or as many as `HARBOR_OPERATOR_LOAD` says; and that a small Harbor is
//! wholly compared in each interval.

use crate::world::{INTERVAL, World, settled};
use api::v1beta1::HarborProject;
use serde_json::{Value, json};
use std::time::Duration;

/// The most requests in an interval.
const LIMIT: usize = 60;
const INTERVALS: u32 = 10;

#[tokio::test(start_paused = true)]
async fn the_requests_of_an_idle_operator_do_not_grow_with_the_number_of_projects() {
    let projects: usize = std::env::var("HARBOR_OPERATOR_LOAD").map_or(150, |number| number.parse().unwrap());
    let world = World::new().await;
    for user in 0..5 {
        let user = json!({
            "username": format!("user{user}"), "email": format!("user{user}@example.com"), "realname": "User",
            "password": "Harbor12345",
        });
        world.ask("POST", "/users", user).await;
    }
    for project in 0..projects {
        let name = format!("p{project:04}");
        let members: Vec<_> = (0..5)
            .map(|user| json!({"name": format!("user{user}"), "type": "user", "role": "developer"}))
            .collect();
        let spec = json!({"projectName": name, "harborServerConfig": "acme", "memberships": members});
        world.create(json!({"kind": "HarborProject", "metadata": {"name": name}, "spec": spec})).await;
    }
    for project in 0..projects {
        world.until_reason::<HarborProject>(&format!("p{project:04}"), "Ready").await;
    }
    tokio::time::sleep(INTERVAL * INTERVALS).await;
    settled().await;
    world.take_calls();
    world.take_requests();
    tokio::time::sleep(INTERVAL * INTERVALS).await;
    let calls = world.take_calls();
    println!("{projects} projects: {} requests in {INTERVALS} intervals", calls.len());
    let intervals = usize::try_from(INTERVALS).unwrap();
    assert!(calls.len() <= intervals * LIMIT, "{} requests in {INTERVALS} intervals", calls.len());
    let writes: Vec<_> =
        calls.iter().filter(|it| !it.starts_with("GET") && !it.starts_with("HEAD")).collect();
    assert_eq!(writes, Vec::<&String>::new());
    let sent: Vec<_> = world.take_requests().into_iter().filter(|it| !it.starts_with("GET")).collect();
    assert_eq!(sent, Vec::<String>::new());
}

/// A HarborProject with members, retention, immutable tags, a label and a webhook.
fn with_parts(name: &str) -> Value {
    let target = json!({"type": "http", "address": "https://ci.example.com/harbor"});
    json!({"kind": "HarborProject", "metadata": {"name": name}, "spec": {
        "projectName": name, "harborServerConfig": "acme", "memberships": [],
        "retention": {"rules": [{"latestPushedK": 10}]},
        "immutableTagRules": [{"tags": {"matches": "v*"}}],
        "labels": [{"name": "stable", "color": "#00FF00"}],
        "webhooks": [{"name": "ci", "eventTypes": ["PUSH_ARTIFACT"], "targets": [target]}],
    }})
}

/// Changes each part of a project in Harbor's pages.
async fn change_parts(world: &World, project: &str) {
    let all = async |path: &str| world.ask("GET", path, Value::Null).await;
    let user = json!({"role_id": 2, "member_user": {"username": "anna"}});
    world.ask("POST", &format!("/projects/{project}/members"), user).await;
    let rules = format!("/projects/{project}/immutabletagrules");
    let rule = all(&rules).await[0]["id"].clone();
    world.ask("DELETE", &format!("{rules}/{rule}"), Value::Null).await;
    let webhooks = format!("/projects/{project}/webhook/policies");
    let webhook = all(&webhooks).await[0]["id"].clone();
    world.ask("DELETE", &format!("{webhooks}/{webhook}"), Value::Null).await;
    let shown = all(&format!("/projects/{project}")).await;
    let label = all(&format!("/labels?scope=p&project_id={}", shown["project_id"])).await[0]["id"].clone();
    world.ask("DELETE", &format!("/labels/{label}"), Value::Null).await;
    let retention = format!("/retentions/{}", shown["metadata"]["retention_id"].as_str().unwrap());
    let mut policy = all(&retention).await;
    policy["rules"][0]["params"]["latestPushedK"] = 1.into();
    world.ask("PUT", &retention, policy).await;
}

/// How many members, immutable tag rules, webhooks and labels a project has, and how many images it retains.
async fn parts(world: &World, project: &str) -> [usize; 5] {
    let all = async |path: &str| world.ask("GET", path, Value::Null).await;
    let number = |list: Value| list.as_array().map_or(0, Vec::len);
    let shown = all(&format!("/projects/{project}")).await;
    let retention = format!("/retentions/{}", shown["metadata"]["retention_id"].as_str().unwrap());
    let kept = all(&retention).await["rules"][0]["params"]["latestPushedK"].as_u64().unwrap();
    [
        number(all(&format!("/projects/{project}/members")).await),
        number(all(&format!("/projects/{project}/immutabletagrules")).await),
        number(all(&format!("/projects/{project}/webhook/policies")).await),
        number(all(&format!("/labels?scope=p&project_id={}", shown["project_id"])).await),
        usize::try_from(kept).unwrap(),
    ]
}

#[tokio::test(start_paused = true)]
async fn five_projects_with_all_parts_are_wholly_repaired_within_the_interval() {
    let world = World::new().await;
    world.harbor.network().open_everything();
    let anna = json!({
        "username": "anna", "email": "anna@example.com", "realname": "Anna", "password": "Harbor12345",
    });
    world.ask("POST", "/users", anna).await;
    let projects = ["p0", "p1", "p2", "p3", "p4"];
    for project in projects {
        world.create(with_parts(project)).await;
        world.until_reason::<HarborProject>(project, "Ready").await;
    }
    tokio::time::sleep(INTERVAL * 2).await;
    settled().await;
    world.take_calls();
    tokio::time::sleep(INTERVAL).await;
    let calls = world.take_calls();
    // Each list comes up to a fifth earlier than the interval says.
    assert!(calls.len() <= LIMIT * 5 / 4, "{} requests: {calls:?}", calls.len());
    for project in projects {
        change_parts(&world, project).await;
        assert_eq!(parts(&world, project).await, [2, 0, 0, 0, 1], "{project}");
    }
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    for project in projects {
        assert_eq!(parts(&world, project).await, [1, 1, 1, 1, 10], "{project}");
    }
}
