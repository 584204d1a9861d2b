use super::{Address, Query, Store};
use crate::filter::Filter;
use jiff::Timestamp;
use plan::{ObjectKey, Verdict};
use progress::{Observer as _, Phase, Planned, Progress, Stage, State, Summary};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that shows a second more each time it is read.
fn ticking() -> Timestamp {
    static SECONDS: AtomicI64 = AtomicI64::new(0);
    Timestamp::from_second(SECONDS.fetch_add(1, Ordering::Relaxed)).unwrap()
}

fn summary(object: &Value) -> Summary {
    Summary { version: object["spec"]["version"].as_str().map(Into::into), url: None }
}

fn store() -> Store {
    Store::new(summary, ticking)
}

fn key(kind: &str, name: &str) -> ObjectKey {
    ObjectKey::new("g", kind, "ns", name)
}

fn report(store: &Store, owner: &ObjectKey, stage: Stage) {
    store.observe(Progress { owner: owner.clone(), stage });
}

fn all(take: usize) -> Query {
    Query { take, ..Query::default() }
}

#[test]
fn reporting_the_same_again_is_no_change() {
    let (store, owner, a) = (store(), key("Stack", "s"), key("Secret", "a"));
    let report_all = || {
        store.see(&owner, &|| json!({"spec": {"version": "1"}}));
        report(&store, &owner, Stage::Planned(vec![Planned { object: a.clone(), after: vec![] }]));
        for state in [State::Applying, State::Ready] {
            report(&store, &owner, Stage::Child { object: a.clone(), state });
        }
        report(&store, &owner, Stage::Concluded(Verdict::Ready));
    };
    report_all();
    let (before, changes) = (store.object(&Address::from(&owner)), store.changes());
    report_all();
    assert_eq!(store.object(&Address::from(&owner)), before);
    assert!(!changes.has_changed().unwrap());
}

#[test]
fn a_process_that_has_just_started_knows_the_age_from_the_object_itself() {
    let (store, owner) = (store(), key("Stack", "s"));
    let ready = json!({"type": "Ready", "status": "True", "lastTransitionTime": "2020-01-02T03:04:05Z"});
    store.see(&owner, &|| json!({"status": {"conditions": [ready]}}));
    report(&store, &owner, Stage::Concluded(Verdict::Ready));
    let since =
        |store: &Store| Timestamp::from(store.object(&Address::from(&owner)).unwrap().found.node().since);
    assert_eq!(since(&store), "2020-01-02T03:04:05Z".parse().unwrap());
    report(&store, &owner, Stage::Concluded(Verdict::Stalled { reason: "Invalid", message: "no".into() }));
    report(&store, &owner, Stage::Concluded(Verdict::Ready));
    assert!(
        since(&store) > Timestamp::UNIX_EPOCH && since(&store).as_second() < 1_000_000,
        "from then on it counts"
    );
}

#[test]
fn the_list_has_roots_and_objects_of_the_listed_kinds_and_failures_come_first() {
    let store = store();
    let [cluster, stack, piece] = [key("Cluster", "z"), key("Stack", "a"), key("Piece", "p")];
    let owned = || json!({"metadata": {"ownerReferences": [{"controller": true}]}});
    store.see(&cluster, &|| json!({"spec": {"version": "1.2"}}));
    store.see(&stack, &owned);
    store.see(&piece, &owned);
    report(&store, &stack, Stage::Concluded(Verdict::Ready));
    report(&store, &cluster, Stage::Concluded(Verdict::Stalled { reason: "Invalid", message: "no".into() }));
    let list = store.list(&["Stack"], &all(10));
    let shown: Vec<_> =
        list.shown.iter().map(|(node, summary)| (&*node.key.name, summary.version.as_deref())).collect();
    assert_eq!(shown, [("z", Some("1.2")), ("a", None)]);
    assert_eq!(list.counts, [(Phase::Failed, 1), (Phase::Ready, 1)].into());
    assert_eq!(list.shown[0].0.state.explanation().as_deref(), Some("Invalid: no"));
}

#[test]
fn an_installation_is_listed_once_whatever_it_is_made_of() {
    let store = store();
    let [cluster, stack] = [key("Cluster", "c"), key("Stack", "c-stack")];
    let controller = json!({"apiVersion": "g/v1", "kind": "Cluster", "name": "c", "controller": true});
    let owned = json!({"metadata": {"ownerReferences": [controller]}});
    store.see(&stack, &|| owned.clone());
    let names = || {
        let list = store.list(&["Cluster", "Stack"], &all(10));
        assert_eq!(list.counts.values().sum::<usize>(), list.shown.len());
        list.shown.into_iter().map(|(node, _)| node.key.name.clone()).collect::<Vec<String>>()
    };
    assert_eq!(names(), ["c-stack"], "its owner is none of ours");
    store.see(&cluster, &|| json!({}));
    assert_eq!(names(), ["c"]);
}

#[test]
fn a_list_is_filtered_by_state_and_text_and_cut_into_pages() {
    let store = store();
    for name in ["one", "two", "three"] {
        report(&store, &key("Stack", name), Stage::Concluded(Verdict::Ready));
    }
    report(&store, &key("Stack", "four"), Stage::Paused);
    let names = |query: Query| {
        let list = store.list(&[], &query);
        (list.shown.iter().map(|(node, _)| node.key.name.clone()).collect::<Vec<_>>(), list.found)
    };
    let filter = |phase, text: &str| Filter { phase, text: text.into() };
    let ready = |query: Query| Query { filter: filter(Some(Phase::Ready), ""), ..query };
    assert_eq!(names(ready(all(2))), (vec!["one".into(), "three".into()], 3));
    assert_eq!(names(ready(Query { skip: 2, ..all(2) })), (vec!["two".into()], 3));
    assert_eq!(names(Query { filter: filter(None, "O"), ..all(9) }).1, 3, "whatever the case");
}

#[test]
fn a_deleted_object_is_forgotten_and_that_is_a_change() {
    let (store, owner) = (store(), key("Stack", "s"));
    report(&store, &owner, Stage::Paused);
    let changes = store.changes();
    report(&store, &owner, Stage::Deleted);
    assert!(changes.has_changed().unwrap());
    assert_eq!(store.list(&[], &all(10)).shown, []);
}
