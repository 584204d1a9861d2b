//! JobService's configuration file has the fields of Harbor's structures.
//!
//! JobService itself is not available, and Go ignores unknown fields; this test refuses them.

use crate::{
    cases::{Case, files, golden_directory},
    pod::Pod,
};
use components::jobservice::JobService;
use serde::Deserialize;
use serde_json::Value;
use std::{collections::BTreeMap, path::Path};

/// As `src/jobservice/config` declares it in Harbor 2.15, with what it demands when it validates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Configuration {
    protocol: Protocol,
    port: u16,
    https_config: Option<Https>,
    worker_pool: WorkerPool,
    job_loggers: Vec<Logger>,
    loggers: Vec<Logger>,
    metric: Option<Metric>,
    #[allow(dead_code, reason = "Harbor has defaults for all of it")]
    reaper: Option<Reaper>,
}

#[derive(Deserialize, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum Protocol {
    Http,
    Https,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Https {
    cert: String,
    key: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkerPool {
    workers: u32,
    backend: String,
    redis_pool: RedisPool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RedisPool {
    namespace: String,
    #[allow(dead_code, reason = "any number will do")]
    idle_timeout_second: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Logger {
    name: String,
    level: String,
    #[serde(default)]
    settings: BTreeMap<String, Value>,
    sweeper: Option<Sweeper>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sweeper {
    duration: u32,
    #[serde(default)]
    settings: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metric {
    enabled: bool,
    path: String,
    port: u16,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "that it can be read is the point")]
struct Reaper {
    max_update_hours: Option<i32>,
    max_dangling_hours: Option<i32>,
}

#[test]
fn every_configuration_is_one_that_harbor_validates() {
    for directory in files(&golden_directory::<JobService>()) {
        let pod = Case::<JobService>::load(&directory).pod();
        let text = pod.file("jobservice", "/etc/jobservice/config.yml");
        let configuration: Configuration = serde_saphyr::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}\n{text}", directory.display()));
        assert_valid(&configuration, &pod);
    }
}

fn assert_valid(configuration: &Configuration, pod: &Pod) {
    let files = pod.files("jobservice");
    assert_ne!(configuration.port, 0);
    match (&configuration.protocol, &configuration.https_config) {
        (Protocol::Http, _) => {}
        (Protocol::Https, https) => {
            let Https { cert, key } = https.as_ref().unwrap();
            assert!(files.contains_key(Path::new(cert)) && files.contains_key(Path::new(key)));
        }
    }
    let WorkerPool { workers, backend, redis_pool } = &configuration.worker_pool;
    assert!(*workers > 0 && backend == "redis" && !redis_pool.namespace.is_empty());
    // The file holds no URL, so the environment must.
    assert!(!pod.environment("jobservice")["JOB_SERVICE_POOL_REDIS_URL"].is_empty());
    for (loggers, whose) in [(&configuration.loggers, "service"), (&configuration.job_loggers, "job")] {
        assert!(!loggers.is_empty(), "no {whose} logger");
        loggers.iter().for_each(assert_known);
    }
    if let Some(Metric { enabled, path, port }) = &configuration.metric {
        assert!(*enabled && path.starts_with('/') && *port > 0);
    }
}

/// The settings that each kind of logger requires.
fn assert_known(logger: &Logger) {
    let Logger { name, level, settings, sweeper } = logger;
    assert!(["DEBUG", "INFO", "WARNING", "ERROR", "FATAL"].contains(&&**level), "{level}");
    let needed: (&[&str], &[&str]) = match &**name {
        "FILE" => (&["base_dir"], &["work_dir"]),
        "STD_OUTPUT" | "DB" => (&[], &[]),
        _ => panic!("no logger is called {name}"),
    };
    assert!(needed.0.iter().all(|setting| settings.contains_key(*setting)), "{name}");
    if let Some(Sweeper { duration, settings }) = sweeper {
        assert!(*duration > 0 && needed.1.iter().all(|setting| settings.contains_key(*setting)), "{name}");
    }
}
