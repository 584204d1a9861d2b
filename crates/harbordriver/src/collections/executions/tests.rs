//! What is reported of executions that real Harbors 2.5.6, 2.9.5 and 2.15.2 ran, and of such as they did not record.

use super::find;
use crate::{client::Client, network::over};
use bytes::Bytes;
use harborstate::{
    Access, Trust,
    execution::{Facts, Job, Name, Progress, Which},
};
use http_body_util::Full;
use serde_json::{Value, json};
use std::{collections::BTreeMap, convert::Infallible, sync::Arc};

const VERSIONS: [&str; 3] = ["2.5.6", "2.9.5", "2.15.2"];

/// The last answer of a recorded Harbor to a step.
fn recorded(version: &str, step: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../harborserver/tests/recordings");
    let lines = std::fs::read_to_string(format!("{folder}/{version}.jsonl")).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let found = lines.rev().find(|line| line["step"] == step && line["response"]["status"] == 200);
    found.expect(step)["response"]["body"].take()
}

/// A client of a Harbor that gives these answers.
fn client(answers: &[(&str, Value)]) -> Client {
    let answers = answers.iter().map(|(path, body)| (format!("/api/v2.0{path}"), body.to_string()));
    let answers: Arc<BTreeMap<_, _>> = Arc::new(answers.collect());
    let service = tower::service_fn(move |request: http::Request<Full<Bytes>>| {
        let found = answers.get(request.uri().path()).cloned();
        let status = if found.is_some() { 200 } else { 404 };
        let answer = http::Response::builder().status(status).header("content-type", "application/json");
        let answer = answer.body(Full::new(Bytes::from(found.unwrap_or_default()))).unwrap();
        std::future::ready(Ok::<_, Infallible>(answer))
    });
    let access = Access {
        url: "http://harbor.example.com".into(),
        trust: Trust::Public,
        username: "admin".into(),
        password: "Harbor12345".into(),
    };
    let harbor = over(service, &access).unwrap();
    Client { harbor, index: Arc::default(), username: access.username }
}

/// What is known of the execution of a job with the number that its description has.
async fn facts(job: Job, shown: &Value, answers: &[(&str, Value)]) -> Facts {
    let which = Which::Number(shown["id"].as_i64().unwrap_or_default());
    find(&client(answers), &Name { job, which }).await.unwrap().unwrap()
}

/// Progress, Harbor's word for it, and the result.
fn reported(facts: &Facts) -> (Progress, &str, &str) {
    (facts.progress, &facts.status, &facts.result)
}

/// A garbage collection or a purge with other parameters.
fn with_parameters(run: &Value, changes: Value) -> Value {
    let mut run = run.clone();
    let mut parameters: Value = serde_json::from_str(run["job_parameters"].as_str().unwrap()).unwrap();
    for (name, value) in changes.as_object().unwrap() {
        parameters[name] = value.clone();
    }
    run["job_parameters"] = parameters.to_string().into();
    run
}

async fn collection(run: &Value) -> Facts {
    facts(Job::GarbageCollection, run, &[("/system/gc", json!([run]))]).await
}

