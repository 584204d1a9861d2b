use super::*;
use crate::{Class, ObjectKey, Subject};
use k8s_openapi::api::core::v1::Secret;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

pub(crate) fn input(previous: &ComponentStatus, generation: i64, second: i64) -> StatusInput<'_> {
    StatusInput {
        previous,
        generation: Some(generation),
        operator: OperatorStatus::default(),
        at: at(second),
        replicas: None,
        serving: Serving::Unavailable,
        aspects: &[],
        found: None,
        advice: &[],
    }
}

fn stalled() -> Verdict {
    Verdict::Stalled { reason: "InvalidSpec", message: "spec.x: is wrong; put it right".into() }
}

fn conditions(status: &ComponentStatus) -> Vec<(&str, &str)> {
    status.conditions.iter().map(|c| (c.type_.as_str(), c.status.as_str())).collect()
}

#[test]
fn ready_sets_the_conditions_of_kstatus_and_of_the_old_operator() {
    let status = fold(&input(&ComponentStatus::default(), 1, 0), &Verdict::Ready);
    assert_eq!(
        conditions(&status),
        [
            ("Ready", "True"),
            ("Reconciling", "False"),
            ("Stalled", "False"),
            ("InProgress", "False"),
            ("Failed", "False"),
            ("Available", "True"),
        ]
    );
}

#[test]
fn an_object_can_be_available_without_being_ready() {
    let none = ComponentStatus::default();
    let available = |serving| {
        let status = fold(&StatusInput { serving, ..input(&none, 1, 0) }, &stalled());
        let available = status.conditions.into_iter().next_back().unwrap();
        (available.type_, available.status, available.reason.unwrap(), available.message)
    };
    let expected = |status: &str, reason: &str, message: Option<&str>| {
        ("Available".to_owned(), status.to_owned(), reason.to_owned(), message.map(str::to_owned))
    };
    let message = "not every workload has an available replica";
    assert_eq!(available(Serving::Unavailable), expected("False", "Unavailable", Some(message)));
    let stopped = Serving::Stopped("Deployment ns/a: is stopped".into());
    assert_eq!(available(stopped), expected("False", "Stopped", Some("Deployment ns/a: is stopped")));
    assert_eq!(available(Serving::Available), expected("True", "Available", None));
}

#[test]
fn b06_a_failure_is_in_every_condition_that_a_user_may_read() {
    let status = fold(&input(&ComponentStatus::default(), 3, 0), &stalled());
    let failed = status.conditions.iter().find(|c| c.type_ == "Failed").unwrap();
    assert_eq!(failed.message.as_deref(), Some("spec.x: is wrong; put it right"));
    assert_eq!(failed.reason.as_deref(), Some("InvalidSpec"));
    assert_eq!(status.observed_generation, Some(3));
    assert_eq!(conditions(&status)[0], ("Ready", "False"));
}

#[test]
fn a_transition_time_changes_only_with_the_status() {
    let first = fold(&input(&ComponentStatus::default(), 1, 10), &Verdict::Ready);
    let second = fold(&input(&first, 2, 20), &Verdict::Ready);
    let third = fold(&input(&second, 3, 30), &stalled());
    let since = |status: &ComponentStatus| status.conditions[0].last_transition_time.clone().unwrap().0;
    assert_eq!([since(&first), since(&second), since(&third)], [at(10), at(10), at(30)]);
}

#[test]
fn folding_the_same_verdict_again_changes_nothing() {
    let first = fold(&input(&ComponentStatus::default(), 1, 10), &stalled());
    assert_eq!(fold(&input(&first, 1, 99), &stalled()), first);
}

#[test]
fn b32_the_number_of_pods_is_reported_if_known_and_kept_otherwise() {
    let none = ComponentStatus::default();
    let counted = fold(&StatusInput { replicas: Some(2), ..input(&none, 1, 10) }, &Verdict::Ready);
    assert_eq!(counted.replicas, Some(2));
    assert_eq!(fold(&input(&counted, 1, 20), &Verdict::Ready).replicas, Some(2));
    assert_eq!(fold(&input(&none, 1, 10), &Verdict::Ready).replicas, None);
}

