//! Many Cores at once: what it costs is counted, not timed.

use crate::world::World;
use api::v1beta1::Core;
use envtest::{Requests, writes};
use futures::{StreamExt as _, stream};
use k8s_openapi::api::apps::v1::Deployment;
use kube::{
    api::{ListParams, PostParams},
    runtime::{WatchStreamExt as _, watcher},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, pin::pin, time::Instant};
use tokio::time::timeout;

/// How many; `HARBOR_OPERATOR_LOAD` sets another number, for `docs/cost.md`.
fn number() -> usize {
    std::env::var("HARBOR_OPERATOR_LOAD").ok().and_then(|number| number.parse().ok()).unwrap_or(25)
}

fn core(index: usize) -> Core {
    let mut core: Value = World::core();
    core["metadata"]["name"] = json!(format!("harbor-{index:04}"));
    core["metadata"].as_object_mut().unwrap().remove("namespace");
    serde_json::from_value(core).unwrap()
}

/// Marks Deployments available as they appear, and ends when there are `count`.
async fn stand_in(world: &World, count: usize) {
    let events = watcher(world.api::<Deployment>(), watcher::Config::default()).applied_objects();
    let mut fresh = pin!(events.filter_map(|deployment| async {
        let deployment = deployment.ok()?;
        deployment.status.as_ref().is_none_or(|s| s.observed_generation.is_none()).then_some(deployment)
    }));
    let mut seen = BTreeSet::new();
    while seen.len() < count {
        let name = fresh.next().await.unwrap().metadata.name.unwrap();
        world.make_available(&name).await;
        seen.insert(name);
    }
}

async fn until_all_ready(world: &World, count: usize) {
    let events = watcher(world.api::<Core>(), watcher::Config::default()).applied_objects();
    let ready = |core: &Core| {
        let conditions = core.status.iter().flat_map(|status| &status.conditions);
        conditions.into_iter().any(|c| c.type_ == "Ready" && c.status == "True")
    };
    let mut events = pin!(events);
    let mut seen = BTreeSet::new();
    while seen.len() < count {
        let core = events.next().await.unwrap().unwrap();
        if ready(&core) {
            seen.insert(core.metadata.name.unwrap());
        }
    }
}

fn rss_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[tokio::test]
async fn each_core_costs_the_same_handful_of_requests_however_many_there_are() {
    let count = number();
    let world = World::new().await;
    let requests = Requests::default();
    world.apply(World::inputs()).await;
    let _operator = world.operator(&requests);
    requests.until_quiet().await;

    let start = Instant::now();
    let create = stream::iter(0..count).for_each_concurrent(8, |index| {
        let api = world.api::<Core>();
        async move {
            api.create(&PostParams::default(), &core(index)).await.unwrap();
        }
    });
    let all = async { tokio::join!(create, stand_in(&world, count), until_all_ready(&world, count)) };
    timeout(envtest::TIMEOUT * 4, Box::pin(all)).await.expect("all become ready");
    let elapsed = start.elapsed();
    let sent = requests.until_quiet().await;

    let written = writes(&sent).len();
    println!("{count} Cores: {} requests, {written} writes, {elapsed:.1?}, {} MiB", sent.len(), rss_mib());
    // Five children, and a status for each change of the verdict.
    assert!(written <= count * 8, "{written} writes for {count} Cores");
    // All read the same Secrets, which are read once. Kubernetes 1.20 has to be asked for each Service.
    let services = if world.creates_services_at_once() { 0 } else { count };
    assert!(sent.len() <= written + 12 + services, "{} reads by {count} Cores", sent.len() - written);
    let deployments = world.api::<Deployment>().list(&ListParams::default()).await.unwrap();
    assert_eq!(deployments.items.len(), count);
    assert_eq!(requests.until_quiet().await, Vec::<String>::new());
}
