//! HarborUser.

use crate::world::{INTERVAL, World, settled};
use api::v1beta1::{HarborConfiguration, HarborUser};
use harborserver::Version;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

fn user(name: &str, changes: Value) -> Value {
    let mut spec = json!({
        "harborServerConfig": "acme", "username": name, "email": format!("{name}@example.com"),
        "passwordRef": {"name": "password"},
    });
    json_patch::merge(&mut spec, &changes);
    json!({"kind": "HarborUser", "metadata": {"name": name}, "spec": spec})
}

async fn with_version(version: Version) -> World {
    let world = World::with_version(version).await;
    world.secret("password", &[("password", "Anna12345\n"), ("weak", "password")]).await;
    world
}

async fn newest() -> World {
    with_version(Version::new(15, 2)).await
}

async fn users(world: &World) -> Vec<Value> {
    world.ask("GET", "/users", Value::Null).await.as_array().cloned().unwrap_or_default()
}

async fn logs_in(world: &World, name: &str, password: &str) -> bool {
    world.status_for(name, password, "/users/current").await == 200
}

#[tokio::test(start_paused = true)]
async fn a_user_is_created_with_few_requests_and_logs_in() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = with_version(version).await;
        settled().await;
        world.take_calls();
        world.create(user("anna", json!({"sysadmin": true, "comment": "tests"}))).await;
        world.until_reason::<HarborUser>("anna", "Ready").await;
        let calls = world.take_calls();
        assert!(calls.len() <= 9, "{version}: {calls:#?}");
        assert!(logs_in(&world, "anna", "Anna12345").await, "{version}");
        let shown = users(&world).await.remove(0);
        let fields =
            ["username", "email", "realname", "comment"].map(|field| shown[field].as_str().unwrap_or(""));
        assert_eq!(fields, ["anna", "anna@example.com", "anna", "tests"]);
        assert_eq!(shown["sysadmin_flag"], true);
        assert_eq!(world.get::<HarborUser>("anna").await["status"]["userID"], shown["user_id"]);
    }
}

