//! Compares with objects of the operator's predecessor, if a copy of them is available.

use super::Registry;
use crate::tests::predecessor::Predecessor;
use serde_json::{Value, json};

type Old = Predecessor<Registry>;

fn at_hand() -> Option<Old> {
    let mut old = Old::at_hand()?;
    let controller = old.objects.iter().find(|object| object["kind"] == "RegistryController");
    old.case.inputs.extend(controller.cloned());
    Some(old)
}

impl Old {
    fn object(&self, kind: &str, name: &Value) -> Option<&Value> {
        self.objects.iter().find(|object| object["kind"] == kind && object["metadata"]["name"] == *name)
    }

    fn config(&self, name: &str) -> Value {
        let file = &self.object("ConfigMap", &name.into()).unwrap()["binaryData"]["config.yml"];
        let file: k8s_openapi::ByteString = serde_json::from_value(file.clone()).unwrap();
        serde_saphyr::from_str(std::str::from_utf8(&file.0).unwrap()).unwrap()
    }
}

#[test]
fn the_old_objects_are_adopted_in_place() {
    let Some(old) = at_hand() else { return };
    for child in old.case.children() {
        let kind = child["kind"].as_str().unwrap();
        // Only the Secret is new; the user creates the claim.
        let Some(was) = old.object(kind, &child["metadata"]["name"]) else {
            assert!(matches!(kind, "Secret" | "PersistentVolumeClaim"), "{kind}");
            continue;
        };
        for pointer in [
            "/metadata/name",
            "/metadata/namespace",
            "/metadata/ownerReferences",
            "/spec/selector",
            "/spec/ports",
            "/spec/strategy",
            "/spec/template/spec/containers/0/name",
            "/spec/template/spec/containers/0/image",
            "/spec/template/spec/containers/0/args",
            "/spec/template/spec/containers/0/ports",
            "/spec/template/spec/containers/1/name",
            "/spec/template/spec/containers/1/image",
            "/spec/template/spec/containers/1/ports",
        ] {
            assert_eq!(child.pointer(pointer), was.pointer(pointer), "{kind} {pointer}");
        }
    }
}

#[test]
fn the_old_files_are_where_they_were() {
    let Some(old) = at_hand() else { return };
    let paths = |deployment: &Value, container: usize| -> Vec<(String, String)> {
        let pointer = format!("/spec/template/spec/containers/{container}/volumeMounts");
        let text = |mount: &Value, field: &str| mount[field].as_str().unwrap().to_owned();
        let mounts = deployment.pointer(&pointer).unwrap().as_array().unwrap().iter();
        let mut paths: Vec<_> = mounts.map(|it| (text(it, "name"), text(it, "mountPath"))).collect();
        // An empty directory, which is not needed without authorities; and what the controller does not need.
        paths.retain(|(name, _)| {
            name != "internal-certificates" && (container == 0 || name != "authentication-htpasswd")
        });
        paths.sort();
        paths
    };
    let was = old.object("Deployment", &"h-harbor-registry".into()).unwrap();
    for container in [0, 1] {
        assert_eq!(paths(&old.case.child("Deployment"), container), paths(was, container));
    }
}

#[test]
fn the_old_configuration_means_the_same() {
    let Some(old) = at_hand() else { return };
    let mut expected = old.config("h-harbor-registry");
    let version = expected["version"].to_string();
    expected["version"] = version.into();
    expected["http"].as_object_mut().unwrap().retain(|key, _| key != "host" && key != "net");
    // The predecessor set variables; now it is in the file.
    expected["auth"]["htpasswd"]["path"] = "/etc/registry/auth/htpasswd".into();
    // New: uploads get time to end, and Redis has a timeout.
    expected["http"]["draintimeout"] = "60s".into();
    for timeout in ["dialtimeout", "readtimeout", "writetimeout"] {
        expected["redis"][timeout] = "10s".into();
    }
    // The predecessor's spelling, which the registry ignores.
    expected["storage"]["maintenance"] = json!({
        "uploadpurging": {"enabled": true, "age": "168h0m0s", "interval": "24h0m0s", "dryrun": false},
        "readonly": {"enabled": false},
    });
    let now = old.case.named("ConfigMap", "h-harbor-registry")["data"]["config.yml"].clone();
    let now: Value = serde_saphyr::from_str(now.as_str().unwrap()).unwrap();
    assert_eq!(now, expected);
}

#[test]
fn the_old_configuration_of_the_registry_controller_means_the_same() {
    let Some(old) = at_hand() else { return };
    let now = old.case.named("ConfigMap", "h-harbor-registryctl")["data"]["config.yml"].clone();
    let now: Value = serde_saphyr::from_str(now.as_str().unwrap()).unwrap();
    assert_eq!(now, old.config("h-harbor-registryctl"));
}

#[test]
fn every_old_variable_is_set_or_in_the_file() {
    let Some(old) = at_hand() else { return };
    let names = |deployment: &Value, container: usize| -> Vec<String> {
        let variables =
            deployment.pointer(&format!("/spec/template/spec/containers/{container}/env")).unwrap();
        variables.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    let (now, was) =
        (old.case.child("Deployment"), old.object("Deployment", &"h-harbor-registry".into()).unwrap());
    for container in [0, 1] {
        let set = names(&now, container);
        let lost: Vec<String> =
            names(was, container).into_iter().filter(|name| !set.contains(name)).collect();
        let expected: &[&str] = match container {
            0 => &["REGISTRY_AUTH_HTPASSWD_PATH"],
            _ => &["REGISTRY_HTTP_SECRET", "REGISTRY_REDIS_PASSWORD", "REGISTRY_AUTH_HTPASSWD_PATH"],
        };
        assert_eq!(lost, expected);
    }
}
