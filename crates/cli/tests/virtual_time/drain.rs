//! JobService is drained before the database is migrated, and its queues are resumed afterwards.

use crate::{
    cluster::{Cluster, NAMESPACE},
    upgrade::{BEFORE, PAUSED_BY_USER, a_harbor_in, apply, apply_with, as_user, paused, until_ready},
};
use api::{
    names::{EXTERNAL_ANNOTATION, PAUSED_QUEUES_ANNOTATION, STOPPED_ANNOTATION},
    v1beta1::{Harbor, JobService},
};
use harbor::garbage_collection::Parameters;
use http::Method;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Event, Pod},
};
use kube::{
    Api, Resource, ResourceExt as _,
    api::{DeleteParams, ListParams},
    core::NamespaceResourceScope,
    runtime::wait::await_condition,
};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::{fmt::Debug, ops::Range, time::Duration};
use tokio::time::{Instant, timeout};

/// A hop that stops Core, and its pod.
const WANTED: &str = "2.14.3";
const MIGRATION: &str = "acme-harbor-core-migrate-2-14-3";

/// How long each pod takes to start, and each migration to end.
pub const DELAY: Duration = Duration::from_secs(20);

/// Longer than any hop waits unless a user wants that.
pub const ENDLESS: Duration = Duration::from_hours(100);

pub fn api<K>(cluster: &Cluster) -> Api<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + DeserializeOwned + Debug,
{
    Api::namespaced(cluster.client.clone(), NAMESPACE)
}

pub async fn a_harbor() -> Cluster {
    a_harbor_in(Cluster::slow(DELAY).await).await
}

/// Starts a garbage collection that takes this long.
pub async fn run_a_job(cluster: &Cluster, duration: Duration) {
    cluster.harbor.set_job_duration(duration);
    as_user(cluster).garbage_collection().start(&Parameters::default()).await.unwrap();
}

/// How the last garbage collection stands.
pub async fn job_status(cluster: &Cluster) -> String {
    let history = as_user(cluster).garbage_collection().history().await.unwrap();
    history.into_iter().next().unwrap().status
}

/// Waits until the database is being migrated, and returns how long that took.
pub async fn until_migrating(cluster: &Cluster) -> Duration {
    let since = Instant::now();
    let runs =
        |pod: Option<&Pod>| pod.and_then(|pod| pod.status.as_ref()?.phase.as_deref()) == Some("Running");
    let running = await_condition(api::<Pod>(cluster), MIGRATION, runs);
    timeout(Duration::from_hours(1), running).await.expect("the database is migrated").unwrap();
    since.elapsed()
}

/// Waits until the message of the condition `Ready` of the Harbor contains a text.
pub async fn until_said(cluster: &Cluster, text: &str) {
    let says = |harbor: Option<&Harbor>| {
        let status = harbor.and_then(|harbor| harbor.status.as_ref());
        let mut conditions = status.into_iter().flat_map(|status| &status.common.conditions);
        conditions.any(|it| it.type_ == "Ready" && it.message.as_ref().is_some_and(|it| it.contains(text)))
    };
    let said = timeout(Duration::from_hours(1), await_condition(api::<Harbor>(cluster), "acme", says)).await;
    if said.is_err() {
        let harbor = api::<Harbor>(cluster).get("acme").await.unwrap();
        panic!("nothing says {text:?}: {:#}", json!(harbor.status));
    }
}

pub async fn jobservice_replicas(cluster: &Cluster) -> (Option<i32>, i32) {
    let pods = api::<Deployment>(cluster).get("acme-harbor-jobservice").await.unwrap();
    (pods.spec.unwrap().replicas, pods.status.unwrap().replicas.unwrap_or(0))
}

/// Why the operator keeps JobService without pods.
pub async fn stopped(cluster: &Cluster) -> String {
    let jobservice = api::<JobService>(cluster).get("acme-harbor").await.unwrap();
    jobservice.annotations()[STOPPED_ANNOTATION].clone()
}

/// Asserts that nothing is left of what the operator did about queues, but what the user did.
pub async fn assert_as_before(cluster: &Cluster) {
    assert_eq!(paused(cluster).await, [PAUSED_BY_USER]);
    assert_eq!(jobservice_replicas(cluster).await, (Some(1), 1));
    let jobservice = api::<JobService>(cluster).get("acme-harbor").await.unwrap();
    let annotations = jobservice.annotations();
    assert!(
        !annotations.contains_key(PAUSED_QUEUES_ANNOTATION) && !annotations.contains_key(STOPPED_ANNOTATION)
    );
    let harbor = api::<Harbor>(cluster).get("acme").await.unwrap();
    assert_eq!(harbor.annotations().get(EXTERNAL_ANNOTATION), None);
    assert_eq!(harbor.finalizers(), [""; 0]);
}

/// The reasons of events about queues.
pub async fn announced(cluster: &Cluster) -> Vec<String> {
    let events = api::<Event>(cluster).list(&ListParams::default()).await.unwrap().items;
    let reasons = events.into_iter().filter_map(|event| event.reason);
    reasons.filter(|reason| reason.starts_with("JobQueues")).collect()
}

