//! What would happen, found out without anything happening.
//!
//! In one process and in virtual time, as in `faults.rs`.

use crate::gadget::{Gadget, GadgetComponent, GadgetSpec};
use crate::memory::Cluster;
use crate::widget::{Widget, WidgetComponent, WidgetSpec};
use api::names::CLASS_ANNOTATION;
use envtest::clock;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{
    Api, Client, CustomResourceExt as _,
    api::{Patch, PatchParams},
};
use plan::{
    ComponentKind, DigestKey, HarborClass, ObjectKey,
    diff::{Shown, Side, restarts},
};
use runtime::{DryRun, DryRunReport, Options, Remark, RemarkKind};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tower::ServiceExt as _;

fn options() -> Options {
    Options { clock, predecessors: ["old-operator".to_owned()].into(), ..Options::default() }
}

/// A cluster with an operator for gadgets and widgets.
async fn cluster() -> Cluster {
    let mut cluster = Cluster::new::<WidgetComponent>(options()).await;
    cluster.install(Gadget::crd()).await;
    cluster.start_all(vec![ComponentKind::of::<WidgetComponent>(), ComponentKind::of::<GadgetComponent>()]);
    cluster
}

/// A dry_run whose requests are noted with their parameters.
fn dry_run(cluster: &Cluster) -> (DryRun, Arc<Mutex<Vec<String>>>) {
    dry_run_of(cluster, options())
}

/// The same, of an operator with these options.
fn dry_run_of(cluster: &Cluster, options: Options) -> (DryRun, Arc<Mutex<Vec<String>>>) {
    let requests: Arc<Mutex<Vec<String>>> = Arc::default();
    let (log, client) = (Arc::clone(&requests), cluster.client.clone());
    let noted = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        log.lock().unwrap().push(format!("{} {}", request.method(), request.uri()));
        let client = client.clone();
        async move { client.send(request).await }
    });
    let components = vec![ComponentKind::of::<WidgetComponent>(), ComponentKind::of::<GadgetComponent>()];
    (DryRun::new(Client::new(noted.boxed_clone(), "default"), components, options), requests)
}

async fn run(dry_run: &DryRun) -> DryRunReport {
    dry_run.run(&["default".to_owned()].into()).await.unwrap()
}

fn shown(report: &DryRunReport) -> Vec<String> {
    report.changes.iter().map(|change| format!("{change:?}")).collect()
}

async fn settled() {
    tokio::time::sleep(Duration::from_mins(1)).await;
}

#[tokio::test(start_paused = true)]
async fn of_something_new_everything_is_shown_down_to_the_deployment_and_nothing_is_written() {
    let cluster = cluster().await;
    let (dry_run, requests) = dry_run(&cluster);
    let gadgets: Api<Gadget> = Api::default_namespaced(dry_run.client());
    let gadget = Gadget::new("g", GadgetSpec { message: "hello".into(), ..GadgetSpec::default() });
    gadgets.patch("g", &PatchParams::apply("user"), &Patch::Apply(&gadget)).await.unwrap();
    let report = run(&dry_run).await;
    assert_eq!(
        shown(&report),
        [
            "Created Gadget default/g",
            "Created Widget default/g-gadget",
            "Created ConfigMap default/g-gadget-widget",
            "Created Secret default/g-gadget-widget-token",
            "Created Deployment default/g-gadget-widget",
        ]
    );
    let requests = requests.lock().unwrap().clone();
    let writes: Vec<_> = requests.iter().filter(|request| !request.starts_with("GET ")).collect();
    assert_eq!(writes.len(), 5);
    assert!(writes.iter().all(|request| request.ends_with("dryRun=All")), "{writes:#?}");
    settled().await;
    assert!(
        cluster.find::<Gadget>("g").await.is_none() && cluster.find::<Widget>("g-gadget").await.is_none()
    );
}

#[tokio::test(start_paused = true)]
async fn where_nothing_changes_nothing_is_shown() {
    let cluster = cluster().await;
    let gadget = Gadget::new("g", GadgetSpec { message: "hello".into(), ..GadgetSpec::default() });
    let apply = async |client: Client| {
        let api: Api<Gadget> = Api::default_namespaced(client);
        api.patch("g", &PatchParams::apply("user"), &Patch::Apply(&gadget)).await.unwrap();
    };
    apply(cluster.client.clone()).await;
    settled().await;
    let (dry_run, requests) = dry_run(&cluster);
    apply(dry_run.client()).await;
    let report = run(&dry_run).await;
    assert_eq!((shown(&report), &report.remarks), (vec![], &vec![]));
    let writes = requests.lock().unwrap().iter().filter(|request| !request.starts_with("GET ")).count();
    assert_eq!(writes, 1, "what the operator has sent is not even tried again");
}

