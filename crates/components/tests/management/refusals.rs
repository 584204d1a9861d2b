//! References to what does not exist: each is named with its field, nothing else is held up, and it is taken up when it exists.

use crate::{
    cases::prepare,
    world::{World, settled},
};
use api::v1beta1::{HarborPreheatInstance, HarborProject, HarborScanner, HarborTask};
use serde_json::{Value, json};

const HUB: &str = "https://hub.docker.com";

fn object(kind: &str, name: &str, spec: Value) -> Value {
    let mut spec = spec;
    spec["harborServerConfig"] = "acme".into();
    json!({"kind": kind, "metadata": {"name": name}, "spec": spec})
}

fn project(name: &str, spec: Value) -> Value {
    let mut spec = spec;
    spec["projectName"] = name.into();
    object("HarborProject", name, spec)
}

/// A Harbor with what [`prepare`] describes, to which nothing was sent yet.
async fn prepared() -> World {
    let world = World::new().await;
    prepare(&world).await;
    settled().await;
    world.take_calls();
    world
}

async fn members(world: &World) -> Vec<String> {
    let members = world.ask("GET", "/projects/team/members", Value::Null).await;
    let name = |member: &Value| member["entity_name"].as_str().unwrap().to_owned();
    let mut names: Vec<_> = members.as_array().unwrap().iter().map(name).collect();
    names.sort();
    names
}

#[tokio::test(start_paused = true)]
async fn members_that_do_not_exist_keep_nobody_in_a_project_and_nobody_out() {
    let world = prepared().await;
    let listed = |names: &[&str]| {
        let member = |name: &&str| json!({"name": name, "type": "user", "role": "developer"});
        names.iter().map(member).collect::<Value>()
    };
    world.create(project("team", json!({"memberships": listed(&["member-gone"])}))).await;
    world.until_reason::<HarborProject>("team", "Ready").await;
    assert_eq!(members(&world).await, ["admin", "member-gone"]);

    let spec = json!({"spec": {"memberships": listed(&["aaron", "member-it", "member-kept", "zoe"])}});
    world.merge::<HarborProject>("team", spec).await;
    let message = world.until_reason::<HarborProject>("team", "ExternalInUse").await;
    let words = ["members acme/team", "spec.memberships: ", "aaron", "zoe", "or correct its name"];
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
    assert_eq!(members(&world).await, ["admin", "member-it", "member-kept"]);

    for name in ["aaron", "zoe"] {
        let user = json!({
            "username": name, "email": format!("{name}@example.com"), "realname": name, "password": "Harbor12345",
        });
        world.ask("POST", "/users", user).await;
    }
    world.until_reason::<HarborProject>("team", "Ready").await;
    assert_eq!(members(&world).await, ["aaron", "admin", "member-it", "member-kept", "zoe"]);
}

#[tokio::test(start_paused = true)]
async fn a_scanner_that_does_not_exist_is_named_with_its_field() {
    let world = prepared().await;
    world.create(project("team", json!({"scanner": "own"}))).await;
    let message = world.until_reason::<HarborProject>("team", "ExternalInUse").await;
    let expected = "spec.scanner: Harbor has no scanner own; create it, or correct the name";
    assert!(message.contains(expected) && message.contains("project-scanner acme/team"), "{message}");
    world.ask("POST", "/scanners", json!({"name": "own", "url": "http://own:8080"})).await;
    world.until_reason::<HarborProject>("team", "Ready").await;
    assert_eq!(world.ask("GET", "/projects/team/scanner", Value::Null).await["name"], "own");
}