#[tokio::test(start_paused = true)]
async fn no_job_runs_while_the_database_is_migrated_and_only_queues_that_a_user_paused_stay_paused() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    run_a_job(&cluster, Duration::from_mins(3)).await;
    cluster.harbor.forget_served();
    apply(&cluster, WANTED).await;
    until_said(&cluster, "JobService still runs 1 job: GARBAGE_COLLECTION (1), until ").await;
    assert_eq!(paused(&cluster).await.len(), 13, "so that no other job begins");

    let waited = until_migrating(&cluster).await;
    assert!((Duration::from_mins(2)..Duration::from_mins(5)).contains(&waited), "{waited:?}");
    assert_eq!(job_status(&cluster).await, "Success");
    assert_eq!(jobservice_replicas(&cluster).await, (Some(0), 0));
    assert_eq!(stopped(&cluster).await, "is stopped until Core has version 2.14.3");

    until_ready(&cluster).await;
    assert_as_before(&cluster).await;
    let changes = cluster.harbor.served().into_iter().filter(|served| served.method == Method::PUT);
    assert_eq!(changes.count(), 24, "twelve queues are paused, and resumed");
    assert_eq!(announced(&cluster).await, ["JobQueuesPaused", "JobQueuesResumed"]);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_does_not_end_is_interrupted_after_ten_minutes() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    run_a_job(&cluster, ENDLESS).await;
    apply(&cluster, WANTED).await;
    let waited = until_migrating(&cluster).await;
    assert!((Duration::from_mins(10)..Duration::from_mins(12)).contains(&waited), "{waited:?}");
    assert_eq!(jobservice_replicas(&cluster).await, (Some(0), 0));
    let why = "is stopped until Core has version 2.14.3, which interrupts 1 job: GARBAGE_COLLECTION (1)";
    assert_eq!(stopped(&cluster).await, why);
    until_ready(&cluster).await;
    assert_as_before(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn a_user_says_that_jobs_may_not_go_on() {
    assert_waits("0s", Duration::ZERO..Duration::from_mins(2)).await;
}

#[tokio::test(start_paused = true)]
async fn a_user_says_how_long_jobs_may_go_on() {
    assert_waits("30m", Duration::from_mins(30)..Duration::from_mins(32)).await;
}

/// Asserts how long a job that does not end delays an upgrade.
async fn assert_waits(drain_timeout: &str, expected: Range<Duration>) {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    run_a_job(&cluster, ENDLESS).await;
    apply_with(&cluster, WANTED, json!({"upgrade": {"drainTimeout": drain_timeout}})).await;
    let waited = until_migrating(&cluster).await;
    assert!(expected.contains(&waited), "{waited:?}");
    until_ready(&cluster).await;
    assert_as_before(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn a_harbor_that_does_not_answer_is_named_and_delays_its_upgrade_by_ten_minutes() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    cluster.way.cut_off(true);
    apply(&cluster, WANTED).await;
    until_said(&cluster, "waits: JobService's queues cannot be paused: ").await;
    let waited = until_migrating(&cluster).await;
    assert!((Duration::from_mins(9)..Duration::from_mins(12)).contains(&waited), "{waited:?}");
    let why = stopped(&cluster).await;
    assert!(
        why.starts_with("is stopped until Core has version 2.14.3, without an end of its jobs: "),
        "{why}"
    );
    until_ready(&cluster).await;
    cluster.way.cut_off(false);
    assert_as_before(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn queues_that_cannot_be_resumed_yet_are_named_until_harbor_answers_again() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    apply(&cluster, WANTED).await;
    until_migrating(&cluster).await;
    cluster.way.cut_off(true);
    until_said(&cluster, "the queues that the operator has paused stay so for now: ").await;
    cluster.way.cut_off(false);
    until_ready(&cluster).await;
    assert_as_before(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_taken_back_while_jobs_run_stops_nothing_and_resumes_the_queues() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    run_a_job(&cluster, ENDLESS).await;
    apply(&cluster, WANTED).await;
    until_said(&cluster, "JobService still runs 1 job").await;
    apply(&cluster, BEFORE).await;
    until_ready(&cluster).await;
    assert_as_before(&cluster).await;
    assert_eq!(job_status(&cluster).await, "Running");
}

#[tokio::test(start_paused = true)]
async fn a_pod_whose_node_is_gone_before_it_may_migrate_is_replaced_and_jobs_are_waited_for_all_the_same() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    run_a_job(&cluster, Duration::from_mins(15)).await;
    apply(&cluster, WANTED).await;
    until_said(&cluster, "JobService still runs 1 job").await;
    tokio::time::sleep(Duration::from_mins(8)).await;
    api::<Pod>(&cluster).delete(MIGRATION, &DeleteParams::default().grace_period(0)).await.unwrap();
    until_migrating(&cluster).await;
    assert_eq!(job_status(&cluster).await, "Success");
    until_ready(&cluster).await;
    assert_as_before(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn a_jobservice_without_pods_is_not_drained() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    let stopped = json!({"jobservice": {"replicas": 0}});
    apply_with(&cluster, BEFORE, stopped.clone()).await;
    until_ready(&cluster).await;
    apply_with(&cluster, WANTED, stopped).await;
    assert!(until_migrating(&cluster).await < Duration::from_mins(2));
    until_ready(&cluster).await;
    assert_eq!(jobservice_replicas(&cluster).await, (Some(0), 0));
    assert_eq!(paused(&cluster).await, [PAUSED_BY_USER]);
}
