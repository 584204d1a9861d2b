//! HarborUserGroup.

use crate::world::{INTERVAL, World, settled};
use api::v1beta1::HarborUserGroup;
use harborserver::Version;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

fn group(object: &str, name: &str) -> Value {
    json!({
        "kind": "HarborUserGroup", "metadata": {"name": object},
        "spec": {"harborServerConfig": "acme", "groupName": name, "groupType": "oidc"},
    })
}

async fn names(world: &World) -> Vec<String> {
    let groups = world.ask("GET", "/usergroups", Value::Null).await;
    let groups = groups.as_array().cloned().unwrap_or_default();
    groups.iter().map(|group| group["group_name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_group_is_created_where_it_is_missing_and_never_deleted() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = World::with_version(version).await;
        settled().await;
        world.take_calls();
        world.create(group("dev", "dev")).await;
        world.until_reason::<HarborUserGroup>("dev", "Ready").await;
        let calls = world.take_calls();
        assert!(calls.len() <= 5, "{version}: {calls:#?}");
        assert_eq!(names(&world).await, ["dev"], "{version}");
        world.delete::<HarborUserGroup>("dev").await;
        world.until_gone::<HarborUserGroup>("dev").await;
        assert_eq!(names(&world).await, ["dev"], "{version}");
    }
}

#[tokio::test(start_paused = true)]
async fn several_objects_may_claim_a_group_that_exists() {
    let world = World::new().await;
    world.ask("POST", "/usergroups", json!({"group_name": "dev", "group_type": 3})).await;
    world.take_calls();
    for object in ["one", "two"] {
        world.create(group(object, "dev")).await;
        world.until_reason::<HarborUserGroup>(object, "Ready").await;
    }
    tokio::time::sleep(INTERVAL * 2).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_group_that_someone_deletes_comes_back() {
    let world = World::new().await;
    world.create(group("dev", "dev")).await;
    world.until_reason::<HarborUserGroup>("dev", "Ready").await;
    let groups = world.ask("GET", "/usergroups", Value::Null).await;
    world.ask("DELETE", &format!("/usergroups/{}", groups[0]["id"]), Value::Null).await;
    tokio::time::sleep(INTERVAL * 3 / 2).await;
    assert_eq!(names(&world).await, ["dev"]);
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_and_a_harbor_that_is_down_for_a_while_lose_nothing() {
    let world = World::new().await;
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(group("dev", "dev")).await;
    world.until_reason::<HarborUserGroup>("dev", "Ready").await;
    world.is_down.store(true, Ordering::SeqCst);
    world.create(group("ops", "ops")).await;
    world.until_reason::<HarborUserGroup>("ops", "ExternalUnreachable").await;
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason::<HarborUserGroup>("ops", "Ready").await;
    assert_eq!(names(&world).await, ["dev", "ops"]);
}

#[tokio::test(start_paused = true)]
async fn a_group_that_harbor_would_not_show_is_refused() {
    let world = World::new().await;
    world.ask("PUT", "/configurations", json!({"auth_mode": "http_auth"})).await;
    world.create(group("dev", "dev")).await;
    let message = world.until_reason::<HarborUserGroup>("dev", "InvalidSpec").await;
    assert_eq!(
        message,
        "spec.groupType: oidc needs a Harbor with oidc_auth, and this one has http_auth; correct it, or delete this \
         object"
    );
}
