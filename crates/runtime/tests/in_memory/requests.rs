//! What is worth a request, counted at the server.

use crate::memory::Cluster;
use crate::widget::{Widget, WidgetComponent, WidgetSpec};
use envtest::clock;
use envtest::writes;
use futures::StreamExt as _;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube::{
    api::{Patch, PatchParams},
    runtime::{WatchStreamExt as _, watcher},
};
use runtime::Options;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    pin::pin,
    time::Duration,
};

const MANY: usize = 50;

fn names() -> Vec<String> {
    (0..MANY).map(|i| format!("w{i:02}")).collect()
}

async fn cluster() -> Cluster {
    let mut cluster = Cluster::new::<WidgetComponent>(Options { clock, ..Options::default() }).await;
    cluster.latency = Duration::from_millis(5);
    cluster.start::<WidgetComponent>();
    tokio::time::sleep(Duration::from_secs(1)).await;
    cluster.take_requests();
    cluster
}

/// A cluster with many widgets, all of them ready, and their names in the order in which they became so.
async fn many() -> (Cluster, Vec<String>) {
    let cluster = cluster().await;
    let create = async {
        for name in names() {
            cluster.create(&Widget::new(&name, WidgetSpec::default())).await;
        }
    };
    let ((), order) = tokio::join!(create, ready_in_order(&cluster));
    tokio::time::sleep(Duration::from_mins(1)).await;
    (cluster, order)
}

async fn ready_in_order(cluster: &Cluster) -> Vec<String> {
    let mut events = pin!(watcher(cluster.api::<Widget>(), watcher::Config::default()).applied_objects());
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    while order.len() < MANY {
        let widget = events.next().await.unwrap().unwrap();
        let name = widget.metadata.name.clone().unwrap();
        if is_ready(&widget) && seen.insert(name.clone()) {
            order.push(name);
        }
    }
    order
}

