use super::*;
use k8s_openapi::api::core::v1::Secret;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn input(previous: &ComponentStatus, generation: i64, second: i64) -> StatusInput<'_> {
    StatusInput {
        previous,
        generation: Some(generation),
        operator: OperatorStatus::default(),
        at: at(second),
        replicas: None,
        reached: Reached::Nothing,
        aspects: &[],
        found: None,
        advice: &[],
    }
}

fn stalled() -> Verdict {
    Verdict::Stalled { reason: "InvalidSpec", message: "spec.x: is wrong; put it right".into() }
}

fn told(status: &ComponentStatus) -> Vec<(&str, &str)> {
    status.conditions.iter().map(|c| (c.type_.as_str(), c.status.as_str())).collect()
}

#[test]
fn ready_is_told_in_the_new_words_and_in_the_old() {
    let status = fold(&input(&ComponentStatus::default(), 1, 0), &Verdict::Ready);
    assert_eq!(
        told(&status),
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
fn what_serves_is_available_though_it_is_not_ready() {
    let none = ComponentStatus::default();
    let available = |reached| {
        let status = fold(&StatusInput { reached, ..input(&none, 1, 0) }, &stalled());
        told(&status).last().map(|(condition, status)| format!("{condition} {status}"))
    };
    assert_eq!(available(Reached::Nothing).as_deref(), Some("Available False"));
    assert_eq!(available(Reached::Available).as_deref(), Some("Available True"));
}

#[test]
fn b06_a_failure_reaches_every_condition_a_user_may_look_at() {
    let status = fold(&input(&ComponentStatus::default(), 3, 0), &stalled());
    let failed = status.conditions.iter().find(|c| c.type_ == "Failed").unwrap();
    assert_eq!(failed.message.as_deref(), Some("spec.x: is wrong; put it right"));
    assert_eq!(failed.reason.as_deref(), Some("InvalidSpec"));
    assert_eq!(status.observed_generation, Some(3));
    assert_eq!(told(&status)[0], ("Ready", "False"));
}

#[test]
fn a_transition_time_moves_only_when_the_status_does() {
    let first = fold(&input(&ComponentStatus::default(), 1, 10), &Verdict::Ready);
    let second = fold(&input(&first, 2, 20), &Verdict::Ready);
    let third = fold(&input(&second, 3, 30), &stalled());
    let since = |status: &ComponentStatus| status.conditions[0].last_transition_time.clone().unwrap().0;
    assert_eq!([since(&first), since(&second), since(&third)], [at(10), at(10), at(30)]);
}

#[test]
fn folding_the_same_again_changes_nothing() {
    let first = fold(&input(&ComponentStatus::default(), 1, 10), &stalled());
    assert_eq!(fold(&input(&first, 1, 99), &stalled()), first);
}

#[test]
fn b32_the_number_of_pods_is_told_where_it_is_known_and_kept_where_it_is_not() {
    let none = ComponentStatus::default();
    let counted = fold(&StatusInput { replicas: Some(2), ..input(&none, 1, 10) }, &Verdict::Ready);
    assert_eq!(counted.replicas, Some(2));
    assert_eq!(fold(&input(&counted, 1, 20), &Verdict::Ready).replicas, Some(2));
    assert_eq!(fold(&input(&none, 1, 10), &Verdict::Ready).replicas, None);
}

#[test]
fn words_and_numbers_are_details_and_everything_programs_wait_for_is_substance() {
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
    assert_eq!(between(&input(&before, 2, 20), waiting("one of two")), Difference::Substance);
    assert_eq!(between(&input(&before, 1, 20), Verdict::Ready), Difference::Substance);
    let other = Verdict::Progressing { reason: "Missing", message: "one of two".into() };
    assert_eq!(between(&input(&before, 1, 20), other), Difference::Substance);
}

#[test]
fn pausing_adds_a_condition_and_resuming_removes_it() {
    let ready = fold(&input(&ComponentStatus::default(), 1, 10), &Verdict::Ready);
    let halted = paused(&input(&ready, 2, 20), "paused by annotation");
    assert_eq!(told(&halted).last(), Some(&("Paused", "True")));
    assert_eq!(halted.observed_generation, Some(1), "a generation nobody looked at is not observed");
    assert_eq!(fold(&input(&halted, 2, 30), &Verdict::Ready).conditions.len(), 6);
}

#[test]
fn what_was_paused_before_anybody_looked_says_so_where_it_would_say_whether_it_is_ready() {
    let message = "paused by annotation";
    let halted = paused(&input(&ComponentStatus::default(), 1, 10), message);
    assert_eq!(told(&halted), [("Ready", "Unknown"), ("Paused", "True")]);
    let ready = &halted.conditions[0];
    assert_eq!((ready.reason.as_deref(), ready.message.as_deref()), (Some("Paused"), Some(message)));
    assert_eq!(paused(&input(&halted, 2, 20), message), halted, "that is written once");
    let resumed = fold(&input(&halted, 2, 30), &Verdict::Ready);
    assert_eq!(resumed, fold(&input(&ComponentStatus::default(), 2, 30), &Verdict::Ready));
}

#[test]
fn the_worst_failure_is_told_and_the_others_are_counted() {
    let failed = |class, reason, stalls| {
        Outcome::Failed(Failure { class, reason, message: format!("{class}"), stalls })
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
fn waiting_names_the_object_and_what_for() {
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
fn aspects_told(children: Option<&[(Aspect, Outcome)]>, verdict: &Verdict) -> Vec<(String, String)> {
    let found = children.map(|children| crate::aspects(children.iter().map(|(a, o)| (Some(*a), o))));
    let none = ComponentStatus::default();
    let input = StatusInput { aspects: &[CACHE, DATABASE], found: found.as_ref(), ..input(&none, 1, 0) };
    let conditions = fold(&input, verdict).conditions.into_iter().skip(6);
    conditions.map(|c| (c.status, c.reason.unwrap_or_default())).collect()
}

fn pairs(told: &[(&str, &str)]) -> Vec<(String, String)> {
    told.iter().map(|(status, reason)| ((*status).to_owned(), (*reason).to_owned())).collect()
}

#[test]
fn each_aspect_is_as_its_own_children_are() {
    let waiting = Outcome::Waiting { object: ObjectKey::of::<Secret>("ns", "a"), why: "later".into() };
    let verdict = Verdict::of(std::slice::from_ref(&waiting));
    let told = aspects_told(Some(&[(CACHE, Outcome::Ready), (DATABASE, waiting)]), &verdict);
    assert_eq!(told, pairs(&[("True", "Ready"), ("False", "ChildrenNotReady")]));
    let told = aspects_told(Some(&[(CACHE, stalled_child()), (DATABASE, Outcome::Blocked)]), &stalled());
    assert_eq!(told, pairs(&[("False", "InvalidSpec"), ("Unknown", "Blocked")]));
}

fn stalled_child() -> Outcome {
    let message = "spec.x: is wrong; put it right".into();
    Outcome::Failed(Failure { class: Class::Invalid, reason: "InvalidSpec", message, stalls: true })
}

#[test]
fn b27_what_others_run_is_known_to_work_only_when_everything_does() {
    let waiting = Verdict::Progressing { reason: Verdict::WAITING, message: "one of two".into() };
    assert_eq!(aspects_told(Some(&[]), &waiting), pairs(&[("Unknown", "External"); 2]));
    assert_eq!(aspects_told(Some(&[]), &Verdict::Ready), pairs(&[("True", "External"); 2]));
}

#[test]
fn b28_an_aspect_nobody_could_look_at_does_not_stay_as_it_was() {
    assert_eq!(aspects_told(None, &stalled()), pairs(&[("Unknown", "InvalidSpec"); 2]));
}

#[test]
fn advice_is_in_the_message_of_ready_and_only_while_that_holds() {
    let none = ComponentStatus::default();
    let advice = [Violation { subject: "spec.x".into(), problem: "is odd".into(), remedy: "look".into() }];
    let messages = |verdict: &Verdict| {
        let status = fold(&StatusInput { advice: &advice, ..input(&none, 1, 0) }, verdict);
        let told = |c: Condition| c.message.map(|message| (c.type_, c.status, message));
        status.conditions.into_iter().filter_map(told).collect::<Vec<_>>()
    };
    assert_eq!(messages(&Verdict::Ready), [("Ready".into(), "True".into(), "spec.x: is odd; look".into())]);
    assert!(messages(&stalled()).iter().all(|(_, _, message)| !message.contains("is odd")));
}
