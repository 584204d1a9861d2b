//! HarborServerConfiguration.

use crate::world::World;
use api::v1beta1::{HarborProject, HarborServerConfiguration};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::{
    Api,
    api::{Patch, PatchParams},
};
use serde_json::json;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_harbor_that_answers_is_ready_and_its_version_is_shown() {
    let world = World::new().await;
    let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    world.until_reason_of(api.clone(), "acme", "Ready").await;
    let status = json!(api.get("acme").await.unwrap().status);
    assert_eq!([&status["status"], &status["version"], &status["principal"]], ["Success", "2.15.2", "admin"]);
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
async fn only_namespaces_that_it_selects_may_use_it_and_changed_labels_take_effect_within_a_second() {
    let world = World::new().await;
    let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    let selector = json!({"spec": {"namespaceSelector": {"matchLabels": {"team": "a"}}}});
    api.patch("acme", &PatchParams::default(), &Patch::Merge(&selector)).await.unwrap();
    let spec = json!({"projectName": "alpha", "harborServerConfig": "acme"});
    world.create(json!({"kind": "HarborProject", "metadata": {"name": "alpha"}, "spec": spec})).await;
    let message = world.until_reason::<HarborProject>("alpha", "InvalidSpec").await;
    let expected = "HarborServerConfiguration acme is not open to namespace default";
    assert!(message.contains(expected), "{message}");

    let namespaces: Api<Namespace> = Api::all(world.client.clone());
    let labels = json!({"metadata": {"labels": {"team": "a"}}});
    namespaces.patch("default", &PatchParams::default(), &Patch::Merge(&labels)).await.unwrap();
    let changed = tokio::time::Instant::now();
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    assert!(changed.elapsed() <= Duration::from_secs(1), "{:?}", changed.elapsed());

    let labels = json!({"metadata": {"labels": {"team": null}}});
    namespaces.patch("default", &PatchParams::default(), &Patch::Merge(&labels)).await.unwrap();
    let changed = tokio::time::Instant::now();
    world.until_reason::<HarborProject>("alpha", "InvalidSpec").await;
    assert!(changed.elapsed() <= Duration::from_secs(1), "{:?}", changed.elapsed());
}
