//! A Core from creation to deletion.

use crate::world::World;
use api::names::{CONTROLLER_LABEL, INPUTS_ANNOTATION};
use api::v1beta1::Core;
use envtest::{Assets, ControlPlane, Requests, writes};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret, Service},
};
use kube::ResourceExt as _;
use serde_json::json;
use std::time::Duration;

fn inputs_digest(deployment: &Deployment) -> String {
    let template = deployment.spec.as_ref().unwrap().template.metadata.as_ref().unwrap();
    template.annotations.as_ref().unwrap()[INPUTS_ANNOTATION].clone()
}

#[tokio::test]
async fn a_core_becomes_ready_with_its_deployment_and_then_sends_no_requests() {
    let world = World::new().await;
    let requests = Requests::default();
    let _operator = world.operator(&requests);
    world.apply(World::inputs()).await;
    requests.until_quiet().await;

    world.apply(vec![World::core()]).await;
    let (reason, message) = world.until_condition("Reconciling", "True").await;
    let waiting = format!("Deployment {}/harbor-core: the newest spec has not been observed yet", world.name);
    assert_eq!((reason.as_str(), message), ("ChildrenNotReady", waiting));
    world.make_available("harbor-core").await;
    world.until_condition("Ready", "True").await;
    let sent = requests.until_quiet().await;
    let count = |what: &str| sent.iter().filter(|request| request.starts_with(what)).count();
    println!("from created to ready: {} requests, {} of them writes", sent.len(), writes(&sent).len());
    // Kubernetes 1.20 refuses to create a Service in the way that is tried first.
    let again = usize::from(!world.creates_services_at_once());
    assert_eq!(count("PATCH"), 5 + 2 + again, "five children and two statuses: {sent:#?}");
    assert_eq!(count("POST"), 0, "no event: {sent:#?}");

    // What the server does by itself, it does soon. In virtual time no timer of the operator causes a request for an hour.
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(requests.take(), Vec::<String>::new());
}

#[tokio::test]
async fn a_new_operator_writes_nothing_where_another_has_been() {
    let world = World::new().await;
    let requests = Requests::default();
    drop(world.ready(&requests).await);
    requests.until_quiet().await;

    let requests = Requests::default();
    let operator = world.operator(&requests);
    let mut sent = Vec::new();
    loop {
        sent.extend(requests.until_quiet().await);
        if operator.has_listed() {
            break;
        }
    }
    let objects = sent.iter().filter(|request| request.contains("/harbor-") || request.contains("/secrets/"));
    println!("after a restart: {} objects are read", objects.count());
    assert_eq!(writes(&sent), Vec::<&str>::new(), "{sent:#?}");
}

#[tokio::test]
async fn exactly_the_pods_that_use_a_changed_secret_get_a_new_template() {
    let world = World::new().await;
    let requests = Requests::default();
    let _operator = world.ready(&requests).await;
    let mut other = World::core();
    other["metadata"]["name"] = json!("other");
    other["spec"]["database"]["passwordRef"] = json!("postgres-of-other");
    let mut password =
        World::inputs().into_iter().find(|input| input["metadata"]["name"] == "postgres").unwrap();
    password["metadata"]["name"] = json!("postgres-of-other");
    world.apply(vec![password, other]).await;
    let bystander = world.until::<Deployment>("other-core", |_| true).await;
    let before = world.get::<Deployment>("harbor-core").await;
    requests.until_quiet().await;

    world.merge::<Secret>("postgres", json!({"metadata": {"labels": {"team": "a"}}})).await;
    assert_eq!(
        writes(&requests.until_quiet().await),
        Vec::<&str>::new(),
        "a relabelled Secret changes nothing"
    );

    world.merge::<Secret>("postgres", json!({"stringData": {"postgres-password": "rotated"}})).await;
    let digest = inputs_digest(&before);
    world.until::<Deployment>("harbor-core", move |deployment| inputs_digest(deployment) != digest).await;
    let sent = requests.until_quiet().await;
    let path = format!("/apis/apps/v1/namespaces/{}/deployments/harbor-core", world.name);
    assert!(sent.contains(&format!("PATCH {path}")), "{sent:#?}");
    assert_eq!(world.get::<Deployment>("other-core").await, bystander);
}

#[tokio::test]
async fn a_child_edited_or_deleted_by_hand_is_restored() {
    let world = World::new().await;
    let requests = Requests::default();
    let _operator = world.ready(&requests).await;
    let selector = world.get::<Service>("harbor-core").await.spec.unwrap().selector;

    world
        .merge::<Service>("harbor-core", json!({"spec": {"selector": {"core.goharbor.io/name": "drift"}}}))
        .await;
    world
        .until::<Service>("harbor-core", |service| service.spec.as_ref().unwrap().selector == selector)
        .await;
    world.merge::<ConfigMap>("harbor-core", json!({"data": {"app.conf": "DRIFT"}})).await;
    world
        .until::<ConfigMap>("harbor-core", |config| config.data.as_ref().unwrap()["app.conf"] != "DRIFT")
        .await;
    world.delete::<Secret>("harbor-core").await;
    world
        .until::<Secret>("harbor-core", |secret| {
            secret.data.as_ref().unwrap().contains_key("_REDIS_URL_CORE")
        })
        .await;
    world.delete::<Deployment>("harbor-core").await;
    world.until::<Deployment>("harbor-core", |_| true).await;
}

