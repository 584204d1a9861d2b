//! Against what the operator's predecessor left behind, if a copy of that is at hand.

use super::{Case, Core};
use serde_json::Value;
use std::{fs, path::Path};

/// Read by no Harbor since 2.5.
const DEAD: [&str; 4] = ["AUTH_MODE", "CFG_EXPIRATION", "RELOAD_KEY", "SYNC_REGISTRY"];

struct Old {
    objects: Vec<Value>,
    case: Case<Core>,
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
        let objects: Vec<Value> = list["items"].as_array_mut().unwrap_or(&mut vec![]).drain(..).collect();
        let owner = objects.iter().find(|object| object["kind"] == "Core").unwrap();
        let owner = serde_json::from_value(owner.clone()).unwrap();
        let inputs = objects.iter().filter(|object| object["kind"] == "Secret").cloned().collect();
        // Recorded with stand-ins for cert-manager and PostgreSQL, which left these two different from real ones.
        let case = Case { owner, inputs, without: Vec::new() }
            .with("pg-pass", "postgres-password", "x")
            .with("h-harbor-core-tokencert", "tls.key", "-----BEGIN RSA PRIVATE KEY-----");
        Some(Self { objects, case })
    }

    fn object(&self, kind: &str) -> &Value {
        let found = |it: &&Value| it["kind"] == kind && it["metadata"]["name"] == "h-harbor-core";
        self.objects.iter().find(found).unwrap()
    }
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn the_old_deployment_is_adopted_in_place() {
    let Some(old) = Old::at_hand() else { return };
    for child in old.case.children() {
        let was = old.object(child["kind"].as_str().unwrap());
        for pointer in [
            "/metadata/name",
            "/metadata/namespace",
            "/metadata/ownerReferences",
            "/spec/selector",
            "/spec/ports",
            "/spec/template/spec/containers/0/name",
            "/spec/template/spec/containers/0/image",
            "/spec/template/spec/containers/0/ports",
            "/data/_REDIS_URL_CORE",
            "/data/_REDIS_URL_REG",
        ] {
            assert_eq!(child.pointer(pointer), was.pointer(pointer), "{} {pointer}", child["kind"]);
        }
    }
}

#[test]
fn the_old_files_are_where_they_were() {
    let Some(old) = Old::at_hand() else { return };
    let paths = |deployment: &Value| -> Vec<(Value, Value)> {
        let mounts = deployment.pointer("/spec/template/spec/containers/0/volumeMounts").unwrap();
        mounts.as_array().unwrap().iter().map(|it| (it["name"].clone(), it["mountPath"].clone())).collect()
    };
    let mut expected = paths(old.object("Deployment"));
    // An empty directory, where nothing is to be trusted.
    expected.retain(|(name, _)| name != "internal-certificates");
    assert_eq!(paths(&old.case.child("Deployment")), expected);
}

#[test]
fn every_old_variable_that_harbor_still_reads_is_set() {
    let Some(old) = Old::at_hand() else { return };
    let env = "/spec/template/spec/containers/0/env";
    let deployment = old.case.child("Deployment");
    let now = names(deployment.pointer(env).unwrap());
    let lost: Vec<&str> = names(old.object("Deployment").pointer(env).unwrap())
        .into_iter()
        .filter(|name| !now.contains(name) && !DEAD.contains(name))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn the_old_configuration_is_kept_to_the_letter() {
    let Some(old) = Old::at_hand() else { return };
    let was: k8s_openapi::ByteString =
        serde_json::from_value(old.object("ConfigMap")["binaryData"]["app.conf"].clone()).unwrap();
    assert_eq!(old.case.child("ConfigMap")["data"]["app.conf"], String::from_utf8(was.0).unwrap());
}
