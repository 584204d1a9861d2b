//! JobService is drained before what it and Core authenticate to each other with is rotated, and its queues are resumed
//! afterwards.

use crate::{
    cluster::Cluster,
    drain::{
        ENDLESS, a_harbor, announced, api, assert_as_before, job_status, jobservice_replicas, run_a_job,
        stopped, until_migrating, until_said,
    },
    upgrade::{BEFORE, paused, until_ready},
};
use api::{
    names::ROTATE_ANNOTATION,
    v1beta1::{Harbor, rotation::RotationPhase},
};
use http::Method;
use k8s_openapi::api::apps::v1::Deployment;
use kube::runtime::wait::await_condition;
use serde_json::{Value, json};
use std::{fs, ops::Range, path::Path, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// A version whose schema is another one.
const NEXT: &str = "2.14.3";

/// Both secrets.
const BOTH: &str = "jobserviceSecret@1,coreSecret@1";

/// How the operator says that it stops JobService.
const STOPPED: &str = "is stopped until Core and the registry have the new jobserviceSecret and coreSecret";

/// Starts a garbage collection that takes this long, and waits until a worker has it.
async fn busy(cluster: &Cluster, duration: Duration) {
    run_a_job(cluster, duration).await;
    sleep(Duration::from_secs(30)).await;
}

/// Applies the Harbor at a version, with these limits, and asks to rotate both secrets.
async fn rotate(cluster: &Cluster, version: &str, limits: Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/harbor.yaml");
    let mut harbor: Value = serde_saphyr::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    harbor["spec"]["version"] = version.into();
    harbor["spec"]["rotation"] = limits;
    harbor["metadata"]["annotations"][ROTATE_ANNOTATION] = BOTH.into();
    cluster.apply_object(&harbor).await;
}

/// Waits until JobService has no pods, and returns how long that took.
async fn until_stopped(cluster: &Cluster) -> Duration {
    let since = Instant::now();
    let is_stopped = |pods: Option<&Deployment>| {
        let pods = pods.unwrap();
        let exist = pods.status.as_ref().and_then(|status| status.replicas).unwrap_or(0);
        pods.spec.as_ref().unwrap().replicas == Some(0) && exist == 0
    };
    let stopped = await_condition(api::<Deployment>(cluster), "acme-harbor-jobservice", is_stopped);
    timeout(Duration::from_hours(1), stopped).await.expect("JobService is stopped").unwrap();
    since.elapsed()
}

/// Asserts that both secrets were rotated, and that nothing else is left of it.
async fn assert_rotated(cluster: &Cluster) {
    until_ready(cluster).await;
    let harbor = api::<Harbor>(cluster).get("acme").await.unwrap();
    let rotations = harbor.status.unwrap().rotations;
    let states: Vec<_> = rotations.iter().map(|it| (it.name.as_str(), it.phase)).collect();
    let done = RotationPhase::Done;
    assert_eq!(states, [("jobserviceSecret", done), ("coreSecret", done)]);
    assert_as_before(cluster).await;
}

/// How many requests changed a queue.
fn changes(cluster: &Cluster) -> usize {
    cluster.harbor.served().into_iter().filter(|served| served.method == Method::PUT).count()
}

#[tokio::test(start_paused = true)]
async fn a_rotation_waits_for_the_job_that_runs_and_only_queues_that_a_user_paused_stay_paused() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    busy(&cluster, Duration::from_mins(3)).await;
    cluster.harbor.forget_served();
    rotate(&cluster, BEFORE, json!({})).await;
    let drains = "the rotation of jobserviceSecret and coreSecret: step 1 of 4 drains JobService and stops it: \
                  JobService still runs 1 job: GARBAGE_COLLECTION (1), until ";
    until_said(&cluster, drains).await;
    assert_eq!(paused(&cluster).await.len(), 13, "so that no other job begins");
    assert_eq!(jobservice_replicas(&cluster).await, (Some(1), 1));

    let waited = until_stopped(&cluster).await;
    assert!((Duration::from_mins(1)..Duration::from_mins(5)).contains(&waited), "{waited:?}");
    assert_eq!(job_status(&cluster).await, "Success");
    assert_eq!(stopped(&cluster).await, STOPPED);

    assert_rotated(&cluster).await;
    assert_eq!(changes(&cluster), 24, "twelve queues are paused, and resumed");
    assert_eq!(announced(&cluster).await, ["JobQueuesPaused", "JobQueuesResumed"]);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_does_not_end_is_interrupted_by_a_rotation_after_ten_minutes() {
    assert_waits(json!({}), Duration::from_mins(9)..Duration::from_mins(12)).await;
}

#[tokio::test(start_paused = true)]
async fn a_user_says_how_long_jobs_may_delay_a_rotation() {
    assert_waits(json!({"drainTimeout": "30m"}), Duration::from_mins(29)..Duration::from_mins(32)).await;
}

#[tokio::test(start_paused = true)]
async fn a_user_says_that_jobs_may_not_delay_a_rotation() {
    assert_waits(json!({"drainTimeout": "0s"}), Duration::ZERO..Duration::from_mins(2)).await;
}

/// Asserts how long a job that does not end delays a rotation.
async fn assert_waits(limits: Value, expected: Range<Duration>) {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    busy(&cluster, ENDLESS).await;
    rotate(&cluster, BEFORE, limits).await;
    let waited = until_stopped(&cluster).await;
    assert!(expected.contains(&waited), "{waited:?}");
    if !expected.contains(&Duration::ZERO) {
        let why = format!("{STOPPED}, which interrupts 1 job: GARBAGE_COLLECTION (1)");
        assert_eq!(stopped(&cluster).await, why);
    }
    assert_rotated(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn operators_that_are_killed_while_they_wait_for_a_job_do_not_interrupt_it() {
    let cluster =
        killed_while_waiting(Duration::from_mins(8), Duration::from_mins(7)..Duration::from_mins(10)).await;
    assert_eq!(job_status(&cluster).await, "Success");
}

#[tokio::test(start_paused = true)]
async fn operators_that_are_killed_while_they_wait_for_a_job_wait_no_longer_than_one_that_is_not() {
    let cluster = killed_while_waiting(ENDLESS, Duration::from_mins(9)..Duration::from_mins(12)).await;
    assert_eq!(job_status(&cluster).await, "Running");
}

/// Rotates while a job runs, with operators that are killed all the time, and asserts how long it takes to stop JobService.
async fn killed_while_waiting(job: Duration, expected: Range<Duration>) -> Cluster {
    let cluster = a_harbor().await;
    busy(&cluster, job).await;
    cluster.harbor.forget_served();
    rotate(&cluster, BEFORE, json!({})).await;
    let mut stopped = Box::pin(until_stopped(&cluster));
    let waited = loop {
        let _operator = cluster.operator(None);
        tokio::select! {
            waited = &mut stopped => break waited,
            () = sleep(Duration::from_secs(45)) => {}
        }
    };
    drop(stopped);
    assert!(expected.contains(&waited), "{waited:?}");
    {
        let _operator = cluster.operator(None);
        assert_rotated(&cluster).await;
    }
    assert_eq!(changes(&cluster), 24, "twelve queues are paused, and resumed");
    cluster
}

#[tokio::test(start_paused = true)]
async fn an_upgrade_begins_after_the_rotation_that_waits_for_jobs() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    busy(&cluster, Duration::from_mins(5)).await;
    rotate(&cluster, BEFORE, json!({})).await;
    until_said(&cluster, "JobService still runs 1 job").await;
    rotate(&cluster, NEXT, json!({})).await;
    until_said(&cluster, "waits: the rotation of jobserviceSecret and coreSecret has not ended").await;
    until_stopped(&cluster).await;
    assert_eq!(stopped(&cluster).await, STOPPED);
    until_migrating(&cluster).await;
    assert_eq!(stopped(&cluster).await, format!("is stopped until Core has version {NEXT}"));
    assert_rotated(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn a_rotation_begins_after_the_upgrade_that_waits_for_jobs() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    busy(&cluster, Duration::from_mins(5)).await;
    crate::upgrade::apply(&cluster, NEXT).await;
    until_said(&cluster, "JobService still runs 1 job").await;
    rotate(&cluster, NEXT, json!({})).await;
    until_migrating(&cluster).await;
    assert_eq!(stopped(&cluster).await, format!("is stopped until Core has version {NEXT}"));
    let harbor = api::<Harbor>(&cluster).get("acme").await.unwrap();
    let messages = harbor.status.unwrap().rotations.into_iter().filter_map(|it| it.message);
    assert_eq!(messages.collect::<Vec<_>>(), ["waits for the end of the upgrade"; 2]);
    assert_rotated(&cluster).await;
}
