//! Tests of JobService.

mod adoption;
mod config;
mod environment;
mod pods;
mod refusals;

use super::JobService;
use crate::cases::Case;
use serde_json::Value;

fn a_jobservice() -> Case<JobService> {
    Case::golden("minimal")
}

/// What a Secret made by JobService holds under a key.
fn url(case: &Case<JobService>, key: &str) -> String {
    let url: k8s_openapi::ByteString =
        serde_json::from_value(case.child("Secret")["data"][key].clone()).unwrap();
    String::from_utf8(url.0).unwrap()
}

#[test]
fn a09_the_network_policy_lets_core_in() {
    let case = Case::<JobService>::golden("full");
    let (policy, deployment) = (case.child("NetworkPolicy"), case.child("Deployment"));
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    for (key, value) in policy["spec"]["podSelector"]["matchLabels"].as_object().unwrap() {
        assert_eq!(&labels[key], value);
    }
    let names = |list: &Value, field: &str| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|port| port[field].clone()).collect()
    };
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(names(&policy["spec"]["ingress"][0]["ports"], "port"), names(&container["ports"], "name"));
}

#[test]
fn b13_the_password_of_redis_is_in_the_secret_and_the_file_has_no_url() {
    let case = Case::<JobService>::golden("full");
    assert_eq!(
        url(&case, "JOB_SERVICE_POOL_REDIS_URL"),
        "rediss+sentinel://:fake%3Ap%40ss%2Fw%23rd%201%25@sentinel-0.example.com:26380,sentinel-1.example.com:26379\
         /harbor/2?idle_timeout_seconds=90"
    );
    let config = case.child("ConfigMap")["data"]["config.yml"].as_str().unwrap().to_owned();
    assert!(!config.contains("redis_url") && !config.contains("://"), "{config}");
}

#[test]
fn b15_redis_may_want_tls_and_a_user() {
    let case = Case::<JobService>::golden("harbor-2.13");
    assert_eq!(
        url(&case, "JOB_SERVICE_POOL_REDIS_URL"),
        "rediss://harbor:fake-redis-password@redis.example.com:6380/2?idle_timeout_seconds=30"
    );
    let deployment = case.child("Deployment").to_string();
    assert_eq!(deployment.matches("/harbor_cust_cert/redis-ca.crt").count(), 1);
}

#[test]
fn the_cache_is_cores_unless_it_has_a_database_of_its_own() {
    let keys = |case: &str| -> Vec<String> {
        Case::<JobService>::golden(case).child("Secret")["data"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    assert_eq!(keys("minimal"), ["JOB_SERVICE_POOL_REDIS_URL"]);
    assert_eq!(keys("harbor-2.7"), ["JOB_SERVICE_POOL_REDIS_URL", "_REDIS_URL_CORE"]);
    let own = Case::<JobService>::golden("harbor-2.9");
    for (key, database) in [("_REDIS_URL_CORE", 0), ("_REDIS_URL_CACHE_LAYER", 6)] {
        let expected =
            format!("redis://:fake-redis-password@redis.example.com:6379/{database}?idle_timeout_seconds=30");
        assert_eq!(url(&own, key), expected);
    }
}
