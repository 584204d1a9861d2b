//! What a scrape of a running operator shows.
//!
//! In one process and in virtual time, as in `faults.rs`.

use crate::memory::Cluster;
use crate::widget::{Widget, WidgetComponent, WidgetSpec};
use envtest::clock;
use plan::{Builder, Children, Component, PlanError, World};
use runtime::{Format, HealthError, Options};
use serde_json::json;
use std::{collections::BTreeMap, time::Duration};

async fn cluster() -> Cluster {
    let mut cluster = Cluster::new::<WidgetComponent>(Options { clock, ..Options::default() }).await;
    cluster.start::<WidgetComponent>();
    cluster
}

async fn create(cluster: &Cluster, name: &str, spec: WidgetSpec) {
    let mut widget = Widget::new(name, spec);
    widget.metadata.namespace = Some("default".into());
    cluster.create(&widget).await;
}

/// Every whole number by its name and labels, without our prefix.
fn samples(cluster: &Cluster) -> BTreeMap<String, usize> {
    let text = cluster.options.metrics.text(Format::OpenMetrics);
    let samples = text.lines().filter_map(|line| line.strip_prefix("harbor_operator_")?.rsplit_once(' '));
    samples.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect()
}

/// The samples of one name that are not zero, as lines.
fn shown(cluster: &Cluster, name: &str) -> Vec<String> {
    let is_it = |sample: &str| sample.split('{').next() == Some(name);
    let samples = samples(cluster).into_iter().filter(|(sample, value)| is_it(sample) && *value != 0);
    samples.map(|(sample, value)| format!("{} {value}", sample.trim_start_matches(name))).collect()
}