#[tokio::test(start_paused = true)]
async fn a_garbage_collection_tells_what_it_deleted_where_harbor_counts_it() {
    let results = [
        ["", ""],
        [
            "0 blobs and 0 manifests deleted, 0 bytes freed",
            "dry run: 0 blobs and 0 manifests would be deleted, 0 bytes freed",
        ],
        [
            "0 blobs and 0 manifests deleted, 0 bytes freed",
            "dry run: 0 blobs and 0 manifests would be deleted, 0 bytes freed",
        ],
    ];
    for (version, [real, dry]) in VERSIONS.into_iter().zip(results) {
        let run = recorded(version, "gc: execution");
        assert_eq!(reported(&collection(&run).await), (Progress::Succeeded, "Success", real), "{version}");
        let run = recorded(version, "jobservice: gc after resuming");
        assert_eq!(reported(&collection(&run).await), (Progress::Succeeded, "Success", dry), "{version}");
    }

    let run = recorded("2.15.2", "gc: execution");
    let counts = json!({"freed_space": 3_000_000_000_i64, "purged_blobs": 12, "purged_manifests": 3});
    let expected = Facts {
        id: 47,
        status: "Success".into(),
        progress: Progress::Succeeded,
        started: Some(1_794_811_903),
        ended: Some(1_794_811_913),
        result: "12 blobs and 3 manifests deleted, 3000000000 bytes freed".into(),
    };
    assert_eq!(collection(&with_parameters(&run, counts)).await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_garbage_collection_that_runs_or_failed_has_no_result() {
    let run = recorded("2.9.5", "jobservice: gc while paused, execution");
    assert_eq!(reported(&collection(&run).await), (Progress::Running, "Running", ""));
    for version in VERSIONS {
        for status in ["Error", "Stopped"] {
            let mut run = recorded(version, "gc: execution");
            run["job_status"] = status.into();
            assert_eq!(reported(&collection(&run).await), (Progress::Failed, status, ""), "{version}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_purge_tells_its_limit_when_it_has_succeeded() {
    // 2.5 has none.
    for version in ["2.9.5", "2.15.2"] {
        let run = recorded(version, "purge audit: history")[0].take();
        let ended = |status: &str| {
            let mut run = run.clone();
            run["job_status"] = status.into();
            run
        };
        let number = "; the log of the run in Harbor has their number";
        let dry = format!("dry run: entries older than 24 hours would be deleted{number}");
        let real = format!("entries older than 24 hours deleted{number}");
        for (run, expected) in [
            (run.clone(), (Progress::Running, "Running", "")),
            (ended("Success"), (Progress::Succeeded, "Success", dry.as_str())),
            (
                with_parameters(&ended("Success"), json!({"dry_run": false})),
                (Progress::Succeeded, "Success", real.as_str()),
            ),
            (ended("Error"), (Progress::Failed, "Error", "")),
        ] {
            let facts = facts(Job::AuditPurge, &run, &[("/system/purgeaudit", json!([run]))]).await;
            assert_eq!(reported(&facts), expected, "{version}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_scan_tells_how_many_artifacts_were_scanned_and_fails_if_one_failed() {
    let scan = async |metrics: &Value| {
        facts(Job::ScanAll, &Value::Null, &[("/scans/all/metrics", metrics.clone())]).await
    };
    for (version, total) in VERSIONS.into_iter().zip([0, 0, 4]) {
        let metrics = recorded(version, "scan all: metrics");
        let result = format!("0 of {total} artifacts scanned");
        assert_eq!(
            reported(&scan(&metrics).await),
            (Progress::Running, "Running", result.as_str()),
            "{version}"
        );
        for (counts, status, result) in [
            (json!({"Success": 4}), "Success", "4 of 4 artifacts scanned"),
            (json!({"Success": 3, "Error": 1}), "Error", "3 of 4 artifacts scanned, 1 failed"),
            (
                json!({"Success": 1, "Error": 1, "Stopped": 2}),
                "Error",
                "1 of 4 artifacts scanned, 1 failed, 2 stopped",
            ),
            (json!({"Success": 2, "Stopped": 2}), "Stopped", "2 of 4 artifacts scanned, 2 stopped"),
        ] {
            let mut metrics = metrics.clone();
            metrics["ongoing"] = false.into();
            metrics["total"] = 4.into();
            metrics["completed"] = 4.into();
            for (name, count) in counts.as_object().unwrap() {
                metrics["metrics"][name] = count.clone();
            }
            metrics["metrics"]["Pending"] = 0.into();
            let progress = if status == "Success" { Progress::Succeeded } else { Progress::Failed };
            assert_eq!(reported(&scan(&metrics).await), (progress, status, result), "{version}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_replication_tells_how_many_tasks_succeeded() {
    for version in VERSIONS {
        let run = recorded(version, "replication: execution");
        let mut failed = run.clone();
        failed["status"] = "Failed".into();
        failed["succeed"] = 0.into();
        failed["failed"] = 1.into();
        for (run, expected) in [
            (run, (Progress::Succeeded, "Succeed", "1 of 1 tasks succeeded, 0 failed")),
            (failed, (Progress::Failed, "Failed", "0 of 1 tasks succeeded, 1 failed")),
        ] {
            let answers = [
                ("/replication/policies", json!([{"id": run["policy_id"], "name": "copy"}])),
                ("/replication/executions", json!([run])),
            ];
            let facts = facts(Job::Replication("copy".into()), &run, &answers).await;
            assert_eq!(reported(&facts), expected, "{version}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_retention_tells_how_many_artifacts_of_all_repositories_it_deleted() {
    for version in VERSIONS {
        let run = recorded(version, "retention: executions")[0].take();
        let tasks = recorded(version, "retention: tasks");
        let change = |mut value: Value, changes: Value| {
            for (name, field) in changes.as_object().unwrap() {
                value[name] = field.clone();
            }
            value
        };
        let mut one_failed = tasks.clone();
        one_failed[1]["status"] = "Error".into();
        let error = json!({"status": "Error", "dry_run": false});
        for (run, tasks, expected) in [
            (
                run.clone(),
                &tasks,
                (
                    Progress::Succeeded,
                    "Success",
                    "dry run: 2 of 4 artifacts in 2 repositories would be deleted",
                ),
            ),
            (
                change(run.clone(), json!({"dry_run": false})),
                &tasks,
                (Progress::Succeeded, "Success", "2 of 4 artifacts in 2 repositories deleted"),
            ),
            (
                change(run.clone(), error),
                &one_failed,
                (
                    Progress::Failed,
                    "Error",
                    "2 of 4 artifacts in 2 repositories deleted, 1 repositories failed",
                ),
            ),
            (change(run.clone(), json!({"status": "Running"})), &tasks, (Progress::Running, "Running", "")),
        ] {
            let tasks_of = format!("/retentions/1/executions/{}/tasks", run["id"]);
            let answers = [
                ("/projects/alpha/metadatas/", json!({"retention_id": "1"})),
                ("/retentions/1/executions", json!([run])),
                (tasks_of.as_str(), tasks.clone()),
            ];
            let facts = facts(Job::Retention("alpha".into()), &run, &answers).await;
            assert_eq!(reported(&facts), expected, "{version}");
        }
    }
}
