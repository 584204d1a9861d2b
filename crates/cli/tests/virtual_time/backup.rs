//! Backups before the hops of an upgrade, by Jobs from a CronJob of the user.

use crate::{
    cluster::{Cluster, NAMESPACE},
    served::{a_cluster, harbor, patch},
    upgrade::until_ready,
};
use api::v1beta1::Harbor;
use futures::StreamExt as _;
use k8s_openapi::api::{
    apps::v1::Deployment,
    batch::v1::{CronJob, Job},
    core::v1::Pod,
};
use kube::{
    Api, Resource, ResourceExt as _,
    api::{DeleteParams, ListParams},
    runtime::{
        WatchStreamExt as _,
        wait::await_condition,
        watcher::{self, watcher},
    },
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{task::JoinHandle, time::timeout};

const JOB: &str = "acme-harbor-backup-2-11-2";

/// A CronJob whose Jobs have these annotations.
pub fn cron_job(annotations: &Value) -> Value {
    json!({
        "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {"name": "nightly", "namespace": NAMESPACE},
        "spec": {"schedule": "0 3 * * *", "suspend": true, "jobTemplate": {
            "metadata": {"annotations": annotations},
            "spec": {"backoffLimit": 0, "ttlSecondsAfterFinished": 0, "template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "dump", "image": "backup:1"}],
            }}},
        }},
    })
}

/// The Harbor with a backup before each hop.
fn backed_up(version: &str, deadline: Option<&str>) -> Value {
    let mut harbor = harbor(version);
    harbor["spec"]["upgrade"] = json!({"backup": {"cronJobRef": "nightly"}});
    if let Some(deadline) = deadline {
        harbor["spec"]["upgrade"]["backup"]["deadline"] = deadline.into();
    }
    harbor
}

/// A cluster with a Harbor of 2.10.3, and such a CronJob.
async fn with_cron_job(annotations: &Value) -> Cluster {
    let cluster = a_cluster("2.10.3").await;
    cluster.apply_object(&cron_job(annotations)).await;
    cluster
}

async fn until_said(cluster: &Cluster, parts: &[&str]) {
    let says = |harbor: Option<&Harbor>| {
        let mut conditions =
            harbor.and_then(|it| it.status.as_ref()).into_iter().flat_map(|it| &it.common.conditions);
        let ready = conditions.find(|condition| condition.type_ == "Ready");
        let message = ready.and_then(|ready| ready.message.clone()).unwrap_or_default();
        parts.iter().all(|part| message.contains(part))
    };
    let api: Api<Harbor> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let said = timeout(Duration::from_hours(1), Box::pin(await_condition(api.clone(), "acme", says))).await;
    assert!(said.is_ok(), "{parts:?}: {:#}", json!(api.get("acme").await.unwrap().status));
}

/// Nothing has been changed: Core has its version and serves, and no pod migrates the database.
async fn assert_untouched(cluster: &Cluster) {
    let deployments: Api<Deployment> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let core = deployments.get("acme-harbor-core").await.unwrap();
    let image = core.spec.unwrap().template.spec.unwrap().containers[0].image.clone().unwrap();
    assert!(image.ends_with(":v2.10.3"), "{image}");
    assert_eq!(core.status.unwrap().available_replicas, Some(1));
    let pods: Api<Pod> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let names = pods.list(&ListParams::default()).await.unwrap().items;
    assert!(!names.iter().any(|pod| pod.name_any().contains("-migrate-")));
}

