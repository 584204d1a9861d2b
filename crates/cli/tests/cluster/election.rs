//! Two processes, of which one works.

use crate::world::World;
use k8s_openapi::api::{
    apps::v1::Deployment,
    coordination::v1::Lease,
    core::v1::{ConfigMap, Secret, Service},
};
use kube::ResourceExt as _;
use serde_json::json;
use std::time::Duration;
use tokio::{
    process::{Child, Command},
    time::{Instant, sleep, timeout},
};

/// As short as is allowed; `HARBOR_OPERATOR_LEASE_DURATION` and its like have the test measure others.
const DURATION: &str = "3";
const DEADLINE: &str = "2";
const PERIOD: &str = "1";

fn start(world: &World) -> Child {
    let or = |variable: &str, usual: &str| std::env::var(variable).unwrap_or(usual.into());
    world
        .process()
        .args(["--leader-elect", "--namespace", &world.name, "--lease-namespace", &world.name])
        .env("HARBOR_OPERATOR_LEASE_DURATION", or("HARBOR_OPERATOR_LEASE_DURATION", DURATION))
        .env("HARBOR_OPERATOR_LEASE_RENEW_DEADLINE", or("HARBOR_OPERATOR_LEASE_RENEW_DEADLINE", DEADLINE))
        .env("HARBOR_OPERATOR_LEASE_RETRY_PERIOD", or("HARBOR_OPERATOR_LEASE_RETRY_PERIOD", PERIOD))
        .spawn()
        .unwrap()
}

/// Waits until another process than this one holds the lease, and returns its identity.
async fn until_held(world: &World, before: &str) -> String {
    let holder = |lease: &Lease| lease.spec.as_ref().and_then(|spec| spec.holder_identity.clone());
    let held = |lease: &Lease| holder(lease).is_some_and(|holder| !holder.is_empty() && holder != before);
    holder(&world.until::<Lease>("harbor-operator", held).await).unwrap()
}

/// Versions of everything the operator made, which any write changes.
async fn versions(world: &World) -> Vec<Option<String>> {
    vec![
        world.get::<Deployment>("harbor-core").await.resource_version(),
        world.get::<ConfigMap>("harbor-core").await.resource_version(),
        world.get::<Secret>("harbor-core").await.resource_version(),
        world.get::<api::v1beta1::Core>("harbor").await.resource_version(),
        world.get::<Service>("harbor-core").await.resource_version(),
    ]
}

#[tokio::test]
async fn when_the_leader_is_killed_the_other_takes_over_and_writes_nothing_that_is_there() {
    let world = World::new().await;
    let mut first = start(&world);
    let leader = until_held(&world, "").await;
    let _second = start(&world);
    world.apply(World::inputs()).await;
    world.apply(vec![World::core()]).await;
    world.make_available("harbor-core").await;
    world.until_condition("Ready", "True").await;
    // A standby is warm when it has seen what there is.
    sleep(Duration::from_secs(1)).await;
    let before = versions(&world).await;

    let killed = Instant::now();
    first.kill().await.unwrap();
    until_held(&world, &leader).await;
    println!("the other leads {} ms after the kill", killed.elapsed().as_millis());
    sleep(Duration::from_secs(1)).await;
    assert_eq!(versions(&world).await, before, "a takeover writes nothing");

    world.merge::<api::v1beta1::Core>("harbor", json!({"spec": {"replicas": 2}})).await;
    let scaled =
        |deployment: &Deployment| deployment.spec.as_ref().is_some_and(|spec| spec.replicas == Some(2));
    world.until::<Deployment>("harbor-core", scaled).await;
}

#[tokio::test]
async fn a_process_that_is_stopped_releases_the_lease_at_once() {
    let world = World::new().await;
    let mut first = start(&world);
    let leader = until_held(&world, "").await;
    let _second = start(&world);
    sleep(Duration::from_secs(1)).await;

    let stopped = Instant::now();
    let pid = first.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
    let status = timeout(envtest::TIMEOUT, first.wait()).await.expect("it ends").unwrap();
    assert!(status.success(), "{status}");
    until_held(&world, &leader).await;
    println!("the other leads {} ms after the signal", stopped.elapsed().as_millis());
}

#[tokio::test]
async fn a_process_that_is_deposed_ends_with_a_failure() {
    let world = World::new().await;
    let mut first = start(&world);
    until_held(&world, "").await;
    let theirs = json!({"spec": {"holderIdentity": "another", "leaseDurationSeconds": 3600}});
    world.merge::<Lease>("harbor-operator", theirs).await;
    let status = timeout(envtest::TIMEOUT, first.wait()).await.expect("it ends").unwrap();
    assert_eq!(status.code(), Some(1));
}
