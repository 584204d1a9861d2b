use super::{Case, JobService, a_jobservice};
use crate::cases::base64;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn values(case: &Case<JobService>) -> BTreeMap<String, Value> {
    let deployment = case.child("Deployment");
    let variables = deployment.pointer("/spec/template/spec/containers/0/env").unwrap().as_array().unwrap();
    let value = |variable: &Value| variable.get("value").or(variable.get("valueFrom")).cloned().unwrap();
    variables.iter().map(|it| (it["name"].as_str().unwrap().to_owned(), value(it))).collect()
}

#[test]
fn times_are_in_the_units_of_harbor_and_never_zero() {
    let passed_on = |webhooks: &str, registry: &str| {
        let case = a_jobservice()
            .set("/spec/webhooks", json!({"timeout": webhooks}))
            .set("/spec/registryHttpClientTimeout", json!(registry));
        let values = values(&case);
        [&values["JOBSERVICE_WEBHOOK_JOB_HTTP_CLIENT_TIMEOUT"], &values["REGISTRY_HTTP_CLIENT_TIMEOUT"]]
            .map(|value| value.as_str().unwrap().to_owned())
    };
    assert_eq!(passed_on("3s", "30m"), ["3", "30"]);
    assert_eq!(passed_on("1200ms", "90s"), ["2", "2"]);
    assert_eq!(passed_on("0s", "0s"), ["1", "1"]);
}

#[test]
fn what_is_not_set_is_left_to_harbors_default() {
    let values = values(&a_jobservice());
    for variable in [
        "JOBSERVICE_WEBHOOK_JOB_MAX_RETRY",
        "JOBSERVICE_WEBHOOK_JOB_HTTP_CLIENT_TIMEOUT",
        "REGISTRY_HTTP_CLIENT_TIMEOUT",
        "CACHE_ENABLED",
        "CACHE_EXPIRE_HOURS",
        "NO_PROXY",
    ] {
        assert!(!values.contains_key(variable), "{variable}");
    }
}

#[test]
fn libraries_never_print_everything_since_that_includes_the_password_of_redis() {
    let level = |level: &str| {
        values(&a_jobservice().set("/spec/loggers", json!({"stdout": {"level": level}})))["LOG_LEVEL"].clone()
    };
    let levels = ["DEBUG", "INFO", "WARNING", "ERROR", "FATAL"];
    assert_eq!(levels.map(level), ["info", "info", "warning", "error", "fatal"]);
    let file = a_jobservice().set("/spec/loggers", json!({"files": [{}]}));
    assert!(!values(&file).contains_key("LOG_LEVEL"));
}

#[test]
fn siblings_are_reached_without_the_proxy() {
    let exceptions = values(&Case::golden("full"))["NO_PROXY"].clone();
    let exceptions: Vec<&str> = exceptions.as_str().unwrap().split(',').collect();
    for host in ["harbor-core", "harbor-registry", "harbor-registryctl", "harbor-trivy"] {
        assert!(exceptions.contains(&host), "{host}");
    }
}

#[test]
fn the_user_of_the_registry_is_the_one_in_its_secret_if_that_names_one() {
    let user = |case: &Case<JobService>| values(case)["REGISTRY_CREDENTIAL_USERNAME"].clone();
    assert_eq!(user(&a_jobservice()), "harbor_registry_user");
    let named = a_jobservice().with("registry-basicauth", "username", "robot");
    let reference = json!({"secretKeyRef": {"name": "registry-basicauth", "key": "username"}});
    assert_eq!(user(&named), reference);
    let unknown = named.with("registry-basicauth", "htpasswd", "other:$2y$10$fake");
    assert!(unknown.error().contains("has no line for the user"), "{}", unknown.error());
}

#[test]
fn the_pods_refer_to_the_changes_of_the_access_to_the_database_once_there_was_one() {
    const VARIABLE: &str = "DATABASE_ACCESS_CHANGES";
    assert!(!values(&a_jobservice()).contains_key(VARIABLE));
    let mut case = a_jobservice();
    let mut record = |data: Value| {
        let metadata = json!({"name": "harbor-core-database", "namespace": "registry"});
        case.inputs.push(json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}));
        values(&case)
    };
    assert!(!record(json!({"completed": base64(b"2.15.0")})).contains_key(VARIABLE));
    let expected = json!({
        "secretKeyRef": {"name": "harbor-core-database", "key": "database-access-changes"},
    });
    assert_eq!(record(json!({"database-access-changes": base64(b"1")}))[VARIABLE], expected);
}
