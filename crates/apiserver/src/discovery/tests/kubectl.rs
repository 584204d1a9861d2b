//! The real kubectl against our documents.

use super::server::serve;
use envtest::Assets;
use std::{net::SocketAddr, process::Stdio};
use tokio::{io::AsyncWriteExt, process::Command};

async fn kubectl(server: SocketAddr, arguments: &[&str], input: &str) -> String {
    let cache = tempfile::tempdir().unwrap();
    let mut child = Command::new(Assets::find().unwrap().kubectl())
        .args(arguments)
        .arg(format!("--server=http://{server}"))
        .arg(format!("--cache-dir={}", cache.path().display()))
        .env("KUBECONFIG", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: nginx}]}
";

const HARBOR: &str = "
apiVersion: goharbor.example/v1alpha1
kind: Harbor
metadata: {name: registry, namespace: default}
spec: {version: 2.14.0, port: http, settings: {a: {b: c}}, proxy: null, hosts: [{name: x}]}
";

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_lists_what_is_served() {
    let server = serve().await;
    let listed = kubectl(server, &["api-resources", "--no-headers", "-o", "wide"], "").await;
    let rows: Vec<Vec<&str>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
    let all = "create,delete,deletecollection,get,list,patch,update,watch";
    for row in [
        vec!["configmaps", "cm", "v1", "true", "ConfigMap", all],
        vec!["pods", "po", "v1", "true", "Pod", all, "all"],
        vec!["deployments", "deploy", "apps/v1", "true", "Deployment", all, "all"],
        vec!["tokenreviews", "authentication.k8s.io/v1", "false", "TokenReview", "create"],
        vec![
            "harbors",
            "h",
            "goharbor.example/v1alpha1",
            "true",
            "Harbor",
            "delete,deletecollection,get,list,patch,create,update,watch",
            "harbor",
        ],
    ] {
        assert!(rows.contains(&row), "{row:?} in {listed}");
    }
    let version = kubectl(server, &["version"], "").await;
    assert!(version.contains("v1.33.0-sandbox"), "{version}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_explains_built_in_and_custom_fields() {
    let server = serve().await;
    for (what, expected) in [
        (&["deployment.spec.replicas"][..], "Number of desired pods."),
        (&["deployment.spec.template.spec.containers.image"], "Container image name."),
        (&["harbor"], "A Harbor and its parts."),
        (&["harbor.spec.version"], "The version of Harbor."),
        (&["harbor.metadata.labels"], "Map of string keys and values"),
        (&["pods", "--recursive"], "terminationGracePeriodSeconds"),
        (&["deployment.spec.replicas", "--output=plaintext-openapiv2"], "Number of desired pods."),
        (&["harbor.spec.version", "--output=plaintext-openapiv2"], "The version of Harbor."),
        (&["harbor.metadata.labels", "--output=plaintext-openapiv2"], "Map of string keys and values"),
    ] {
        let explained = kubectl(server, &[&["explain"], what].concat(), "").await;
        assert!(
            explained.split_whitespace().collect::<Vec<_>>().join(" ").contains(expected),
            "{what:?}: {explained}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_accepts_the_schemas_for_apply() {
    let server = serve().await;
    for (arguments, input, expected) in [
        (&["apply", "-f", "-"][..], DEPLOYMENT, "deployment.apps/web created"),
        (&["apply", "--validate=strict", "-f", "-"], DEPLOYMENT, "deployment.apps/web created"),
        (&["apply", "--server-side", "-f", "-"], DEPLOYMENT, "deployment.apps/web serverside-applied"),
        (
            &["apply", "--dry-run=server", "-f", "-"],
            DEPLOYMENT,
            "deployment.apps/web created (server dry run)",
        ),
        (&["apply", "--validate=strict", "-f", "-"], HARBOR, "harbor.goharbor.example/registry created"),
        (
            &["apply", "--server-side", "-f", "-"],
            HARBOR,
            "harbor.goharbor.example/registry serverside-applied",
        ),
        (
            &["create", "--dry-run=server", "-f", "-"],
            HARBOR,
            "harbor.goharbor.example/registry created (server dry run)",
        ),
    ] {
        let output = kubectl(server, arguments, input).await;
        assert_eq!(output.trim(), expected, "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kubectl_prints_our_tables() {
    let server = serve().await;
    let printed = kubectl(server, &["get", "deployments", "-n", "default", "-o", "wide"], "").await;
    let rows: Vec<Vec<&str>> = printed.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(
        rows,
        [
            ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"],
            ["web", "1/2", "2", "1", "5m7s", "nginx", "nginx:1", "app=web"],
        ],
        "{printed}"
    );
}
