//! An operator that starts where another has stopped writes nothing but what has changed meanwhile.

use crate::support::{
    World,
    gadget::{Gadget, GadgetSpec},
    widget::{Widget, WidgetSpec},
};
use api::names::INPUTS_ANNOTATION;
use envtest::writes;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube::{
    ResourceExt as _,
    api::{Patch, PatchParams},
};
use serde_json::json;

fn widget() -> WidgetSpec {
    WidgetSpec { message: "one".into(), extras: vec!["extra".into()], ..WidgetSpec::default() }
}

impl World {
    /// A world with the ready widget `w`, whose operator has stopped.
    async fn stopped(spec: WidgetSpec) -> Self {
        let mut world = Self::with_operator().await;
        world.ready_widget("w", spec).await;
        world.until_quiet().await;
        world.stop_operator().await;
        world.requests.take();
        world
    }

    /// What a new operator sends until it has listed everything and is quiet, without its lists and watches.
    async fn restarted(&mut self) -> Vec<String> {
        self.start_operator();
        let mut sent = Vec::new();
        loop {
            sent.extend(self.until_quiet().await);
            if self.options.health.ready().is_ok() {
                break;
            }
        }
        let kinds = ["configmaps", "secrets", "deployments", "widgets", "gadgets"];
        sent.retain(|request| !kinds.iter().any(|kind| request.ends_with(kind)));
        sent
    }
}