#[tokio::test]
async fn a_missing_secret_and_an_invalid_spec_show_up_in_kubectl_describe() {
    let world = World::new().await;
    let requests = Requests::default();
    let _operator = world.operator(&requests);
    let present =
        World::inputs().into_iter().filter(|input| input["metadata"]["name"] != "harbor-csrf").collect();
    world.apply(present).await;
    world.apply(vec![World::core()]).await;
    let (reason, message) = world.until_condition("Reconciling", "True").await;
    assert_eq!(reason, "DependencyMissing");
    assert_eq!(message, format!("Secret {}/harbor-csrf does not exist; create it", world.name));
    world.until_event("harbor", "DependencyMissing").await;
    let described = world.kubectl(&["describe", "core", "harbor"]).await;
    assert!(described.contains("harbor-csrf does not exist; create it"), "{described}");

    world.apply(World::inputs()).await;
    world.until::<Deployment>("harbor-core", |_| true).await;
    world
        .merge::<Core>(
            "harbor",
            json!({"metadata": {"annotations": {"harbor.goharbor.io/version": "2.4.0"}}}),
        )
        .await;
    let (reason, message) = world.until_condition("Stalled", "True").await;
    assert_eq!(reason, "InvalidSpec");
    assert!(message.contains("2.4.0"), "{message}");
    world.until_event("harbor", "InvalidSpec").await;
    let described = world.kubectl(&["describe", "core", "harbor"]).await;
    assert!(described.contains("InvalidSpec"), "{described}");
}

#[tokio::test]
async fn a_forbidden_write_shows_up_in_kubectl_describe() {
    let world = World::new().await;
    let user = format!("operator-{}", world.name);
    world.allow(&user, "get,list,watch,create,patch", "configmaps,secrets,services").await;
    world.allow(&user, "list,watch", "deployments.apps,networkpolicies.networking.k8s.io").await;
    world.allow(&user, "get,list,watch,patch", "cores.goharbor.io,cores.goharbor.io/status").await;
    world.allow(&user, "update", "cores.goharbor.io/finalizers").await;
    world.allow(&user, "create,patch", "events.events.k8s.io").await;
    let requests = Requests::default();
    let _operator = world.operator_with(&requests, world.plane.user(&user, &[]));
    world.apply(World::inputs()).await;
    world.apply(vec![World::core()]).await;

    let (reason, _) = world.until_condition("Stalled", "True").await;
    assert_eq!(reason, "Forbidden");
    world.until_event("harbor", "Forbidden").await;
    let described = world.kubectl(&["describe", "core", "harbor"]).await;
    assert!(described.contains("cannot apply Deployment"), "{described}");
}

#[tokio::test]
async fn deletion_leaves_nothing_behind_but_what_is_known_of_the_database() {
    if !Assets::find().unwrap().has_controller_manager() {
        println!("skipped: there is no kube-controller-manager among the Kubernetes binaries");
        return;
    }
    let world = World::with_controller_manager(ControlPlane::with_controller_manager()).await;
    let requests = Requests::default();
    let _operator = world.ready(&requests).await;
    world.delete::<Core>("harbor").await;
    world.until_gone::<Deployment>("harbor-core").await;
    world.until_gone::<ConfigMap>("harbor-core").await;
    world.until_gone::<Secret>("harbor-core").await;
    world.until_gone::<Service>("harbor-core").await;
    requests.until_quiet().await;
    let left = world
        .kubectl(&[
            "get",
            "deployments,configmaps,secrets,services,networkpolicies",
            "-l",
            CONTROLLER_LABEL,
            "-o",
            "name",
        ])
        .await;
    assert_eq!(left, "secret/harbor-core-database\n");
    assert!(world.has::<Secret>("postgres").await, "what the user made stays");
}

#[tokio::test]
async fn the_status_has_the_conditions_that_old_scripts_read() {
    let world = World::new().await;
    let requests = Requests::default();
    let _operator = world.ready(&requests).await;
    let core = world.get::<Core>("harbor").await;
    let status = core.status.as_ref().unwrap();
    let conditions: Vec<_> =
        status.conditions.iter().map(|c| (c.type_.as_str(), c.status.as_str())).collect();
    let expected = [
        ("Ready", "True"),
        ("Reconciling", "False"),
        ("Stalled", "False"),
        ("InProgress", "False"),
        ("Failed", "False"),
        ("Available", "True"),
    ];
    assert_eq!(conditions, expected);
    assert_eq!(status.observed_generation, core.metadata.generation);
    assert_eq!(status.operator.as_ref().unwrap().controller_name.as_deref(), Some("core"));
    assert_eq!(core.finalizers(), Vec::<String>::new());
}
