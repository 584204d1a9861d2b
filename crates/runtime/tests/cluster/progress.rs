//! An observer receives the progress of every reconcile.

use crate::support::{
    World,
    widget::{Widget, WidgetSpec},
};
use envtest::TIMEOUT;
use plan::{ObjectKey, Verdict};
use progress::{Observer, Planned, Progress, Stage, State};
use serde_json::json;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::{sync::Notify, time::timeout};

/// All reports.
#[derive(Default)]
struct Notes {
    reported: Mutex<Vec<Stage>>,
    more: Notify,
}

impl Observer for Notes {
    fn observe(&self, progress: Progress) {
        assert_eq!((&*progress.owner.kind, &*progress.owner.name), ("Widget", "w"));
        self.reported.lock().unwrap().push(progress.stage);
        self.more.notify_one();
    }
}

impl Notes {
    /// The reports up to and including the first that meets a condition, and was not taken before.
    async fn until(&self, met: impl Fn(&Stage) -> bool) -> Vec<Stage> {
        let found = async {
            loop {
                {
                    let mut reported = self.reported.lock().unwrap();
                    if let Some(position) = reported.iter().position(&met) {
                        return reported.drain(..=position).collect();
                    }
                }
                self.more.notified().await;
            }
        };
        timeout(TIMEOUT, found).await.expect("it is reported in time")
    }

    async fn until_verdict(&self, reason: &str) -> Vec<Stage> {
        self.until(|stage| matches!(stage, Stage::Concluded(verdict) if verdict.reason() == reason)).await
    }
}

async fn observed() -> (World, Arc<Notes>) {
    let notes = Arc::new(Notes::default());
    let mut world = World::new().await;
    world.options.observer = Some(notes.clone());
    world.start_operator();
    (world, notes)
}

/// What became of each child, in order and without repetition.
fn children(reported: &[Stage]) -> BTreeMap<String, Vec<State>> {
    let mut children = BTreeMap::<String, Vec<State>>::new();
    for stage in reported {
        if let Stage::Child { object, state } = stage {
            let states = children.entry(format!("{} {}", object.kind, object.name)).or_default();
            if states.last() != Some(state) {
                states.push(state.clone());
            }
        }
    }
    children
}

fn expected<const N: usize>(children: [(&str, &[State]); N]) -> BTreeMap<String, Vec<State>> {
    children.map(|(name, states)| (name.to_owned(), states.to_vec())).into()
}

fn unobserved() -> State {
    State::Waiting("the newest spec has not been observed yet".into())
}

#[tokio::test]
async fn each_child_is_reported_from_being_applied_to_being_ready() {
    let (world, notes) = observed().await;
    world.create_widget("w", WidgetSpec::default()).await;
    let reported = notes.until_verdict("ChildrenNotReady").await;
    let key = |group: &str, kind: &str, name: &str| ObjectKey::new(group, kind, &world.name, name);
    let planned = |object, after: &[usize]| Planned { object, after: after.to_vec() };
    assert_eq!(
        reported[0],
        Stage::Planned(vec![
            planned(key("", "ConfigMap", "w-widget"), &[]),
            planned(key("", "Secret", "w-widget-token"), &[]),
            planned(key("apps", "Deployment", "w-widget"), &[0, 1]),
        ])
    );
    assert_eq!(
        children(&reported),
        expected([
            ("ConfigMap w-widget", &[State::Applying, State::Ready]),
            ("Secret w-widget-token", &[State::Applying, State::Ready]),
            ("Deployment w-widget", &[State::Applying, unobserved()]),
        ])
    );

    world.make_available("w-widget").await;
    let reported = notes.until_verdict("Ready").await;
    assert!(
        !reported.iter().any(|stage| matches!(stage, Stage::Planned(_))),
        "answered from memory: {reported:#?}"
    );
    assert_eq!(children(&reported)["Deployment w-widget"].last(), Some(&State::Ready));
}

#[tokio::test]
async fn a_restarted_operator_tells_where_everything_is() {
    let (mut world, notes) = observed().await;
    world.create_widget("w", WidgetSpec::default()).await;
    world.make_available("w-widget").await;
    notes.until_verdict("Ready").await;
    world.stop_operator().await;
    notes.reported.lock().unwrap().clear();

    world.start_operator();
    let reported = notes.until_verdict("Ready").await;
    assert!(matches!(&reported[0], Stage::Planned(children) if children.len() == 3), "{reported:#?}");
    let last: Vec<_> = children(&reported).into_values().map(|mut states| states.pop().unwrap()).collect();
    assert_eq!(last, [State::Ready, State::Ready, State::Ready]);
}

#[tokio::test]
async fn why_there_is_no_plan_is_reported_and_so_is_that_there_is_one_after_all() {
    let (world, notes) = observed().await;
    world.create_widget("w", WidgetSpec { reads: Some("words".into()), ..WidgetSpec::default() }).await;
    let reported = notes.until_verdict("DependencyMissing").await;
    let message = format!("Secret {}/words does not exist; create it", world.name);
    assert_eq!(reported, [Stage::Concluded(Verdict::Progressing { reason: "DependencyMissing", message })]);

    world.create_secret("words", "hello").await;
    assert!(matches!(notes.until_verdict("ChildrenNotReady").await[0], Stage::Planned(_)));
}

#[tokio::test]
async fn a_child_that_is_refused_is_reported_with_the_reason() {
    let (world, notes) = observed().await;
    world.create_widget("w", WidgetSpec { no_containers: true, ..WidgetSpec::default() }).await;
    let reported = notes.until_verdict("Rejected").await;
    let states = children(&reported).remove("Deployment w-widget").unwrap();
    let [State::Applying, State::Failed(failure)] = &states[..] else { panic!("{states:#?}") };
    assert_eq!((failure.reason, failure.stalls), ("Rejected", true));
    assert!(failure.message.contains("spec.template.spec.containers"), "{}", failure.message);
}

#[tokio::test]
async fn pausing_and_deleting_are_reported() {
    let (world, notes) = observed().await;
    world.create_widget("w", WidgetSpec::default()).await;
    notes.until_verdict("ChildrenNotReady").await;
    let pause = json!({"metadata": {"annotations": {api::names::PAUSE_ANNOTATION: "true"}}});
    world.merge::<Widget>("w", pause).await;
    notes.until(|stage| *stage == Stage::Paused).await;
    world.delete::<Widget>("w").await;
    notes.until(|stage| *stage == Stage::Deleted).await;
}
