//! HarborRobot.

use crate::world::{INTERVAL, World, settled};
use api::v1beta1::{HarborProject, HarborRobot};
use harborserver::Version;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

/// A robot that may see the project `alpha`, with changes to its spec.
pub fn robot(name: &str, changes: Value) -> Value {
    let mut spec = json!({
        "harborServerConfig": "acme", "robotName": name, "level": "project", "projectName": "alpha",
        "permissions": [{"kind": "project", "access": [
            {"resource": "project", "action": "read"}, {"resource": "repository", "action": "pull"},
        ]}],
        "secret": {},
    });
    json_patch::merge(&mut spec, &changes);
    json!({"kind": "HarborRobot", "metadata": {"name": name}, "spec": spec})
}

pub async fn with_alpha(version: Version) -> World {
    let world = World::with_version(version).await;
    world.ask("POST", "/projects", json!({"project_name": "alpha"})).await;
    world
}

pub async fn newest() -> World {
    with_alpha(Version::new(15, 2)).await
}

/// The robots of the project `alpha`.
pub async fn robots(world: &World) -> Vec<Value> {
    let alpha = world.ask("GET", "/projects/alpha", Value::Null).await;
    let query = format!("/robots?q=Level%3Dproject%2CProjectID%3D{}", alpha["project_id"]);
    world.ask("GET", &query, Value::Null).await.as_array().cloned().unwrap_or_default()
}

pub async fn names(world: &World) -> Vec<String> {
    let name = |robot: &Value| robot["name"].as_str().unwrap().to_owned();
    robots(world).await.iter().map(name).collect()
}

/// Whether the credentials of a Secret get into the project `alpha`.
pub async fn logs_in(world: &World, secret: &str) -> bool {
    let values = world.secret_values(secret).await;
    world.status_for(&values["username"], &values["password"], "/projects/alpha").await == 200
}

