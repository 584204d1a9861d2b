use super::{Case, JobService, a_jobservice};
use serde_json::{Value, json};

fn config(case: &Case<JobService>) -> Value {
    serde_saphyr::from_str(case.child("ConfigMap")["data"]["config.yml"].as_str().unwrap()).unwrap()
}

#[test]
fn ports_and_counts_are_numbers_since_a_quoted_one_makes_jobservice_panic() {
    let config = config(&Case::golden("full"));
    for pointer in [
        "/port",
        "/worker_pool/workers",
        "/worker_pool/redis_pool/idle_timeout_second",
        "/metric/port",
        "/reaper/max_update_hours",
        "/job_loggers/0/sweeper/duration",
    ] {
        assert!(config.pointer(pointer).unwrap().is_u64(), "{pointer}");
    }
}

#[test]
fn jobs_that_wait_are_found_again() {
    let namespace = |case: &Case<JobService>| config(case)["worker_pool"]["redis_pool"]["namespace"].clone();
    assert_eq!(namespace(&a_jobservice()), "jobservice::registry::harbor");
    assert_eq!(namespace(&Case::golden("full")), "jobs-of-staging");
    let empty = a_jobservice().set("/spec/workerPool/redisPool/namespace", json!(""));
    assert_eq!(namespace(&empty), "jobservice::registry::harbor");
}

#[test]
fn b12_each_file_is_written_where_its_volume_is() {
    let case = Case::<JobService>::golden("full");
    let deployment = case.child("Deployment");
    let mounts = deployment.pointer("/spec/template/spec/containers/0/volumeMounts").unwrap();
    let mounted = |name: &str| {
        mounts.as_array().unwrap().iter().find(|mount| mount["name"] == name).unwrap()["mountPath"].clone()
    };
    let config = config(&case);
    for (loggers, volume) in [("loggers", "logs-0"), ("job_loggers", "joblogs-0")] {
        let file = &config[loggers][0];
        assert_eq!(file["settings"]["base_dir"], mounted(volume));
        assert_eq!(file["sweeper"]["settings"]["work_dir"], mounted(volume));
    }
}

#[test]
fn b12_logs_are_kept_for_whole_days_and_never_for_none() {
    let days = |sweeper: &str| {
        let files = json!({"files": [{"sweeper": sweeper}]});
        config(&a_jobservice().set("/spec/jobLoggers", files))["job_loggers"][0]["sweeper"]["duration"]
            .clone()
    };
    assert_eq!(["14h", "0s", "24h", "25h", "720h"].map(days), [1, 1, 1, 2, 30]);
}

#[test]
fn b12_logs_without_a_time_are_kept_for_ever() {
    let loggers = |spec: Value| config(&a_jobservice().set("/spec/jobLoggers", spec))["job_loggers"].clone();
    let file = json!([{"name": "FILE", "level": "INFO", "settings": {"base_dir": "/mnt/joblogs/0"}}]);
    assert_eq!(loggers(json!({"files": [{}]})), file);
    assert_eq!(loggers(json!({"database": {}})), json!([{"name": "DB", "level": "INFO"}]));
}

#[test]
fn the_file_of_jobservice_itself_has_a_name_without_which_it_does_not_start() {
    let case = a_jobservice().set("/spec/loggers", json!({"files": [{"level": "WARNING"}]}));
    let expected = json!([{"name": "FILE", "level": "WARNING",
        "settings": {"base_dir": "/mnt/logs/0", "filename": "jobservice.log"}}]);
    assert_eq!(config(&case)["loggers"], expected);
}

#[test]
fn what_is_not_set_is_left_out() {
    let config = config(&a_jobservice());
    let keys: Vec<&String> = config.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["job_loggers", "loggers", "port", "protocol", "worker_pool"]);
}
