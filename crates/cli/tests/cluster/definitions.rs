//! The definitions, as kubectl and a real API server see them.

use crate::world::{documents, root};
use api::conversion::{Version, convert};
use envtest::{ControlPlane, Namespace, Setup, TIMEOUT};
use kube::ResourceExt as _;
use serde_json::{Value, json};
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};
use tempfile::NamedTempFile;
use tokio::time::timeout;

/// The definitions as users get them.
fn printed(plane: &ControlPlane) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
    let old = (!plane.version().serves_cel()).then_some("--without-rules");
    let crds = Command::new(env!("CARGO_BIN_EXE_harbor-operator")).arg("crds").args(old).output().unwrap();
    assert!(crds.status.success());
    file.write_all(&crds.stdout).unwrap();
    file
}

/// The namespaces of the samples of the old operator, and of our fixtures.
const NAMESPACES: [&str; 2] = ["cluster-sample-ns", "registry"];

/// A namespace on a control plane where kubectl has installed the definitions the way users do, also those of cert-manager if
/// they are here, and validates our objects strictly. These tests share it, and create nothing on it.
async fn strict() -> Namespace {
    let plane = Setup::default().apart("definitions").shared().await.unwrap();
    let world = Namespace::create(plane, "definitions").await;
    world
        .plane
        .once("definitions of kubectl", async || {
            let file = printed(&world.plane);
            world.kubectl(&["apply", "-f", file.path().to_str().unwrap()]).await;
            for name in ["issuers", "certificates"] {
                let Some(thirdparty) = shared("thirdparty-crds") else { continue };
                let crd = thirdparty.join(format!("cert-manager.io_{name}.yaml"));
                // They have rules too, which an old server may drop: they are not what is tested.
                world.kubectl(&["apply", "--validate=false", "-f", crd.to_str().unwrap()]).await;
                world.plane.until_established(&format!("{name}.cert-manager.io")).await;
                explained(&world, &format!("{name}.spec")).await;
            }
            for kind in ["harborclusters", "harbors"] {
                world.plane.until_established(&format!("{kind}.goharbor.io")).await;
                // kubectl validates strictly only what is published.
                explained(&world, &format!("{kind}.spec")).await;
            }
            let namespaces = NAMESPACES
                .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
            let list = json!({"apiVersion": "v1", "kind": "List", "items": namespaces});
            fs::write(file.path(), list.to_string()).unwrap();
            world.kubectl(&["apply", "-f", file.path().to_str().unwrap()]).await;
        })
        .await;
    world
}

/// What `kubectl explain` says, once it does: an API server publishes the documentation of a new kind when it finds the
/// time, and there is no signal for it.
async fn explained(world: &Namespace, field: &str) -> String {
    let explain = async {
        loop {
            let output = world.plane.kubectl(["explain", field]).output().await.unwrap();
            if output.status.success() {
                return String::from_utf8(output.stdout).unwrap();
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    timeout(TIMEOUT, explain).await.expect("the kind is explained in time")
}

fn shared(folder: &str) -> Option<PathBuf> {
    let path = root().join("../shared/data").join(folder);
    path.exists().then_some(path)
}

#[tokio::test]
async fn plain_kubectl_apply_installs_them_twice_and_explain_shows_their_fields() {
    let plane = ControlPlane::start().await.unwrap();
    let file = printed(&plane);
    let world = Namespace::create(plane, "definitions").await;
    let file = file.path().to_str().unwrap();
    let first = world.kubectl(&["apply", "-f", file]).await;
    assert_eq!(
        first.lines().filter(|line| line.ends_with(" created")).count(),
        api::crds::all().len(),
        "{first}"
    );
    let second = world.kubectl(&["apply", "-f", file]).await;
    assert_eq!(
        second.lines().filter(|line| line.ends_with(" unchanged")).count(),
        api::crds::all().len(),
        "{second}"
    );
    for crd in api::crds::all() {
        world.plane.until_established(&crd.name_any()).await;
    }

    let explained = explained(&world, "cores.spec.database.encryptionKeyRef").await;
    assert!(explained.contains("encrypts secrets"), "{explained}");
    let short = world.kubectl(&["api-resources", "--api-group=goharbor.io", "-o", "name"]).await;
    assert_eq!(short.lines().count(), api::crds::all().len(), "{short}");
}

#[tokio::test]
async fn the_samples_of_the_old_operator_are_accepted_strictly() {
    let (Some(samples), Some(_)) = (shared("upstream-samples"), shared("thirdparty-crds")) else {
        eprintln!("skipped: ../shared is not here");
        return;
    };
    let world = strict().await;
    let mut files: Vec<_> = fs::read_dir(samples).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 5);
    for sample in files {
        // No namespace flag: some samples bring their own.
        // `true` is `strict`, and kubectl before 1.25 knows no other word for it.
        let apply = ["apply", "--dry-run=server", "--validate=true", "-f", sample.to_str().unwrap()];
        let output = world.plane.kubectl(apply).output().await.unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}: {err}", sample.display());
        assert!(out.contains("harborcluster.goharbor.io/"), "{out}");
    }
}

/// The HarborClusters of the old operator's samples, as its users would have written them in v1alpha3.
fn old_samples(samples: &Path) -> Vec<Value> {
    let mut files: Vec<_> = fs::read_dir(samples).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let objects = files.iter().flat_map(|file| documents(file));
    let clusters = objects.filter(|object| object["kind"] == "HarborCluster");
    clusters
        .map(|cluster| {
            let mut old = convert(cluster, Version::V1alpha3).unwrap();
            old["metadata"].as_object_mut().unwrap().remove("annotations");
            old
        })
        .collect()
}

#[tokio::test]
async fn converted_objects_of_v1alpha3_are_accepted_strictly() {
    let world = strict().await;
    let fixtures = root().join("crates/cli/tests/fixtures");
    let mut old = documents(&fixtures.join("v1alpha3.yaml"));
    let like_samples = documents(&fixtures.join("v1alpha3-samples.yaml")).into_iter();
    old.extend(like_samples.filter(|object| object["kind"] == "HarborCluster"));
    match shared("upstream-samples") {
        Some(samples) => old.extend(old_samples(&samples)),
        None => eprintln!("not tested with the old operator's samples: ../shared is not here"),
    }
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = ["before.json", "after.yaml"].map(|name| folder.path().join(name));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": old});
    fs::write(&before, list.to_string()).unwrap();
    let convert =
        Command::new(env!("CARGO_BIN_EXE_harbor-operator")).args(["convert", "-f"]).arg(&before).output();
    let convert = convert.unwrap();
    assert!(convert.status.success(), "{}", String::from_utf8_lossy(&convert.stderr));
    fs::write(&after, &convert.stdout).unwrap();

    let apply = ["apply", "--dry-run=server", "--validate=true", "-f", after.to_str().unwrap()];
    let output = world.plane.kubectl(apply).output().await.unwrap();

    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(out.lines().count(), old.len(), "{out}");
}