#[tokio::test]
async fn a_restart_only_lists_and_neither_reads_nor_writes_an_object() {
    let mut world = World::stopped(widget()).await;
    assert_eq!(world.restarted().await, Vec::<String>::new());
    assert_eq!(world.until_quiet().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_was_found_in_order_is_remembered_as_if_it_had_been_sent() {
    let mut world = World::stopped(widget()).await;
    assert_eq!(writes(&world.restarted().await), Vec::<&str>::new());

    world.merge::<Widget>("w", json!({"spec": {"message": "two"}})).await;
    let data = |config: &ConfigMap| config.data.as_ref().unwrap()["message"].clone();
    world.until::<ConfigMap>("w-widget", |config| data(config) == "two").await;
    world.merge::<ConfigMap>("w-widget", json!({"data": {"message": "edited"}})).await;
    world.until::<ConfigMap>("w-widget", |config| data(config) == "two").await;
}

#[tokio::test]
async fn a_component_that_is_a_child_is_neither_read_nor_written_either() {
    let mut world = World::with_operator().await;
    world.post(&Gadget::new("w", GadgetSpec { message: "one".into(), ..GadgetSpec::default() })).await;
    world.make_available("w-gadget-widget").await;
    let ready = |gadget: &Gadget| {
        let conditions = gadget.status.iter().flat_map(|status| &status.conditions);
        conditions.into_iter().any(|c| c.type_ == "Ready" && c.status == "True")
    };
    world.until::<Gadget>("w", ready).await;
    world.until_quiet().await;
    world.stop_operator().await;
    world.requests.take();
    assert_eq!(world.restarted().await, Vec::<String>::new());
}

#[tokio::test]
async fn of_any_number_of_owners_a_restart_reads_only_what_users_created_and_each_once() {
    let mut world = World::with_operator().await;
    world.create_secret("text", "one").await;
    for number in 0..5 {
        let text = Some("text".to_owned());
        let spec = WidgetSpec { reads: text.clone(), uses: text, extras: vec![], ..widget() };
        world.ready_widget(&format!("w{number}"), spec).await;
    }
    world.until_quiet().await;
    world.stop_operator().await;
    world.requests.take();
    let read = format!("GET /api/v1/namespaces/{}/secrets/text", world.name);
    assert_eq!(world.restarted().await, [read]);
}

#[tokio::test]
async fn drift_that_happened_meanwhile_is_repaired_whatever_the_field() {
    let template = |patch| json!({"spec": {"template": {"spec": patch}}});
    let drifts = [
        json!({"metadata": {"labels": {"app.kubernetes.io/name": "edited"}}}),
        json!({"metadata": {"labels": {"app.kubernetes.io/name": null}}}),
        json!({"metadata": {"ownerReferences": [{"$patch": "replace"}]}}),
        json!({"spec": {"template": {"metadata": {"annotations": {INPUTS_ANNOTATION: "edited"}}}}}),
        template(json!({"containers": [{"name": "widget", "image": "evil:1"}]})),
        template(json!({"containers": [{"name": "widget", "env": [{"name": "TOKEN", "$patch": "delete"}]}]})),
        template(json!({"volumes": [{"name": "config", "configMap": {"name": "another"}}]})),
    ];
    let mut world = World::stopped(widget()).await;
    let before = world.get::<Deployment>("w-widget").await;
    for drift in drifts {
        println!("{drift}");
        let api = world.api::<Deployment>();
        let drifted =
            api.patch("w-widget", &PatchParams::default(), &Patch::Strategic(&drift)).await.unwrap();
        assert_ne!(ours(&drifted), ours(&before), "{drift}");
        let sent = world.restarted().await;
        assert_eq!(ours(&world.get::<Deployment>("w-widget").await), ours(&before), "{drift}");
        let path = format!("PATCH /apis/apps/v1/namespaces/{}/deployments/w-widget", world.name);
        let repaired = writes(&sent).into_iter().filter(|request| !request.ends_with("/status"));
        assert_eq!(repaired.collect::<Vec<_>>(), [&path], "and nothing else: {sent:#?}");
        world.make_available("w-widget").await;
        world.until_condition("w", "Ready", "True").await;
        world.until_quiet().await;
        world.stop_operator().await;
        world.requests.take();
    }
}

/// Everything about a Deployment that we set.
fn ours(deployment: &Deployment) -> serde_json::Value {
    let mut template = deployment.spec.as_ref().unwrap().template.clone();
    template.spec.as_mut().unwrap().node_selector = None;
    json!([deployment.labels(), deployment.owner_references(), template])
}

#[tokio::test]
async fn what_others_changed_meanwhile_is_left_alone_and_costs_no_write() {
    let mut world = World::stopped(widget()).await;
    let theirs = json!({
        "metadata": {"labels": {"theirs": "1"}, "annotations": {"theirs": "2"}},
        "spec": {"replicas": 1, "template": {"spec": {"nodeSelector": {"disk": "ssd"}}}},
    });
    world.merge::<Deployment>("w-widget", theirs).await;
    world.make_available("w-widget").await;
    world.merge::<ConfigMap>("extra", json!({"data": {"theirs": "3"}})).await;
    assert_eq!(writes(&world.restarted().await), Vec::<&str>::new());
    assert_eq!(world.get::<ConfigMap>("extra").await.data.unwrap()["theirs"], "3");
}

#[tokio::test]
async fn a_running_operator_too_looks_before_it_writes_what_others_changed() {
    let world = World::with_operator().await;
    world.ready_widget("w", widget()).await;
    world.until_quiet().await;
    for change in 0..30 {
        world.merge::<ConfigMap>("extra", json!({"data": {"theirs": change.to_string()}})).await;
    }
    assert_eq!(writes(&world.until_quiet().await), Vec::<&str>::new(), "not even a complaint");
}

#[tokio::test]
async fn what_was_deleted_meanwhile_comes_back() {
    let mut world = World::stopped(widget()).await;
    world.delete::<ConfigMap>("extra").await;
    world.delete::<Deployment>("w-widget").await;
    let sent = world.restarted().await;
    world.until::<ConfigMap>("extra", |_| true).await;
    world.until::<Deployment>("w-widget", |_| true).await;
    let config = format!("PATCH /api/v1/namespaces/{}/configmaps/w-widget", world.name);
    assert!(!sent.contains(&config), "the others are not written: {sent:#?}");
}

#[tokio::test]
async fn a_spec_changed_meanwhile_is_brought_about_and_what_it_no_longer_wants_is_swept() {
    let mut world = World::stopped(widget()).await;
    let token = world.get::<Secret>("w-widget-token").await;
    world.merge::<Widget>("w", json!({"spec": {"extras": [], "replicas": 2}})).await;
    world.restarted().await;
    world.until::<Deployment>("w-widget", |d| d.spec.as_ref().unwrap().replicas == Some(2)).await;
    world.until_gone::<ConfigMap>("extra").await;
    assert_eq!(world.get::<Secret>("w-widget-token").await, token, "generated secrets stay");
}

#[tokio::test]
async fn an_input_changed_meanwhile_rolls_the_pods() {
    let mut world = World::with_operator().await;
    world.create_secret("word", "one").await;
    world.ready_widget("w", WidgetSpec { uses: Some("word".into()), ..widget() }).await;
    world.until_quiet().await;
    world.stop_operator().await;
    world.requests.take();
    let digest =
        |d: &Deployment| d.spec.as_ref().unwrap().template.metadata.as_ref().unwrap().annotations.clone();
    let before = digest(&world.get::<Deployment>("w-widget").await);
    world.merge::<Secret>("word", json!({"stringData": {"word": "two"}})).await;
    world.start_operator();
    world.until::<Deployment>("w-widget", move |deployment| digest(deployment) != before).await;
}
