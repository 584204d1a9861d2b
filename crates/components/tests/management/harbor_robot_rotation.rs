//! HarborRobots whose rotation has an overlap: two robot accounts take turns.

use crate::{
    harbor_robot::{logs_in, names, newest, robot},
    world::{INTERVAL, World, settled},
};
use api::v1beta1::HarborRobot;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Secret;
use plan::Digest;
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};

const FIRST: &str = "robot$alpha+ci";
const SECOND: &str = "robot$alpha+ci-2";

/// A Harbor with the robot account `ci`, whose credentials stay valid for an hour after a renewal by annotation.
async fn renewed_by_annotation() -> World {
    let world = newest().await;
    // In the second in which time begins, Harbor would not say when it creates a robot account.
    settled().await;
    world.create(robot("ci", json!({"rotation": {"overlap": "1h"}}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    settled().await;
    world
}

async fn ask_for_renewal(world: &World, value: &str) {
    let request = json!({"metadata": {"annotations": {"goharbor.io/rotate-at": value}}});
    world.merge::<HarborRobot>("ci", request).await;
    settled().await;
}

async fn minutes(minutes: u64) {
    tokio::time::sleep(Duration::from_mins(minutes)).await;
}

async fn status(world: &World) -> Value {
    world.get::<HarborRobot>("ci").await["status"].take()
}

/// Whether credentials get into the project `alpha`.
async fn are_valid(world: &World, credentials: &BTreeMap<String, String>) -> bool {
    world.status_for(&credentials["username"], &credentials["password"], "/projects/alpha").await == 200
}

/// The values of all Secrets of robot accounts.
async fn secrets(world: &World) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut secrets = BTreeMap::new();
    for name in world.secret_names().await {
        secrets.insert(name.clone(), world.secret_values(&name).await);
    }
    secrets
}

#[tokio::test(start_paused = true)]
async fn with_an_overlap_an_annotation_renews_the_credentials_without_an_interval() {
    let mut world = renewed_by_annotation().await;
    for (request, login) in [("1", SECOND), ("2", FIRST), ("3", SECOND)] {
        let old = world.secret_values("ci").await;
        ask_for_renewal(&world, request).await;
        let new = world.secret_values("ci").await;
        assert_eq!(new["username"], login);
        assert!(are_valid(&world, &new).await, "{request}");
        let status_now = status(&world).await;
        let time = |value: &Value| value.as_str().unwrap().parse::<Timestamp>().unwrap();
        assert_eq!(status_now["fullName"], login);
        assert_eq!(status_now["lastRotationRequest"], request);
        assert_eq!(status_now["previous"]["fullName"], old["username"]);
        assert_eq!(
            time(&status_now["previous"]["deletedAfter"]),
            time(&status_now["lastRotation"]) + SignedDuration::from_hours(1)
        );

        world.restart().await;
        world.take_calls();
        minutes(58).await;
        assert_eq!(world.take_writes(), Vec::<String>::new(), "{request}");
        assert!(are_valid(&world, &old).await, "{request}: the previous credentials are valid");
        minutes(3).await;
        assert!(!are_valid(&world, &old).await, "{request}: the previous credentials have ended");
        assert_eq!(names(&world).await, [login]);
        assert_eq!(world.secret_names().await.len(), 2, "{request}");
        assert_eq!(status(&world).await["previous"], Value::Null);

        world.take_calls();
        tokio::time::sleep(INTERVAL * 3).await;
        assert_eq!(world.take_writes(), Vec::<String>::new(), "{request}");
        assert_eq!(world.secret_values("ci").await, new);
    }
    world.delete::<HarborRobot>("ci").await;
    world.until_gone::<HarborRobot>("ci").await;
    assert_eq!(names(&world).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_is_asked_for_within_an_overlap_waits_for_its_end() {
    let mut world = renewed_by_annotation().await;
    let first = world.secret_values("ci").await;
    ask_for_renewal(&world, "1").await;
    let second = world.secret_values("ci").await;
    minutes(30).await;
    let before = secrets(&world).await;
    for request in ["2", "3"] {
        ask_for_renewal(&world, request).await;
        assert_eq!(secrets(&world).await, before, "{request}");
        assert!(are_valid(&world, &first).await && are_valid(&world, &second).await, "{request}");
        assert_eq!(status(&world).await["lastRotationRequest"], "1");
        world.restart().await;
    }
    minutes(32).await;
    let third = world.secret_values("ci").await;
    assert_eq!(third["username"], FIRST);
    assert_ne!(third["password"], first["password"]);
    assert!(!are_valid(&world, &first).await, "its overlap is over");
    assert!(are_valid(&world, &second).await && are_valid(&world, &third).await);
    assert_eq!(status(&world).await["lastRotationRequest"], "3");
    minutes(55).await;
    assert!(are_valid(&world, &second).await, "the overlap began with the third password");
    minutes(8).await;
    assert!(!are_valid(&world, &second).await);
    assert_eq!(world.secret_values("ci").await, third);
    assert_eq!(names(&world).await, [FIRST]);
}

#[tokio::test(start_paused = true)]
async fn an_overlap_begins_when_harbor_has_the_new_robot_account() {
    let world = renewed_by_annotation().await;
    let first = world.secret_values("ci").await;
    world.harbor.set_read_only(true);
    tokio::time::sleep(INTERVAL * 2).await;
    for request in ["1", "2"] {
        ask_for_renewal(&world, request).await;
        assert_eq!(world.secret_values("ci").await, first);
    }
    minutes(120).await;
    assert_eq!(world.secret_values("ci").await, first);
    world.harbor.set_read_only(false);
    tokio::time::sleep(INTERVAL * 2).await;
    let second = world.secret_values("ci").await;
    assert_eq!(second["username"], SECOND);
    assert!(are_valid(&world, &first).await && are_valid(&world, &second).await);
    minutes(45).await;
    assert!(are_valid(&world, &first).await);
    minutes(20).await;
    assert!(!are_valid(&world, &first).await);
    assert!(are_valid(&world, &second).await);
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_during_a_renewal_leaves_both_credentials_valid() {
    for millis in (0..400).step_by(40) {
        let mut world = renewed_by_annotation().await;
        let first = world.secret_values("ci").await;
        let request = |value: &str| json!({"metadata": {"annotations": {"goharbor.io/rotate-at": value}}});
        world.merge::<HarborRobot>("ci", request("1")).await;
        tokio::time::sleep(Duration::from_millis(millis)).await;
        world.kill();
        let killed = world.secret_values("ci").await;
        world.merge::<HarborRobot>("ci", request("2")).await;
        world.start();
        for _ in 0..30 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert!(logs_in(&world, "ci").await, "killed after {millis} ms");
            assert!(are_valid(&world, &killed).await, "killed after {millis} ms");
        }
        world.until_reason::<HarborRobot>("ci", "Ready").await;
        assert_eq!(world.secret_values("ci").await["username"], SECOND, "killed after {millis} ms");
        assert!(are_valid(&world, &first).await, "killed after {millis} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_renewal_at_an_interval_waits_for_the_end_of_one_by_annotation() {
    let world = newest().await;
    settled().await;
    world.create(robot("ci", json!({"rotation": {"interval": "1h", "overlap": "10m"}}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    let first = world.secret_values("ci").await;
    minutes(55).await;
    ask_for_renewal(&world, "1").await;
    let second = world.secret_values("ci").await;
    assert_eq!(second["username"], SECOND);
    minutes(7).await;
    assert_eq!(world.secret_values("ci").await, second, "more than an hour has passed");
    assert!(are_valid(&world, &first).await);
    minutes(4).await;
    let third = world.secret_values("ci").await;
    assert_eq!(third["username"], FIRST);
    assert!(!are_valid(&world, &first).await);
    assert!(are_valid(&world, &second).await && are_valid(&world, &third).await);
    minutes(11).await;
    assert!(!are_valid(&world, &second).await);
    assert_eq!(world.secret_values("ci").await, third);
}

#[tokio::test(start_paused = true)]
async fn a_first_password_of_a_user_is_renewed_like_any_other_and_its_secret_stays() {
    let world = newest().await;
    settled().await;
    world.secret("ci-robot", &[("password", "Chosen-by-a-user-1")]).await;
    world.create(robot("ci", json!({"rotation": {"overlap": "1h"}}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    settled().await;
    let first = world.secret_values("ci").await;
    assert_eq!(first["password"], "Chosen-by-a-user-1");
    ask_for_renewal(&world, "1").await;
    let second = world.secret_values("ci").await;
    ask_for_renewal(&world, "2").await;
    assert!(are_valid(&world, &first).await && are_valid(&world, &second).await);
    minutes(62).await;
    let third = world.secret_values("ci").await;
    assert_eq!((second["username"].as_str(), third["username"].as_str()), (SECOND, FIRST));
    assert!(!are_valid(&world, &first).await, "its overlap is over");
    assert!(are_valid(&world, &second).await && are_valid(&world, &third).await);
    minutes(62).await;
    assert_eq!(names(&world).await, [FIRST]);
    assert_eq!(world.secret_names().await, ["ci", "ci-robot", "ci-robot-1"]);
}

#[tokio::test(start_paused = true)]
async fn passwords_that_an_earlier_version_generated_stay_until_the_next_renewal() {
    let mut world = newest().await;
    settled().await;
    world.kill();
    let mut object = robot("ci", json!({"rotation": {"interval": "1h", "overlap": "10m"}}));
    object["metadata"]["annotations"] = json!({"goharbor.io/rotate-at": "1"});
    world.create(object).await;
    minutes(122).await;
    for (hour, password) in [(1, "In-the-1st-hour"), (2, "In-the-2nd-hour")] {
        let digest = Digest::of(&(Some("1"), hour)).unwrap().to_string();
        world.secret(&format!("ci-robot-{}", &digest[..8]), &[("password", password)]).await;
    }
    world.start();
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    settled().await;
    let current = world.secret_values("ci").await;
    assert_eq!([&current["username"], &current["password"]], [FIRST, "In-the-2nd-hour"]);
    let mut accounts = names(&world).await;
    accounts.sort();
    assert_eq!(accounts, [FIRST, SECOND]);
    assert_eq!(world.status_for(SECOND, "In-the-1st-hour", "/projects/alpha").await, 200);
    assert_eq!(world.secret_names().await.len(), 3, "no password is generated");
    minutes(12).await;
    assert_eq!(names(&world).await, [FIRST]);
    minutes(46).await;
    let next = world.secret_values("ci").await;
    assert_eq!(next["username"], SECOND);
    assert!(are_valid(&world, &next).await && are_valid(&world, &current).await);
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_in_the_way_of_the_next_password_is_reported() {
    let world = renewed_by_annotation().await;
    let first = world.secret_values("ci").await;
    world.secret("ci-robot-2", &[("password", "Chosen-by-a-user-1")]).await;
    ask_for_renewal(&world, "1").await;
    let message = world.until_reason::<HarborRobot>("ci", "InvalidSpec").await;
    assert_eq!(
        message,
        "Secret default/ci-robot-2: is not from the operator, which keeps the next password in a Secret of this name; \
         delete it"
    );
    assert!(are_valid(&world, &first).await);
    world.delete::<Secret>("ci-robot-2").await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    settled().await;
    assert_eq!(world.secret_values("ci").await["username"], SECOND);
}

#[tokio::test(start_paused = true)]
async fn with_an_overlap_two_robots_take_turns_and_the_previous_credentials_stay_valid_for_it() {
    let mut world = newest().await;
    world.create(robot("ci", json!({"rotation": {"interval": "1h", "overlap": "10m"}}))).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    assert_eq!(names(&world).await, [FIRST]);
    tokio::time::sleep(Duration::from_secs(58 * 60 + 30)).await;
    for round in [SECOND, FIRST, SECOND] {
        // Short of the hour, and then past it.
        tokio::time::sleep(Duration::from_mins(1)).await;
        let old = world.secret_values("ci").await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        let new = world.secret_values("ci").await;
        assert_eq!(new["username"], round);
        assert!(logs_in(&world, "ci").await, "{round}");
        assert!(are_valid(&world, &old).await, "{round}: the previous credentials are valid");
        let status = status(&world).await;
        assert_eq!([&status["fullName"], &status["previous"]["fullName"]], [round, old["username"].as_str()]);
        assert!(status["lastRotation"].is_string(), "{status}");
        tokio::time::sleep(Duration::from_mins(12)).await;
        assert!(!are_valid(&world, &old).await, "{round}: the previous credentials have ended");
        assert_eq!(names(&world).await, [round]);
        assert_eq!(world.secret_names().await.len(), 2);
        world.restart().await;
        // To shortly before the next hour.
        tokio::time::sleep(Duration::from_mins(46)).await;
    }
    world.delete::<HarborRobot>("ci").await;
    world.until_gone::<HarborRobot>("ci").await;
    assert_eq!(names(&world).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_overlap_needs_robots_that_the_operator_creates_and_deletes() {
    let world = newest().await;
    let rotation = json!({"rotation": {"interval": "1h", "overlap": "10m"}, "deletionPolicy": "Orphan"});
    world.create(robot("ci", rotation)).await;
    let message = world.until_reason::<HarborRobot>("ci", "InvalidSpec").await;
    assert_eq!(
        message,
        "spec.rotation.overlap: the operator must create a robot account for each renewal, and delete it after the \
         overlap; set spec.creationPolicy to Create and spec.deletionPolicy to Delete, or remove the overlap"
    );
}