fn secret(word: &str) -> Secret {
    serde_json::from_value(json!({"metadata": {"name": "s"}, "stringData": {"word": word}})).unwrap()
}

/// A cluster with a widget whose pods use a Secret, and one whose pods use none.
async fn cluster_with_a_user() -> Cluster {
    let cluster = cluster().await;
    cluster.create(&secret("old")).await;
    cluster
        .create(&Widget::new("user", WidgetSpec { uses: Some("s".into()), ..WidgetSpec::default() }))
        .await;
    cluster.create(&Widget::new("other", WidgetSpec::default())).await;
    settled().await;
    cluster
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_changes_shows_whose_pods_are_replaced() {
    let cluster = cluster_with_a_user().await;
    let (dry_run, _) = dry_run(&cluster);
    let secrets: Api<Secret> = Api::default_namespaced(dry_run.client());
    secrets.patch("s", &PatchParams::default(), &Patch::Merge(secret("new"))).await.unwrap();
    let report = run(&dry_run).await;
    assert_eq!(shown(&report), ["Changed Secret default/s", "Changed Deployment default/user-widget"]);
    let reasons: Vec<_> = restarts(&report.changes).into_iter().flat_map(|restart| restart.reasons).collect();
    assert_eq!(reasons, ["Secret s changes (word)"]);
}

#[tokio::test(start_paused = true)]
async fn without_the_digest_key_only_pods_whose_inputs_change_are_shown() {
    let cluster = cluster_with_a_user().await;
    // Not the operator's.
    let options = || Options { digest_key: DigestKey::new([7; 32]), ..options() };
    let without_key = || dry_run_of(&cluster, options()).0.without_digest_key();
    let label = async |dry_run: &DryRun, word: &str| {
        let secrets: Api<Secret> = Api::default_namespaced(dry_run.client());
        let patch = json!({"metadata": {"labels": {"a": "b"}}, "stringData": {"word": word}});
        secrets.patch("s", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    };

    let dry_run = without_key();
    label(&dry_run, "old").await;
    assert_eq!(shown(&run(&dry_run).await), ["Changed Secret default/s"]);

    let dry_run = without_key();
    label(&dry_run, "new").await;
    let report = run(&dry_run).await;
    assert_eq!(shown(&report), ["Changed Secret default/s", "Changed Deployment default/user-widget"]);
    let reasons: Vec<_> = restarts(&report.changes).into_iter().flat_map(|restart| restart.reasons).collect();
    assert_eq!(reasons, ["Secret s changes (word)"]);
    let shown: Vec<_> = report.changes[1]
        .text()
        .into_iter()
        .filter_map(|shown| match shown {
            Shown::Line(Side::After, line) => Some(line),
            _ => None,
        })
        .collect();
    assert!(shown.iter().any(|line| line.contains("<known when it is applied>")), "{shown:#?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_no_longer_wanted_is_shown_and_still_there() {
    let cluster = cluster().await;
    let widget = |extras: &[&str]| {
        let extras = extras.iter().map(|&extra| extra.to_owned()).collect();
        Widget::new("w", WidgetSpec { extras, ..WidgetSpec::default() })
    };
    cluster.create(&widget(&["keep", "drop"])).await;
    settled().await;
    let (dry_run, requests) = dry_run(&cluster);
    let widgets: Api<Widget> = Api::default_namespaced(dry_run.client());
    let patch = json!({"spec": {"extras": ["keep"]}});
    widgets.patch("w", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    let report = run(&dry_run).await;
    assert_eq!(shown(&report), ["Changed Widget default/w", "Deleted ConfigMap default/drop"]);
    assert!(cluster.find::<ConfigMap>("drop").await.is_some());
    assert!(!requests.lock().unwrap().iter().any(|request| request.starts_with("DELETE ")));
}

#[tokio::test(start_paused = true)]
async fn fields_of_the_old_operator_are_shown_as_removed() {
    let mut cluster = Cluster::new::<WidgetComponent>(options()).await;
    cluster.create(&Widget::new("w", WidgetSpec { message: "m".into(), ..WidgetSpec::default() })).await;
    let uid = cluster.get::<Widget>("w").await.metadata.uid;
    let left: ConfigMap = serde_json::from_value(json!({
        "metadata": {
            "name": "w-widget", "labels": {"goharbor.io/operator-controller": "widget"},
            "ownerReferences": [{
                "apiVersion": "engine.test/v1", "kind": "Widget", "name": "w", "uid": uid, "controller": true,
            }],
        },
        "data": {"message": "m", "word": "", "left-behind": "by the old one"},
    }))
    .unwrap();
    let old = kube::api::PostParams { field_manager: Some("old-operator".into()), ..Default::default() };
    cluster.api::<ConfigMap>().create(&old, &left).await.unwrap();
    let (dry_run, requests) = dry_run(&cluster);
    let widgets: Api<Widget> = Api::default_namespaced(dry_run.client());
    let patch = json!({"metadata": {"labels": {"touched": "yes"}}});
    widgets.patch("w", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    let report = run(&dry_run).await;
    assert!(requests.lock().unwrap().iter().all(|it| it.starts_with("GET ") || it.contains("dryRun=All")));

    let before = serde_json::to_value(cluster.get::<ConfigMap>("w-widget").await).unwrap();
    assert_eq!(before["data"]["left-behind"], "by the old one");
    cluster.start::<WidgetComponent>();
    settled().await;
    let after = serde_json::to_value(cluster.get::<ConfigMap>("w-widget").await).unwrap();
    assert_eq!(after["data"].get("left-behind"), None);
    let key = ObjectKey::of::<ConfigMap>("default", "w-widget");
    let shown_change = report.changes.iter().find(|change| change.key == key).unwrap();
    let types = |mut object: serde_json::Value| {
        object["apiVersion"] = "v1".into();
        object["kind"] = "ConfigMap".into();
        Some(object)
    };
    let done = plan::Change::between(key, types(before), types(after)).unwrap();
    assert_eq!(shown_change.text(), done.text());
}

#[tokio::test(start_paused = true)]
async fn what_would_fail_is_shown() {
    let cluster = cluster().await;
    let (dry_run, _) = dry_run(&cluster);
    let widgets: Api<Widget> = Api::default_namespaced(dry_run.client());
    for (name, spec) in [
        ("refused", WidgetSpec { no_containers: true, ..WidgetSpec::default() }),
        ("waiting", WidgetSpec { reads: Some("nowhere".into()), ..WidgetSpec::default() }),
    ] {
        let widget = Widget::new(name, spec);
        widgets.patch(name, &PatchParams::apply("user"), &Patch::Apply(&widget)).await.unwrap();
    }
    let report = run(&dry_run).await;
    let failed = |name: &str| {
        let remark = report
            .remarks
            .iter()
            .find(|it| it.owner.name == name && matches!(it.kind, RemarkKind::Failed(_)));
        match &remark.unwrap().kind {
            RemarkKind::Failed(failure) => (failure.reason, failure.message.clone()),
            other => panic!("{other:?}"),
        }
    };
    let (reason, message) = failed("refused");
    assert!(
        reason == "Rejected" && message.starts_with("cannot apply Deployment default/refused-widget: "),
        "{message}"
    );
    assert_eq!(
        failed("waiting"),
        ("DependencyMissing", "Secret default/nowhere does not exist; create it".into())
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_is_done_for_an_object_of_another_class() {
    let cluster = cluster().await;
    let gadget = |class: &str| {
        let mut gadget = Gadget::new("g", GadgetSpec { message: "hello".into(), ..GadgetSpec::default() });
        gadget.metadata.annotations = Some([(CLASS_ANNOTATION.into(), class.into())].into());
        gadget
    };
    for (ours, its) in [("blue", "green"), ("blue", ""), ("", "green"), ("blue", "blue"), ("", "")] {
        let options = Options { class: HarborClass::named(ours), ..options() };
        let (dry_run, _) = dry_run_of(&cluster, options);
        let gadgets: Api<Gadget> = Api::default_namespaced(dry_run.client());
        gadgets.patch("g", &PatchParams::apply("user"), &Patch::Apply(gadget(its))).await.unwrap();
        let DryRunReport { changes, remarks } = run(&dry_run).await;
        if ours == its {
            assert_eq!(changes.len(), 5, "{ours:?} {changes:?}");
            assert!(
                !remarks.iter().any(|remark| matches!(remark.kind, RemarkKind::OfClass(_))),
                "{remarks:?}"
            );
        } else {
            assert_eq!(changes.len(), 1, "{ours:?} {its:?} {changes:?}");
            let owner = ObjectKey::of::<Gadget>("default", "g");
            assert_eq!(remarks, [Remark { owner, kind: RemarkKind::OfClass(HarborClass::named(its)) }]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn unchanged_objects_of_another_class_are_not_shown() {
    let cluster = cluster().await;
    let mut widget = Widget::new("theirs", WidgetSpec { uses: Some("s".into()), ..WidgetSpec::default() });
    widget.metadata.annotations = Some([(CLASS_ANNOTATION.into(), "green".into())].into());
    cluster.create(&widget).await;
    let (dry_run, _) = dry_run(&cluster);
    let secrets: Api<Secret> = Api::default_namespaced(dry_run.client());
    let secret: Secret = serde_json::from_value(json!({"metadata": {"name": "s"}})).unwrap();
    secrets.patch("s", &PatchParams::apply("user"), &Patch::Apply(&secret)).await.unwrap();
    let report = run(&dry_run).await;
    assert_eq!((shown(&report), report.remarks), (vec!["Created Secret default/s".to_owned()], vec![]));
}