#[tokio::test(start_paused = true)]
async fn changes_arrive_within_a_second_and_drift_is_repaired_within_the_interval() {
    let world = newest().await;
    world.create(user("anna", json!({}))).await;
    world.until_reason::<HarborUser>("anna", "Ready").await;
    settled().await;
    world.merge::<HarborUser>("anna", json!({"spec": {"email": "anna@acme.com", "sysadmin": true}})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let shown = users(&world).await.remove(0);
    assert_eq!([&shown["email"], &shown["sysadmin_flag"]], [&json!("anna@acme.com"), &json!(true)]);

    world.merge::<Secret>("password", json!({"stringData": {"password": "Other12345"}})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(logs_in(&world, "anna", "Other12345").await);

    settled().await;
    let path = format!("/users/{}/sysadmin", shown["user_id"]);
    world.ask("PUT", &path, json!({"sysadmin_flag": false})).await;
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    assert_eq!(users(&world).await[0]["sysadmin_flag"], true);
    settled().await;
    world.take_calls();
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_user_stays_when_its_object_is_deleted_unless_the_policy_says_otherwise() {
    let world = newest().await;
    world.create(user("anna", json!({}))).await;
    world.create(user("bert", json!({"deletionPolicy": "Delete"}))).await;
    for name in ["anna", "bert"] {
        world.until_reason::<HarborUser>(name, "Ready").await;
        world.delete::<HarborUser>(name).await;
        world.until_gone::<HarborUser>(name).await;
    }
    let names: Vec<_> = users(&world).await.iter().map(|user| user["username"].clone()).collect();
    assert_eq!(names, ["anna"]);
}

#[tokio::test(start_paused = true)]
async fn a_user_that_exists_is_adopted_only_if_the_policy_says_so() {
    let world = newest().await;
    let anna =
        json!({"username": "anna", "email": "a@example.com", "realname": "A", "password": "First12345"});
    world.ask("POST", "/users", anna).await;
    world.create(user("anna", json!({}))).await;
    let message = world.until_reason::<HarborUser>("anna", "AlreadyExists").await;
    assert!(message.contains("spec.creationPolicy"), "{message}");
    assert!(logs_in(&world, "anna", "First12345").await);
    let adopted = json!({"spec": {"creationPolicy": "Adopt", "deletionPolicy": "Delete"}});
    world.merge::<HarborUser>("anna", adopted).await;
    world.until_reason::<HarborUser>("anna", "Ready").await;
    assert!(logs_in(&world, "anna", "Anna12345").await);
    world.delete::<HarborUser>("anna").await;
    world.until_gone::<HarborUser>("anna").await;
    assert_eq!(users(&world).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn two_objects_for_one_user_do_not_fight() {
    let world = newest().await;
    world.create(user("anna", json!({}))).await;
    world.until_reason::<HarborUser>("anna", "Ready").await;
    let mut second = user("anna", json!({"creationPolicy": "CreateOrAdopt", "sysadmin": true}));
    second["metadata"]["name"] = "other".into();
    world.create(second).await;
    let message = world.until_reason::<HarborUser>("other", "Conflict").await;
    assert!(message.contains("HarborUser default/anna"), "{message}");
    assert_eq!(users(&world).await[0]["sysadmin_flag"], false);
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_a_restart_and_a_harbor_that_is_down_for_a_while_lose_nothing() {
    let mut world = newest().await;
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(user("anna", json!({}))).await;
    world.until_reason::<HarborUser>("anna", "Ready").await;
    let posts = world.take_writes().into_iter().filter(|it| it == "POST /users").count();
    assert_eq!(posts, 1);
    world.restart().await;
    settled().await;
    assert_eq!(world.take_writes(), Vec::<String>::new(), "a restart sends no password again");
    world.is_down.store(true, Ordering::SeqCst);
    world.merge::<Secret>("password", json!({"stringData": {"password": "Other12345"}})).await;
    tokio::time::sleep(INTERVAL).await;
    world.is_down.store(false, Ordering::SeqCst);
    tokio::time::sleep(INTERVAL).await;
    world.until_reason::<HarborUser>("anna", "Ready").await;
    assert!(logs_in(&world, "anna", "Other12345").await);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_is_refused_with_a_remedy_and_without_the_password() {
    let world = newest().await;
    world.create(user("anna", json!({"passwordRef": {"key": "weak"}}))).await;
    let message = world.until_reason::<HarborUser>("anna", "InvalidSpec").await;
    assert_eq!(
        message,
        "Secret default/password, key `weak`: is no password that Harbor accepts; use 8 to 128 characters, of which at \
         least one is an upper-case letter, one a lower-case letter and one a digit"
    );
    world.create(user("bert", json!({"passwordRef": {"name": "missing"}}))).await;
    world.until_reason::<HarborUser>("bert", "DependencyMissing").await;
    world.create(user("carl", json!({}))).await;
    world.until_reason::<HarborUser>("carl", "Ready").await;
    world.create(user("dora", json!({"email": "carl@example.com"}))).await;
    let message = world.until_reason::<HarborUser>("dora", "ExternalRejected").await;
    assert!(message.contains("unique"), "{message}");
    settled().await;
    assert!(!world.readable::<HarborUser>().await.contains("Anna12345"));
}

#[tokio::test(start_paused = true)]
async fn no_user_is_created_in_a_harbor_that_is_to_have_users_of_a_directory() {
    // The settings cannot be sent, because a Secret is missing.
    let mut world = World::without_operator(Version::new(15, 2)).await;
    world.secret("password", &[("password", "Anna12345")]).await;
    let settings = json!({"authMode": "oidc_auth", "oidcClientSecret": "oidc"});
    let spec = json!({"harborServerConfig": "acme", "configuration": settings});
    world.create(json!({"kind": "HarborConfiguration", "metadata": {"name": "main"}, "spec": spec})).await;
    world.create(user("anna", json!({}))).await;
    world.start();
    let message = world.until_reason::<HarborUser>("anna", "InvalidSpec").await;
    assert_eq!(
        message,
        "spec: HarborConfiguration default/main sets authMode to oidc_auth, which Harbor refuses once it has users of its \
         own; create the user in the directory and delete this object, or set authMode to db_auth"
    );
    assert_eq!(users(&world).await, Vec::<Value>::new());

    let database = json!({"spec": {"configuration": {"authMode": "db_auth"}}});
    world.merge::<HarborConfiguration>("main", database).await;
    world.until_reason::<HarborUser>("anna", "Ready").await;
    assert_eq!(users(&world).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_harbor_whose_users_come_from_a_directory_has_no_users_of_its_own() {
    let world = newest().await;
    world.ask("PUT", "/configurations", json!({"auth_mode": "oidc_auth"})).await;
    world.create(user("anna", json!({}))).await;
    let message = world.until_reason::<HarborUser>("anna", "InvalidSpec").await;
    assert_eq!(
        message,
        "spec: users of this Harbor log in with oidc_auth, so that it has no users of its own; create the user in the \
         directory and delete this object"
    );
}
