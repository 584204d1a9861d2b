//! HarborServerConfiguration.

use crate::world::{INTERVAL, World, condition, settled};
use api::v1beta1::{HarborProject, HarborServerConfiguration};
use harborserver::Component;
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api,
    api::{Patch, PatchParams},
};
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

#[tokio::test(start_paused = true)]
async fn a_harbor_that_answers_is_ready_and_its_version_is_shown() {
    let world = World::new().await;
    let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    world.until_reason_of(api.clone(), "acme", "Ready").await;
    let status = json!(api.get("acme").await.unwrap().status);
    assert_eq!([&status["status"], &status["version"], &status["principal"]], ["Success", "2.15.2", "admin"]);
}

#[tokio::test(start_paused = true)]
async fn the_status_says_whether_the_credentials_are_those_of_an_administrator() {
    let world = World::new().await;
    let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    world.until_reason_of(api.clone(), "acme", "Ready").await;
    let user = json!({"username": "jane", "email": "jane@example.com", "realname": "Jane", "password": "Harbor12345"});
    world.ask("POST", "/users", user).await;
    let credentials = json!({"stringData": {"accessKey": "jane", "accessSecret": "Harbor12345"}});
    world.merge::<Secret>("acme-credentials", credentials).await;
    tokio::time::sleep(INTERVAL * 2).await;
    let status = json!(api.get("acme").await.unwrap().status);
    assert_eq!([&status["principal"], &status["status"]], ["user", "Success"]);
}

#[tokio::test(start_paused = true)]
async fn a_component_that_is_not_healthy_is_shown_and_keeps_nothing_from_being_managed() {
    let world = World::new().await;
    let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    world.until_reason_of(api.clone(), "acme", "Ready").await;
    let healthy = async || condition(&json!(api.get("acme").await.unwrap()), "Healthy");
    assert_eq!(healthy().await["status"], "True");
    world.harbor.set_healthy(Component::Jobservice, false);
    tokio::time::sleep(INTERVAL * 2).await;
    let condition = healthy().await;
    assert_eq!([&condition["status"], &condition["reason"]], ["False", "Unhealthy"]);
    assert_eq!(condition["message"], "Harbor says that these components are not healthy: jobservice");
    world.until_reason_of(api.clone(), "acme", "Ready").await;
    world.take_calls();
    tokio::time::sleep(INTERVAL * 3).await;
    let asked = world.take_calls().into_iter().filter(|it| it == "GET /health").count();
    assert!((1..=4).contains(&asked), "once per interval: {asked}");
}

#[tokio::test(start_paused = true)]
async fn a_harbor_that_stops_answering_is_not_ready_until_it_answers_again() {
    let world = World::new().await;
    let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    let spec = json!({"projectName": "team", "harborServerConfig": "acme"});
    world.create(json!({"kind": "HarborProject", "metadata": {"name": "team"}, "spec": spec})).await;
    world.until_reason_of(api.clone(), "acme", "Ready").await;
    world.until_reason::<HarborProject>("team", "Ready").await;
    settled().await;
    world.take_requests();
    world.is_down.store(true, Ordering::SeqCst);
    tokio::time::sleep(INTERVAL * 2).await;
    let message = world.until_reason_of(api.clone(), "acme", "ExternalUnreachable").await;
    assert!(message.contains("connection refused"), "{message}");
    let mut written = world.take_requests();
    written.retain(|request| !request.starts_with("GET") && request.contains("/harborprojects"));
    assert_eq!(written, [""; 0], "the project is as it was, as far as the operator knows");
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason_of(api, "acme", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn wrong_credentials_are_reported_once_and_right_ones_used_at_once() {
    let world = World::new().await;
    let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    world.until_reason_of(api.clone(), "acme", "Ready").await;
    world.merge::<Secret>("acme-credentials", json!({"stringData": {"accessSecret": "wrong"}})).await;
    let message = world.until_reason_of(api.clone(), "acme", "ExternalForbidden").await;
    assert!(!message.contains("wrong"), "{message}");
    world.take_calls();
    tokio::time::sleep(std::time::Duration::from_mins(4)).await;
    let calls = world.take_calls();
    assert!(calls.iter().filter(|it| it.contains("systeminfo")).count() <= 1, "{calls:?}");
    world.merge::<Secret>("acme-credentials", json!({"stringData": {"accessSecret": "Harbor12345"}})).await;
    world.until_reason_of(api, "acme", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn its_interval_is_that_of_all_objects_in_its_harbor() {
    let world = World::new().await;
    let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    let spec = json!({"projectName": "alpha", "harborServerConfig": "acme"});
    world.create(json!({"kind": "HarborProject", "metadata": {"name": "alpha"}, "spec": spec})).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    let interval = json!({"spec": {"interval": "30s"}});
    api.patch("acme", &PatchParams::default(), &Patch::Merge(&interval)).await.unwrap();
    settled().await;
    world.ask("PUT", "/projects/alpha", json!({"metadata": {"auto_scan": "true"}})).await;
    tokio::time::sleep(Duration::from_secs(37)).await;
    let project = world.ask("GET", "/projects/alpha", Value::Null).await;
    assert_eq!(project["metadata"]["auto_scan"], "false");
}

#[tokio::test(start_paused = true)]
async fn b24_a_wrong_rule_for_images_is_reported_where_no_images_are_rewritten_and_harms_nothing_else() {
    let world = World::new().await;
    let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    let set = async |rules: Value| {
        let patch = Patch::Merge(json!({"spec": {"rules": rules}}));
        api.patch("acme", &PatchParams::default(), &patch).await
    };
    let refused = set(json!(["docker.io=>hub", "quay.io"])).await.unwrap_err().to_string();
    assert!(refused.contains("rules: each must have `=>`"), "{refused}");

    // No rule of a definition can read an expression.
    set(json!(["docker.io=>hub", "(quay=>hub"])).await.unwrap();
    let message = world.until_reason_of(api.clone(), "acme", "InvalidSpec").await;
    let problem = "spec.rules[1]: the text before `=>` is not a regular expression";
    assert_eq!(message, format!("{problem}; correct it, or write a host name"));
    let spec = json!({"projectName": "team", "harborServerConfig": "acme"});
    world.create(json!({"kind": "HarborProject", "metadata": {"name": "team"}, "spec": spec})).await;
    world.until_reason::<HarborProject>("team", "Ready").await;

    set(json!(["docker.io=>hub", "(quay|ghcr)=>hub"])).await.unwrap();
    world.until_reason_of(api.clone(), "acme", "Ready").await;
}
