//! `status` goes on below Deployments and objects of other operators, to their pods.

use crate::{
    account,
    harbor::{Cluster, minimal, with},
    stack,
    world::World,
};
use api::names::SANDBOX_FAIL_ANNOTATION;
use envtest::{Requests, TIMEOUT};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};
use kube::{
    Api,
    api::{DynamicObject, ListParams, Patch, PatchParams},
    core::{ApiResource, GroupVersionKind},
};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
    time::timeout,
};

const CORE: &str = "acme-harbor-core";
const WORDS: &str = "starting\n\u{1b}[31mpanic\u{1b}[0m: dial redis://:hunter2@redis:6379: refused";
const LAST: &str = "panic: dial redis://:(hidden)@redis:6379: refused";

impl Cluster {
    /// Makes the container of Core log these words and end, again and again.
    async fn crash(&self, words: &str) {
        let failing = json!({"metadata": {"annotations": {SANDBOX_FAIL_ANNOTATION: words}}});
        self.api::<Deployment>().patch(CORE, &PatchParams::default(), &Patch::Merge(failing)).await.unwrap();
        let is_down =
            |it: &Deployment| it.status.as_ref().is_some_and(|it| it.ready_replicas.unwrap_or(0) == 0);
        self.until::<Deployment>(CORE, is_down).await;
    }
}

/// The last words, if the API server has logs: a real one without nodes has none.
fn words() -> Vec<&'static str> {
    if std::env::var_os("KUBEBUILDER_ASSETS").is_some() { Vec::new() } else { vec!["starting", LAST] }
}

/// The lines about pods, without their branches.
fn lines(out: &str) -> Vec<&str> {
    let lines = out.lines().map(|line| line.trim_start_matches([' ', '│']));
    let is_detail =
        |line: &&str| line.contains(" Pod ") || line.starts_with("container ") || line.starts_with('>');
    lines.filter(is_detail).collect()
}

/// The Deployment of Core in a tree.
fn core(tree: &Value) -> Option<&Value> {
    if tree["kind"] == "Deployment" && tree["name"] == CORE {
        return Some(tree);
    }
    tree["children"].as_array()?.iter().find_map(core)
}

#[tokio::test]
async fn a_container_that_crashes_is_shown_with_its_own_words_without_secrets_and_escape_sequences() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let ran = cluster.run(&["status", "acme"]).await;
    assert_eq!(lines(&ran.out), [""; 0], "of pods that are ready nothing is said");

    cluster.crash(WORDS).await;
    let ran = cluster.run(&["status", "acme"]).await;
    assert_eq!((ran.code, ran.err.as_str()), (Some(3), ""), "{}", ran.out);
    let shown = lines(&ran.out);
    assert!(shown[0].starts_with("✗ Pod acme-harbor-core-"), "{}", ran.out);
    assert!(shown[0].ends_with("  CrashLoopBackOff, 1 restart"), "{}", ran.out);
    assert!(
        shown[1].starts_with("container core: CrashLoopBackOff; ended with exit code 1 (Error) "),
        "{}",
        ran.out
    );
    let quoted: Vec<_> = words().iter().map(|line| format!("> {line}")).collect();
    assert_eq!(shown[2..], quoted, "{}", ran.out);
    assert!(ran.out.contains("BackOff ("), "its events: {}", ran.out);
    assert!(!ran.out.contains("hunter2") && !ran.out.contains('\u{1b}'), "{}", ran.out);

    let ran = cluster.run(&["status", "acme", "--output", "json"]).await;
    let tree = &serde_json::from_str::<Value>(&ran.out).unwrap()[0];
    let pod = &core(tree).unwrap()["pods"][0];
    assert_eq!((&pod["state"], &pod["restarts"]), (&json!("CrashLoopBackOff"), &json!(1)));
    let log = pod["containers"][0]["log"].as_array().cloned().unwrap_or_default();
    assert_eq!(log, words());
    assert_eq!(pod["containers"][0]["lastEnd"]["exitCode"], 1);
    assert_eq!((&tree["podsReady"], &tree["podsWanted"]), (&json!(3), &json!(4)));
}

#[tokio::test]
async fn of_a_rollout_whose_image_cannot_be_pulled_the_new_pods_are_shown() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let failing = json!({SANDBOX_FAIL_ANNOTATION: "manifest unknown"});
    cluster.apply(vec![with(minimal(), "/spec/core/templateAnnotations", failing)]).await;
    let is_stuck = |it: &Deployment| {
        it.status.as_ref().is_some_and(|it| (it.replicas, it.updated_replicas) == (Some(2), Some(1)))
    };
    cluster.until::<Deployment>(CORE, is_stuck).await;
    let is_waiting = |pod: &Pod| {
        let statuses = pod.status.iter().flat_map(|it| it.container_statuses.iter().flatten());
        let mut reasons = statuses.filter_map(|it| it.state.as_ref()?.waiting.as_ref()?.reason.as_deref());
        reasons.any(|reason| reason == "ImagePullBackOff")
    };
    let found = async {
        while !cluster.api::<Pod>().list(&ListParams::default()).await.unwrap().items.iter().any(is_waiting) {
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, found).await.expect("the new pod waits in time");
    let ran = cluster.run(&["status", "acme"]).await;
    let shown = lines(&ran.out);
    assert_eq!(shown.len(), 2, "{}", ran.out);
    assert!(shown[0].ends_with("  ImagePullBackOff"), "{}", ran.out);
    assert_eq!(shown[1], "container core: ImagePullBackOff: manifest unknown");
}

