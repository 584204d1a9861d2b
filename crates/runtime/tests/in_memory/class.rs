//! Several operators in one cluster, each for its class.

use crate::gadget::{Gadget, GadgetComponent, GadgetSpec};
use crate::memory::Cluster;
use crate::widget::{Widget, WidgetComponent, WidgetSpec};
use api::names::CLASS_ANNOTATION;
use envtest::clock;
use envtest::writes;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube::{CustomResourceExt as _, ResourceExt as _};
use plan::{ComponentKind, HarborClass};
use runtime::Options;
use serde_json::json;
use std::time::Duration;

/// A cluster with an operator of this class.
async fn cluster(class: &str) -> Cluster {
    let options = Options { clock, class: HarborClass::named(class), ..Options::default() };
    let mut cluster = Cluster::new::<WidgetComponent>(options).await;
    cluster.install(Gadget::crd()).await;
    start(&mut cluster);
    cluster
}

fn start(cluster: &mut Cluster) {
    cluster.start_all(vec![ComponentKind::of::<GadgetComponent>(), ComponentKind::of::<WidgetComponent>()]);
}

fn gadget(name: &str, class: Option<&str>) -> Gadget {
    let mut gadget = Gadget::new(name, GadgetSpec { message: "hello".into(), ..GadgetSpec::default() });
    gadget.metadata.annotations = class.map(|class| [(CLASS_ANNOTATION.into(), class.into())].into());
    gadget
}

#[tokio::test(start_paused = true)]
async fn b16_what_is_created_for_an_object_is_of_its_class_and_so_comes_up() {
    let cluster = cluster("blue").await;
    cluster.create(&gadget("g", Some("blue"))).await;
    cluster.until_reason::<Gadget>("g", "Ready").await;
    let classes = [
        cluster.get::<Widget>("g-gadget").await.annotations()[CLASS_ANNOTATION].clone(),
        cluster.get::<ConfigMap>("g-gadget-widget").await.annotations()[CLASS_ANNOTATION].clone(),
        cluster.get::<Deployment>("g-gadget-widget").await.annotations()[CLASS_ANNOTATION].clone(),
    ];
    assert_eq!(classes, ["blue", "blue", "blue"]);
}

#[tokio::test(start_paused = true)]
async fn objects_of_another_class_are_ignored_entirely() {
    for (ours, theirs) in [("", Some("blue")), ("blue", None), ("blue", Some("")), ("blue", Some("green"))] {
        let cluster = cluster(ours).await;
        cluster.create(&gadget("g", theirs)).await;
        tokio::time::sleep(Duration::from_hours(1)).await;
        assert_eq!(writes(&cluster.take_requests()), Vec::<&str>::new(), "{ours:?} {theirs:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_class_is_none() {
    let cluster = cluster("").await;
    cluster.create(&gadget("g", Some(""))).await;
    cluster.until_reason::<Gadget>("g", "Ready").await;
    assert_eq!(cluster.get::<Widget>("g-gadget").await.annotations().get(CLASS_ANNOTATION), None);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_leaves_its_class_is_let_go_with_all_it_has() {
    let cluster = cluster("blue").await;
    cluster.create(&gadget("g", Some("blue"))).await;
    cluster.until_reason::<Gadget>("g", "Ready").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    cluster.take_requests();

    cluster.merge::<Gadget>("g", json!({"metadata": {"annotations": {CLASS_ANNOTATION: "green"}}})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    cluster.merge::<Gadget>("g", json!({"spec": {"message": "for another operator"}})).await;
    cluster.delete::<Widget>("g-gadget").await;
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(writes(&cluster.take_requests()), Vec::<&str>::new());

    cluster.merge::<Gadget>("g", json!({"metadata": {"annotations": {CLASS_ANNOTATION: "blue"}}})).await;
    let back = cluster.until::<Widget>("g-gadget", "is back", |_| true).await;
    assert_eq!(back.spec.message, "for another operator");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_joins_another_class_keeps_its_pods() {
    let mut blue = cluster("blue").await;
    blue.create(&Widget::new("w", WidgetSpec::default())).await;
    blue.merge::<Widget>("w", json!({"metadata": {"annotations": {CLASS_ANNOTATION: "blue"}}})).await;
    blue.until_reason::<Widget>("w", "Ready").await;
    let before = blue.get::<Deployment>("w-widget").await;
    blue.stop().await;

    let mut green = blue.with_options(|options| options.class = HarborClass::named("green"));
    start(&mut green);
    green.merge::<Widget>("w", json!({"metadata": {"annotations": {CLASS_ANNOTATION: "green"}}})).await;
    let after = green
        .until::<Deployment>("w-widget", "is green", |deployment| {
            deployment.annotations().get(CLASS_ANNOTATION).is_some_and(|class| class == "green")
        })
        .await;
    assert_eq!((after.uid(), after.spec), (before.uid(), before.spec));
}

#[tokio::test(start_paused = true)]
async fn a_child_whose_class_was_changed_gets_the_class_of_its_owner_again() {
    let cluster = cluster("blue").await;
    cluster.create(&gadget("g", Some("blue"))).await;
    cluster.until_reason::<Gadget>("g", "Ready").await;
    cluster
        .merge::<Widget>("g-gadget", json!({"metadata": {"annotations": {CLASS_ANNOTATION: "green"}}}))
        .await;
    let is_blue = |widget: &Widget| widget.annotations()[CLASS_ANNOTATION] == "blue";
    cluster.until::<Widget>("g-gadget", "is blue again", is_blue).await;
}