#[test]
fn messages_and_numbers_are_details_and_all_other_fields_are_significant() {
    let waiting = |message: &str| Verdict::Progressing { reason: Verdict::WAITING, message: message.into() };
    let before = fold(&input(&ComponentStatus::default(), 1, 10), &waiting("one of two"));
    let status = |common: &ComponentStatus| Status { common: common.clone(), ..Status::default() };
    let between = |input: &StatusInput<'_>, verdict| {
        Difference::between(&status(&before), &status(&fold(input, &verdict)))
    };
    assert_eq!(between(&input(&before, 1, 20), waiting("one of two")), Difference::Nothing);
    assert_eq!(between(&input(&before, 1, 20), waiting("two of two")), Difference::Details);
    let counted = StatusInput { replicas: Some(1), ..input(&before, 1, 20) };
    assert_eq!(between(&counted, waiting("one of two")), Difference::Details);
    assert_eq!(between(&input(&before, 2, 20), waiting("one of two")), Difference::Significant);
    assert_eq!(between(&input(&before, 1, 20), Verdict::Ready), Difference::Significant);
    let other = Verdict::Progressing { reason: "Missing", message: "one of two".into() };
    assert_eq!(between(&input(&before, 1, 20), other), Difference::Significant);
}

#[test]
fn pausing_adds_a_condition_and_resuming_removes_it() {
    let ready = fold(&input(&ComponentStatus::default(), 1, 10), &Verdict::Ready);
    let halted = paused(&input(&ready, 2, 20), "paused by annotation");
    assert_eq!(conditions(&halted).last(), Some(&("Paused", "True")));
    assert_eq!(halted.observed_generation, Some(1), "a paused generation is not observed");
    assert_eq!(fold(&input(&halted, 2, 30), &Verdict::Ready).conditions.len(), 6);
}

#[test]
fn an_object_that_was_paused_before_its_first_reconcile_has_an_unknown_ready_condition() {
    let message = "paused by annotation";
    let halted = paused(&input(&ComponentStatus::default(), 1, 10), message);
    assert_eq!(conditions(&halted), [("Ready", "Unknown"), ("Paused", "True")]);
    let ready = &halted.conditions[0];
    assert_eq!((ready.reason.as_deref(), ready.message.as_deref()), (Some("Paused"), Some(message)));
    assert_eq!(paused(&input(&halted, 2, 20), message), halted, "written once");
    let resumed = fold(&input(&halted, 2, 30), &Verdict::Ready);
    assert_eq!(resumed, fold(&input(&ComponentStatus::default(), 2, 30), &Verdict::Ready));
}

#[test]
fn the_worst_failure_is_reported_and_the_others_are_counted() {
    let failed = |class, reason, stalls| {
        Outcome::Failed(Failure {
            class,
            reason,
            message: format!("{class}"),
            subject: Subject::default(),
            stalls,
        })
    };
    let waiting = Outcome::Waiting { object: ObjectKey::of::<Secret>("ns", "a"), why: "later".into() };
    let verdict = Verdict::of(&[
        waiting,
        failed(Class::Transient, "ServerError", false),
        failed(Class::Forbidden, "Forbidden", true),
        Outcome::Blocked,
    ]);
    assert_eq!(verdict, Verdict::Stalled { reason: "Forbidden", message: "forbidden (and 1 more)".into() });
}

#[test]
fn what_is_held_back_is_named_with_the_reason() {
    let held = |kind: &str, name: &str, why: &str| Outcome::Held {
        object: ObjectKey::new("goharbor.io", kind, "ns", name),
        why: why.into(),
    };
    let core = ObjectKey::new("goharbor.io", "Core", "ns", "a");
    let waiting = Outcome::Waiting { object: core, why: "1 of 3 replicas updated".into() };
    let outcomes = [
        waiting,
        held("Registry", "a", "held at version 1"),
        held("Portal", "a", "held at version 1"),
        held("Trivy", "b", "held at version 1"),
        held("Exporter", "a", "unchanged"),
    ];
    let back = "Registry, Portal ns/a, Trivy ns/b: held at version 1; Exporter ns/a: unchanged";
    let progressing = |message: String| Verdict::Progressing { reason: Verdict::WAITING, message };
    assert_eq!(Verdict::of(&outcomes), progressing(format!("Core ns/a: 1 of 3 replicas updated; {back}")));
    assert_eq!(Verdict::of(&outcomes[1..]), progressing(back.to_owned()));
    let failed = Outcome::Failed(Failure {
        class: Class::Dependency,
        reason: "ChildFailed",
        message: "Core ns/a: the deadline has passed".into(),
        subject: Subject::default(),
        stalls: true,
    });
    let message = format!("Core ns/a: the deadline has passed; {back}");
    let outcomes: Vec<_> = std::iter::once(failed).chain(outcomes.into_iter().skip(1)).collect();
    assert_eq!(Verdict::of(&outcomes), Verdict::Stalled { reason: "ChildFailed", message });
}

#[test]
fn a_waiting_child_is_reported_with_what_it_waits_for() {
    let waiting = Outcome::Waiting { object: ObjectKey::of::<Secret>("ns", "a"), why: "later".into() };
    let verdict = Verdict::of(&[Outcome::Ready, waiting, Outcome::Blocked]);
    assert_eq!(
        verdict,
        Verdict::Progressing { reason: "ChildrenNotReady", message: "Secret ns/a: later".into() }
    );
}