async fn assert_no_jobs(cluster: &Cluster) {
    let jobs: Api<Job> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let names = jobs.list(&ListParams::default()).await.unwrap().items.into_iter().map(|job| job.name_any());
    assert_eq!(names.collect::<Vec<_>>(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_backup_is_complete_before_each_hop_and_made_once_however_often_the_operator_is_killed() {
    for writes in [None, Some(1), Some(3)] {
        let cluster = a_cluster("2.9.5").await;
        cluster.apply_object(&cron_job(&json!({"sandbox.goharbor.io/delay": "5m"}))).await;
        let watched = Watched::of(&cluster);
        cluster.apply_object(&backed_up("2.12.4", None)).await;
        let mut lives = 0;
        while writes.is_some() {
            assert!(lives < 1000, "the upgrade does not go on");
            let mut doomed = cluster.operator(writes);
            tokio::select! {
                () = doomed.killed() => lives += 1,
                // It has nothing left to send.
                () = tokio::time::sleep(Duration::from_mins(20)) => break,
            }
        }
        let _operator = cluster.operator(None);
        until_ready(&cluster).await;
        println!("{writes:?}: {lives} lives");
        watched.assert_order(&[
            "backup 2-11-2 runs",
            "backup 2-11-2 is complete",
            "migration 2-11-2 runs",
            "backup 2-12-4 runs",
            "backup 2-12-4 is complete",
            "migration 2-12-4 runs",
        ]);
        assert_no_jobs(&cluster).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_backup_that_fails_is_quoted_stops_the_upgrade_and_runs_again_when_its_job_is_deleted() {
    let cluster = with_cron_job(&json!({"sandbox.goharbor.io/delay": "10m"})).await;
    let _operator = cluster.operator(None);
    cluster.apply_object(&backed_up("2.11.2", None)).await;
    until_said(
        &cluster,
        &["the upgrade from 2.10.3 to 2.11.2 waits", &format!("Job registry/{JOB} makes a backup since")],
    )
    .await;
    assert_untouched(&cluster).await;

    let fail = json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": "pg_dump: error: no space"}}});
    patch::<Job>(&cluster, JOB, fail).await;
    let remedy = format!(
        "nothing has been changed: correct the cause, and have another Job run: kubectl -n registry delete job {JOB}"
    );
    until_said(
        &cluster,
        &[
            &format!("the backup by Job registry/{JOB} has failed (Job has reached the specified backoff limit; pod {JOB}-"),
            "container dump ended with exit code 1: pg_dump: error: no space",
            &remedy,
        ],
    )
    .await;
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_untouched(&cluster).await;

    let jobs: Api<Job> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    jobs.delete(JOB, &DeleteParams::background()).await.unwrap();
    until_ready(&cluster).await;
    assert_no_jobs(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn a_backup_that_failed_runs_again_when_its_cron_job_changes_and_an_upgrade_is_taken_back_with_it() {
    let broken = json!({"sandbox.goharbor.io/fail": "no such bucket"});
    let cluster = with_cron_job(&broken).await;
    let _operator = cluster.operator(None);
    cluster.apply_object(&backed_up("2.11.2", None)).await;
    until_said(&cluster, &["has failed", "no such bucket"]).await;
    cluster.apply_object(&backed_up("2.10.3", None)).await;
    until_ready(&cluster).await;
    assert_no_jobs(&cluster).await;

    cluster.apply_object(&backed_up("2.11.2", None)).await;
    until_said(&cluster, &["has failed", "no such bucket"]).await;
    cluster.apply_object(&cron_job(&json!({}))).await;
    until_ready(&cluster).await;
    assert_no_jobs(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn a_backup_that_takes_longer_than_its_deadline_has_failed() {
    let cluster = with_cron_job(&json!({"sandbox.goharbor.io/delay": "30m"})).await;
    let _operator = cluster.operator(None);
    cluster.apply_object(&backed_up("2.11.2", Some("5m"))).await;
    until_said(&cluster, &["has failed (Job was active longer than specified deadline)"]).await;
    assert_untouched(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn a_backup_whose_pod_cannot_start_says_why() {
    let cluster = with_cron_job(&json!({})).await;
    let mut unable = cron_job(&json!({}));
    unable["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]["envFrom"] =
        json!([{"secretRef": {"name": "bucket"}}]);
    cluster.apply_object(&unable).await;
    let _operator = cluster.operator(None);
    cluster.apply_object(&backed_up("2.11.2", None)).await;
    let pod = format!("; pod {JOB}-");
    let why = " has not started yet: CreateContainerConfigError: secret \"bucket\" not found";
    until_said(&cluster, &[&pod, why]).await;
    assert_untouched(&cluster).await;
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "bucket", "namespace": NAMESPACE},
    });
    cluster.apply_object(&secret).await;
    until_ready(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn an_upgrade_waits_for_a_cron_job_that_does_not_exist_and_goes_on_when_it_does() {
    let cluster = a_cluster("2.10.3").await;
    let _operator = cluster.operator(None);
    cluster.apply_object(&backed_up("2.11.2", None)).await;
    until_said(&cluster, &["CronJob registry/nightly of spec.upgrade.backup does not exist"]).await;
    assert_untouched(&cluster).await;
    cluster.apply_object(&cron_job(&json!({}))).await;
    until_ready(&cluster).await;
    let cron_jobs: Api<CronJob> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    assert!(cron_jobs.get("nightly").await.unwrap().owner_references().is_empty(), "it stays the user's");
}

/// What Jobs and pods do, in order.
struct Watched {
    seen: Arc<Mutex<Seen>>,
    tasks: [JoinHandle<()>; 2],
}

#[derive(Default)]
struct Seen {
    /// By the revision of the cluster.
    events: BTreeMap<u64, String>,
    /// What has been noted, by the uid of the object.
    noted: BTreeSet<(String, String)>,
}

impl Seen {
    fn note<K: Resource>(&mut self, object: &K, what: String) {
        if self.noted.insert((object.uid().unwrap(), what.clone())) {
            self.events.insert(object.resource_version().unwrap().parse().unwrap(), what);
        }
    }
}

impl Watched {
    fn of(cluster: &Cluster) -> Self {
        let seen = Arc::<Mutex<Seen>>::default();
        let (of_jobs, of_pods) = (Arc::clone(&seen), Arc::clone(&seen));
        let jobs: Api<Job> = Api::namespaced(cluster.client.clone(), NAMESPACE);
        let pods: Api<Pod> = Api::namespaced(cluster.client.clone(), NAMESPACE);
        let jobs = tokio::spawn(async move {
            let mut jobs = std::pin::pin!(watcher(jobs, watcher::Config::default()).applied_objects());
            while let Some(Ok(job)) = jobs.next().await {
                let version = job.name_any().replace("acme-harbor-backup-", "");
                let conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
                if conditions.into_iter().any(|condition| condition.type_ == "Complete") {
                    of_jobs.lock().unwrap().note(&job, format!("backup {version} is complete"));
                }
            }
        });
        let pods = tokio::spawn(async move {
            let mut pods = std::pin::pin!(watcher(pods, watcher::Config::default()).applied_objects());
            while let Some(Ok(pod)) = pods.next().await {
                let runs = pod.status.as_ref().and_then(|it| it.phase.as_deref()) == Some("Running");
                let name = pod.name_any();
                let what = if let Some((_, version)) = name.split_once("-migrate-") {
                    format!("migration {version} runs")
                } else if let Some(job) = pod.labels().get("job-name") {
                    format!("backup {} runs", job.replace("acme-harbor-backup-", ""))
                } else {
                    continue;
                };
                if runs {
                    of_pods.lock().unwrap().note(&pod, what);
                }
            }
        });
        Self { seen, tasks: [jobs, pods] }
    }

    /// Asserts that these are all events: a second Job or pod would be another one.
    fn assert_order(&self, expected: &[&str]) {
        self.tasks.iter().for_each(JoinHandle::abort);
        let seen = self.seen.lock().unwrap();
        assert_eq!(seen.events.values().collect::<Vec<_>>(), expected);
    }
}
