//! The overlays for kustomize, rendered by the kustomize in kubectl.

use crate::{deploy, documents, helm::name, manifests, only};
use envtest::Assets;
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// A kubectl with kustomize, which those before 1.22 have in a version without components.
fn kubectl() -> Option<PathBuf> {
    let candidates = [Some(PathBuf::from("kubectl")), Assets::find().ok().map(|assets| assets.kubectl())];
    let is_new = |kubectl: &PathBuf| minor(kubectl).is_some_and(|minor| minor >= 22);
    candidates.into_iter().flatten().find(is_new)
}

/// The `33` of kubectl 1.33.
fn minor(kubectl: &Path) -> Option<u32> {
    let output = Command::new(kubectl).args(["version", "--client", "--output", "json"]).output().ok()?;
    let printed: Value = serde_json::from_slice(&output.stdout).ok()?;
    printed["clientVersion"]["minor"].as_str()?.trim_end_matches('+').parse().ok()
}

/// The objects of an overlay, ordered by kind and name; none if there is no kubectl.
fn objects(overlay: &str) -> Option<Vec<Value>> {
    let Some(kubectl) = kubectl() else {
        println!("skipped: there is no kubectl with a current kustomize");
        return None;
    };
    let folder = deploy().join("../overlays").join(overlay);
    let output = Command::new(kubectl).arg("kustomize").arg(&folder).output().unwrap();
    assert!(output.status.success(), "{overlay}: {}", String::from_utf8_lossy(&output.stderr));
    let mut objects = documents(&String::from_utf8(output.stdout).unwrap());
    objects.sort_by_key(name);
    Some(objects)
}

/// What `harbor-operator rbac` prints with these arguments.
fn rbac(arguments: &[&str]) -> Vec<Value> {
    let mut rbac = Command::new(env!("CARGO_BIN_EXE_harbor-operator"));
    let output = rbac.arg("rbac").args(arguments).output().unwrap();
    documents(&String::from_utf8(output.stdout).unwrap())
}

/// The roles and bindings among objects, ordered.
fn permissions(objects: &[Value]) -> Vec<Value> {
    let is_permission = |object: &&Value| {
        let kind = object["kind"].as_str().unwrap();
        kind.contains("Role") || kind == "ServiceAccount"
    };
    let mut found: Vec<_> = objects.iter().filter(is_permission).cloned().collect();
    found.sort_by_key(name);
    found
}

fn args(objects: &[Value]) -> Vec<&str> {
    let container = &only(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0];
    container["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect()
}

#[test]
fn for_one_namespace_the_operator_has_no_cluster_role() {
    let Some(objects) = objects("namespaced") else { return };
    assert_eq!(permissions(&objects), permissions(&rbac(&["--namespace", "registry"])));
    assert!(args(&objects).contains(&"--namespace=registry"));
}

#[test]
fn with_the_page_the_role_is_the_one_that_the_page_needs() {
    let Some(objects) = objects("page") else { return };
    assert_eq!(permissions(&objects), permissions(&rbac(&["--page"])));
    assert!(args(&objects).contains(&"--page-address=127.0.0.1:8081"));
}

#[test]
fn for_high_availability_replicas_are_on_different_nodes() {
    let Some(objects) = objects("high-availability") else { return };
    let deployment = &only(&objects, "Deployment")["spec"];
    assert_eq!(deployment["replicas"], 3);
    let pod = &deployment["template"]["spec"];
    let required = &pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    assert_eq!(required[0]["labelSelector"], deployment["selector"]);
    assert_eq!(pod["topologySpreadConstraints"].as_array().unwrap().len(), 2);
    assert!(args(&objects).contains(&"--leader-elect"));
    assert_eq!(permissions(&objects), permissions(&manifests()));
}

#[test]
fn with_webhooks_the_service_and_the_permissions_come_along() {
    let Some(objects) = objects("webhooks") else { return };
    assert!(args(&objects).contains(&"--rewrite-images"));
    assert_eq!(permissions(&objects), permissions(&rbac(&["--rewrite-images"])));
    let services = objects.iter().filter(|object| object["kind"] == "Service").map(name).collect::<Vec<_>>();
    assert_eq!(
        services,
        [
            "Service harbor-operator-ns/harbor-operator-metrics",
            "Service harbor-operator-ns/harbor-operator-webhook"
        ]
    );
}

/// It gets as far as looking for a cluster.
#[test]
fn the_process_knows_the_options_of_every_overlay() {
    for overlay in ["namespaced", "page", "high-availability", "webhooks"] {
        let Some(objects) = objects(overlay) else { return };
        let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
            .args(args(&objects))
            .env("KUBECONFIG", "/does/not/exist")
            .env("POD_NAMESPACE", "harbor-operator-ns")
            .env_remove("KUBERNETES_SERVICE_HOST")
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(words.contains("no cluster"), "{overlay}: {words}");
    }
}

#[test]
fn every_overlay_has_the_manifests_as_its_base() {
    for overlay in ["namespaced", "page", "high-availability", "webhooks"] {
        let file = Path::new("../overlays").join(overlay).join("kustomization.yaml");
        let text = std::fs::read_to_string(deploy().join(file)).unwrap();
        let kustomization = documents(&text).remove(0);
        assert_eq!(kustomization["resources"][0], json!("../../deploy"), "{overlay}");
    }
}
