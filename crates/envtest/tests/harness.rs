//! Tests of the harness: its servers work, and it leaves nothing behind.

use envtest::{ControlPlane, Setup};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use k8s_openapi::api::rbac::v1::{PolicyRule, Role, RoleBinding, RoleRef, Subject};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{DeleteParams, ListParams, ObjectMeta, PostParams};
use kube::{Api, Client};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

#[tokio::test]
async fn kubectl_and_client_see_the_same_server() {
    let cluster = ControlPlane::shared().await.unwrap();
    assert!(cluster.version().at_least(1, 20));

    let output = cluster.kubectl(["get", "--raw", "/version"]).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let seen: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let minor = seen["minor"].as_str().unwrap();
    assert!(minor.starts_with(&cluster.version().minor.to_string()), "{minor}");
}

#[tokio::test]
async fn every_namespace_is_new() {
    let cluster = ControlPlane::shared().await.unwrap();
    let one = cluster.create_namespace("same").await.unwrap();
    let other = cluster.create_namespace("same").await.unwrap();
    assert!(one.starts_with("same-") && other.starts_with("same-") && one != other, "{one} {other}");
}

#[tokio::test]
async fn a_user_may_do_what_rbac_grants_and_no_more() {
    let cluster = ControlPlane::shared().await.unwrap();
    let namespace = cluster.create_namespace("rbac").await.unwrap();
    let reader = Client::try_from(cluster.user("reader", &["readers", "others"])).unwrap();
    let config_maps: Api<ConfigMap> = Api::namespaced(reader.clone(), &namespace);
    let secrets: Api<Secret> = Api::namespaced(reader, &namespace);
    assert!(is_forbidden(config_maps.list(&ListParams::default()).await.unwrap_err()));

    let role = Role {
        metadata: named("reader"),
        rules: Some(vec![PolicyRule {
            api_groups: Some(vec![String::new()]),
            resources: Some(vec!["configmaps".to_owned()]),
            verbs: vec!["list".to_owned()],
            ..PolicyRule::default()
        }]),
    };
    let binding = RoleBinding {
        metadata: named("reader"),
        role_ref: RoleRef {
            api_group: "rbac.authorization.k8s.io".to_owned(),
            kind: "Role".to_owned(),
            name: "reader".to_owned(),
        },
        subjects: Some(vec![Subject {
            api_group: Some("rbac.authorization.k8s.io".to_owned()),
            kind: "Group".to_owned(),
            name: "readers".to_owned(),
            namespace: None,
        }]),
    };
    let params = PostParams::default();
    Api::namespaced(cluster.client(), &namespace).create(&params, &role).await.unwrap();
    Api::namespaced(cluster.client(), &namespace).create(&params, &binding).await.unwrap();

    eventually("the grant", || async { config_maps.list(&ListParams::default()).await.is_ok() }).await;
    assert!(is_forbidden(secrets.list(&ListParams::default()).await.unwrap_err()));
}

#[tokio::test]
async fn the_controller_manager_removes_dependents_and_namespaces() {
    let cluster = ControlPlane::with_controller_manager().shared().await.unwrap();
    let namespace = cluster.create_namespace("garbage").await.unwrap();
    let config_maps: Api<ConfigMap> = Api::namespaced(cluster.client(), &namespace);
    let params = PostParams::default();

    let owner = ConfigMap { metadata: named("owner"), ..ConfigMap::default() };
    let owner = config_maps.create(&params, &owner).await.unwrap();
    let reference = OwnerReference {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: "owner".to_owned(),
        uid: owner.metadata.uid.unwrap(),
        ..OwnerReference::default()
    };
    let metadata = ObjectMeta { owner_references: Some(vec![reference]), ..named("dependent") };
    config_maps.create(&params, &ConfigMap { metadata, ..ConfigMap::default() }).await.unwrap();

    config_maps.delete("owner", &DeleteParams::background()).await.unwrap();
    eventually("the dependent's removal", || async {
        matches!(config_maps.get_opt("dependent").await, Ok(None))
    })
    .await;

    let namespaces: Api<Namespace> = Api::all(cluster.client());
    namespaces.delete(&namespace, &DeleteParams::default()).await.unwrap();
    eventually("the namespace's removal", || async {
        matches!(namespaces.get_opt(&namespace).await, Ok(None))
    })
    .await;
}

