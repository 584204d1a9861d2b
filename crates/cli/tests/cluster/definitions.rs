//! The definitions, as kubectl and a real API server see them.

use crate::world::root;
use envtest::{ControlPlane, Namespace};
use std::{fs, path::PathBuf, process::Command};

fn crds() -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator")).arg("crds").output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// A control plane of its own: these tests install definitions the way users do.
async fn plane() -> (Namespace, tempfile::TempDir) {
    let namespace = Namespace::create(ControlPlane::start().await.unwrap(), "definitions").await;
    (namespace, tempfile::tempdir().unwrap())
}

fn shared(folder: &str) -> Option<PathBuf> {
    let path = root().join("../shared/data").join(folder);
    path.exists().then_some(path)
}

#[tokio::test]
async fn plain_kubectl_apply_installs_them_twice_and_explain_shows_their_fields() {
    let (world, folder) = plane().await;
    let file = folder.path().join("crds.yaml");
    fs::write(&file, crds()).unwrap();
    let file = file.to_str().unwrap();
    let first = world.kubectl(&["apply", "-f", file]).await;
    assert_eq!(first.lines().filter(|line| line.ends_with(" created")).count(), 16, "{first}");
    let second = world.kubectl(&["apply", "-f", file]).await;
    assert_eq!(second.lines().filter(|line| line.ends_with(" unchanged")).count(), 16, "{second}");
    world.kubectl(&["wait", "--for=condition=Established", "--timeout=60s", "-f", file]).await;

    let explained = world.kubectl(&["explain", "cores.spec.database.encryptionKeyRef"]).await;
    assert!(explained.contains("encrypts secrets"), "{explained}");
    let short = world.kubectl(&["api-resources", "--api-group=goharbor.io", "-o", "name"]).await;
    assert_eq!(short.lines().count(), 16, "{short}");
}

#[tokio::test]
async fn the_samples_of_the_old_operator_are_accepted_strictly() {
    let (Some(samples), Some(thirdparty)) = (shared("upstream-samples"), shared("thirdparty-crds")) else {
        println!("skipped: ../shared is not here");
        return;
    };
    let (world, folder) = plane().await;
    let file = folder.path().join("crds.yaml");
    fs::write(&file, crds()).unwrap();
    world.kubectl(&["apply", "-f", file.to_str().unwrap()]).await;
    for name in ["cert-manager.io_issuers.yaml", "cert-manager.io_certificates.yaml"] {
        let crd = thirdparty.join(name);
        world.kubectl(&["apply", "--server-side", "-f", crd.to_str().unwrap()]).await;
        world
            .kubectl(&["wait", "--for=condition=Established", "--timeout=60s", "-f", crd.to_str().unwrap()])
            .await;
    }
    world
        .kubectl(&["wait", "--for=condition=Established", "--timeout=60s", "-f", file.to_str().unwrap()])
        .await;
    world.kubectl(&["create", "namespace", "cluster-sample-ns"]).await;
    let mut files: Vec<_> = fs::read_dir(samples).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 5);
    for sample in files {
        // No namespace flag: some samples bring their own.
        let apply = ["apply", "--dry-run=server", "--validate=strict", "-f", sample.to_str().unwrap()];
        let output = world.plane.kubectl(apply).output().await.unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}: {err}", sample.display());
        assert!(out.contains("harborcluster.goharbor.io/"), "{out}");
    }
}