fn is_ready(widget: &Widget) -> bool {
    let conditions = widget.status.iter().flat_map(|status| &status.conditions);
    conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

fn message(widget: &Widget) -> String {
    let conditions = widget.status.iter().flat_map(|status| &status.conditions);
    conditions.into_iter().find(|c| c.type_ == "Ready").and_then(|c| c.message.clone()).unwrap_or_default()
}

impl Cluster {
    async fn deployment_says(&self, status: Value) {
        let patch = Patch::Merge(json!({ "status": status }));
        self.api::<Deployment>().patch_status("w-widget", &PatchParams::default(), &patch).await.unwrap();
    }

    fn status_writes(&self) -> usize {
        self.take_requests().iter().filter(|request| request.ends_with("/status")).count()
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_widget_costs_one_request_per_child_and_two_status_writes_for_any_number_of_widgets() {
    let (cluster, _) = many().await;
    let sent = cluster.take_requests();
    let mut counts = BTreeMap::<&str, usize>::new();
    for request in &sent {
        let kind = ["/status", "/configmaps/", "/secrets", "/deployments/", "/events"]
            .into_iter()
            .find(|kind| request.contains(kind))
            .unwrap_or(request);
        *counts.entry(kind).or_default() += 1;
    }
    let expected =
        [("/configmaps/", MANY), ("/deployments/", MANY), ("/secrets", MANY), ("/status", 2 * MANY)];
    assert_eq!(counts, expected.into());
}

#[tokio::test(start_paused = true)]
async fn of_many_created_at_once_the_first_is_ready_first() {
    let (_, order) = many().await;
    assert_eq!(order, names());
}

#[tokio::test(start_paused = true)]
async fn a_restart_with_many_ready_widgets_writes_nothing_and_repairs_the_one_that_drifted() {
    let (mut cluster, _) = many().await;
    cluster.stop().await;
    cluster.merge::<ConfigMap>("w07-widget", json!({"data": {"message": "edited"}})).await;
    cluster.take_requests();

    cluster.start::<WidgetComponent>();
    tokio::time::sleep(Duration::from_mins(1)).await;
    let sent = cluster.take_requests();
    assert_eq!(writes(&sent), ["PATCH /api/v1/namespaces/default/configmaps/w07-widget"]);
    let repaired = cluster.get::<ConfigMap>("w07-widget").await;
    assert_eq!(repaired.data.unwrap()["message"], "");
}

#[tokio::test(start_paused = true)]
async fn words_that_change_all_the_time_are_written_rarely_and_the_last_ones_are_not_lost() {
    let cluster = cluster().await;
    cluster.dismiss_stand_ins();
    cluster.create(&Widget::new("w", WidgetSpec { replicas: Some(60), ..WidgetSpec::default() })).await;
    cluster
        .until("w", "its message", |widget: &Widget| message(widget).ends_with("has not been observed yet"))
        .await;
    cluster.take_requests();

    for second in 1..=35 {
        cluster
            .deployment_says(json!({"observedGeneration": 1, "replicas": second, "updatedReplicas": second}))
            .await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let written = cluster.status_writes();
    assert!((2..=4).contains(&written), "{written} statuses in 35 seconds of changes");

    cluster
        .until("w", "its message", |widget: &Widget| message(widget).ends_with("35 of 60 replicas updated"))
        .await;
    assert!(cluster.status_writes() <= 1);
}

#[tokio::test(start_paused = true)]
async fn what_programs_wait_for_is_written_at_once() {
    let cluster = cluster().await;
    cluster.dismiss_stand_ins();
    cluster.create(&Widget::new("w", WidgetSpec::default())).await;
    cluster.until("w", "its message", |widget: &Widget| widget.status.is_some()).await;
    let start = tokio::time::Instant::now();
    let all = |number: i32| {
        let mut status = json!({"observedGeneration": 1});
        for count in ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"] {
            status[count] = number.into();
        }
        status
    };
    cluster.deployment_says(all(1)).await;
    cluster.until("w", "ready", is_ready).await;
    cluster.deployment_says(all(0)).await;
    cluster.until("w", "its words", |widget: &Widget| !is_ready(widget)).await;
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn b32_the_number_of_pods_is_in_the_status_and_the_scale_works() {
    let cluster = cluster().await;
    cluster.create(&Widget::new("w", WidgetSpec::default())).await;
    let widget = cluster.until("w", "ready", is_ready).await;
    assert_eq!(widget.status.unwrap().replicas, Some(1));

    let scale = Patch::Merge(json!({"spec": {"replicas": 3}}));
    cluster.api::<Widget>().patch_scale("w", &PatchParams::default(), &scale).await.unwrap();
    let counted = |count| move |w: &Widget| is_ready(w) && w.status.as_ref().unwrap().replicas == Some(count);
    cluster.until("w", "counted", counted(3)).await;
    let scale = cluster.api::<Widget>().get_scale("w").await.unwrap();
    assert_eq!((scale.spec.unwrap().replicas, scale.status.unwrap().replicas), (Some(3), 3));

    cluster.merge::<Widget>("w", json!({"spec": {"replicas": 0}})).await;
    cluster.until("w", "counted", counted(0)).await;
}

#[tokio::test(start_paused = true)]
async fn a_path_in_the_place_of_a_name_is_reported_with_its_field_and_nothing_is_sent() {
    const PATH: &str = "../../victim/secrets/creds";
    let wanted = [
        ("reads", "spec.reads", WidgetSpec { reads: Some(PATH.into()), ..WidgetSpec::default() }),
        ("uses", "spec.uses", WidgetSpec { uses: Some(PATH.into()), ..WidgetSpec::default() }),
        (
            "extras",
            "spec.extras[1]",
            WidgetSpec { extras: vec!["a".into(), PATH.into()], ..WidgetSpec::default() },
        ),
    ];
    let cluster = cluster().await;
    for (name, _, spec) in &wanted {
        cluster.create(&Widget::new(name, spec.clone())).await;
    }
    tokio::time::sleep(Duration::from_mins(1)).await;

    for (name, field, _) in wanted {
        let shown = message(&cluster.api::<Widget>().get(name).await.unwrap());
        assert!(shown.starts_with(&format!("{field}: {PATH:?} cannot be the name of a ")), "{shown}");
    }
    let sent = cluster.take_requests();
    let about_widgets = |request: &String| request.contains("/widgets/") || request.ends_with("/events");
    let others: Vec<_> = sent.iter().filter(|request| !about_widgets(request)).collect();
    assert!(others.is_empty(), "{others:#?}");
    assert!(!sent.is_empty() && sent.iter().all(|request| !request.contains("..")), "{sent:#?}");
}
