//! Against what the operator's predecessor left behind, if a copy of that is at hand.

use super::{Case, JobService, url};
use serde_json::Value;
use std::{fs, path::Path};

struct Old {
    objects: Vec<Value>,
    case: Case<JobService>,
}

impl Old {
    fn at_hand() -> Option<Self> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/data/upstream-objects/harbor-minimal.json");
        let Ok(text) = fs::read_to_string(&file) else {
            println!("skipped: {} is not at hand", file.display());
            return None;
        };
        let mut list: Value = serde_json::from_str(&text).unwrap();
        let objects: Vec<Value> = list["items"].as_array_mut().unwrap().drain(..).collect();
        let owner = objects.iter().find(|object| object["kind"] == "JobService").unwrap();
        let owner = serde_json::from_value(owner.clone()).unwrap();
        let inputs = objects.iter().filter(|object| object["kind"] == "Secret").cloned().collect();
        Some(Self { objects, case: Case { owner, inputs, without: Vec::new() } })
    }

    fn object(&self, kind: &str) -> Option<&Value> {
        let found = |it: &&Value| it["kind"] == kind && it["metadata"]["name"] == "h-harbor-jobservice";
        self.objects.iter().find(found)
    }

    fn config(&self) -> Value {
        let was = self.object("ConfigMap").unwrap()["binaryData"]["config.yml"].clone();
        let was: k8s_openapi::ByteString = serde_json::from_value(was).unwrap();
        serde_saphyr::from_slice(&was.0).unwrap()
    }
}

#[test]
fn the_old_deployment_is_adopted_in_place() {
    let Some(old) = Old::at_hand() else { return };
    // The Secret is new.
    for child in old.case.children().iter().filter(|child| child["kind"] != "Secret") {
        let was = old.object(child["kind"].as_str().unwrap()).unwrap();
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
    assert_eq!(old.object("Secret"), None);
}

#[test]
fn the_old_files_are_where_they_were() {
    let Some(old) = Old::at_hand() else { return };
    let paths = |deployment: &Value| -> Vec<(Value, Value)> {
        let mounts = deployment.pointer("/spec/template/spec/containers/0/volumeMounts").unwrap();
        mounts.as_array().unwrap().iter().map(|it| (it["name"].clone(), it["mountPath"].clone())).collect()
    };
    let mut expected = paths(old.object("Deployment").unwrap());
    // An empty directory, where nothing is to be trusted.
    expected.retain(|(name, _)| name != "internal-certificates");
    assert_eq!(paths(&old.case.child("Deployment")), expected);
}

#[test]
fn every_old_variable_is_set_to_what_it_was() {
    let Some(old) = Old::at_hand() else { return };
    let variables = |deployment: &Value| -> Vec<Value> {
        let mut list = deployment.pointer("/spec/template/spec/containers/0/env").unwrap().clone();
        let variables = list.as_array_mut().unwrap();
        for selector in variables.iter_mut().filter_map(|it| it.pointer_mut("/valueFrom/secretKeyRef")) {
            selector.as_object_mut().unwrap().remove("optional");
        }
        variables.clone()
    };
    let now = variables(&old.case.child("Deployment"));
    for variable in variables(old.object("Deployment").unwrap()) {
        assert!(now.contains(&variable), "{variable}");
    }
}

#[test]
fn b12_the_old_configuration_is_kept_but_for_the_url_and_logs_kept_for_no_day() {
    let Some(old) = Old::at_hand() else { return };
    let mut was = old.config();
    let taken = was["worker_pool"]["redis_pool"].as_object_mut().unwrap().remove("redis_url").unwrap();
    was["job_loggers"][0]["sweeper"]["duration"] = 1.into();
    was.as_object_mut().unwrap().remove("metric");
    let now = old.case.child("ConfigMap");
    let now: Value = serde_saphyr::from_str(now["data"]["config.yml"].as_str().unwrap()).unwrap();
    assert_eq!(now, was);
    let url = url(&old.case, "JOB_SERVICE_POOL_REDIS_URL");
    assert_eq!(url, format!("{}?idle_timeout_seconds=30", taken.as_str().unwrap()));
}
