//! What users learn before a robot account expires.

use crate::world::{World, settled};
use api::v1beta1::HarborRobot;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

const HOUR: Duration = Duration::from_hours(1);

/// A Harbor with the robot account `ci`, which lives for a day.
async fn with_robot(changes: Value) -> World {
    let world = World::new().await;
    // In the second in which time begins, Harbor would not say when it creates the robot account.
    settled().await;
    let mut spec = json!({
        "harborServerConfig": "acme", "robotName": "ci", "level": "system", "duration": 1,
        "permissions": [{"kind": "system", "access": [{"resource": "project", "action": "list"}]}],
        "secret": {"type": "opaque"},
    });
    json_patch::merge(&mut spec, &changes);
    world.create(json!({"kind": "HarborRobot", "metadata": {"name": "ci"}, "spec": spec})).await;
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    settled().await;
    world
}

/// Status and reason of the condition.
async fn expiring(world: &World) -> [String; 2] {
    let condition = world.condition::<HarborRobot>("ci", "Expiring").await;
    ["status", "reason"].map(|field| condition[field].as_str().unwrap_or_default().to_owned())
}

#[tokio::test(start_paused = true)]
async fn one_event_reports_that_a_robot_account_expires_soon() {
    let mut world = with_robot(json!({})).await;
    tokio::time::sleep(HOUR * 15).await;
    assert_eq!(expiring(&world).await, ["False", "NotSoon"]);
    assert_eq!(world.event_notes("ExpiresSoon").await, Vec::<String>::new());

    // A third of the lifetime is eight hours.
    tokio::time::sleep(HOUR).await;
    assert_eq!(expiring(&world).await, ["True", "ExpiresSoon"]);
    let end = world.get::<HarborRobot>("ci").await["status"]["expiresAt"].take();
    let note = format!(
        "the robot account expires at {}; raise spec.duration, because Harbor counts the days from the creation of the \
         robot account, or set it to -1",
        end.as_str().unwrap()
    );
    assert_eq!(world.event_notes("ExpiresSoon").await, std::slice::from_ref(&note));
    world.until_reason::<HarborRobot>("ci", "Ready").await;

    world.restart().await;
    world.is_down.store(true, Ordering::SeqCst);
    tokio::time::sleep(HOUR).await;
    assert_eq!(expiring(&world).await, ["True", "ExpiresSoon"], "while Harbor does not answer");
    world.is_down.store(false, Ordering::SeqCst);
    tokio::time::sleep(HOUR).await;
    assert_eq!(world.event_notes("ExpiresSoon").await, [note], "it is not repeated");

    world.merge::<HarborRobot>("ci", json!({"spec": {"duration": 30}})).await;
    settled().await;
    assert_eq!(expiring(&world).await, ["False", "NotSoon"]);
    world.merge::<HarborRobot>("ci", json!({"spec": {"duration": -1}})).await;
    settled().await;
    assert_eq!(expiring(&world).await, ["False", "NeverExpires"]);
}

#[tokio::test(start_paused = true)]
async fn a_robot_account_that_rotation_replaces_in_time_is_not_reported() {
    let world = with_robot(json!({"rotation": {"interval": "20h", "overlap": "1h"}})).await;
    for _ in 0..3 {
        tokio::time::sleep(HOUR * 10).await;
        assert_eq!(expiring(&world).await, ["False", "Rotates"]);
    }
    assert_eq!(world.event_notes("ExpiresSoon").await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_robot_account_whose_replacement_comes_too_late_is_reported() {
    is_reported_with(json!({"interval": "25h", "overlap": "1h"})).await;
}

#[tokio::test(start_paused = true)]
async fn a_robot_account_whose_renewal_comes_too_late_is_reported() {
    is_reported_with(json!({"interval": "25h"})).await;
}

#[tokio::test(start_paused = true)]
async fn a_robot_account_that_is_replaced_only_on_request_is_reported() {
    is_reported_with(json!({"overlap": "1h"})).await;
}

async fn is_reported_with(rotation: Value) {
    let world = with_robot(json!({ "rotation": rotation })).await;
    tokio::time::sleep(HOUR * 17).await;
    assert_eq!(expiring(&world).await, ["True", "ExpiresSoon"]);
    assert_eq!(world.event_notes("ExpiresSoon").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_robot_account_that_expires_between_two_renewals_is_renewed_when_the_next_one_is_due() {
    let world = with_robot(json!({"rotation": {"interval": "30h"}})).await;
    tokio::time::sleep(HOUR * 25).await;
    assert_eq!(expiring(&world).await, ["True", "Expired"]);
    world.until_reason::<HarborRobot>("ci", "InvalidSpec").await;

    tokio::time::sleep(HOUR * 5).await;
    assert_eq!(expiring(&world).await, ["False", "Rotates"]);
    world.until_reason::<HarborRobot>("ci", "Ready").await;
    assert!(world.logs_in_as_robot("ci").await);
}

#[tokio::test(start_paused = true)]
async fn rotation_without_an_overlap_renews_the_lifetime_with_the_password() {
    let world = with_robot(json!({"rotation": {"interval": "10h"}})).await;
    let end = async || {
        let status = world.get::<HarborRobot>("ci").await["status"].take();
        status["expiresAt"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second() / 3600
    };
    assert_eq!(end().await, 24);
    // Harbor counts whole days from the creation of the robot account. It is renewed after 10, 20 and 30 hours.
    for (hours, lives_until) in [(11, 48), (11, 48), (11, 72)] {
        tokio::time::sleep(HOUR * hours).await;
        assert_eq!(expiring(&world).await, ["False", "Rotates"]);
        assert_eq!(end().await, lives_until);
    }
    assert!(world.logs_in_as_robot("ci").await);
    assert_eq!(world.event_notes("ExpiresSoon").await, Vec::<String>::new());
}
