//! Compares with objects of the operator's predecessor, if a copy of them is available.

use super::{JobService, url};
use crate::tests::predecessor::Predecessor;
use serde_json::Value;

fn old_config(old: &Predecessor<JobService>) -> Value {
    let was = old.child("ConfigMap")["binaryData"]["config.yml"].clone();
    let was: k8s_openapi::ByteString = serde_json::from_value(was).unwrap();
    serde_saphyr::from_slice(&was.0).unwrap()
}

#[test]
fn the_old_deployment_is_adopted_in_place() {
    let Some(old) = Predecessor::<JobService>::at_hand() else { return };
    // The Secret is new.
    for child in old.case.children().iter().filter(|child| child["kind"] != "Secret") {
        let was = old.child(child["kind"].as_str().unwrap());
        for pointer in [
            "/metadata/name",
            "/metadata/namespace",
            "/metadata/ownerReferences",
            "/spec/selector",
            "/spec/ports",
            "/spec/strategy",
            "/spec/template/spec/terminationGracePeriodSeconds",
            "/spec/template/spec/containers/0/name",
            "/spec/template/spec/containers/0/image",
            "/spec/template/spec/containers/0/ports",
        ] {
            assert_eq!(child.pointer(pointer), was.pointer(pointer), "{} {pointer}", child["kind"]);
        }
    }
}

#[test]
fn the_old_files_are_where_they_were() {
    let Some(old) = Predecessor::<JobService>::at_hand() else { return };
    let paths = |deployment: &Value| -> Vec<(Value, Value)> {
        let mounts = deployment.pointer("/spec/template/spec/containers/0/volumeMounts").unwrap();
        mounts.as_array().unwrap().iter().map(|it| (it["name"].clone(), it["mountPath"].clone())).collect()
    };
    let mut expected = paths(old.child("Deployment"));
    // An empty directory, which is not needed without authorities.
    expected.retain(|(name, _)| name != "internal-certificates");
    assert_eq!(paths(&old.case.child("Deployment")), expected);
}

#[test]
fn every_old_variable_is_set_to_what_it_was() {
    let Some(old) = Predecessor::<JobService>::at_hand() else { return };
    let variables = |deployment: &Value| -> Vec<Value> {
        let mut list = deployment.pointer("/spec/template/spec/containers/0/env").unwrap().clone();
        let variables = list.as_array_mut().unwrap();
        for selector in variables.iter_mut().filter_map(|it| it.pointer_mut("/valueFrom/secretKeyRef")) {
            selector.as_object_mut().unwrap().remove("optional");
        }
        variables.clone()
    };
    let now = variables(&old.case.child("Deployment"));
    for variable in variables(old.child("Deployment")) {
        assert!(now.contains(&variable), "{variable}");
    }
}

#[test]
fn b12_the_old_configuration_is_kept_but_for_the_url_and_logs_kept_for_no_day() {
    let Some(old) = Predecessor::<JobService>::at_hand() else { return };
    let mut was = old_config(&old);
    let taken = was["worker_pool"]["redis_pool"].as_object_mut().unwrap().remove("redis_url").unwrap();
    was["job_loggers"][0]["sweeper"]["duration"] = 1.into();
    was.as_object_mut().unwrap().remove("metric");
    let now = old.case.child("ConfigMap");
    let now: Value = serde_saphyr::from_str(now["data"]["config.yml"].as_str().unwrap()).unwrap();
    assert_eq!(now, was);
    let url = url(&old.case, "JOB_SERVICE_POOL_REDIS_URL");
    assert_eq!(url, format!("{}?idle_timeout_seconds=30", taken.as_str().unwrap()));
}
