//! `status`, and both commands as kubectl plugins.

use crate::{
    account,
    harbor::{Cluster, minimal, with},
};
use api::{
    names::CLASS_ANNOTATION,
    v1beta1::{Core, Registry},
};
use envtest::Requests;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

#[tokio::test]
async fn a_waiting_harbor_names_what_it_waits_for() {
    let cluster = Cluster::new().await;
    cluster.delete::<Secret>("redis").await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster.apply(vec![minimal()]).await;
    cluster.until::<Registry>("acme-harbor", |registry| registry.status.is_some()).await;
    cluster.until::<Core>("acme-harbor", |core| core.status.is_some()).await;
    requests.until_quiet().await;
    let ran = cluster.run(&["status", "acme"]).await;
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    let missing = format!("Secret {}/redis does not exist; create it", cluster.name);
    let waits = |line: &str| line.contains("Registry acme-harbor") && line.contains(&missing);
    assert!(ran.out.lines().any(waits), "{}", ran.out);
    let blocked = |line: &str| {
        line.contains("JobService acme-harbor") && line.contains("until Core acme-harbor is ready")
    };
    assert!(ran.out.lines().any(blocked), "{}", ran.out);

    let ran = cluster.run(&["status"]).await;
    assert_eq!(ran.code, Some(3));
    let mut lines = ran.out.lines();
    assert!(lines.next().unwrap().starts_with("KIND    NAME  VERSION  STATE"), "{}", ran.out);
    assert!(lines.next().unwrap().starts_with("Harbor  acme  2.15.0   waiting"), "{}", ran.out);
}

#[tokio::test]
async fn without_an_operator_it_shows_missing_objects_and_their_dependents() {
    let cluster = Cluster::new().await;
    cluster.apply(vec![minimal()]).await;
    let ran = cluster.run(&["status", "harbor/acme", "--output", "json"]).await;
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    let trees: Value = serde_json::from_str(&ran.out).unwrap();
    let children = trees[0]["children"].as_array().unwrap();
    let state = |kind: &str| {
        let child = children.iter().find(|child| child["kind"] == kind).unwrap();
        (child["state"].as_str().unwrap(), child["message"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(state("Certificate"), ("waiting", "does not exist yet".to_owned()));
    let (word, why) = state("Core");
    assert!(word == "pending" && why.starts_with("until Secret acme-harbor-"), "{word}: {why}");
}

#[tokio::test]
async fn a_ready_harbor_is_drawn_down_to_its_deployments() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let ran = cluster.run(&["status", "acme"]).await;
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert!(ran.out.contains("✓ Deployment acme-harbor-core"), "{}", ran.out);
    assert!(!ran.out.contains('\u{1b}'), "no colours in a pipe");
    assert!(ran.out.ends_with(" ready\n"), "{}", ran.out);
    let (header, _) = ran.out.split_once('\n').unwrap();

    let ran = cluster.run(&["status", "acme", "--output", "json"]).await;
    let tree = &serde_json::from_str::<Value>(&ran.out).unwrap()[0];
    let expires = tree["certificateExpires"].as_str().unwrap();
    let text = |field: &str| tree[field].as_str().unwrap();
    assert_eq!((text("url"), text("version")), ("https://harbor.example.com", "2.15.0"));
    assert_eq!((&tree["podsReady"], &tree["podsWanted"]), (&json!(4), &json!(4)));
    assert_eq!(
        header,
        format!(
            "https://harbor.example.com, version 2.15.0, certificate valid until {}, 4 of 4 pods ready",
            &expires[..10]
        )
    );

    let ran = cluster.run(&["status", "missing"]).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("missing: not found in namespace"), "{}", ran.err);
}

#[tokio::test]
async fn a_user_who_may_not_list_secrets_sees_what_exists_and_what_the_operator_reported() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let kinds = ["harbors", "cores", "portals", "registries", "registrycontrollers", "jobservices"];
    let kinds = kinds.map(|kind| format!("{kind}.goharbor.io")).join(",");
    cluster.allow("viewer", "get,list,watch", &format!("{kinds},deployments.apps")).await;
    let kubeconfig = account::kubeconfig(&cluster.plane, "viewer");
    let ran = cluster.run(&["status", "acme", "--kubeconfig", kubeconfig.path().to_str().unwrap()]).await;
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("✓ Deployment acme-harbor-core"), "{}", ran.out);
    assert!(!ran.out.contains("Secret"), "{}", ran.out);
    let (unlisted, hint) = ran.err.split_once("warning: what is shown is what exists").unwrap();
    assert!(unlisted.starts_with("warning: without permission to list "), "{unlisted}");
    assert!(unlisted.contains("ConfigMap, ") && unlisted.contains("Secret, "), "{unlisted}");
    assert!(unlisted.contains("viewer") && hint.contains("get these permissions"), "{}", ran.err);

    let kubeconfig = account::kubeconfig(&cluster.plane, "stranger");
    let ran = cluster.run(&["status", "--kubeconfig", kubeconfig.path().to_str().unwrap()]).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("stranger"), "{}", ran.err);
}

