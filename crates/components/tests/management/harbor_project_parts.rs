//! The parts of a HarborProject.

use crate::world::{INTERVAL, World, settled};
use api::v1beta1::{HarborProject, HarborRegistryEndpoint};
use harborserver::Version;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Map, Value, json};
use std::time::Duration;

const HUB: &str = "https://hub.docker.com";
const RECEIVER: &str = "https://ci.example.com/harbor";

/// A Harbor with two scanners, and with what the project `alpha` refers to.
async fn prepared(version: Version) -> World {
    let world = World::with_version(version).await;
    world.harbor.network().open_everything();
    // Harbor makes the first scanner the default.
    for name in ["default", "own"] {
        let scanner = json!({"name": name, "url": format!("http://{name}:8080")});
        world.ask("POST", "/scanners", scanner).await;
    }
    world.secret("receiver", &[("authHeader", "Bearer one")]).await;
    world.secret("other-receiver", &[("token", "Bearer three")]).await;
    let spec =
        json!({"harborServerConfig": "acme", "registryName": "docker-hub", "type": "docker-hub", "url": HUB});
    let endpoint = json!({"kind": "HarborRegistryEndpoint", "metadata": {"name": "hub"}, "spec": spec});
    world.create(endpoint).await;
    world.until_reason::<HarborRegistryEndpoint>("hub", "Ready").await;
    world
}

fn webhook(header: &Value) -> Value {
    let target = json!({"type": "http", "address": RECEIVER, "authHeaderRef": header});
    json!([{"name": "ci", "eventTypes": ["PUSH_ARTIFACT"], "targets": [target]}])
}

/// The project `alpha` with all parts that it can have.
fn with_all_parts() -> Value {
    json!({"kind": "HarborProject", "metadata": {"name": "alpha"}, "spec": {
        "harborServerConfig": "acme", "projectName": "alpha",
        "metadata": {"public": true},
        "registryRef": "hub",
        "webhooks": webhook(&json!({"name": "receiver"})),
        "labels": [{"name": "stable", "color": "#00FF00"}],
        "retention": {"rules": [{"latestPushedK": 10}]},
        "immutableTagRules": [{"tags": {"matches": "v*"}}],
        "scanner": "own",
    }})
}

/// What Harbor has then. The webhook sends this header.
fn all_parts(header: &str) -> Value {
    json!({
        "public": "true",
        "registry": "docker-hub",
        "webhooks": {"ci": {
            "enabled": true, "events": ["PUSH_ARTIFACT"], "target": RECEIVER, "header": header,
        }},
        "labels": {"stable": "#00FF00"},
        "retention": {"latestPushedK": 10},
        "immutable": ["v*"],
        "scanner": "own",
    })
}

async fn get(world: &World, path: &str) -> Value {
    world.ask("GET", path, Value::Null).await
}

async fn items(world: &World, path: &str) -> Vec<Value> {
    get(world, path).await.as_array().cloned().unwrap_or_default()
}

/// The paths of the labels and of the retention policy of the project.
async fn paths(world: &World) -> [String; 2] {
    let project = get(world, "/projects/alpha").await;
    let retention = project["metadata"]["retention_id"].as_str().unwrap_or_default();
    [format!("/labels?scope=p&project_id={}", project["project_id"]), format!("/retentions/{retention}")]
}

/// The parts of the project `alpha` that Harbor has.
async fn parts(world: &World) -> Value {
    let project = get(world, "/projects/alpha").await;
    let registry = get(world, &format!("/registries/{}", project["registry_id"])).await;
    let [labels, retention] = paths(world).await;
    let mut webhooks = Map::new();
    for webhook in items(world, "/projects/alpha/webhook/policies").await {
        let target = &webhook["targets"][0];
        let part = json!({
            "enabled": webhook["enabled"], "events": webhook["event_types"],
            "target": target["address"], "header": target["auth_header"],
        });
        webhooks.insert(webhook["name"].as_str().unwrap().to_owned(), part);
    }
    let label = |label: Value| (label["name"].as_str().unwrap().to_owned(), label["color"].clone());
    let labels: Map<_, _> = items(world, &labels).await.into_iter().map(label).collect();
    let rules = items(world, "/projects/alpha/immutabletagrules").await;
    let immutable: Vec<_> = rules.iter().map(|rule| &rule["tag_selectors"][0]["pattern"]).collect();
    json!({
        "public": project["metadata"]["public"],
        "registry": registry["name"],
        "webhooks": webhooks,
        "labels": labels,
        "retention": get(world, &retention).await["rules"][0]["params"],
        "immutable": immutable,
        "scanner": get(world, "/projects/alpha/scanner").await["name"],
    })
}

