//! The fields of the status that only robot accounts have.

use super::credentials::output_name;
use crate::management;
use api::{names::ROTATE_AT_ANNOTATION, v1beta1::HarborRobot};
use harborstate::robot::{Facts, Robot};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::ResourceExt as _;
use plan::{Conclusion, Verdict};
use serde_json::{Map, Value, json};

pub(super) fn fields(owner: &HarborRobot, conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let robots = management::found::<Robot>(conclusion).map(|(_, robot)| robot.facts);
    // The newest is the one whose credentials the output Secret has.
    let Some(robot) = robots.max_by_key(|robot| (robot.created_at, robot.id)) else {
        // While the Harbor does not answer, what was known of it stays.
        return conclusion.previous.clone();
    };
    let before = |field: &str| conclusion.previous.get(field).cloned();
    let request = owner.annotations().get(ROTATE_AT_ANNOTATION).cloned().map(Value::from);
    let is_ready = matches!(conclusion.verdict, Verdict::Ready);
    let fields = [
        ("robotID", Some(json!(robot.id))),
        ("fullName", Some(json!(robot.login))),
        ("expiresAt", expiry(&robot)),
        ("secretName", output_name(owner).map(Value::from)),
        ("lastRotationRequest", if is_ready { request } else { before("lastRotationRequest") }),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    management::managed_fields::<Robot>(conclusion).into_iter().chain(fields).collect()
}

/// When a robot account expires; `None` for never.
fn expiry(robot: &Facts) -> Option<Value> {
    let second = Some(robot.expires_at).filter(|second| *second > 0)?;
    Timestamp::from_second(second).ok().map(|time| json!(Time(time)))
}
