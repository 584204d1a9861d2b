//! Pods that reach the node are refused, and those that Pod Security refuses are reported.

use crate::world::World;
use api::v1beta1::Core;
use envtest::{Requests, writes};
use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

fn privileged() -> Value {
    json!([{"name": "first", "image": "example.com/first:1", "securityContext": {"privileged": true}}])
}

#[tokio::test]
async fn the_status_says_why_privileged_pods_are_refused_and_those_that_run_stay_as_they_are() {
    let world = World::new().await;
    let requests = Requests::default();
    let _operator = world.ready(&requests).await;
    let before = world.get::<Deployment>("harbor-core").await;
    requests.until_quiet().await;

    let mut core = World::core();
    core["spec"]["initContainers"] = privileged();
    core["spec"]["replicas"] = json!(7);
    world.apply(vec![core]).await;
    let (reason, message) = world.until_condition("Stalled", "True").await;
    assert_eq!(reason, "InvalidSpec");
    assert_eq!(
        message,
        "spec.initContainers[0].securityContext.privileged: is true; \
         remove it, or let an administrator start the operator with --allow-privileged-pods"
    );
    let sent = requests.until_quiet().await;
    let status = |request: &&str| request.contains("/cores/harbor/status") || request.contains("/events");
    assert!(writes(&sent).iter().all(status), "nothing of it is touched: {sent:#?}");
    assert_eq!(world.get::<Deployment>("harbor-core").await, before);

    world.apply(vec![World::core()]).await;
    world.until_condition("Ready", "True").await;
}

#[tokio::test]
async fn the_status_shows_why_pod_security_refuses_the_pods() {
    let world = World::new().await;
    let requests = Requests::default();
    let _operator = world.operator(&requests);
    world.apply(World::inputs()).await;
    world.apply(vec![World::core()]).await;
    let deployment = world.until::<Deployment>("harbor-core", |_| true).await;

    let refusal = "pods \"harbor-core-5d9c\" is forbidden: violates PodSecurity \"restricted:latest\": \
                   restricted volume types (volume \"data\" uses restricted volume type \"nfs\")";
    let status = json!({"status": {
        "observedGeneration": deployment.metadata.generation, "unavailableReplicas": 1,
        "conditions": [
            {"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable"},
            {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": refusal},
            {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"},
        ],
    }});
    let api = world.api::<Deployment>();
    api.patch_status("harbor-core", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    let core = world.until::<Core>("harbor", |core| ready(core).contains(refusal)).await;
    assert!(ready(&core).starts_with(&format!("Deployment {}/harbor-core", world.name)), "{}", ready(&core));
}

/// What the condition `Ready` of a Core says.
fn ready(core: &Core) -> String {
    let conditions = core.status.iter().flat_map(|status| &status.conditions);
    let message = conditions.filter(|it| it.type_ == "Ready").find_map(|it| it.message.clone());
    message.unwrap_or_default()
}
