//! The last step of a rotation: what Harbor says about the new values.

use super::{
    Harbor,
    rotation::{asked, rotated, run, states},
};
use crate::cases::{Case, base64, key};
use api::v1beta1::rotation::RotationPhase;
use harborstate::{State as _, verification::Verification};
use jiff::Timestamp;
use plan::{ObjectKey, Outlook, Plan, plan_at, until_planned};
use serde_json::{Value, json};
use std::sync::Arc;

/// A minute after the credentials were generated.
pub(super) const SOON: &str = "2026-01-01T00:01:00Z";
/// Later than the operator tries to ask.
const LATE: &str = "2026-01-01T00:03:00Z";

/// A Harbor whose pods have another key, and whose Core serves.
fn rotated_csrf(request: &str) -> Case<Harbor> {
    let mut case = asked(request);
    serve(&mut case);
    case.inputs.push(rotated("core-csrf", &[("key", "new")]));
    run(&mut case, "core", &["core-csrf-1"]);
    case
}

/// Has the Core of a Harbor serve as it is now, so that the operator can ask it.
pub(super) fn serve(case: &mut Case<Harbor>) {
    let mut core = case.child("Core");
    core["metadata"]["uid"] = "uid-of-core".into();
    core["status"] = json!({"conditions": [{"type": "Available", "status": "True", "reason": "Available"}]});
    case.inputs.push(core);
    let mut harbor = serde_json::to_value(&case.owner).unwrap();
    harbor["metadata"]["uid"] = "uid-of-harbor".into();
    harbor["apiVersion"] = "goharbor.io/v1beta1".into();
    harbor["kind"] = "Harbor".into();
    case.inputs.push(harbor);
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "admin-password", "namespace": "registry"},
        "data": {"secret": base64(b"example-only-Harbor12345")},
    }));
}

/// The plan at a time, with what Harbor answers to each question.
pub(super) fn at(case: &Case<Harbor>, now: &str, answer: &Value) -> Plan {
    let now: Timestamp = now.parse().unwrap();
    let known =
        case.inputs.iter().map(|it| (key(it), Some(Arc::new(serde_json::from_value(it.clone()).unwrap()))));
    let read = |key: ObjectKey| {
        let found = match key.system() {
            Some(_) if *key.kind == *Verification::COLLECTION => Some(plan::outside(answer.clone()).unwrap()),
            Some(_) => None,
            None => key.is_kind().then(plan::served),
        };
        (key, found)
    };
    let pass = |snapshot: &_| plan_at::<Harbor>(&case.owner, snapshot, &case.defaults, now);
    until_planned(known.collect(), pass, |needed| needed.keys.into_iter().map(read).collect()).unwrap()
}

pub(super) fn accepted() -> Value {
    json!(Verification::default())
}

pub(super) fn failed(asked: &str, why: &str) -> Value {
    json!({"failed": {asked: why}})
}

fn unreachable() -> Value {
    json!({"problem": "connection refused"})
}

/// The message about the rotation of `csrf`.
fn message(outlook: &Outlook) -> &str {
    states(outlook).into_iter().find(|(name, ..)| *name == "csrf").unwrap().2
}

/// What of Harbor's answers a plan reads.
pub(super) fn questions(plan: &Plan) -> Vec<String> {
    let reads = plan.reads.iter().filter(|read| read.system().is_some());
    reads.map(|read| format!("{} {}", read.kind, read.name)).collect()
}

#[test]
fn a_rotation_ends_when_harbor_accepts_the_new_value() {
    let plan = at(&rotated_csrf("csrf@1"), SOON, &accepted());
    assert_eq!(states(&plan.outlook), [("csrf", RotationPhase::Done, "")]);
    assert_eq!(questions(&plan), ["verification tokens"]);
    let other = json!({"unhealthy": ["trivy", "portal"]});
    let plan = at(&rotated_csrf("csrf@1"), SOON, &other);
    assert_eq!(states(&plan.outlook), [("csrf", RotationPhase::Done, "")], "they have nothing to do with it");
}

#[test]
fn harbor_is_asked_only_when_all_pods_have_the_new_value_and_the_rotation_has_not_ended() {
    let mut case = rotated_csrf("csrf@1");
    let core = case.inputs.iter_mut().find(|it| it["metadata"]["name"] == "acme-harbor-core").unwrap();
    core["status"]["availableReplicas"] = json!(0);
    assert_eq!(questions(&at(&case, SOON, &accepted())), Vec::<String>::new());

    let gone = rotated_csrf("csrf@1").without("acme-harbor-core-csrf");
    assert_eq!(questions(&at(&gone, SOON, &accepted())), Vec::<String>::new());
    assert_eq!(questions(&at(&asked(""), SOON, &accepted())), Vec::<String>::new());
}

#[test]
fn a_check_that_fails_is_named_and_keeps_the_value_before_and_the_next_rotation_waiting() {
    let case = rotated_csrf("csrf@1,registryHttp@1");
    for (answer, expected) in [
        (failed("GET /v2/ with a token", "status 401"), "GET /v2/ with a token: status 401"),
        (json!({"unhealthy": ["core", "trivy"]}), "GET /api/v2.0/health: not healthy: core"),
    ] {
        for now in [SOON, LATE, "2026-01-01T20:00:00Z"] {
            let plan = at(&case, now, &answer);
            let step = format!(
                "step 2 of 2 asks Harbor whether it accepts the new values, which failed: {expected}; look at the logs of Core, \
                 the registry and JobService. The operator goes on asking, and keeps the value before"
            );
            let waits = "waits for the end of the rotation of csrf";
            let states = states(&plan.outlook);
            assert_eq!(
                states,
                [("registryHttp", RotationPhase::Waiting, waits), ("csrf", RotationPhase::Running, &*step)]
            );
            let (subject, why) = plan.outlook.waits.clone().unwrap();
            assert_eq!(
                (subject.to_string().as_str(), why),
                ("Harbor registry/acme", format!("the rotation of csrf: {step}"))
            );
            let kept = plan
                .graph
                .iter()
                .any(|(_, desired, _)| *desired.object.key().name == *"acme-harbor-core-csrf");
            assert!(kept, "the Secret with the value before is not deleted");
        }
    }
}

#[test]
fn a_harbor_that_cannot_be_asked_for_two_minutes_does_not_keep_a_rotation_from_ending() {
    let case = rotated_csrf("csrf@1");
    let soon = at(&case, SOON, &unreachable());
    let until = "2026-01-01T00:02:00Z";
    assert_eq!(
        message(&soon.outlook),
        format!(
            "step 2 of 2 asks Harbor whether it accepts the new values, which cannot be asked yet: connection refused; the \
             rotation ends without an answer at {until}"
        )
    );
    assert_eq!(soon.until, Some(until.parse().unwrap()), "it is planned again then");
    let late = at(&case, LATE, &unreachable());
    let unasked = "the pods of all components are ready, and Harbor was not asked whether it accepts the new value: connection \
                   refused";
    assert_eq!(states(&late.outlook), [("csrf", RotationPhase::Done, unasked)]);
}

#[test]
fn a_harbor_whose_password_the_operator_does_not_know_is_one_that_cannot_be_asked() {
    let case = rotated_csrf("csrf@1").without("admin-password");
    let late = at(&case, LATE, &accepted());
    let message = message(&late.outlook);
    assert!(
        message.contains("Secret registry/admin-password") && message.contains("does not exist"),
        "{message}"
    );
    assert_eq!(states(&late.outlook)[0].1, RotationPhase::Done);
}
