//! An installation as by a user: `kubectl apply -f deploy/`, and then an operator with the permissions of these files.

use crate::{
    account,
    world::{documents, root},
};
use api::v1beta1::HarborCluster;
use envtest::{ControlPlane, Kind, Namespace};
use k8s_openapi::{
    api::{apps::v1::Deployment, core::v1::Service},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, ResourceExt as _,
    api::{Patch, PatchParams},
};
use sandbox::{StandIns, definitions};
use serde_json::Value;
use std::{fs, path::Path, process::Stdio};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

const HOME: &str = "harbor-operator-ns";

/// `deploy/`, without what this API server is too old for.
fn manifests(plane: &ControlPlane) -> TempDir {
    let folder = TempDir::new().unwrap();
    for entry in fs::read_dir(root().join("deploy")).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    if !plane.version().serves_cel() {
        let crds = std::process::Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
            .args(["crds", "--without-rules"])
            .output()
            .unwrap();
        fs::write(folder.path().join("crds.yaml"), crds.stdout).unwrap();
    }
    if !plane.version().at_least(1, 21) {
        let file = folder.path().join("operator.yaml");
        let mut objects = documents(&file);
        objects.retain(|object| object["kind"] != "PodDisruptionBudget");
        let text: Vec<String> = objects.iter().map(Value::to_string).collect();
        fs::write(file, text.join("\n---\n")).unwrap();
    }
    folder
}

async fn kubectl(plane: &ControlPlane, arguments: &[&str]) -> String {
    let output = plane.kubectl(arguments).output().await.unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "kubectl {arguments:?}: {words}");
    String::from_utf8(output.stdout).unwrap()
}

/// The kinds of the other operators, and stand-ins for these operators.
async fn surroundings(plane: &ControlPlane, stop: &CancellationToken) {
    let api: Api<CustomResourceDefinition> = Api::all(plane.client());
    for definition in definitions::all() {
        let name = definition["metadata"]["name"].as_str().unwrap();
        api.patch(name, &PatchParams::apply("test").force(), &Patch::Apply(&definition)).await.unwrap();
        plane.until_established(name).await;
    }
    tokio::spawn(StandIns::new(plane.client()).run(stop.clone()));
}

/// The process as the Deployment starts it, but for its ports, which may not be free here.
fn operator(plane: &ControlPlane, kubeconfig: &Path) -> Child {
    let objects = documents(&root().join("deploy/operator.yaml"));
    let args = &objects[0]["spec"]["template"]["spec"]["containers"][0]["args"];
    Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
        .args(args.as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()))
        .env("HARBOR_OPERATOR_HEALTH_ADDRESS", "off")
        .env("HARBOR_OPERATOR_METRICS_ADDRESS", "off")
        .env("KUBECONFIG", kubeconfig)
        .env("POD_NAMESPACE", HOME)
        .current_dir(plane.folder())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

async fn has<K: Kind>(plane: &ControlPlane, name: &str) -> bool {
    let api: Api<K> = Api::namespaced(plane.client(), HOME);
    api.get_opt(name).await.unwrap().is_some()
}

/// Whether kubectl says so. The selector of a budget is to be replaced rather than merged, so that one is always sent.
fn is_unchanged(line: &str) -> bool {
    line.ends_with(" unchanged") || line == "poddisruptionbudget.policy/harbor-operator configured"
}

#[tokio::test]
async fn kubectl_apply_installs_it_and_the_operator_brings_the_examples_about_with_the_role_in_there() {
    let plane = ControlPlane::start().await.unwrap();
    let folder = manifests(&plane);
    let folder = folder.path().to_str().unwrap();
    let applied = kubectl(&plane, &["apply", "-f", folder]).await;
    assert!(applied.lines().all(|line| line.ends_with(" created")), "{applied}");
    let again = kubectl(&plane, &["apply", "-f", folder]).await;
    assert!(again.lines().all(is_unchanged), "{again}");
    let by_kustomize = kubectl(&plane, &["apply", "-k", folder]).await;
    assert_eq!(by_kustomize.lines().count(), applied.lines().count(), "{by_kustomize}");
    assert!(by_kustomize.lines().all(is_unchanged), "{by_kustomize}");
    assert!(has::<Deployment>(&plane, "harbor-operator").await);
    assert!(has::<Service>(&plane, "harbor-operator-metrics").await);
    for definition in api::crds::all() {
        plane.until_established(&definition.name_any()).await;
    }

    let stop = CancellationToken::new();
    let _stop = stop.clone().drop_guard();
    surroundings(&plane, &stop).await;
    let kubeconfig = account::kubeconfig(&plane, &account::name(HOME));
    let _operator = operator(&plane, kubeconfig.path());
    let example = root().join("examples/in-cluster.yaml");
    kubectl(&plane, &["apply", "--server-side", "-f", example.to_str().unwrap()]).await;
    let registry = Namespace { plane, name: "registry".into() };
    let healthy = |cluster: &HarborCluster| {
        let status = cluster.status.clone().unwrap_or_default();
        status.status.as_deref() == Some("healthy")
            && status.observation.observed_generation == cluster.metadata.generation
    };
    Box::pin(registry.until::<HarborCluster>("acme", healthy)).await;
}
