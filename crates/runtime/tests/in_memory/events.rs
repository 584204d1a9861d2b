//! What events report to users, and what not.
//!
//! In one process and in virtual time, as in `faults.rs`.

use crate::gadget::{Gadget, GadgetComponent, GadgetSpec};
use crate::memory::Cluster;
use crate::widget::{Widget, WidgetComponent, WidgetSpec};
use envtest::clock;
use k8s_openapi::api::{core::v1::Secret, events::v1::Event};
use kube::{CustomResourceExt as _, api::ListParams};
use plan::ComponentKind;
use runtime::Options;
use serde_json::json;
use std::time::Duration;

/// A cluster with a widget that is ready, and a Secret that its pods use.
async fn cluster(spec: WidgetSpec) -> Cluster {
    let mut cluster = Cluster::new::<WidgetComponent>(Options { clock, ..Options::default() }).await;
    cluster.start::<WidgetComponent>();
    let secret = json!({"metadata": {"name": "s"}, "stringData": {"word": "a"}});
    cluster.create::<Secret>(&serde_json::from_value(secret).unwrap()).await;
    cluster.create(&Widget::new("w", spec)).await;
    cluster.until_reason::<Widget>("w", "Ready").await;
    cluster
}

/// Reason and note of every event, as they were written.
async fn reported(cluster: &Cluster) -> Vec<(String, String)> {
    tokio::time::sleep(Duration::from_secs(30)).await;
    let mut events = cluster.api::<Event>().list(&ListParams::default()).await.unwrap().items;
    let version = |event: &Event| event.metadata.resource_version.as_ref().unwrap().parse::<u64>().unwrap();
    events.sort_by_key(version);
    events.into_iter().map(|event| (event.reason.unwrap(), event.note.unwrap())).collect()
}

fn expected<const N: usize>(events: [(&str, &str); N]) -> Vec<(String, String)> {
    events.map(|(reason, note)| (reason.to_owned(), note.to_owned())).into()
}

#[tokio::test(start_paused = true)]
async fn a_change_of_a_secret_that_restarts_pods_is_reported_with_its_name_and_nothing_else_is() {
    let cluster = cluster(WidgetSpec { uses: Some("s".into()), ..WidgetSpec::default() }).await;
    assert_eq!(reported(&cluster).await, expected([]), "coming up as expected is no news");
    cluster.merge::<Secret>("s", json!({"metadata": {"labels": {"of": "another-program"}}})).await;
    cluster.merge::<Widget>("w", json!({"spec": {"replicas": 3}})).await;
    assert_eq!(reported(&cluster).await, expected([]), "neither a label nor a number restarts pods");
    cluster.merge::<Secret>("s", json!({"stringData": {"word": "b"}})).await;
    let note = "Deployment default/w-widget replaces its pods because Secret default/s changed";
    assert_eq!(reported(&cluster).await, expected([("RollingOut", note)]));
}

#[tokio::test(start_paused = true)]
async fn what_is_swept_is_reported_once_for_all() {
    let cluster = cluster(WidgetSpec { extras: vec!["x".into(), "y".into()], ..WidgetSpec::default() }).await;
    cluster.merge::<Widget>("w", json!({"spec": {"extras": []}})).await;
    let note = "deleted ConfigMap default/x, which is no longer wanted (and 1 more)";
    assert_eq!(reported(&cluster).await, expected([("Deleted", note)]));
}

#[tokio::test(start_paused = true)]
async fn a_second_mistake_is_reported_in_its_own_words() {
    let cluster = cluster(WidgetSpec::default()).await;
    cluster.merge::<Widget>("w", json!({"spec": {"reads": "first"}})).await;
    cluster.until_reason::<Widget>("w", "DependencyMissing").await;
    cluster.merge::<Widget>("w", json!({"spec": {"reads": null}})).await;
    cluster.until_reason::<Widget>("w", "Ready").await;
    cluster.merge::<Widget>("w", json!({"spec": {"reads": "second"}})).await;
    cluster.until_reason::<Widget>("w", "DependencyMissing").await;
    assert_eq!(
        reported(&cluster).await,
        expected([
            ("DependencyMissing", "Secret default/first does not exist; create it"),
            ("Ready", "all children are ready"),
            ("DependencyMissing", "Secret default/second does not exist; create it"),
        ])
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_part_misses_is_reported_once_for_the_whole_too() {
    let options = Options { clock, ..Options::default() };
    let mut cluster = Cluster::new::<GadgetComponent>(options).await;
    cluster.install(Widget::crd()).await;
    let start = |cluster: &mut Cluster| {
        cluster
            .start_all(vec![ComponentKind::of::<WidgetComponent>(), ComponentKind::of::<GadgetComponent>()]);
    };
    start(&mut cluster);
    cluster.create(&Gadget::new("g", GadgetSpec { message: "a".into(), reads: Some("s".into()) })).await;
    cluster.until_reason::<Widget>("g-gadget", "DependencyMissing").await;
    let note = "Secret default/s does not exist; create it";
    let of_part = format!("Widget default/g-gadget: {note}");
    let once = expected([("DependencyMissing", note), ("DependencyMissing", &of_part)]);
    assert_eq!(reported(&cluster).await, once);
    let mut events = cluster.api::<Event>().list(&ListParams::default()).await.unwrap().items;
    events.retain(|event| event.note.as_ref() == Some(&of_part));
    let gadget = cluster.get::<Gadget>("g").await.metadata;
    let about = events[0].regarding.clone().unwrap();
    assert_eq!(
        (about.kind, about.name, about.uid, about.api_version),
        (Some("Gadget".into()), gadget.name, gadget.uid, Some("engine.test/v1".into()))
    );

    cluster.merge::<Gadget>("g", json!({"spec": {"message": "b"}})).await;
    tokio::time::sleep(Duration::from_mins(30)).await;
    cluster.stop().await;
    start(&mut cluster);
    tokio::time::sleep(Duration::from_mins(30)).await;
    assert_eq!(
        reported(&cluster).await,
        once,
        "neither another reconcile nor another operator reports it again"
    );
}