#[tokio::test(start_paused = true)]
async fn a_robot_is_created_with_few_requests_and_its_secret_logs_in() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = with_alpha(version).await;
        settled().await;
        world.take_calls();
        world.create(robot("ci", json!({"duration": 30, "description": "Builds"}))).await;
        world.until_reason::<HarborRobot>("ci", "Ready").await;
        let calls = world.take_calls();
        assert!(calls.len() <= 14, "{version}: {calls:#?}");
        let writes: Vec<_> =
            calls.iter().filter(|it| !it.starts_with("GET") && !it.starts_with("HEAD")).collect();
        assert_eq!(writes.len(), 2, "{version}: {writes:?}");

        let values = world.secret_values("ci").await;
        let config: Value = serde_json::from_str(&values[".dockerconfigjson"]).unwrap();
        let login = &config["auths"]["harbor.example.com"];
        assert_eq!(login["username"], values["username"]);
        assert_eq!(login["password"], values["password"]);
        assert_eq!(values["username"], "robot$alpha+ci");
        assert_eq!(values["password"].len(), 32);
        assert!(logs_in(&world, "ci").await, "{version}");
        assert_eq!(world.get::<Secret>("ci").await["type"], "kubernetes.io/dockerconfigjson");

        settled().await;
        let status = world.get::<HarborRobot>("ci").await["status"].take();
        let shown = robots(&world).await.remove(0);
        assert_eq!(status["robotID"], shown["id"]);
        assert_eq!(status["fullName"], "robot$alpha+ci");
        assert_eq!(status["secretName"], "ci");
        assert!(status["expiresAt"].is_string(), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_ready_only_when_its_secret_exists() {
    let world = newest().await;
    world.create(robot("ci", json!({"secret": {"name": "pull", "type": "opaque"}}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    let keys: Vec<_> = world.secret_values("pull").await.into_keys().collect();
    assert_eq!(keys, ["password", "username"]);
    assert!(logs_in(&world, "pull").await);
}

#[tokio::test(start_paused = true)]
async fn the_password_is_in_secrets_only() {
    let world = newest().await;
    world.create(robot("ci", json!({}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    settled().await;
    let password = world.secret_values("ci").await.remove("password").unwrap();
    assert!(!world.readable::<HarborRobot>().await.contains(&password));
}

#[tokio::test(start_paused = true)]
async fn changes_arrive_within_a_second_and_drift_is_repaired_within_the_interval() {
    let world = newest().await;
    world.create(robot("ci", json!({}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    settled().await;
    world.merge::<HarborRobot>("ci", json!({"spec": {"description": "new", "duration": 7}})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let shown = robots(&world).await.remove(0);
    assert_eq!([&shown["description"], &shown["duration"]], [&json!("new"), &json!(7)]);

    settled().await;
    let mut changed = shown.clone();
    changed["disable"] = true.into();
    world.ask("PUT", &format!("/robots/{}", shown["id"]), changed).await;
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    assert_eq!(robots(&world).await[0]["disable"], false);
    assert!(logs_in(&world, "ci").await);
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_robot_costs_lists_only_and_its_password_is_not_sent_again_after_a_restart() {
    let mut world = newest().await;
    world.create(robot("ci", json!({}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    settled().await;
    world.take_calls();
    tokio::time::sleep(INTERVAL * 3).await;
    world.restart().await;
    tokio::time::sleep(INTERVAL).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn the_annotation_renews_the_password_and_the_old_one_ends() {
    let world = newest().await;
    world.create(robot("ci", json!({}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    let old = world.secret_values("ci").await;
    settled().await;
    let now = json!({"metadata": {"annotations": {"goharbor.io/rotate-at": "2026-11-17T15:00:00Z"}}});
    world.merge::<HarborRobot>("ci", now).await;
    settled().await;
    let new = world.secret_values("ci").await;
    assert_ne!(new["password"], old["password"]);
    assert!(logs_in(&world, "ci").await);
    let status = world.status_for(&old["username"], &old["password"], "/projects/alpha").await;
    assert_eq!(status, 401, "the old password is refused");
    let status = world.get::<HarborRobot>("ci").await["status"].take();
    assert_eq!(status["lastRotationRequest"], "2026-11-17T15:00:00Z");
    assert_eq!(world.secret_names().await.len(), 2, "the old password is deleted");
    assert_eq!(names(&world).await, ["robot$alpha+ci"]);
}

#[tokio::test(start_paused = true)]
async fn the_secret_keeps_the_old_password_while_harbor_is_down_or_read_only() {
    let world = newest().await;
    world.create(robot("ci", json!({}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    settled().await;
    let old = world.secret_values("ci").await;
    world.harbor.set_read_only(true);
    tokio::time::sleep(INTERVAL * 2).await;
    let renew = |value: &str| json!({"metadata": {"annotations": {"goharbor.io/rotate-at": value}}});
    world.merge::<HarborRobot>("ci", renew("1")).await;
    settled().await;
    assert_eq!(world.secret_values("ci").await, old);
    world.harbor.set_read_only(false);
    world.is_down.store(true, Ordering::SeqCst);
    tokio::time::sleep(INTERVAL * 2).await;
    world.merge::<HarborRobot>("ci", renew("2")).await;
    settled().await;
    assert_eq!(world.secret_values("ci").await, old);
    assert!(logs_in(&world, "ci").await);
    world.is_down.store(false, Ordering::SeqCst);
    tokio::time::sleep(INTERVAL * 2).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    assert_ne!(world.secret_values("ci").await, old);
    assert!(logs_in(&world, "ci").await);
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_deleted_comes_back_and_works() {
    let world = newest().await;
    world.create(robot("ci", json!({}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    settled().await;
    for name in ["ci", "ci-robot"] {
        world.delete::<Secret>(name).await;
        settled().await;
        assert!(logs_in(&world, "ci").await, "after {name} was deleted");
    }
}

#[tokio::test(start_paused = true)]
async fn deletion_removes_the_robot_unless_it_is_retained() {
    let world = newest().await;
    world.create(robot("ci", json!({}))).await;
    world.create(robot("kept", json!({"deletionPolicy": "Retain"}))).await;
    for name in ["ci", "kept"] {
        world.until_reason::<HarborRobot>(name, "Ready").await;
        settled().await;
        world.delete::<HarborRobot>(name).await;
        world.until_gone::<HarborRobot>(name).await;
    }
    assert_eq!(names(&world).await, ["robot$alpha+kept"]);
}

#[tokio::test(start_paused = true)]
async fn a_robot_that_exists_is_left_alone_unless_the_policy_says_otherwise() {
    let world = newest().await;
    let exists = json!({
        "name": "ci", "level": "project", "duration": -1,
        "permissions": [{"kind": "project", "namespace": "alpha", "access": [{"resource": "tag", "action": "list"}]}],
    });
    world.ask("POST", "/robots", exists).await;
    world.create(robot("ci", json!({}))).await;
    let message = world.until_reason::<HarborRobot>("ci", "AlreadyExists").await;
    assert!(message.contains("spec.creationPolicy"), "{message}");
    world.merge::<HarborRobot>("ci", json!({"spec": {"creationPolicy": "Adopt"}})).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    assert!(logs_in(&world, "ci").await);
    world.delete::<HarborRobot>("ci").await;
    world.until_gone::<HarborRobot>("ci").await;
    assert_eq!(names(&world).await, ["robot$alpha+ci"]);
}

#[tokio::test(start_paused = true)]
async fn without_an_output_secret_the_password_is_left_alone() {
    let world = newest().await;
    let exists = json!({
        "name": "ci", "level": "project", "duration": -1,
        "permissions": [{"kind": "project", "namespace": "alpha", "access": [{"resource": "project", "action": "read"}]}],
    });
    let created = world.ask("POST", "/robots", exists).await;
    world.create(robot("ci", json!({"creationPolicy": "Adopt", "secret": null}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    let (login, secret) = (created["name"].as_str().unwrap(), created["secret"].as_str().unwrap());
    assert_eq!(world.status_for(login, secret, "/projects/alpha").await, 200);
    assert_eq!(world.secret_names().await, [""; 0]);

    world.create(robot("new", json!({"secret": null}))).await;
    let message = world.until_reason::<HarborRobot>("new", "Ready").await;
    assert!(message.contains("spec.secret: is not set"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn two_objects_for_one_robot_do_not_fight() {
    let world = newest().await;
    world.create(robot("ci", json!({}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    let mut second = robot("ci", json!({"creationPolicy": "CreateOrAdopt"}));
    second["metadata"]["name"] = "other".into();
    world.create(second).await;
    let message = world.until_reason::<HarborRobot>("other", "Conflict").await;
    assert!(message.contains("HarborRobot default/ci"), "{message}");
    settled().await;
    assert!(logs_in(&world, "ci").await);
}

#[tokio::test(start_paused = true)]
async fn lost_answers_create_nothing_twice_and_lose_no_password() {
    let world = newest().await;
    world.lost_answers.store(2, Ordering::SeqCst);
    world.create(robot("ci", json!({}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    let posts = world.take_writes().into_iter().filter(|it| it == "POST /robots").count();
    assert_eq!(posts, 1);
    assert!(logs_in(&world, "ci").await);
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_at_any_time_ends_with_a_secret_that_logs_in() {
    for millis in (0..400).step_by(20) {
        let mut world = newest().await;
        settled().await;
        world.create(robot("ci", json!({}))).await;
        tokio::time::sleep(Duration::from_millis(millis)).await;
        world.kill();
        world.start();
        world.until_reason::<HarborRobot>("ci", "Ready").await;
        assert!(logs_in(&world, "ci").await, "killed after {millis} ms");
        assert_eq!(names(&world).await, ["robot$alpha+ci"], "killed after {millis} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_robot_waits_for_its_project() {
    let world = World::new().await;
    world.create(robot("ci", json!({"projectName": null, "projectRef": "alpha"}))).await;
    world.until_reason::<HarborRobot>("ci", "DependencyMissing").await;
    let project = json!({
        "kind": "HarborProject", "metadata": {"name": "alpha"},
        "spec": {"harborServerConfig": "acme", "projectName": "alpha"},
    });
    world.create(project).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    assert!(logs_in(&world, "ci").await);
}

#[tokio::test(start_paused = true)]
async fn a_robot_of_the_system_has_permissions_of_both_kinds_where_harbor_can() {
    let spec = json!({
        "level": "system", "projectName": null,
        "permissions": [
            {"kind": "system", "access": [{"resource": "project", "action": "list"}]},
            {"kind": "project", "namespace": "*", "access": [{"resource": "project", "action": "read"}]},
        ],
    });
    let world = newest().await;
    world.create(robot("ci", spec.clone())).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    assert_eq!(world.secret_values("ci").await["username"], "robot$ci");
    assert!(logs_in(&world, "ci").await);
    settled().await;
    world.take_calls();
    tokio::time::sleep(INTERVAL * 2).await;
    assert_eq!(world.take_writes(), Vec::<String>::new(), "the order of permissions is no difference");

    let world = with_alpha(Version::new(9, 5)).await;
    world.create(robot("ci", spec)).await;
    let message = world.until_reason::<HarborRobot>("ci", "InvalidSpec").await;
    assert!(message.contains("ignores entries of kind project"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_is_refused_with_the_entry_and_a_remedy() {
    let access = |resource: &str, action: &str| {
        let tag = json!({"resource": "tag", "action": "list"});
        json!({"permissions": [{"kind": "project", "access": [tag, {"resource": resource, "action": action}]}]})
    };
    let entry = "spec.permissions[0].access[1]: ";
    for (version, changes, expected) in [
        (
            Version::new(15, 2),
            access("robot", "update"),
            format!(
                "{entry}update of robot with kind project is granted to robot accounts by no version of Harbor; \
                 correct the resource, the action or the kind, or remove it"
            ),
        ),
        (
            Version::new(10, 3),
            access("member", "list"),
            format!(
                "{entry}list of member with kind project does not exist in Harbor 2.10.3; remove it, or upgrade to \
                 Harbor 2.12.0"
            ),
        ),
        (
            Version::new(9, 5),
            access("repo", "pull"),
            format!(
                "{entry}pull of repo with kind project is stored by Harbor 2.9.5 unchecked, and does not mean \
                 anything; correct the resource or the action, or list each action by its name"
            ),
        ),
        (
            Version::new(15, 2),
            json!({"secret": {"name": "ci-robot"}}),
            "spec.secret.name: the operator keeps the password in a Secret that is called ci-robot; choose another name"
                .to_owned(),
        ),
        (
            Version::new(15, 2),
            json!({"secret": null, "rotation": {"interval": "1h"}}),
            "spec.rotation: without spec.secret, the operator does not know the password of the robot account; set \
             spec.secret, or remove spec.rotation"
                .to_owned(),
        ),
    ] {
        let world = with_alpha(version).await;
        world.create(robot("ci", changes)).await;
        let message = world.until_reason::<HarborRobot>("ci", "InvalidSpec").await;
        assert_eq!(message, expected, "{version}");
        assert_eq!(robots(&world).await, Vec::<Value>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn another_type_of_secret_needs_another_secret() {
    let world = newest().await;
    world.create(robot("ci", json!({}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    world.merge::<HarborRobot>("ci", json!({"spec": {"secret": {"type": "opaque"}}})).await;
    let message = world.until_reason::<HarborRobot>("ci", "InvalidSpec").await;
    assert!(message.starts_with("spec.secret.type: Secret ci has the type"), "{message}");
    world.delete::<Secret>("ci").await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    assert!(logs_in(&world, "ci").await);
}

#[tokio::test(start_paused = true)]
async fn an_interval_renews_the_password_of_the_robot() {
    let world = newest().await;
    world.create(robot("ci", json!({"rotation": {"interval": "1h"}}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    let mut passwords = vec![world.secret_values("ci").await["password"].clone()];
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_hours(1)).await;
        assert!(logs_in(&world, "ci").await);
        passwords.push(world.secret_values("ci").await["password"].clone());
    }
    passwords.sort();
    passwords.dedup();
    assert_eq!(passwords.len(), 4, "each hour has its password");
    assert_eq!(names(&world).await, ["robot$alpha+ci"]);
    assert_eq!(world.secret_names().await.len(), 2, "old passwords are deleted");
}

#[tokio::test(start_paused = true)]
async fn a_robot_that_has_expired_is_reported_until_its_duration_is_raised() {
    let world = newest().await;
    world.create(robot("ci", json!({"duration": 1}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    tokio::time::sleep(Duration::from_hours(24)).await;
    let message = world.until_reason::<HarborRobot>("ci", "InvalidSpec").await;
    let end = world.get::<HarborRobot>("ci").await["status"]["expiresAt"].take();
    assert_eq!(
        message,
        format!(
            "spec.duration: the robot account expired at {}; raise it, because Harbor counts the days from the \
             creation of the robot account, or set it to -1",
            end.as_str().unwrap()
        )
    );
    world.merge::<HarborRobot>("ci", json!({"spec": {"duration": 2}})).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    assert!(logs_in(&world, "ci").await);
}
