//! How quiet JobService is, given what Harbor shows and what is remembered.

use super::{super::validated::Validated, Drain, Occasion, Quiet};
use crate::{cases::Case, harbor::Harbor, versions::HarborVersion};
use api::v1beta1::{Core, JobService};
use harborstate::{State as _, job_queues::JobQueues};
use jiff::Timestamp;
use k8s_openapi::api::apps::v1::Deployment;
use plan::{Defaults, ObjectKey, Snapshot, World};
use serde_json::{Value, json};
use std::sync::Arc;

/// A Harbor, with a JobService and a Core that serves.
struct Situation {
    case: Case<Harbor>,
    version: &'static str,
    snapshot: Snapshot,
}

const DEADLINE: i64 = 600;

fn harbor() -> Situation {
    let case = Case::<Harbor>::golden("minimal");
    let mut situation = Situation { case, version: "2.14.2", snapshot: Snapshot::new() };
    let available = json!({"type": "Available", "status": "True", "reason": "Available"});
    let core = situation.case.child("Core");
    situation.add::<Core>("acme-harbor", &core, json!({"status": {"conditions": [available]}}));
    situation.remembering(json!({})).with_pods(1)
}

impl Situation {
    fn add<K: plan::Manifest>(&mut self, name: &str, object: &Value, with: Value) {
        let mut object = object.clone();
        object.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
        let object = Arc::new(serde_json::from_value(object).unwrap());
        self.snapshot.insert(ObjectKey::of::<K>("registry", name), Some(object));
    }

    /// With these annotations of its JobService.
    fn remembering(mut self, annotations: Value) -> Self {
        let mut jobservice = self.case.child("JobService");
        jobservice["metadata"]["annotations"] = annotations;
        self.add::<JobService>("acme-harbor", &jobservice, json!({}));
        self
    }

    /// With so many pods of JobService.
    fn with_pods(mut self, pods: i32) -> Self {
        let deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "acme-harbor-jobservice", "namespace": "registry", "generation": 1},
            "spec": {"replicas": pods, "selector": {}, "template": {}},
            "status": {"observedGeneration": 1, "replicas": pods, "availableReplicas": pods},
        });
        self.add::<Deployment>("acme-harbor-jobservice", &deployment, json!({}));
        self
    }

    /// With this answer of Harbor about its queues.
    fn showing(mut self, shown: Value) -> Self {
        let key = ObjectKey::external(
            &harborstate::system("registry", "acme"),
            JobQueues::COLLECTION,
            harborstate::job_queues::NAME,
        );
        self.snapshot.insert(key, Some(plan::outside(shown).unwrap()));
        self
    }

    fn of(&self, occasion: Option<Drain>, second: i64) -> Quiet {
        let defaults = Defaults::default();
        let harbor = Validated::of(&self.case.owner, &defaults).unwrap();
        let harbor = harbor.at(HarborVersion::parse(self.version).unwrap());
        let world = World::new("registry", &self.snapshot).at(Timestamp::from_second(second).unwrap());
        let occasion = occasion.map(|drain| Occasion { drain, until: "noon".into() });
        let stored = world.read::<JobService>(&harbor.name).unwrap();
        Quiet::of(&harbor, stored, occasion.as_ref(), &world).unwrap()
    }

    /// While jobs may go on.
    fn draining(&self) -> Quiet {
        self.of(Some(Drain::Until(Timestamp::from_second(DEADLINE).unwrap())), 0)
    }

    /// When jobs may not go on any longer.
    fn late(&self) -> Quiet {
        self.of(Some(Drain::Until(Timestamp::from_second(DEADLINE).unwrap())), DEADLINE)
    }

    fn afterwards(&self) -> Quiet {
        self.of(None, 0)
    }
}

/// What Harbor shows of two queues, and of jobs that run.
fn shown(scans: bool, replications: bool, running: Value) -> Value {
    json!({
        "queues": {"IMAGE_SCAN": {"paused": scans}, "REPLICATION": {"paused": replications}},
        "running": running, "problem": null,
    })
}

fn unknown() -> Value {
    json!({"queues": {}, "running": {}, "problem": "no answer"})
}

/// What the JobService gets: its annotations about this, and its replicas.
fn jobservice(quiet: &Quiet) -> Value {
    let jobservice = Case::<Harbor>::golden("minimal").child("JobService");
    let jobservice = json!(quiet.during(serde_json::from_value(jobservice).unwrap()));
    let annotations = &jobservice["metadata"]["annotations"];
    let [paused, stopped] = ["goharbor.io/paused-queues", "goharbor.io/stopped"].map(|key| &annotations[key]);
    json!([paused, stopped, jobservice["spec"]["replicas"]])
}

/// What the queues are changed to.
fn changes(quiet: &Quiet) -> Value {
    json!(quiet.queues.queues)
}

const REMEMBERED: &str = "IMAGE_SCAN";

fn remembered() -> Value {
    json!({"goharbor.io/paused-queues": REMEMBERED})
}

#[test]
fn queues_are_remembered_before_they_are_paused_and_those_that_a_user_paused_are_not() {
    let first = harbor().showing(shown(false, true, json!({}))).draining();
    assert_eq!((changes(&first), jobservice(&first)), (json!({}), json!([REMEMBERED, null, null])));
    assert_eq!(
        first.waits(),
        Some("JobService's queues are being paused, until 1970-01-01T00:10:00Z at the latest")
    );
    let second = harbor().remembering(remembered()).showing(shown(false, true, json!({}))).draining();
    assert_eq!(changes(&second), json!({"IMAGE_SCAN": {"paused": true}}));
    assert!(!first.is_reached() && !second.is_reached());
}

