//! How pods are replaced, changed back and forth: `rollingUpdate` beside `Recreate` is refused by the API server, so
//! its author must be able to revert it.

use crate::{
    adoption::{left_behind, store},
    world::{World, documents, root},
};
use api::v1beta1::JobService;
use envtest::Requests;
use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentStrategy, RollingUpdateDeployment},
        core::v1::Secret,
    },
    apimachinery::pkg::util::intstr::IntOrString,
};
use kube::ResourceExt as _;
use serde_json::{Value, json};

fn all_at_once() -> DeploymentStrategy {
    DeploymentStrategy { type_: Some("Recreate".into()), rolling_update: None }
}

fn a_few_at_a_time() -> DeploymentStrategy {
    let quarter = || Some(IntOrString::String("25%".into()));
    DeploymentStrategy {
        type_: Some("RollingUpdate".into()),
        rolling_update: Some(RollingUpdateDeployment { max_surge: quarter(), max_unavailable: quarter() }),
    }
}

/// Asks for another strategy and waits until the Deployment has it, exactly.
async fn change(world: &World, jobservice: &str, wanted: DeploymentStrategy) {
    let patch = json!({"spec": {"updateStrategyType": wanted.type_}});
    world.merge::<JobService>(jobservice, patch).await;
    let has_it =
        |deployment: &Deployment| deployment.spec.as_ref().unwrap().strategy.as_ref() == Some(&wanted);
    world.until::<Deployment>(&format!("{jobservice}-jobservice"), has_it).await;
}

async fn back_and_forth(world: &World, jobservice: &str) {
    change(world, jobservice, all_at_once()).await;
    change(world, jobservice, a_few_at_a_time()).await;
    change(world, jobservice, all_at_once()).await;
}

#[tokio::test]
async fn a_user_may_change_how_pods_are_replaced_and_change_it_back() {
    let world = World::new().await;
    let requests = Requests::default();
    let _operator = world.operator(&requests);
    let minimal = root().join("crates/components/tests/golden/jobservice/minimal");
    world.apply(documents(&minimal.join("inputs/secrets.yaml"))).await;
    world.apply(documents(&minimal.join("in.yaml"))).await;
    let made = world.until::<Deployment>("harbor-jobservice", |_| true).await;
    assert_eq!(made.spec.unwrap().strategy, Some(a_few_at_a_time()));

    back_and_forth(&world, "harbor").await;
}

#[tokio::test]
async fn a_claim_that_one_node_can_mount_is_noticed_when_it_comes_and_until_then_asked_for() {
    let world = World::new().await;
    let requests = Requests::default();
    let _operator = world.operator(&requests);
    let minimal = root().join("crates/components/tests/golden/jobservice/minimal");
    world.apply(documents(&minimal.join("inputs/secrets.yaml"))).await;
    let mut jobservice = documents(&minimal.join("in.yaml"));
    jobservice[0]["spec"]["jobLoggers"] =
        json!({"files": [{"volume": {"persistentVolumeClaim": {"claimName": "logs"}}}]});
    world.apply(jobservice).await;
    let has = |wanted: DeploymentStrategy| {
        move |it: &Deployment| it.spec.as_ref().unwrap().strategy == Some(wanted.clone())
    };
    world.until::<Deployment>("harbor-jobservice", has(a_few_at_a_time())).await;
    let message = format!("PersistentVolumeClaim {}/logs: does not exist yet; create it", world.name);
    world
        .until::<JobService>("harbor", |it| serde_json::to_string(&it.status).unwrap().contains(&message))
        .await;

    world
        .apply(vec![json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "logs", "namespace": "registry"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        })])
        .await;
    world.until::<Deployment>("harbor-jobservice", has(all_at_once())).await;
}

#[tokio::test]
async fn a_deployment_of_the_old_operator_may_change_how_its_pods_are_replaced() {
    let world = World::new().await;
    let Some(objects) = left_behind(&world.name) else {
        eprintln!("skipped: ../shared is not here");
        return;
    };
    let find = |kind: &str, name: &str| -> Value {
        let mut objects = objects.iter();
        objects.find(|object| object["kind"] == kind && object["metadata"]["name"] == name).unwrap().clone()
    };
    // Without its Harbor, which would write it anew first.
    let mut jobservice = find("JobService", "h-harbor");
    jobservice["metadata"].as_object_mut().unwrap().remove("ownerReferences");
    let jobservice: JobService = store(&world, &jobservice).await;
    let mut old = find("Deployment", "h-harbor-jobservice");
    old["metadata"]["ownerReferences"][0]["uid"] = json!(jobservice.uid());
    let old: Deployment = store(&world, &old).await;
    assert_eq!(
        old.spec.as_ref().unwrap().strategy,
        Some(a_few_at_a_time()),
        "there is something to take back"
    );
    for secret in
        ["redis-pass", "h-harbor-core-secret", "h-harbor-jobservice-secret", "h-harbor-registry-basicauth"]
    {
        let mut secret = find("Secret", secret);
        secret["metadata"].as_object_mut().unwrap().remove("ownerReferences");
        store::<Secret>(&world, &secret).await;
    }

    let requests = Requests::default();
    let _operator = world.operator(&requests);
    back_and_forth(&world, "h-harbor").await;
    assert_eq!(world.get::<Deployment>("h-harbor-jobservice").await.uid(), old.uid(), "not recreated");
}