#[tokio::test(start_paused = true)]
async fn every_request_is_counted_once_watches_and_all() {
    let cluster = cluster().await;
    create(&cluster, "a", WidgetSpec::default()).await;
    create(&cluster, "b", WidgetSpec::default()).await;
    cluster.until_reason::<Widget>("a", "Ready").await;
    cluster.until_reason::<Widget>("b", "Ready").await;
    cluster.merge::<Widget>("a", json!({"spec": {"message": "other"}})).await;
    cluster.until_reason::<Widget>("a", "Ready").await;

    let noted = cluster.take_requests();
    let counted: BTreeMap<_, _> = samples(&cluster)
        .into_iter()
        .filter_map(|(sample, value)| Some((sample.strip_prefix("api_requests_total")?.to_owned(), value)))
        .collect();
    let of = |what: &str| -> usize {
        counted.iter().filter(|(labels, _)| labels.contains(what)).map(|(_, value)| value).sum()
    };
    // A watch is answered when it opens; nothing else is under way by now.
    assert_eq!(of(""), noted.len(), "{counted:#?} {noted:#?}");
    let noted_of = |method: &str, end: &str| {
        noted.iter().filter(|it| it.starts_with(method) && it.ends_with(end)).count()
    };
    assert_eq!(of(r#"resource="widgets.engine.test/status""#), noted_of("PATCH", "/status"));
    assert_eq!(of(r#"verb="create",resource="secrets""#), noted_of("POST", "/secrets"));
    assert_eq!(of(r#"resource="deployments.apps""#), {
        noted.iter().filter(|it| it.contains("/deployments")).count()
    });
    let named = counted.keys().find(|labels| labels.contains("default") || labels.contains("a-widget"));
    assert_eq!(named, None, "no label names an object");
}

#[tokio::test(start_paused = true)]
async fn objects_are_counted_by_their_state_and_no_longer_once_deleted() {
    let cluster = cluster().await;
    create(&cluster, "good", WidgetSpec::default()).await;
    create(&cluster, "bad", WidgetSpec { no_containers: true, ..WidgetSpec::default() }).await;
    create(&cluster, "waits", WidgetSpec { reads: Some("missing".into()), ..WidgetSpec::default() }).await;
    create(&cluster, "paused", WidgetSpec::default()).await;
    cluster.until_reason::<Widget>("paused", "Ready").await;
    let pause = json!({"metadata": {"annotations": {api::names::PAUSE_ANNOTATION: "true"}}});
    cluster.merge::<Widget>("paused", pause).await;
    cluster.until_reason::<Widget>("good", "Ready").await;
    cluster.until_reason::<Widget>("bad", "Rejected").await;
    cluster.until_reason::<Widget>("waits", "DependencyMissing").await;
    tokio::time::sleep(Duration::from_secs(1)).await;

    let in_state = |state: &str| format!(r#"{{kind="Widget",state="{state}"}} 1"#);
    assert_eq!(shown(&cluster, "objects"), ["Paused", "Progressing", "Ready", "Stalled"].map(in_state));
    assert_eq!(
        shown(&cluster, "errors_total"),
        [
            r#"{kind="Widget",class="dependency",reason="DependencyMissing"} 1"#,
            r#"{kind="Widget",class="invalid",reason="Rejected"} 1"#,
        ]
    );
    for name in ["good", "bad", "waits", "paused"] {
        cluster.delete::<Widget>(name).await;
        cluster.until_gone::<Widget>(name).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(shown(&cluster, "objects"), Vec::<String>::new());
    assert_eq!(shown(&cluster, "queue_depth"), Vec::<String>::new());
}

/// Widgets as installations: the message is the version.
struct Installed;

impl Component for Installed {
    type Owner = Widget;

    const NAME: &'static str = WidgetComponent::NAME;

    fn children() -> Children {
        WidgetComponent::children()
    }

    fn desired(widget: &Widget, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        WidgetComponent::desired(widget, world, graph)
    }

    fn installed_version(widget: &Widget) -> Option<&str> {
        Some(&widget.spec.message)
    }
}

#[tokio::test(start_paused = true)]
async fn an_installation_has_series_of_its_own_whether_it_can_be_made_or_not_until_it_is_deleted() {
    let mut cluster = Cluster::new::<Installed>(Options { clock, ..Options::default() }).await;
    cluster.start::<Installed>();
    create(&cluster, "good", WidgetSpec { message: "1.2".into(), ..WidgetSpec::default() }).await;
    let bad = WidgetSpec { message: "1.3".into(), no_containers: true, ..WidgetSpec::default() };
    create(&cluster, "bad", bad).await;
    cluster.until_reason::<Widget>("good", "Ready").await;
    cluster.until_reason::<Widget>("bad", "Rejected").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let shown = || {
        let samples = samples(&cluster).into_iter();
        samples.filter(|(sample, _)| sample.starts_with("installation")).collect::<BTreeMap<_, _>>()
    };
    let sample = |sample: &str, value| (sample.to_owned(), value);
    assert_eq!(
        shown(),
        [
            sample(r#"installation_info{version="1.2",namespace="default",name="good"}"#, 1),
            sample(r#"installation_info{version="1.3",namespace="default",name="bad"}"#, 1),
            sample(r#"installation_ready{namespace="default",name="good"}"#, 1),
            sample(r#"installation_ready{namespace="default",name="bad"}"#, 0),
            sample("installations_omitted", 0),
        ]
        .into()
    );
    for name in ["good", "bad"] {
        cluster.delete::<Widget>(name).await;
        cluster.until_gone::<Widget>(name).await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(shown(), [sample("installations_omitted", 0)].into());
}

#[tokio::test(start_paused = true)]
async fn an_object_deleted_while_it_is_looked_at_is_not_counted_for_ever() {
    let mut cluster = Cluster::new::<WidgetComponent>(Options { clock, ..Options::default() }).await;
    cluster.latency = Duration::from_secs(2);
    cluster.start::<WidgetComponent>();
    create(&cluster, "short-lived", WidgetSpec::default()).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    cluster.delete::<Widget>("short-lived").await;
    tokio::time::sleep(Duration::from_mins(5)).await;
    assert_eq!(shown(&cluster, "objects"), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn reconciles_and_their_durations_agree() {
    let cluster = cluster().await;
    create(&cluster, "a", WidgetSpec::default()).await;
    cluster.until_reason::<Widget>("a", "Ready").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let samples = samples(&cluster);
    let reconciles: usize = samples
        .iter()
        .filter(|(sample, _)| sample.starts_with("reconciles_total"))
        .map(|(_, count)| count)
        .sum();
    assert!(reconciles >= 2);
    assert_eq!(samples[r#"reconcile_duration_seconds_count{kind="Widget"}"#], reconciles);
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_an_error_of_the_class_internal() {
    let cluster = cluster().await;
    create(&cluster, "a", WidgetSpec { panics: true, ..WidgetSpec::default() }).await;
    cluster.until_reason::<Widget>("a", "Panicked").await;
    let shown = shown(&cluster, "errors_total");
    assert!(shown[0].starts_with(r#"{kind="Widget",class="internal",reason="Panicked"} "#), "{shown:?}");
}

#[tokio::test(start_paused = true)]
async fn the_operator_is_ready_once_everything_is_listed() {
    let mut cluster = Cluster::new::<WidgetComponent>(Options { clock, ..Options::default() }).await;
    let health = std::sync::Arc::clone(&cluster.options.health);
    assert_eq!(health.ready(), Err(HealthError::NotStarted));
    cluster.latency = Duration::from_secs(5);
    cluster.start::<WidgetComponent>();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let kinds = ["ConfigMap", "Secret", "Deployment", "Widget"].map(str::to_owned);
    match health.ready() {
        Err(HealthError::NotListed(missing)) => {
            assert_eq!(missing.iter().collect::<std::collections::BTreeSet<_>>(), kinds.iter().collect());
        }
        other => panic!("{other:?}"),
    }
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(health.ready(), Ok(()));
    assert_eq!(health.alive(), Ok(()));
}