const DATABASE: Aspect = Aspect::new("DatabaseReady");
const CACHE: Aspect = Aspect::new("CacheReady");

/// The conditions of the aspects, after a plan with these children or without one.
fn aspect_conditions(children: Option<&[(Aspect, Outcome)]>, verdict: &Verdict) -> Vec<(String, String)> {
    let found = children.map(|children| crate::aspects(children.iter().map(|(a, o)| (Some(*a), o))));
    let none = ComponentStatus::default();
    let input = StatusInput { aspects: &[CACHE, DATABASE], found: found.as_ref(), ..input(&none, 1, 0) };
    let conditions = fold(&input, verdict).conditions.into_iter().skip(6);
    conditions.map(|c| (c.status, c.reason.unwrap_or_default())).collect()
}

fn pairs(conditions: &[(&str, &str)]) -> Vec<(String, String)> {
    conditions.iter().map(|(status, reason)| ((*status).to_owned(), (*reason).to_owned())).collect()
}

#[test]
fn the_condition_of_an_aspect_follows_from_its_own_children() {
    let waiting = Outcome::Waiting { object: ObjectKey::of::<Secret>("ns", "a"), why: "later".into() };
    let verdict = Verdict::of(std::slice::from_ref(&waiting));
    let conditions = aspect_conditions(Some(&[(CACHE, Outcome::Ready), (DATABASE, waiting)]), &verdict);
    assert_eq!(conditions, pairs(&[("True", "Ready"), ("False", "ChildrenNotReady")]));
    let conditions =
        aspect_conditions(Some(&[(CACHE, stalled_child()), (DATABASE, Outcome::Blocked)]), &stalled());
    assert_eq!(conditions, pairs(&[("False", "InvalidSpec"), ("Unknown", "Blocked")]));
}

fn stalled_child() -> Outcome {
    let message = "spec.x: is wrong; put it right".into();
    Outcome::Failed(Failure {
        class: Class::Invalid,
        reason: "InvalidSpec",
        message,
        subject: Subject::default(),
        stalls: true,
    })
}

#[test]
fn b27_an_external_service_is_known_to_work_only_when_everything_is_ready() {
    let waiting = Verdict::Progressing { reason: Verdict::WAITING, message: "one of two".into() };
    assert_eq!(aspect_conditions(Some(&[]), &waiting), pairs(&[("Unknown", "External"); 2]));
    assert_eq!(aspect_conditions(Some(&[]), &Verdict::Ready), pairs(&[("True", "External"); 2]));
}

#[test]
fn b28_an_aspect_that_was_not_reconciled_is_unknown() {
    assert_eq!(aspect_conditions(None, &stalled()), pairs(&[("Unknown", "InvalidSpec"); 2]));
}

#[test]
fn advice_is_in_the_message_of_ready_only_while_it_is_true() {
    let none = ComponentStatus::default();
    let advice = [Violation { subject: "spec.x".into(), problem: "is odd".into(), remedy: "look".into() }];
    let messages = |verdict: &Verdict| {
        let status = fold(&StatusInput { advice: &advice, ..input(&none, 1, 0) }, verdict);
        let message = |c: Condition| c.message.map(|message| (c.type_, c.status, message));
        status.conditions.into_iter().filter_map(message).collect::<Vec<_>>()
    };
    assert_eq!(messages(&Verdict::Ready), [("Ready".into(), "True".into(), "spec.x: is odd; look".into())]);
    assert!(messages(&stalled()).iter().all(|(_, _, message)| !message.contains("is odd")));
}

#[test]
fn the_cause_is_what_the_reported_outcome_is_about() {
    let object = |name: &str| ObjectKey::of::<Secret>("ns", name);
    let failed = |name: &str, class, stalls| {
        let subject = Subject { verb: Some(crate::Verb::Update), ..Subject::of(&object(name)) };
        Outcome::Failed(Failure { class, reason: "Reason", message: name.to_owned(), subject, stalls })
    };
    let waiting = Outcome::Waiting { object: object("a"), why: "later".into() };
    let about = |outcomes: &[Outcome]| cause(outcomes).and_then(|cause| Some(cause.object?.name.clone()));
    assert_eq!(about(&[Outcome::Ready]), None);
    assert_eq!(about(&[Outcome::Ready, waiting.clone()]).as_deref(), Some("a"));
    let transient = failed("b", Class::Transient, false);
    assert_eq!(about(&[waiting.clone(), transient.clone()]).as_deref(), Some("b"));
    let stalled = failed("c", Class::Conflict, true);
    assert_eq!(about(&[waiting, stalled, transient]).as_deref(), Some("c"));
}