#[tokio::test]
async fn of_all_namespaces_it_shows_failures_first() {
    let cluster = Cluster::new().await;
    let incomplete = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "incomplete"}, "stringData": {"tls.key": "not yet"},
    });
    let failing = with(minimal(), "/metadata/name", json!("zeta"));
    let failing = with(failing, "/spec/expose/core/tls/certificateRef", json!("incomplete"));
    cluster.apply(vec![minimal(), incomplete, failing]).await;
    let ran = cluster.run_anywhere(&["status", "-A"]).await;
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    // Other tests have Harbors on the same control plane.
    let ours = ran.out.lines().filter_map(|line| line.strip_prefix(&cluster.name));
    let shown = ours.map(|line| line.split_whitespace().take(4).collect::<Vec<_>>().join(" "));
    assert_eq!(shown.collect::<Vec<_>>(), ["Harbor zeta 2.15.0 failed", "Harbor acme 2.15.0 waiting"]);
}

#[tokio::test]
async fn with_a_class_it_shows_only_objects_of_that_class() {
    let cluster = Cluster::new().await;
    let blue = with(minimal(), "/metadata/annotations", json!({CLASS_ANNOTATION: "blue"}));
    cluster.apply(vec![blue, with(minimal(), "/metadata/name", json!("other"))]).await;
    let names = async |flags: &[&str]| {
        let ran = cluster.run(&[&["status", "--output", "json"], flags].concat()).await;
        let trees: Vec<Value> = serde_json::from_str(&ran.out).unwrap();
        trees.iter().map(|tree| tree["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&[]).await, ["acme", "other"]);
    assert_eq!(names(&["--class", "blue"]).await, ["acme"]);
    assert_eq!(names(&["--class", "green"]).await, [""; 0]);
}

#[tokio::test]
async fn kubectl_takes_it_for_a_plugin() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let folder = tempfile::TempDir::new().unwrap();
    symlink(env!("CARGO_BIN_EXE_harbor-operator"), folder.path().join("kubectl-harbor")).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let kubectl = async |arguments: &[&str]| {
        // Without flags before its name, or kubectl does not look for a plugin.
        let program = cluster.plane.kubectl(arguments).as_std().get_program().to_owned();
        let mut command = tokio::process::Command::new(program);
        command.args(arguments).env("PATH", &path).env("KUBECONFIG", cluster.plane.kubeconfig());
        let output = command.output().await.unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, out, err) = kubectl(&["harbor", "status", "acme", "-n", &cluster.name]).await;
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("✓ Deployment acme-harbor-core"), "{out}");

    let (_, out, _) = kubectl(&["harbor", "plan", "--help"]).await;
    assert!(out.contains("Usage: kubectl harbor plan ") && out.contains("kubectl harbor plan -f"), "{out}");

    let edited = with(minimal(), "/spec/logLevel", json!("debug"));
    let file = folder.path().join("harbor.json");
    std::fs::write(&file, with(edited, "/metadata/namespace", Value::Null).to_string()).unwrap();
    let file = file.to_str().unwrap();
    let (code, out, err) = kubectl(&["harbor", "plan", "-f", file, "-n", &cluster.name, "--summary"]).await;
    assert_eq!(code, Some(2), "{err}");
    assert!(out.starts_with(&format!("~ Harbor {}/acme\n", cluster.name)), "{out}");
}