#[test]
fn jobservice_is_stopped_when_no_job_runs_or_jobs_may_not_go_on() {
    let situation = |running| harbor().remembering(remembered()).showing(shown(true, true, running));
    let busy = situation(json!({"REPLICATION": 2, "IMAGE_SCAN": 1}));
    let waits = "JobService still runs 3 jobs: IMAGE_SCAN (1), REPLICATION (2), until 1970-01-01T00:10:00Z at the latest";
    assert_eq!(busy.draining().waits(), Some(waits));
    assert_eq!(jobservice(&busy.draining()), json!([REMEMBERED, null, null]));
    let interrupts = "is stopped until noon, which interrupts 3 jobs: IMAGE_SCAN (1), REPLICATION (2)";
    assert_eq!(jobservice(&busy.late()), json!([REMEMBERED, interrupts, 0]));
    let idle = situation(json!({})).draining();
    assert_eq!(jobservice(&idle), json!([REMEMBERED, "is stopped until noon", 0]));
    assert!(!idle.is_reached(), "it has pods");
}

#[test]
fn a_harbor_that_does_not_answer_is_waited_for_as_long_as_jobs_may_go_on() {
    let away = harbor().showing(unknown());
    let waits = "JobService's queues cannot be paused: no answer, until 1970-01-01T00:10:00Z at the latest";
    assert_eq!(away.draining().waits(), Some(waits));
    assert_eq!(jobservice(&away.draining()), json!([null, null, null]));
    let why = "is stopped until noon, without an end of its jobs: no answer";
    assert_eq!(jobservice(&away.late()), json!(["", why, 0]));
    let mut without_core = harbor();
    without_core.snapshot.insert(ObjectKey::of::<Core>("registry", "acme-harbor"), None);
    let why = "is stopped until noon, without an end of its jobs: Core is not available";
    assert_eq!(jobservice(&without_core.late()), json!(["", why, 0]));
}

#[test]
fn a_harbor_that_cannot_pause_queues_is_not_asked() {
    let old = Situation { version: "2.6.4", ..harbor() };
    assert_eq!(jobservice(&old.draining()), json!(["", "is stopped until noon", 0]));
}

#[test]
fn jobservice_stays_stopped_until_the_end_and_is_quiet_without_pods() {
    let annotations =
        json!({"goharbor.io/paused-queues": REMEMBERED, "goharbor.io/stopped": "is stopped until noon"});
    for pods in [1, 0] {
        let stopped = harbor().remembering(annotations.clone()).with_pods(pods).showing(unknown());
        for quiet in [stopped.draining(), stopped.of(Some(Drain::Over), 0)] {
            assert_eq!(jobservice(&quiet), json!([REMEMBERED, "is stopped until noon", 0]));
            let waits = (pods > 0).then_some("JobService still has pods");
            assert_eq!((quiet.is_reached(), quiet.waits()), (pods == 0, waits));
        }
        assert_eq!(jobservice(&stopped.afterwards()), json!([REMEMBERED, null, null]), "it starts");
    }
}

#[test]
fn what_has_begun_waits_for_no_job() {
    let busy = harbor().showing(shown(false, false, json!({"REPLICATION": 1})));
    assert_eq!(jobservice(&busy.of(Some(Drain::Over), 0)), json!(["", "is stopped until noon", 0]));
}

#[test]
fn a_jobservice_that_does_not_exist_or_that_a_user_wants_without_pods_is_quiet() {
    let mut none = harbor();
    none.snapshot.insert(ObjectKey::of::<JobService>("registry", "acme-harbor"), None);
    assert_eq!(none.draining(), Quiet { reached: true, ..Quiet::default() });
    let case = harbor().case.set("/spec/jobservice", json!({"replicas": 0}));
    let without_pods = Situation { case, ..harbor() };
    assert!(without_pods.draining().is_reached());
    assert_eq!(jobservice(&without_pods.draining()), json!([null, null, null]));
}

#[test]
fn only_remembered_queues_are_resumed_and_then_forgotten() {
    let situation = |shown| harbor().remembering(remembered()).showing(shown).afterwards();
    let resuming = situation(shown(true, true, json!({})));
    assert_eq!(changes(&resuming), json!({"IMAGE_SCAN": {"paused": false}}));
    assert_eq!(jobservice(&resuming), json!([REMEMBERED, null, null]));
    let resumed = situation(shown(false, true, json!({})));
    assert_eq!((changes(&resumed), jobservice(&resumed)), (json!({}), json!([null, null, null])));
    let starting = harbor().remembering(remembered()).with_pods(0).showing(unknown()).afterwards();
    assert_eq!((jobservice(&starting), starting.waits()), (json!([REMEMBERED, null, null]), None));
    let away = situation(unknown());
    assert_eq!(jobservice(&away), json!([REMEMBERED, null, null]));
    assert_eq!(away.waits(), Some("the queues that the operator has paused stay so for now: no answer"));
}

#[test]
fn a_jobservice_that_an_autoscaler_scales_gets_its_first_pods_from_the_operator() {
    let mut autoscaled = harbor().case.child("JobService");
    autoscaled["spec"]["autoscaling"] = json!({"minReplicas": 2, "maxReplicas": 5});
    let after = |quiet: &Quiet| {
        let jobservice = json!(quiet.after(serde_json::from_value(autoscaled.clone()).unwrap()));
        json!([jobservice["spec"]["replicas"], jobservice["spec"]["autoscaling"]])
    };
    let started = harbor().remembering(json!({"goharbor.io/paused-queues": ""}));
    let not_yet = started.with_pods(0);
    assert_eq!(after(&not_yet.afterwards()), json!([2, null]));
    let has_pods = not_yet.with_pods(2).afterwards();
    assert_eq!(after(&has_pods), json!([null, {"minReplicas": 2, "maxReplicas": 5}]));
}
