use super::{CASES, Case, Trivy, a_trivy};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn setting(case: &Case<Trivy>, name: &str) -> Value {
    case.child("ConfigMap")["data"][name].clone()
}

fn variable(case: &Case<Trivy>, name: &str) -> Option<Value> {
    let deployment = case.child("Deployment");
    let variables = deployment.pointer("/spec/template/spec/containers/0/env").unwrap().as_array().unwrap();
    variables.iter().find(|variable| variable["name"] == name).map(|variable| variable["value"].clone())
}

#[test]
fn b03_the_order_of_the_environment_never_changes() {
    for case in CASES.map(Case::<Trivy>::golden) {
        let first = case.children();
        (0..20).for_each(|_| assert_eq!(case.children(), first));
    }
}

#[test]
fn no_setting_is_both_in_the_config_map_and_in_the_container() {
    for case in CASES.map(Case::<Trivy>::golden) {
        let mut names: Vec<String> =
            ["ConfigMap", "Secret"].into_iter().flat_map(|kind| keys(&case.child(kind)["data"])).collect();
        let deployment = case.child("Deployment");
        let env = deployment.pointer("/spec/template/spec/containers/0/env").unwrap().as_array().unwrap();
        names.extend(env.iter().map(|variable| variable["name"].as_str().unwrap().to_owned()));
        let distinct: BTreeSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
    }
}

fn keys(object: &Value) -> Vec<String> {
    object.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn nothing_is_set_to_the_empty_string() {
    let case = Case::<Trivy>::golden("harbor-2.5");
    for key in keys(&case.child("ConfigMap")["data"]) {
        assert_ne!(setting(&case, &key), "", "{key}");
    }
    assert_eq!(setting(&case, "SCANNER_TRIVY_SEVERITY"), Value::Null);
}

#[test]
fn mirrors_are_asked_in_the_order_they_are_listed() {
    assert_eq!(
        setting(&Case::golden("full"), "SCANNER_TRIVY_DB_REPOSITORY"),
        "mirror.example.com/trivy-db,mirror-2.example.com/trivy-db"
    );
}

#[test]
fn the_same_cache_is_never_opened_twice_at_once() {
    assert_eq!(setting(&a_trivy(), "SCANNER_JOB_QUEUE_WORKER_CONCURRENCY"), "1");
}

#[test]
fn what_the_adapter_would_take_for_info_is_logged_as_errors() {
    for (level, expected) in [("fatal", "error"), ("panic", "error"), ("warning", "warning")] {
        let case = a_trivy().set("/spec/log", json!({"level": level}));
        assert_eq!(setting(&case, "SCANNER_LOG_LEVEL"), expected);
    }
}

#[test]
fn b30_the_namespace_of_jobs_keeps_its_capital_letter() {
    let case = a_trivy().set("/spec/redis/jobs", json!({"Namespace": "mine"}));
    assert_eq!(setting(&case, "SCANNER_JOB_QUEUE_REDIS_NAMESPACE"), "mine");
    assert_eq!(setting(&case, "SCANNER_STORE_REDIS_SCAN_JOB_TTL"), "1h");
}

#[test]
fn the_proxy_of_the_server_holds_where_no_other_is_described() {
    let proxy = |case: &str| variable(&Case::golden(case), "HTTPS_PROXY").unwrap();
    assert_eq!(proxy("harbor-2.5"), "http://proxy.example.com:3128");
    assert_eq!(proxy("full"), "http://proxy.example.com:3128");
    assert_eq!(variable(&a_trivy(), "HTTPS_PROXY"), None);
}

#[test]
fn images_are_pulled_from_core_without_the_proxy() {
    let exceptions = variable(&Case::golden("full"), "NO_PROXY").unwrap();
    assert!(exceptions.as_str().unwrap().split(',').any(|host| host == "harbor-core"), "{exceptions}");
}

#[test]
fn the_authorities_of_callers_are_files_that_exist() {
    let case = Case::<Trivy>::golden("tls");
    let paths = variable(&case, "SCANNER_API_SERVER_CLIENT_CAS").unwrap();
    let directory = "/etc/harbor/callers";
    assert_eq!(paths, format!("{directory}/auditors.crt,{directory}/scanners.example.com.crt"));
    let deployment = case.child("Deployment").to_string();
    for file in ["auditors.crt", "scanners.example.com.crt"] {
        assert!(deployment.contains(&format!(r#""path":"{file}""#)), "{file}");
    }
}

#[test]
fn the_log_never_holds_the_password_of_redis() {
    let level = |case: Case<Trivy>, version: &str| {
        let case =
            case.set("/spec/log", json!({"level": "debug"})).annotated("harbor.goharbor.io/version", version);
        setting(&case, "SCANNER_LOG_LEVEL")
    };
    assert_eq!(level(a_trivy(), "2.10.0"), "info", "the adapter would print the URL of Redis");
    assert_eq!(level(a_trivy(), "2.9.0"), "debug", "it does not yet");
    let open = a_trivy().set("/spec/redis", json!({"host": "redis"}));
    assert_eq!(level(open, "2.15.0"), "debug", "there is nothing to keep");
    let sentinel = json!({"host": "sentinel", "sentinelMasterSet": "harbor", "passwordRef": "redis"});
    assert_eq!(level(a_trivy().set("/spec/redis", sentinel), "2.15.0"), "debug", "sentinels are not printed");
}
