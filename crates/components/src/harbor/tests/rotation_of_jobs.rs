//! Rotation of what Core and JobService authenticate to each other with: JobService is drained first.

use super::{
    Case, Harbor,
    rotation::{CREATED, asked, has, outlook, rotated, run, scale, states, uses},
};
use crate::cases::key;
use harborstate::{
    State as _,
    job_queues::{JobQueues, NAME},
};
use jiff::Timestamp;
use plan::{ObjectKey, Plan, plan_at, until_planned};
use serde_json::{Value, json};
use std::sync::Arc;

/// What Harbor shows of its jobs.
struct Jobs {
    /// Whether the queue that no user has paused is paused.
    paused: bool,
    running: Value,
}

const BUSY: fn(bool) -> Jobs = |paused| Jobs { paused, running: json!({"GARBAGE_COLLECTION": 1}) };
const IDLE: Jobs = Jobs { paused: true, running: Value::Null };

/// The queue that a user has paused, and the one that the operator pauses.
const OF_USER: &str = "REPLICATION";
const OURS: &str = "GARBAGE_COLLECTION";

const NAMES: &str = "jobserviceSecret and coreSecret";

/// A Harbor whose Core serves, and that was asked to rotate both secrets.
fn a_harbor() -> Case<Harbor> {
    let mut case = asked("jobserviceSecret@1,coreSecret@1");
    let mut core = case.child("Core");
    let available = json!({"type": "Available", "status": "True", "reason": "Available"});
    core["status"] = json!({"conditions": [available]});
    case.inputs.push(core);
    remember(&mut case, json!({}));
    case
}

/// The same with the new Secrets, which the operator has generated at [`CREATED`].
fn begun() -> Case<Harbor> {
    let mut case = a_harbor();
    case.inputs.push(rotated("core-secret", &[("secret", "new")]));
    case.inputs.push(rotated("jobservice-secret", &[("secret", "new")]));
    case
}

/// Has the JobService remember this.
fn remember(case: &mut Case<Harbor>, annotations: Value) {
    let mut jobservice = case.child("JobService");
    jobservice["metadata"]["annotations"] = annotations;
    case.inputs.retain(|input| input["kind"] != "JobService");
    case.inputs.push(jobservice);
}

/// The plan so many seconds after the new Secrets were generated.
fn after(seconds: i64, case: &Case<Harbor>, jobs: &Jobs) -> Plan {
    let now = CREATED.parse::<Timestamp>().unwrap().as_second() + seconds;
    let now = Timestamp::from_second(now).unwrap();
    let known = case.inputs.iter().map(|it| (key(it), Arc::new(serde_json::from_value(it.clone()).unwrap())));
    let shown = json!({
        "queues": {OF_USER: {"paused": true}, OURS: {"paused": jobs.paused}},
        "running": if jobs.running.is_null() { json!({}) } else { jobs.running.clone() },
        "problem": null,
    });
    let queues = ObjectKey::external(&harborstate::system("registry", "acme"), JobQueues::COLLECTION, NAME);
    let known = known.chain([(queues, plan::outside(shown).unwrap())]);
    let known = known.map(|(key, object)| (key, Some(object))).collect();
    let read = |key: ObjectKey| (key.clone(), key.is_kind().then(plan::served));
    let pass = |snapshot: &_| plan_at::<Harbor>(&case.owner, snapshot, &case.defaults, now);
    until_planned(known, pass, |needed| needed.keys.into_iter().map(read).collect()).unwrap()
}

/// What the JobService gets: its annotations about this, and its replicas.
fn jobservice(plan: &Plan) -> Value {
    let jobservice = plan.graph.iter().find(|(_, desired, _)| desired.object.key().kind == "JobService");
    let jobservice = jobservice.unwrap().1.object.to_json().unwrap();
    let annotations = &jobservice["metadata"]["annotations"];
    let [paused, stopped] = ["goharbor.io/paused-queues", "goharbor.io/stopped"].map(|key| &annotations[key]);
    json!([paused, stopped, jobservice["spec"]["replicas"]])
}

