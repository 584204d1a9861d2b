//! The fields of the status that only robot accounts have.

use super::credentials::output_name;
use crate::management;
use api::{names::ROTATE_AT_ANNOTATION, v1beta1::HarborRobot};
use harborstate::{
    Found,
    robot::{Facts, Robot},
};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::ResourceExt as _;
use plan::{Conclusion, Verdict};
use serde_json::{Map, Value, json};

pub(super) fn fields(owner: &HarborRobot, conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let mut robots = robots(conclusion);
    let Some(Found { facts: robot, .. }) = robots.pop() else {
        // While the Harbor does not answer, what was known of it stays.
        return conclusion.previous.clone();
    };
    let previous = robots.pop().map(|robot| robot.facts);
    let previous = previous.map(|robot| json!({"robotID": robot.id, "fullName": robot.login}));
    let alternates = owner.spec.rotation.as_ref().is_some_and(|rotation| rotation.overlap.is_some());
    let before = |field: &str| conclusion.previous.get(field).cloned();
    let request = owner.annotations().get(ROTATE_AT_ANNOTATION).cloned().map(Value::from);
    let is_ready = matches!(conclusion.verdict, Verdict::Ready);
    let fields = [
        ("robotID", Some(json!(robot.id))),
        ("fullName", Some(json!(robot.login))),
        ("expiresAt", time(robot.expires_at)),
        ("secretName", output_name(owner).map(Value::from)),
        ("lastRotation", time(robot.created_at).filter(|_| alternates)),
        ("previous", previous.filter(|_| alternates)),
        ("lastRotationRequest", if is_ready { request } else { before("lastRotationRequest") }),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    management::managed_fields::<Robot>(conclusion).into_iter().chain(fields).collect()
}

/// The robot account whose credentials the output Secret has.
pub(super) fn newest(conclusion: &Conclusion<'_>) -> Option<Found<Robot, Facts>> {
    robots(conclusion).pop()
}

/// The robot accounts that Harbor shows, the newest last.
fn robots(conclusion: &Conclusion<'_>) -> Vec<Found<Robot, Facts>> {
    let mut robots: Vec<_> = management::found::<Robot>(conclusion).map(|(_, robot)| robot).collect();
    robots.sort_by_key(|robot| (robot.facts.created_at, robot.facts.id));
    robots
}

/// A time that Harbor shows; `None` for never.
fn time(second: i64) -> Option<Value> {
    let second = Some(second).filter(|second| *second > 0)?;
    Timestamp::from_second(second).ok().map(|time| json!(Time(time)))
}
