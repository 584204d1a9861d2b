//! Tests of Trivy.

mod pods;
mod refusals;
mod settings;

use super::Trivy;
use crate::cases::Case;
use serde_json::{Value, json};

/// Names of the golden cases, which together use every field of a Trivy.
const CASES: [&str; 5] = ["minimal", "tls", "full", "harbor-2.5", "rediss"];

fn a_trivy() -> Case<Trivy> {
    Case::golden("minimal")
}

fn url(case: &Case<Trivy>, key: &str) -> String {
    let url = serde_json::from_value(case.child("Secret")["data"][key].clone());
    let url: k8s_openapi::ByteString = url.unwrap();
    String::from_utf8(url.0).unwrap()
}

#[test]
fn what_an_old_installation_depends_on_is_as_it_was() {
    let case = a_trivy();
    for kind in ["Service", "ConfigMap", "Secret", "Deployment"] {
        assert_eq!(case.child(kind)["metadata"]["name"], "harbor-trivy", "{kind}");
    }
    let labels = json!({"trivy.goharbor.io/name": "harbor-trivy", "trivy.goharbor.io/namespace": "registry"});
    let (service, deployment) = (case.child("Service"), case.child("Deployment"));
    assert_eq!(service["spec"]["selector"], labels);
    assert_eq!(deployment["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(service["spec"]["ports"][0]["port"], 80);
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["name"], "trivy");
    assert_eq!(container["image"], "docker.io/goharbor/trivy-adapter-photon:v2.14.1");
    assert_eq!(
        container["envFrom"],
        json!([{"configMapRef": {"name": "harbor-trivy"}}, {"secretRef": {"name": "harbor-trivy"}}])
    );
    let mount = |name: &str| -> Value {
        let mounts = container["volumeMounts"].as_array().unwrap();
        mounts.iter().find(|mount| mount["name"] == name).unwrap()["mountPath"].clone()
    };
    assert_eq!(mount("cache"), "/home/scanner/.cache/trivy");
    assert_eq!(mount("reports"), "/home/scanner/.cache/reports");
}

#[test]
fn over_tls_the_port_and_the_policy_follow() {
    let case = Case::<Trivy>::golden("tls");
    assert_eq!(case.child("Service")["spec"]["ports"][0]["port"], 443);
    assert_eq!(case.child("NetworkPolicy")["spec"]["ingress"][0]["ports"][0]["port"], "https");
}

#[test]
fn a_network_policy_is_made_only_where_it_is_asked_for() {
    let kinds: Vec<Value> = a_trivy().children().into_iter().map(|child| child["kind"].clone()).collect();
    assert_eq!(kinds, ["Service", "ConfigMap", "Secret", "Deployment"]);
}

#[test]
fn every_url_of_redis_is_the_same_and_its_password_is_encoded() {
    for key in ["SCANNER_REDIS_URL", "SCANNER_STORE_REDIS_URL", "SCANNER_JOB_QUEUE_REDIS_URL"] {
        assert_eq!(
            url(&a_trivy(), key),
            "redis://:fake%3Ap%40ss%2Fw%23rd%201%25@redis.example.com:6379/5?idle_timeout_seconds=300"
        );
    }
}

#[test]
fn b15_a_certificate_of_redis_turns_tls_on_and_is_trusted_once() {
    let case = Case::golden("rediss");
    assert!(url(&case, "SCANNER_REDIS_URL").starts_with("rediss://trivy:"));
    let deployment = case.child("Deployment").to_string();
    assert_eq!(deployment.matches("/harbor_cust_cert/redis-ca.crt").count(), 1);
}