#[tokio::test(start_paused = true)]
async fn a_proxy_cache_waits_for_its_registry_and_is_one_from_the_start() {
    let world = prepared().await;
    world.create(project("by-ref", json!({"registryRef": "later"}))).await;
    world.create(project("by-name", json!({"registryName": "later"}))).await;
    let message = world.until_reason::<HarborProject>("by-ref", "DependencyMissing").await;
    assert_eq!(message, "HarborRegistryEndpoint default/later does not exist; create it");
    let message = world.until_reason::<HarborProject>("by-name", "ChildrenNotReady").await;
    assert_eq!(
        message,
        "registry acme/later: does not exist; create it in Harbor, or correct spec.registryName"
    );
    assert_eq!(world.take_writes(), Vec::<String>::new());

    let endpoint = json!({"registryName": "later", "type": "docker-hub", "url": HUB});
    world.create(object("HarborRegistryEndpoint", "later", endpoint)).await;
    for name in ["by-ref", "by-name"] {
        world.until_reason::<HarborProject>(name, "Ready").await;
        let shown = world.ask("GET", &format!("/projects/{name}"), Value::Null).await;
        let registry = world.ask("GET", &format!("/registries/{}", shown["registry_id"]), Value::Null).await;
        assert_eq!(registry["name"], "later", "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_header_of_a_webhook_is_waited_for() {
    let world = prepared().await;
    let header = json!({"name": "receiver"});
    let target = json!({"type": "http", "address": "https://ci.example.com", "authHeaderRef": header});
    let webhook = json!({"name": "ci", "eventTypes": ["PUSH_ARTIFACT"], "targets": [target]});
    world.create(project("team", json!({"webhooks": [webhook]}))).await;
    let message = world.until_reason::<HarborProject>("team", "DependencyMissing").await;
    assert!(message.contains("Secret default/receiver"), "{message}");
    assert_eq!(world.take_writes(), Vec::<String>::new());
    world.secret("receiver", &[("authHeader", "Bearer one")]).await;
    world.until_reason::<HarborProject>("team", "Ready").await;
    let webhooks = world.ask("GET", "/projects/team/webhook/policies", Value::Null).await;
    assert_eq!(webhooks[0]["targets"][0]["auth_header"], "Bearer one");
}

#[tokio::test(start_paused = true)]
async fn the_credentials_of_a_scanner_are_waited_for() {
    let world = prepared().await;
    let spec = json!({
        "scannerName": "own", "url": "http://own:8080", "auth": "bearer", "credentialRef": {"name": "own"},
    });
    world.create(object("HarborScanner", "own", spec)).await;
    let message = world.until_reason::<HarborScanner>("own", "DependencyMissing").await;
    assert!(message.contains("Secret default/own"), "{message}");
    assert_eq!(world.take_writes(), Vec::<String>::new());
    world.secret("own", &[("credential", "token-of-the-scanner")]).await;
    world.until_reason::<HarborScanner>("own", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn the_credentials_of_a_preheat_instance_are_waited_for() {
    let world = prepared().await;
    let spec = json!({
        "instanceName": "df", "vendor": "dragonfly", "endpoint": "http://df:8001", "authMode": "oauth",
        "authInfoRef": {"name": "df"},
    });
    world.create(object("HarborPreheatInstance", "df", spec)).await;
    let message = world.until_reason::<HarborPreheatInstance>("df", "DependencyMissing").await;
    assert!(message.contains("Secret default/df"), "{message}");
    assert_eq!(world.take_writes(), Vec::<String>::new());
    world.secret("df", &[("token", "token-of-the-network")]).await;
    world.until_reason::<HarborPreheatInstance>("df", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn the_replication_of_a_task_is_waited_for() {
    let world = prepared().await;
    let spec = json!({"replication": {"replicationRef": "nightly"}});
    world.create(object("HarborTask", "copy", spec)).await;
    let message = world.until_reason::<HarborTask>("copy", "DependencyMissing").await;
    assert_eq!(message, "HarborReplication default/nightly does not exist; create it");
    assert_eq!(world.take_writes(), Vec::<String>::new());
    let policy = json!({"policyName": "nightly", "destinationRegistryName": "hub"});
    world.create(object("HarborReplication", "nightly", policy)).await;
    world.until_reason::<HarborTask>("copy", "Ready").await;
    let starts = world.take_writes();
    let starts: Vec<_> = starts.iter().filter(|it| *it == "POST /replication/executions").collect();
    assert_eq!(starts.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_retention_of_a_task_is_waited_for() {
    let world = prepared().await;
    world.create(object("HarborTask", "by-ref", json!({"retention": {"projectRef": "team"}}))).await;
    let message = world.until_reason::<HarborTask>("by-ref", "DependencyMissing").await;
    assert_eq!(message, "HarborProject default/team does not exist; create it");
    world.create(object("HarborTask", "by-name", json!({"retention": {"projectName": "other"}}))).await;
    let message = world.until_reason::<HarborTask>("by-name", "ExternalInUse").await;
    assert!(message.contains("spec.retention: ") && message.contains("other"), "{message}");
    assert_eq!(world.take_writes(), Vec::<String>::new());
    for name in ["team", "other"] {
        world.create(project(name, json!({"retention": {"rules": [{"latestPushedK": 10}]}}))).await;
    }
    for task in ["by-ref", "by-name"] {
        world.until_reason::<HarborTask>(task, "Ready").await;
    }
}
