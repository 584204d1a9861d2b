//! Compares with objects of the operator's predecessor, if a copy of them is available.

use super::Core;
use crate::tests::predecessor::Predecessor;
use serde_json::Value;

/// Read by no Harbor since 2.5.
const DEAD: [&str; 4] = ["AUTH_MODE", "CFG_EXPIRATION", "RELOAD_KEY", "SYNC_REGISTRY"];

/// Recorded with stand-ins for cert-manager and PostgreSQL, which left these two Secrets different from real ones.
fn at_hand() -> Option<Predecessor<Core>> {
    let Predecessor { objects, case } = Predecessor::at_hand()?;
    let case = case.with("pg-pass", "postgres-password", "x").with(
        "h-harbor-core-tokencert",
        "tls.key",
        "-----BEGIN RSA PRIVATE KEY-----",
    );
    Some(Predecessor { objects, case })
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[test]
fn the_old_deployment_is_adopted_in_place() {
    let Some(old) = at_hand() else { return };
    let record = "h-harbor-core-database";
    for child in old.case.children().iter().filter(|child| child["metadata"]["name"] != record) {
        let was = old.child(child["kind"].as_str().unwrap());
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
    let Some(old) = at_hand() else { return };
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
fn every_old_variable_that_harbor_still_reads_is_set() {
    let Some(old) = at_hand() else { return };
    let env = "/spec/template/spec/containers/0/env";
    let deployment = old.case.child("Deployment");
    let now = names(deployment.pointer(env).unwrap());
    let lost: Vec<&str> = names(old.child("Deployment").pointer(env).unwrap())
        .into_iter()
        .filter(|name| !now.contains(name) && !DEAD.contains(name))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn the_old_configuration_is_kept_to_the_letter() {
    let Some(old) = at_hand() else { return };
    let was: k8s_openapi::ByteString =
        serde_json::from_value(old.child("ConfigMap")["binaryData"]["app.conf"].clone()).unwrap();
    assert_eq!(old.case.child("ConfigMap")["data"]["app.conf"], String::from_utf8(was.0).unwrap());
}
