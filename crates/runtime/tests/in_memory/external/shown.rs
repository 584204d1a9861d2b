//! What users see of objects outside the cluster, and what they must not see.

use super::*;
use k8s_openapi::api::events::v1::Event;
use kube::api::ListParams;
use plan::{
    ComponentKind, ObjectKey, Verdict,
    diff::{Shown, Side},
};
use progress::{Observer, Progress, Stage};
use runtime::{DryRun, Inspector, Scope};
use std::{
    collections::BTreeMap,
    fmt::{Debug, Write as _},
    sync::Mutex,
};
use tracing::field::{Field, Visit};

#[tokio::test(start_paused = true)]
async fn a_dry_run_writes_nothing_and_shows_external_changes_like_any_other() {
    let world = World::new().await;
    world.cluster.create(&secret("lock", "code", "1234")).await;
    let locked_with = Some("lock".to_owned());
    world.ready("s", ShelfSpec { locked_with, ..boxes([("a", "tea"), ("b", "salt")]) }).await;
    let components = vec![ComponentKind::of::<ShelfComponent>()];
    let dry_run = DryRun::new(world.cluster.client.clone(), components, options(&world.depots));
    let shelves: Api<Shelf> = Api::default_namespaced(dry_run.client());
    let patch = json!({"spec": {"boxes": {"a": "coffee", "b": null, "c": "rice"}}});
    shelves.patch("s", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    let report = dry_run.run(&["default".to_owned()].into()).await.unwrap();

    let shown: Vec<_> = report.changes.iter().map(|change| format!("{change:?}")).collect();
    let expected =
        ["Changed Shelf default/s", "Changed box acme/a", "Created box acme/c", "Deleted box acme/b"];
    assert_eq!(shown, expected);
    let lines = report.changes[1..].iter().flat_map(plan::Change::text).filter_map(|shown| match shown {
        Shown::Line(Side::Before, line) => Some(format!("- {line}")),
        Shown::Line(Side::After, line) => Some(format!("+ {line}")),
        Shown::Line(Side::Both, _) | Shown::Gap => None,
    });
    let expected = ["- label: TEA", "+ label: coffee", "+ code: <masked>", "+ label: rice", "- name: b"];
    assert_eq!(lines.collect::<Vec<_>>(), expected);
    assert_eq!((report.remarks, world.writes()), (vec![], vec![]));
    assert_eq!((world.label("a"), world.depots.names()), (json!("TEA"), vec!["a".into(), "b".into()]));
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_of_a_new_owner_shows_what_would_be_created() {
    let world = World::new().await;
    let components = vec![ComponentKind::of::<ShelfComponent>()];
    let dry_run = DryRun::new(world.cluster.client.clone(), components, options(&world.depots));
    let shelves: Api<Shelf> = Api::default_namespaced(dry_run.client());
    let shelf = Shelf::new("s", boxes([("a", "tea")]));
    shelves.patch("s", &PatchParams::apply("user"), &Patch::Apply(&shelf)).await.unwrap();
    let report = dry_run.run(&["default".to_owned()].into()).await.unwrap();
    let shown: Vec<_> = report.changes.iter().map(|change| format!("{change:?}")).collect();
    assert_eq!(
        (shown, report.remarks),
        (vec!["Created Shelf default/s".into(), "Created box acme/a".into()], vec![])
    );
}

/// Remembers the verdict of every object, and the states of its children.
#[derive(Default)]
struct Seen(Mutex<BTreeMap<ObjectKey, Stage>>);

impl Observer for Seen {
    fn observe(&self, Progress { owner, stage }: Progress) {
        self.0.lock().unwrap().insert(owner, stage);
    }
}

/// The verdict of an inspector on a shelf.
async fn inspected(world: &World, name: &str) -> Verdict {
    let seen = Arc::<Seen>::default();
    let options = Options { observer: Some(seen.clone()), ..options(&world.depots) };
    let components = Arc::from([ComponentKind::of::<ShelfComponent>()]);
    let scope = Scope::Namespace("default".into());
    let inspector =
        Inspector::start(world.cluster.client.clone(), scope, components, &options).await.unwrap();
    let shelf = ObjectKey::of::<Shelf>("default", name);
    inspector.inspect(&shelf).await;
    let stage = seen.0.lock().unwrap().remove(&shelf);
    match stage {
        Some(Stage::Concluded(verdict)) => verdict,
        stage => panic!("{stage:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_inspector_reports_what_differs_outside_the_cluster() {
    let world = World::new().await;
    world.ready("s", boxes([("a", "tea")])).await;
    world.cluster.dismiss_stand_ins();
    let inspect = || inspected(&world, "s");
    assert_eq!(inspect().await, Verdict::Ready);
    world.depots.put("acme", "a", json!({"label": "COFFEE"}));
    let verdict = inspect().await;
    assert_eq!(verdict.message(), Some("box acme/a: differs in label"));
    world.depots.remove("acme", "a");
    assert_eq!(inspect().await.message(), Some("box acme/a: does not exist yet"));
    world.depots.set_mood(Mood::Failing(SystemError::Unreachable("connection refused".into())));
    let words = "cannot read box acme/a in the depot acme: connection refused";
    assert_eq!(inspect().await.message(), Some(words));
    assert_eq!(world.writes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_inspector_and_the_operator_name_the_same_older_owner_of_an_object() {
    let world = World::new().await;
    world.ready("one", ShelfSpec { adopts: true, ..boxes([("a", "tea")]) }).await;
    world.cluster.create(&Shelf::new("two", ShelfSpec { adopts: true, ..boxes([("a", "salt")]) })).await;
    let reported = world.cluster.until_reason::<Shelf>("two", "Conflict").await;
    assert!(reported.starts_with("box acme/a already belongs to Shelf default/one"), "{reported}");
    assert_eq!(inspected(&world, "two").await.message(), Some(reported.as_str()));
    assert_eq!(inspected(&world, "one").await, Verdict::Ready);
}

/// Everything that is logged, spans and their fields too.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0.lock().unwrap(), "{field}={value:?} ").unwrap();
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("runtime")
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        span.record(&mut self.clone());
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test(start_paused = true)]
async fn secrets_appear_in_no_log_status_annotation_event_or_difference() {
    let log = Log::default();
    let _logging = tracing::subscriber::set_default(log.clone());
    let world = World::new().await;
    let (first, second) = ("hunter2-first", "hunter2-second");
    world.cluster.create(&secret("lock", "code", first)).await;
    let locked_with = Some("lock".to_owned());
    world.ready("s", ShelfSpec { locked_with, ..boxes([("a", "tea")]) }).await;
    world.cluster.merge::<Secret>("lock", json!({"stringData": {"code": second}})).await;
    settled().await;
    assert_eq!(world.depots.code("a"), Some(json!(second)));

    let components = vec![ComponentKind::of::<ShelfComponent>()];
    let dry_run = DryRun::new(world.cluster.client.clone(), components, options(&world.depots));
    let secrets: Api<Secret> = Api::default_namespaced(dry_run.client());
    let patch = json!({"stringData": {"code": "hunter2-third"}});
    secrets.patch("lock", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    let report = dry_run.run(&["default".to_owned()].into()).await.unwrap();
    let shown = format!("{:?}", report.changes.iter().map(|it| (it, it.text())).collect::<Vec<_>>());
    assert!(shown.contains("box acme/a") && shown.contains("<masked, changed>"), "{shown}");

    world.depots.set_mood(Mood::Failing(SystemError::Unreachable("connection refused".into())));
    world.cluster.delete::<Shelf>("s").await;
    world.cluster.until_reason::<Shelf>("s", "ExternalUnreachable").await;
    let shelf = serde_json::to_string(&world.cluster.get::<Shelf>("s").await).unwrap();
    let events: Api<Event> = world.cluster.api();
    let events = serde_json::to_string(&events.list(&ListParams::default()).await.unwrap().items).unwrap();
    let log = log.0.lock().unwrap().clone();
    assert!(log.contains("created, outside the cluster"), "{log}");
    for (what, text) in [("log", &log), ("owner", &shelf), ("events", &events), ("difference", &shown)] {
        assert!(!text.contains("hunter2") && !text.contains(TOKEN), "{what}: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_words_of_a_system_are_logged_and_reported_on_one_line_of_bounded_length() {
    let log = Log::default();
    let _logging = tracing::subscriber::set_default(log.clone());
    let world = World::new().await;
    let words = format!("refused\nlevel=info forged\x1b[2J{}", "x".repeat(10_000));
    world.depots.set_mood(Mood::Failing(SystemError::Unreachable(words)));
    world.cluster.create(&Shelf::new("s", boxes([("a", "tea")]))).await;
    let message = world.cluster.until_reason::<Shelf>("s", "ExternalUnreachable").await;
    let log = log.0.lock().unwrap().clone();
    assert!(log.contains("refused level=info forged [2J"), "{log}");
    for text in [&message, &log] {
        // Fields that are texts are quoted in this log, with control characters escaped.
        assert!(
            !text.contains('\n')
                && !text.contains("\\n")
                && !text.contains('\x1b')
                && !text.contains("\\u{1b}")
        );
        assert!(!text.contains(&"x".repeat(3000)));
    }
}