#[tokio::test]
async fn a_user_without_the_permissions_sees_what_they_may_and_how_to_get_the_rest() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    cluster.crash(WORDS).await;
    let kinds = ["harbors", "cores", "portals", "registries", "registrycontrollers", "jobservices"];
    let kinds = kinds.map(|kind| format!("{kind}.goharbor.io")).join(",");
    let seen = async |user: &str, kinds: &str| {
        cluster.allow(user, "get,list,watch", kinds).await;
        let kubeconfig = account::kubeconfig(&cluster.plane, user);
        cluster.run(&["status", "acme", "--kubeconfig", kubeconfig.path().to_str().unwrap()]).await
    };
    let ran = seen("pods-viewer", &format!("{kinds},deployments.apps,pods")).await;
    assert_eq!(ran.code, Some(3), "{}{}", ran.out, ran.err);
    assert!(lines(&ran.out)[0].ends_with("  CrashLoopBackOff, 1 restart"), "{}", ran.out);
    assert!(!ran.out.contains("> "), "{}", ran.out);
    for resource in ["get pods/log", "list events", "list replicasets"] {
        let gap = format!("warning: without permission to {resource} in namespace {}: ", cluster.name);
        assert!(ran.err.contains(&gap), "{}", ran.err);
    }
    assert!(ran.err.contains("the ClusterRole view of Kubernetes has the permissions"), "{}", ran.err);
}

#[tokio::test]
async fn while_it_watches_a_pod_that_begins_to_fail_has_a_line_with_its_last_words() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;
    let mut status = Command::new(env!("CARGO_BIN_EXE_harbor-operator"));
    status.args(["status", "acme", "--watch", "--namespace", &cluster.name]);
    status.env("KUBECONFIG", cluster.plane.kubeconfig()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut status = status.spawn().unwrap();
    let mut lines = BufReader::new(status.stdout.take().unwrap()).lines();
    let mut until = async |part: &str| {
        let found = async {
            loop {
                let line = lines.next_line().await.unwrap().expect("it goes on");
                if line.contains(part) {
                    return line;
                }
            }
        };
        timeout(TIMEOUT, found).await.unwrap_or_else(|_| panic!("no line with {part}"))
    };
    until("Harbor").await;
    cluster.crash(WORDS).await;
    let line = until(": Pod acme-harbor-core-").await;
    assert!(line.contains("  CrashLoopBackOff, 1 restart"), "{line}");
    assert!(words().is_empty() || line.ends_with(LAST), "{line}");
}

#[tokio::test]
async fn pods_of_the_objects_of_other_operators_are_shown_below_them() {
    let cluster = Cluster::on(World::new().await).await;
    let _operator = cluster.operator(&Requests::default());
    let cnpg = json!({"kind": "CloudNativePG", "spec": {}});
    cluster.apply(stack::with("/spec/database", cnpg)).await;
    cluster.until_healthy("acme").await;
    let ran = cluster.run(&["status", "acme"]).await;
    assert_eq!((ran.code, lines(&ran.out)), (Some(0), vec![]), "{}{}", ran.out, ran.err);
    let ready = ran.out.lines().next().unwrap().to_owned();
    assert!(ready.ends_with(" pods ready"), "{ready}");

    // One has its pods itself, the other through a StatefulSet.
    let failing = json!({"metadata": {"annotations": {SANDBOX_FAIL_ANNOTATION: WORDS}}});
    for (version, kind) in [("postgresql.cnpg.io/v1", "Cluster"), ("minio.min.io/v2", "Tenant")] {
        let (group, version) = version.split_once('/').unwrap();
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        let api = Api::<DynamicObject>::namespaced_with(cluster.plane.client(), &cluster.name, &kind);
        let object = api.list(&ListParams::default()).await.unwrap().items.remove(0);
        let name = object.metadata.name.unwrap();
        api.patch(&name, &PatchParams::default(), &Patch::Merge(&failing)).await.unwrap();
    }
    let mut out = String::new();
    let crashing = |out: &str, name: &str| {
        let shown = lines(out);
        shown.iter().any(|line| {
            line.starts_with("✗ Pod ") && line.contains(name) && line.contains("CrashLoopBackOff")
        })
    };
    let shown = async {
        while !crashing(&out, "postgresql-") || !crashing(&out, "minio-") {
            out = cluster.run(&["status", "acme"]).await.out;
        }
    };
    let in_time = timeout(TIMEOUT, shown).await;
    in_time.unwrap_or_else(|_| panic!("{out}"));
    let shown = lines(&out);
    let is_quoted = |words| shown.contains(&&*format!("> {words}"));
    assert!(words().into_iter().all(is_quoted), "{out}");
    assert!(shown.iter().all(|line| !line.contains("hunter2")), "{out}");
}