/// Changes every part in Harbor's pages.
async fn change_in_harbor(world: &World) {
    world.ask("PUT", "/projects/alpha", json!({"metadata": {"public": "false"}})).await;

    let mut webhook = items(world, "/projects/alpha/webhook/policies").await.remove(0);
    webhook["enabled"] = false.into();
    webhook["event_types"] = json!(["DELETE_ARTIFACT"]);
    webhook["targets"][0]["auth_header"] = "Bearer changed".into();
    let path = format!("/projects/alpha/webhook/policies/{}", webhook["id"]);
    world.ask("PUT", &path, webhook).await;

    let [labels, retention] = paths(world).await;
    let mut label = items(world, &labels).await.remove(0);
    label["color"] = "#FF0000".into();
    world.ask("PUT", &format!("/labels/{}", label["id"]), label).await;

    let mut policy = get(world, &retention).await;
    policy["rules"][0]["params"]["latestPushedK"] = 1.into();
    world.ask("PUT", &retention, policy).await;

    let mut rule = items(world, "/projects/alpha/immutabletagrules").await.remove(0);
    let path = format!("/projects/alpha/immutabletagrules/{}", rule["id"]);
    world.ask("DELETE", &path, Value::Null).await;
    rule.as_object_mut().unwrap().remove("id");
    rule["tag_selectors"][0]["pattern"] = "changed".into();
    world.ask("POST", "/projects/alpha/immutabletagrules", rule).await;

    let scanners = items(world, "/scanners").await;
    let default = scanners.iter().find(|scanner| scanner["name"] == "default").unwrap();
    world.ask("PUT", "/projects/alpha/scanner", json!({"uuid": default["uuid"]})).await;
}

/// Adds a webhook and a label in Harbor's pages.
async fn add_in_harbor(world: &World) {
    let target = json!({"type": "http", "address": RECEIVER});
    let webhook = json!({
        "name": "by-hand", "enabled": true, "event_types": ["PULL_ARTIFACT"], "targets": [target],
    });
    world.ask("POST", "/projects/alpha/webhook/policies", webhook).await;
    let project = get(world, "/projects/alpha").await;
    let label =
        json!({"name": "by-hand", "color": "#0000FF", "scope": "p", "project_id": project["project_id"]});
    world.ask("POST", "/labels", label).await;
}

/// The same parts with those of [`add_in_harbor`].
fn with_added(mut parts: Value) -> Value {
    parts["webhooks"]["by-hand"] =
        json!({"enabled": true, "events": ["PULL_ARTIFACT"], "target": RECEIVER, "header": null});
    parts["labels"]["by-hand"] = "#0000FF".into();
    parts
}

#[tokio::test(start_paused = true)]
async fn every_part_is_created_changed_repaired_and_removed() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = prepared(version).await;
        world.create(with_all_parts()).await;
        world.until_reason::<HarborProject>("alpha", "Ready").await;
        settled().await;
        assert_eq!(parts(&world).await, all_parts("Bearer one"), "{version}");

        world.merge::<Secret>("receiver", json!({"stringData": {"authHeader": "Bearer two"}})).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(parts(&world).await, all_parts("Bearer two"), "{version}");
        let header = json!({"name": "other-receiver", "key": "token"});
        world.merge::<HarborProject>("alpha", json!({"spec": {"webhooks": webhook(&header)}})).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(parts(&world).await, all_parts("Bearer three"), "{version}");

        settled().await;
        change_in_harbor(&world).await;
        add_in_harbor(&world).await;
        tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
        assert_eq!(parts(&world).await, with_added(all_parts("Bearer three")), "{version}");
        world.take_calls();
        tokio::time::sleep(INTERVAL * 3).await;
        assert_eq!(world.take_writes(), Vec::<String>::new(), "{version}");

        let nothing = json!({
            "webhooks": null, "labels": null, "retention": null, "immutableTagRules": null, "scanner": null,
        });
        world.merge::<HarborProject>("alpha", json!({"spec": nothing})).await;
        settled().await;
        // The policy was Harbor's own, and the other parts are there with the project.
        let mut left = with_added(all_parts(""));
        for (part, name) in [("webhooks", "ci"), ("labels", "stable")] {
            left[part].as_object_mut().unwrap().remove(name);
        }
        assert_eq!(parts(&world).await, left, "{version}");

        world.delete::<HarborProject>("alpha").await;
        world.until_gone::<HarborProject>("alpha").await;
        let projects = items(&world, "/projects").await;
        let names: Vec<_> = projects.iter().map(|project| &project["name"]).collect();
        assert_eq!(names, ["library"], "{version}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_retention_policy_goes_with_its_field_if_the_operator_created_it() {
    let world = prepared(Version::new(15, 2)).await;
    let mut project = with_all_parts();
    project["spec"].as_object_mut().unwrap().remove("registryRef");
    world.create(project).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    settled().await;
    assert!(get(&world, "/projects/alpha").await["metadata"]["retention_id"].is_string());
    world.merge::<HarborProject>("alpha", json!({"spec": {"retention": null}})).await;
    settled().await;
    assert_eq!(get(&world, "/projects/alpha").await["metadata"]["retention_id"], Value::Null);
}
