//! The real process: it comes, it goes, it is killed.

use crate::{account, world::World};
use api::names::{INPUTS_ANNOTATION, RESTARTED_LABEL};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret, Service},
};
use runtime::DIGEST_KEY;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{
    process::{Child, Command},
    time::timeout,
};

fn start(world: &World) -> Child {
    start_in(world, &[&world.name])
}

/// With what the operator in the namespace of `world` may do.
fn start_in(world: &World, namespaces: &[&str]) -> Child {
    let namespaces = namespaces.iter().flat_map(|namespace| ["--namespace", namespace]);
    world.process().args(namespaces).spawn().unwrap()
}

/// What the operator made, without what the server makes up.
async fn children(world: &World) -> Value {
    let deployment = world.get::<Deployment>("harbor-core").await;
    let service = world.get::<Service>("harbor-core").await;
    let mut template = deployment.spec.unwrap().template;
    // Made with a key of each operator's own.
    let annotations = template.metadata.as_mut().and_then(|metadata| metadata.annotations.as_mut());
    assert!(annotations.unwrap().remove(INPUTS_ANNOTATION).is_some());
    let mut labels = deployment.metadata.labels;
    assert!(labels.as_mut().unwrap().remove(RESTARTED_LABEL).is_some());
    let without_namespace = |value: Value| value.to_string().replace(&world.name, "NAMESPACE");
    json!([
        labels,
        without_namespace(json!(template)),
        world.get::<ConfigMap>("harbor-core").await.data,
        world.get::<Secret>("harbor-core").await.data,
        without_namespace(json!(service.spec.unwrap().selector)),
    ])
}

#[tokio::test]
async fn killed_at_any_moment_and_restarted_it_converges_to_the_same_objects() {
    let _installed = World::new().await;
    let mut expected = None;
    // From before the first request to after the last one; a start takes about 100 ms.
    for delay in [0, 40, 80, 120, 160, 220, 300] {
        println!("killed after {delay} ms");
        let world = World::another().await;
        world.apply(World::inputs()).await;
        world.apply(vec![World::core()]).await;
        let mut doomed = start(&world);
        tokio::time::sleep(Duration::from_millis(delay)).await;
        doomed.kill().await.unwrap();

        let _operator = start(&world);
        world.make_available("harbor-core").await;
        world.until_condition("Ready", "True").await;
        let made = children(&world).await;
        assert_eq!(expected.get_or_insert_with(|| made.clone()), &made);
    }
}

#[tokio::test]
async fn it_reconciles_only_the_namespaces_of_its_flags() {
    let (first, second, other) = (World::new().await, World::another().await, World::another().await);
    for world in [&first, &second, &other] {
        world.apply(World::inputs()).await;
        world.apply(vec![World::core()]).await;
    }
    second.apply(account::objects(&second.name, &first.name)).await;
    let _operator = start_in(&first, &[&first.name, &second.name]);
    for world in [&first, &second] {
        world.make_available("harbor-core").await;
        world.until_condition("Ready", "True").await;
    }
    assert!(!other.has::<Deployment>("harbor-core").await);
}

#[tokio::test]
async fn digests_are_made_with_the_key_of_the_namespace_that_the_flag_names() {
    let (world, home) = (World::new().await, World::another().await);
    home.apply(account::objects(&home.name, &world.name)).await;
    home.delete::<Secret>(DIGEST_KEY).await;
    world.apply(World::inputs()).await;
    world.apply(vec![World::core()]).await;
    let digest = |deployment: &Deployment| {
        let annotations = deployment.spec.as_ref()?.template.metadata.as_ref()?.annotations.as_ref()?;
        annotations.get(INPUTS_ANNOTATION).cloned()
    };
    let mut operator = start(&world);
    let before = world.until::<Deployment>("harbor-core", |it| digest(it).is_some()).await;
    operator.kill().await.unwrap();

    let mut operator = world.process();
    operator.args(["--namespace", &world.name, "--digest-key-namespace", &home.name]);
    let _operator = operator.spawn().unwrap();
    world.until::<Deployment>("harbor-core", |it| digest(it) != digest(&before)).await;
    let made = home.get::<Secret>(DIGEST_KEY).await.data.unwrap_or_default();
    assert_eq!(made.get("key").map(|key| key.0.len()), Some(plan::DigestKey::LENGTH));
}

#[tokio::test]
async fn rule_9_b13_no_secret_leaves_its_secret() {
    let world = World::new().await;
    let secrets = World::inputs();
    world.apply(secrets.clone()).await;
    world.apply(vec![World::core()]).await;
    let log = tempfile::NamedTempFile::new().unwrap();
    let _operator = world
        .process()
        .args(["--namespace", &world.name, "--log", "json"])
        .env("RUST_LOG", "trace")
        .stderr(log.reopen().unwrap())
        .spawn()
        .unwrap();
    world.make_available("harbor-core").await;
    world.until_condition("Ready", "True").await;
    world.merge::<Secret>("harbor-csrf", json!({"stringData": {"key": "too-short"}})).await;
    world.until_condition("Stalled", "True").await;
    world.until_event("harbor", "InvalidSpec").await;

    let resources = "configmaps,deployments,services,events,cores";
    let mut seen = world.kubectl(&["get", resources, "-o", "json"]).await;
    seen.push_str(&std::fs::read_to_string(log.path()).unwrap());
    assert!(seen.contains("reconcile"), "there is a log");
    let values = secrets.iter().flat_map(|secret| {
        let fields = ["stringData", "data"].into_iter().filter_map(|field| secret[field].as_object());
        fields.flatten().map(|(_, value)| value.as_str().unwrap().trim().to_owned()).collect::<Vec<_>>()
    });
    let mut values: Vec<_> = values.collect();
    values.push("too-short".into());
    assert!(values.len() > 8, "there are secrets to look for");
    for value in values {
        // Of a key of many lines any line would be too much.
        let line = value.lines().max_by_key(|line| line.len()).unwrap();
        assert!(!seen.contains(line), "a secret of {} characters was logged", line.len());
    }
}

#[tokio::test]
async fn it_ends_with_the_first_signal() {
    let world = World::new().await;
    world.apply(World::inputs()).await;
    world.apply(vec![World::core()]).await;
    let mut operator = start(&world);
    world.make_available("harbor-core").await;
    world.until_condition("Ready", "True").await;
    let pid = operator.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
    let status = timeout(envtest::TIMEOUT, operator.wait()).await.expect("it ends").unwrap();
    assert!(status.success(), "{status}");
}

#[tokio::test]
async fn without_a_cluster_it_says_so_and_ends() {
    let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
        .arg("run")
        .env("KUBECONFIG", "/does/not/exist")
        .env_remove("KUBERNETES_SERVICE_HOST")
        .output()
        .await
        .unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words}");
    let expected = "error: no cluster: /does/not/exist does not exist, and this process is not in a pod; ";
    assert!(words.contains(expected), "{words}");
}