#[tokio::test]
async fn sharers_have_one_control_plane_and_an_owner_has_another() {
    let one = Setup::default().real().shared().await.unwrap();
    let other = Setup::default().real().shared().await.unwrap();
    assert_eq!(one.folder(), other.folder());

    let own = Setup::default().real().start().await.unwrap();
    assert_ne!(one.folder(), own.folder());

    let folder = own.folder().to_owned();
    assert_ne!(processes(&folder), Vec::<String>::new());
    own.stop().await;
    assert_eq!(processes(&folder), Vec::<String>::new());
    assert!(!folder.exists());

    drop(one);
    other.create_namespace("still-there").await.unwrap();
}

#[tokio::test]
async fn tests_apart_share_a_control_plane_that_others_do_not_use() {
    let apart = Setup::default().in_memory().apart("harness");
    let (one, other) = (apart.shared().await.unwrap(), apart.shared().await.unwrap());
    assert_eq!(one.folder(), other.folder());

    for others in [Setup::default(), Setup::default().apart("others")] {
        assert_ne!(others.in_memory().shared().await.unwrap().folder(), one.folder());
    }
}

#[tokio::test]
async fn one_test_at_a_time_has_its_turn() {
    let setup = Setup::default().in_memory();
    let (one, other) = (setup.shared().await.unwrap(), setup.shared().await.unwrap());
    let turn = one.turn().await;
    let lock = File::open(one.folder().join("turn")).unwrap();
    assert!(lock.try_lock().is_err());

    let next = tokio::spawn(async move { other.turn().await });
    drop(turn);
    let next = next.await.unwrap();
    assert!(lock.try_lock().is_err());
    drop(next);
    lock.try_lock().unwrap();
}

#[tokio::test]
async fn a_control_plane_of_our_own_is_gone_when_it_is_stopped() {
    let shared = ControlPlane::shared().await.unwrap();
    let own = ControlPlane::start().await.unwrap();
    let (folder, client) = (own.folder().to_owned(), own.client());
    assert_ne!(folder, shared.folder());

    own.stop().await;
    assert!(!folder.exists());
    assert!(client.apiserver_version().await.is_err());
    shared.create_namespace("still-there").await.unwrap();
}

#[test]
fn servers_of_a_killed_process_end() {
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "holds_a_control_plane_until_killed", "--ignored", "--nocapture"])
        .env("ENVTEST_VICTIM", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    let folder = lines
        .map_while(Result::ok)
        .find_map(|line| line.split_once("running in ").map(|(_, folder)| PathBuf::from(folder)))
        .expect("the victim starts a control plane");
    assert_ne!(processes(&folder), Vec::<String>::new());

    victim.kill().unwrap();
    victim.wait().unwrap();

    let deadline = Instant::now() + Duration::from_secs(20);
    while (folder.exists() || !processes(&folder).is_empty()) && Instant::now() < deadline {
        sleep(Duration::from_millis(50));
    }
    assert_eq!(processes(&folder), Vec::<String>::new());
    assert!(!folder.exists());
}

/// Run by the test above in a separate process.
#[tokio::test]
#[ignore = "started by servers_of_a_killed_process_end"]
async fn holds_a_control_plane_until_killed() {
    if std::env::var_os("ENVTEST_VICTIM").is_none() {
        return;
    }
    let cluster = Setup::default().real().start().await.unwrap();
    println!("running in {}", cluster.folder().display());
    tokio::time::sleep(Duration::from_mins(5)).await;
}

fn named(name: &str) -> ObjectMeta {
    ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() }
}

fn is_forbidden(error: kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.is_forbidden())
}

async fn eventually<F: Future<Output = bool>>(what: &str, condition: impl Fn() -> F) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !condition().await {
        assert!(Instant::now() < deadline, "{what} did not happen within a minute");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The command lines of all running processes that contain the folder. A zombie has none.
fn processes(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "))
        .filter(|line| line.contains(&*folder.to_string_lossy()))
        .collect()
}
