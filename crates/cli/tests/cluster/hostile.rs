//! A tenant who writes the most expensive objects that the definitions allow, and a neighbour who must not notice.

use crate::{account, world::World};
use api::v1beta1::Core;
use envtest::{Requests, TIMEOUT};
use serde_json::{Value, json};
use std::{fs, time::Duration};
use tokio::{process::Command, time::timeout};

/// How many of them the tenant writes.
const OBJECTS: usize = 6;

/// How many items the definition of Core allows in a list of its `spec`.
fn largest(field: &str) -> u64 {
    let definitions = api::crds::all().into_iter().map(|definition| json!(definition));
    let core =
        definitions.into_iter().find(|definition| definition["spec"]["names"]["kind"] == "Core").unwrap();
    let schema = &core["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    schema["properties"][field]["maxItems"].as_u64().unwrap()
}

/// Cores that refer to as many Secrets as they can, none of which exists.
fn objects() -> Vec<Value> {
    let core = |number: usize| {
        let absent = |list: &str, item: u64| format!("absent-{number}-{list}-{item}");
        let mut core = World::core();
        core["metadata"]["name"] = json!(format!("hostile-{number}"));
        core["spec"]["certificateRefs"] =
            (0..largest("certificateRefs")).map(|item| json!(absent("certificate", item))).collect();
        core["spec"]["extraEnv"] = (0..largest("extraEnv"))
            .map(|item| {
                let secret = json!({"name": absent("variable", item), "key": "word"});
                json!({"name": format!("V{item}"), "valueFrom": {"secretKeyRef": secret}})
            })
            .collect();
        core
    };
    (0..OBJECTS).map(core).collect()
}

/// What the shipped manifest allows the process, in KiB.
fn memory_limit() -> u64 {
    let manifest = fs::read_to_string(crate::world::root().join("deploy/operator.yaml")).unwrap();
    let limits = manifest.split("limits:").nth(1).unwrap();
    let limit = limits.lines().find_map(|line| line.trim().strip_prefix("memory: ")).unwrap();
    limit.strip_suffix("Mi").unwrap().parse::<u64>().unwrap() * 1024
}

/// The most memory a process has had, in KiB.
fn high_water_mark(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn the_most_expensive_objects_of_a_tenant_delay_no_neighbour_and_stay_within_the_memory_limit() {
    let (tenant, neighbour) = (World::new().await, World::another().await);
    neighbour.apply(account::objects(&neighbour.name, &tenant.name)).await;
    for world in [&tenant, &neighbour] {
        world.apply(World::inputs()).await;
    }
    tenant.apply(objects()).await;
    let mut operator = tenant.process();
    let mut operator =
        operator.args(["--namespace", &tenant.name, "--namespace", &neighbour.name]).spawn().unwrap();

    neighbour.apply(vec![World::core()]).await;
    neighbour.make_available("harbor-core").await;
    neighbour.until_condition("Ready", "True").await;
    for number in 0..OBJECTS {
        let is_reported =
            |core: &Core| core.status.as_ref().is_some_and(|status| !status.conditions.is_empty());
        tenant.until::<Core>(&format!("hostile-{number}"), is_reported).await;
    }

    let pid = operator.id().unwrap();
    assert!(high_water_mark(pid) < memory_limit(), "{} KiB", high_water_mark(pid));
    assert!(Command::new("kill").args(["-TERM", &pid.to_string()]).status().await.unwrap().success());
    let grace = Duration::from_secs(30);
    let status = timeout(grace, operator.wait()).await.expect("it ends within the grace period").unwrap();
    assert!(status.success(), "{status}");
}

#[tokio::test]
async fn each_secret_that_does_not_exist_is_asked_for_once() {
    let world = World::new().await;
    let requests = Requests::default();
    world.apply(World::inputs()).await;
    let _operator = world.operator(&requests);
    world.apply(objects()).await;
    for number in 0..OBJECTS {
        let is_reported =
            |core: &Core| core.status.as_ref().is_some_and(|status| !status.conditions.is_empty());
        world.until::<Core>(&format!("hostile-{number}"), is_reported).await;
    }
    let mut sent = timeout(TIMEOUT, requests.until_quiet()).await.expect("the operator sends nothing more");
    world.merge::<Core>("hostile-0", json!({"metadata": {"labels": {"example.com/another": "look"}}})).await;
    sent.extend(timeout(TIMEOUT, requests.until_quiet()).await.expect("the operator sends nothing more"));
    let mut asked: Vec<_> = sent.into_iter().filter(|request| request.contains("/absent-")).collect();
    let all = asked.len();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), all, "some were asked for twice");
    assert!(!asked.is_empty(), "the operator asks the API server before it reports");
}
