//! The fields of the status that only robot accounts have.

use super::{
    accounts::{overlap, request},
    credentials::output_name,
};
use crate::management;
use api::v1beta1::{HarborRobot, harborrobot::PreviousRobot};
use harborstate::{
    Found, State as _,
    robot::{Facts, Robot},
};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use plan::{Conclusion, Verdict};
use serde_json::{Map, Value, json};
use std::time::Duration;

pub(super) fn fields(owner: &HarborRobot, conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let mut robots = robots(conclusion);
    let Some(Found { facts: robot, .. }) = robots.pop() else {
        // While the Harbor does not answer, what was known of it stays.
        return conclusion.previous.clone();
    };
    let overlap = owner.spec.rotation.as_ref().and_then(|rotation| overlap(rotation).ok().flatten());
    let previous =
        overlap.and_then(|overlap| Some(previous(&robots.pop()?.facts, robot.created_at, overlap)));
    let before = |field: &str| conclusion.previous.get(field).cloned();
    let is_ready = matches!(conclusion.verdict, Verdict::Ready);
    // What is asked for during an overlap is done at its end.
    let is_done = is_ready && (previous.is_none() || before("fullName") != Some(json!(robot.login)));
    let request = request(owner).cloned().map(Value::from);
    let fields = [
        ("robotID", Some(json!(robot.id))),
        ("fullName", Some(json!(robot.login))),
        ("expiresAt", time(robot.expires_at)),
        ("secretName", output_name(owner).map(Value::from)),
        ("lastRotation", time(robot.created_at).filter(|_| overlap.is_some())),
        ("previous", Some(previous.unwrap_or_default())),
        ("lastRotationRequest", if is_done { request } else { before("lastRotationRequest") }),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    management::managed_fields::<Robot>(conclusion).into_iter().chain(fields).collect()
}

/// The robot account that is valid for an overlap after the current one was created.
fn previous(robot: &Facts, since: i64, overlap: Duration) -> Value {
    let end = i64::try_from(overlap.as_secs()).ok().and_then(|overlap| since.checked_add(overlap));
    json!(PreviousRobot {
        robot_id: Some(robot.id),
        full_name: Some(robot.login.clone()),
        deleted_after: end.filter(|_| since > 0).and_then(|end| Timestamp::from_second(end).ok()).map(Time),
    })
}

/// The robot account whose credentials the output Secret has.
pub(super) fn newest(conclusion: &Conclusion<'_>) -> Option<Found<Robot, Facts>> {
    robots(conclusion).pop()
}

/// The robot accounts of the object that Harbor shows, the newest last.
fn robots(conclusion: &Conclusion<'_>) -> Vec<Found<Robot, Facts>> {
    let is_kept = |name: &str| {
        conclusion.record.iter().any(|(key, _)| key.kind == Robot::COLLECTION && key.name == name)
    };
    let found = management::found::<Robot>(conclusion).filter(|(name, _)| is_kept(name));
    let mut robots: Vec<_> = found.map(|(_, robot)| robot).collect();
    robots.sort_by_key(|robot| (robot.facts.created_at, robot.facts.id));
    robots
}

/// A time that Harbor shows; `None` for never.
fn time(second: i64) -> Option<Value> {
    let second = Some(second).filter(|second| *second > 0)?;
    Timestamp::from_second(second).ok().map(|time| json!(Time(time)))
}