/// What the queues are changed to.
fn changes(plan: &Plan) -> Option<Value> {
    let external = plan.graph.iter().find(|(_, desired, _)| desired.object.key().name == NAME);
    external.map(|(_, desired, _)| desired.object.to_json().unwrap()["wanted"].clone())
}

/// What the Harbor waits for.
fn waits(plan: &Plan) -> String {
    plan.outlook.waits.as_ref().map(|(_, why)| why.clone()).unwrap_or_default()
}

fn step(plan: &Plan) -> String {
    let mut messages: Vec<_> = states(&plan.outlook).into_iter().map(|(.., message)| message).collect();
    messages.dedup();
    messages.join(", ")
}

const DRAINS: &str = "step 1 of 4 drains JobService and stops it";

#[test]
fn queues_are_paused_and_jobs_are_waited_for_before_jobservice_is_stopped() {
    let unchanged = json!([null, null, null]);
    let asked = after(0, &a_harbor(), &BUSY(false));
    assert_eq!(
        (jobservice(&asked), step(&asked)),
        (unchanged, DRAINS.to_owned()),
        "nothing is generated yet"
    );

    let mut case = begun();
    let first = after(1, &case, &BUSY(false));
    assert_eq!((jobservice(&first), changes(&first)), (json!([OURS, null, null]), None));

    remember(&mut case, json!({"goharbor.io/paused-queues": OURS}));
    let second = after(2, &case, &BUSY(false));
    assert_eq!(jobservice(&second), json!([OURS, null, null]));
    assert!(changes(&second).is_some(), "the queue is paused");

    let third = after(599, &case, &BUSY(true));
    assert_eq!((jobservice(&third), step(&third)), (json!([OURS, null, null]), DRAINS.to_owned()));
    let jobs =
        "JobService still runs 1 job: GARBAGE_COLLECTION (1), until 2026-01-01T00:10:00Z at the latest";
    assert_eq!(waits(&third), format!("the rotation of {NAMES}: {DRAINS}: {jobs}"));
    assert_eq!(third.until, Some("2026-01-01T00:10:00Z".parse().unwrap()));

    let until = format!("is stopped until Core and the registry have the new {NAMES}");
    assert_eq!(jobservice(&after(3, &case, &IDLE)), json!([OURS, until, 0]));
    let interrupts = format!("{until}, which interrupts 1 job: GARBAGE_COLLECTION (1)");
    assert_eq!(jobservice(&after(600, &case, &BUSY(true))), json!([OURS, interrupts, 0]));
    let patient = case.set("/spec/rotation", json!({"drainTimeout": "1h"}));
    assert_eq!(jobservice(&after(3599, &patient, &BUSY(true))), json!([OURS, null, null]));
    let impatient = patient.set("/spec/rotation", json!({"drainTimeout": "0s"}));
    assert_eq!(jobservice(&after(0, &impatient, &BUSY(true))), json!([OURS, interrupts, 0]));
}

#[test]
fn jobservice_is_stopped_while_core_and_the_registry_get_what_it_authenticates_with() {
    let stopped = |why: &str| json!({"goharbor.io/paused-queues": OURS, "goharbor.io/stopped": why});
    let mut case = begun();
    remember(&mut case, stopped("is stopped until noon"));
    let old = ["core-secret", "jobservice-secret", "registry-basicauth"];
    let gone = json!([OURS, "is stopped until noon", 0]);
    let at = |case: &Case<Harbor>| after(60, case, &IDLE);
    assert_eq!((jobservice(&at(&case)), step(&at(&case))), (gone.clone(), DRAINS.to_owned()));
    assert!(uses(&case, "Core").contains(&"core-secret".to_owned()), "JobService has a pod still");

    scale(&mut case, "jobservice", &old, 0);
    let replaces = "step 2 of 4 replaces the pods of Core and the registry".to_owned();
    assert_eq!((jobservice(&at(&case)), step(&at(&case))), (gone.clone(), replaces.clone()));
    for kind in ["Core", "RegistryController"] {
        let uses = uses(&case, kind);
        assert!(uses.contains(&"core-secret-1".to_owned()), "{kind}: {uses:?}");
        assert!(uses.contains(&"jobservice-secret-1".to_owned()), "{kind}: {uses:?}");
    }
    assert!(uses(&case, "JobService").contains(&"core-secret".to_owned()));
    run(&mut case, "core", &["core-csrf", "core-secret-1", "jobservice-secret-1"]);
    let forgotten = {
        let mut case = begun();
        scale(&mut case, "jobservice", &old, 0);
        run(&mut case, "core", &["core-csrf", "core-secret-1", "jobservice-secret-1"]);
        case
    };
    let until = format!("is stopped until Core and the registry have the new {NAMES}");
    assert_eq!(jobservice(&at(&forgotten)), json!(["", until, 0]), "the operator before had no annotations");
    assert_eq!((jobservice(&at(&case)), step(&at(&case))), (gone, replaces), "the registry has the old ones");

    run(&mut case, "registry", &["registry-http", "core-secret-1", "jobservice-secret-1"]);
    let starts = at(&case);
    assert_eq!(
        (jobservice(&starts), step(&starts).as_str()),
        (json!([OURS, null, null]), "step 3 of 4 starts JobService")
    );
    assert!(uses(&case, "JobService").contains(&"jobservice-secret-1".to_owned()));
    assert_eq!(changes(&starts), None, "JobService has no pod yet");
    remember(&mut case, json!({"goharbor.io/paused-queues": OURS}));

    run(&mut case, "jobservice", &["core-secret-1", "jobservice-secret-1", "registry-basicauth"]);
    // As long as the operator tries to ask Harbor, and longer.
    let ended = after(200, &case, &IDLE);
    assert_eq!(jobservice(&ended), json!([OURS, null, null]));
    assert!(step(&ended).contains("Harbor was not asked"), "{}", step(&ended));
    assert!(changes(&ended).is_some(), "the queue is resumed");
    assert!(!has(&case, "core-secret") && !has(&case, "jobservice-secret"));
    let resumed = after(201, &case, &Jobs { paused: false, running: json!({}) });
    assert_eq!((jobservice(&resumed), changes(&resumed)), (json!([null, null, null]), None));
}

#[test]
fn an_autoscaled_jobservice_starts_with_the_least_number_of_pods_before_its_autoscaler_comes_back() {
    let autoscaling = json!({"minReplicas": 2, "maxReplicas": 4});
    let mut case = begun().set("/spec/jobservice", json!({"autoscaling": autoscaling}));
    let pods = |case: &Case<Harbor>| {
        let spec = case.child("JobService")["spec"].clone();
        (spec["replicas"].clone(), spec["autoscaling"].is_object())
    };
    remember(
        &mut case,
        json!({"goharbor.io/paused-queues": "", "goharbor.io/stopped": "is stopped until noon"}),
    );
    assert_eq!(pods(&case), (json!(0), false));
    let stored = case.inputs.iter_mut().find(|input| input["kind"] == "JobService").unwrap();
    stored["spec"]["autoscaling"] = Value::Null;
    scale(&mut case, "jobservice", &["core-secret"], 0);
    run(&mut case, "core", &["core-secret-1", "jobservice-secret-1"]);
    run(&mut case, "registry", &["core-secret-1", "jobservice-secret-1"]);
    assert_eq!(pods(&case), (json!(2), false));
    let stored = case.inputs.iter_mut().find(|input| input["kind"] == "JobService").unwrap();
    stored["metadata"]["annotations"] = json!({"goharbor.io/paused-queues": ""});
    scale(&mut case, "jobservice", &["core-secret-1", "jobservice-secret-1"], 2);
    assert_eq!(pods(&case), (Value::Null, true));
}

#[test]
fn other_rotations_drain_nothing() {
    let case = asked("csrf@1,registryCredentials@1");
    assert!(outlook(&case).waits.is_some());
    assert_eq!(case.child("JobService")["spec"]["replicas"], Value::Null);
}

#[test]
fn a_limit_for_jobs_that_is_no_duration_is_refused_before_a_rotation_needs_it() {
    let error = asked("").set("/spec/rotation", json!({"drainTimeout": "soon"})).plan().unwrap_err();
    assert!(error.to_string().contains("spec.rotation.drainTimeout: "), "{error}");
}
