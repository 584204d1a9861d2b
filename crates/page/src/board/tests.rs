use super::{Address, Board, Query, Summary, tree::Child};
use crate::State;
use jiff::Timestamp;
use plan::{Class, Failure, ObjectKey, Verdict};
use runtime::{Observer as _, Planned, Progress, Stage};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicI64, Ordering};

/// Each look at the clock is a second later.
fn ticking() -> Timestamp {
    static SECONDS: AtomicI64 = AtomicI64::new(0);
    Timestamp::from_second(SECONDS.fetch_add(1, Ordering::Relaxed)).unwrap()
}

fn summary(object: &Value) -> Summary {
    Summary { version: object["spec"]["version"].as_str().map(Into::into), url: None }
}

fn board() -> Board {
    Board::new(summary, ticking)
}

fn key(kind: &str, name: &str) -> ObjectKey {
    ObjectKey::new("g", kind, "ns", name)
}

fn tell(board: &Board, owner: &ObjectKey, stage: Stage) {
    board.observe(Progress { owner: owner.clone(), stage });
}

fn plan(board: &Board, owner: &ObjectKey, children: &[(ObjectKey, &[usize])]) {
    let planned =
        children.iter().map(|(object, after)| Planned { object: object.clone(), after: after.to_vec() });
    tell(board, owner, Stage::Planned(planned.collect()));
}

fn child(board: &Board, owner: &ObjectKey, object: &ObjectKey, state: runtime::State) {
    tell(board, owner, Stage::Child { object: object.clone(), state });
}

fn states(board: &Board, owner: &ObjectKey) -> Vec<(String, State, Option<String>)> {
    let sight = board.sight(&Address::of(owner)).unwrap();
    sight.parts.into_iter().map(|part| (part.address.name.into(), part.state, part.why)).collect()
}

fn all(take: usize) -> Query {
    Query { take, ..Query::default() }
}

#[test]
fn a_blocked_part_names_the_one_that_keeps_it() {
    let (board, owner) = (board(), key("Stack", "s"));
    let [a, b] = ["a", "b"].map(|name| key("Secret", name));
    plan(&board, &owner, &[(a.clone(), &[]), (b.clone(), &[0])]);
    child(&board, &owner, &a, runtime::State::Waiting("later".into()));
    child(&board, &owner, &b, runtime::State::Blocked { by: a.clone() });
    let expected = [
        ("a".to_owned(), State::Waiting, Some("later".to_owned())),
        ("b".to_owned(), State::Blocked, Some("waits for Secret a".to_owned())),
    ];
    assert_eq!(states(&board, &owner), expected);
    let part = board.sight(&Address::of(&b)).unwrap();
    assert_eq!(part.parent, Some(Address::of(&owner)));
    assert_eq!(part.part.culprit, Some(Address::of(&a)));
    assert_eq!(part.after.iter().map(|part| &*part.address.name).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn a_new_plan_keeps_what_is_known_of_those_that_stay() {
    let (board, owner) = (board(), key("Stack", "s"));
    let [a, b, c] = ["a", "b", "c"].map(|name| key("Secret", name));
    plan(&board, &owner, &[(a.clone(), &[]), (b.clone(), &[])]);
    child(&board, &owner, &b, runtime::State::Ready);
    plan(&board, &owner, &[(c, &[]), (b, &[0])]);
    let expected = [("c".to_owned(), State::Pending, None), ("b".to_owned(), State::Ready, None)];
    assert_eq!(states(&board, &owner), expected);
    assert_eq!(board.sight(&Address::of(&a)), None, "what is no longer wanted is forgotten");
}

#[test]
fn telling_the_same_again_is_no_change() {
    let (board, owner, a) = (board(), key("Stack", "s"), key("Secret", "a"));
    let tell_all = || {
        board.see(&owner, &|| json!({"spec": {"version": "1"}}));
        plan(&board, &owner, &[(a.clone(), &[])]);
        child(&board, &owner, &a, runtime::State::Applying);
        child(&board, &owner, &a, runtime::State::Ready);
        tell(&board, &owner, Stage::Concluded(Verdict::Ready));
    };
    tell_all();
    let (before, changes) = (board.sight(&Address::of(&owner)), board.changes());
    tell_all();
    assert_eq!(board.sight(&Address::of(&owner)), before);
    assert!(!changes.has_changed().unwrap());
}

#[test]
fn a_process_that_has_just_started_knows_the_age_from_the_object_itself() {
    let (board, owner) = (board(), key("Stack", "s"));
    let ready = json!({"type": "Ready", "status": "True", "lastTransitionTime": "2020-01-02T03:04:05Z"});
    board.see(&owner, &|| json!({"status": {"conditions": [ready]}}));
    tell(&board, &owner, Stage::Concluded(Verdict::Ready));
    let since = |board: &Board| board.sight(&Address::of(&owner)).unwrap().part.since;
    assert_eq!(since(&board), "2020-01-02T03:04:05Z".parse().unwrap());
    tell(&board, &owner, Stage::Concluded(Verdict::Stalled { reason: "Invalid", message: "no".into() }));
    tell(&board, &owner, Stage::Concluded(Verdict::Ready));
    assert!(
        since(&board) > Timestamp::UNIX_EPOCH && since(&board).as_second() < 1_000_000,
        "from then on it counts"
    );
}

#[test]
fn listed_are_roots_and_the_kinds_that_always_are_and_trouble_comes_first() {
    let board = board();
    let [cluster, stack, piece] = [key("Cluster", "z"), key("Stack", "a"), key("Piece", "p")];
    let owned = || json!({"metadata": {"ownerReferences": [{"controller": true}]}});
    board.see(&cluster, &|| json!({"spec": {"version": "1.2"}}));
    board.see(&stack, &owned);
    board.see(&piece, &owned);
    tell(&board, &stack, Stage::Concluded(Verdict::Ready));
    tell(&board, &cluster, Stage::Concluded(Verdict::Stalled { reason: "Invalid", message: "no".into() }));
    let listing = board.listing(&["Stack"], &all(10));
    let shown: Vec<_> =
        listing.shown.iter().map(|row| (&*row.part.address.name, row.summary.version.as_deref())).collect();
    assert_eq!(shown, [("z", Some("1.2")), ("a", None)]);
    assert_eq!(listing.counts, [(State::Failed, 1), (State::Ready, 1)].into());
    assert_eq!(listing.shown[0].part.why.as_deref(), Some("Invalid: no"));
}

#[test]
fn an_installation_is_listed_once_whatever_it_is_made_of() {
    let board = board();
    let [cluster, stack] = [key("Cluster", "c"), key("Stack", "c-stack")];
    let owned =
        json!({"metadata": {"ownerReferences": [{"controller": true, "kind": "Cluster", "name": "c"}]}});
    board.see(&stack, &|| owned.clone());
    let names = || {
        let listing = board.listing(&["Cluster", "Stack"], &all(10));
        assert_eq!(listing.counts.values().sum::<usize>(), listing.shown.len());
        listing.shown.into_iter().map(|row| row.part.address.name.into()).collect::<Vec<String>>()
    };
    assert_eq!(names(), ["c-stack"], "its owner is none of ours");
    board.see(&cluster, &|| json!({}));
    assert_eq!(names(), ["c"]);
}

#[test]
fn a_part_is_ready_where_it_and_its_owner_say_so() {
    let (board, cluster, stack) = (board(), key("Cluster", "c"), key("Stack", "s"));
    plan(&board, &cluster, &[(stack.clone(), &[])]);
    child(&board, &cluster, &stack, runtime::State::Ready);
    let state = || states(&board, &cluster).remove(0).1;
    assert_eq!(state(), State::Ready);
    tell(&board, &stack, Stage::Paused);
    assert_eq!(state(), State::Paused, "as its own page says");
    tell(&board, &stack, Stage::Concluded(Verdict::Ready));
    child(&board, &cluster, &stack, runtime::State::Waiting("later".into()));
    assert_eq!(state(), State::Waiting);
}

#[test]
fn a_list_is_filtered_by_state_and_text_and_cut_into_pages() {
    let board = board();
    for name in ["one", "two", "three"] {
        tell(&board, &key("Stack", name), Stage::Concluded(Verdict::Ready));
    }
    tell(&board, &key("Stack", "four"), Stage::Paused);
    let names = |query: Query| {
        let listing = board.listing(&[], &query);
        (listing.shown.iter().map(|row| row.part.address.name.to_string()).collect::<Vec<_>>(), listing.found)
    };
    let ready = |query: Query| Query { state: Some(State::Ready), ..query };
    assert_eq!(names(ready(all(2))), (vec!["one".into(), "three".into()], 3));
    assert_eq!(names(ready(Query { skip: 2, ..all(2) })), (vec!["two".into()], 3));
    assert_eq!(names(Query { text: "O".into(), ..all(9) }).1, 3, "whatever the case");
}

#[test]
fn what_is_deleted_is_forgotten_and_that_is_a_change() {
    let (board, owner) = (board(), key("Stack", "s"));
    tell(&board, &owner, Stage::Paused);
    let changes = board.changes();
    tell(&board, &owner, Stage::Deleted);
    assert!(changes.has_changed().unwrap());
    assert_eq!(board.listing(&[], &all(10)).shown, []);
}

#[test]
fn a_long_explanation_is_cut() {
    let (board, owner, a) = (board(), key("Stack", "s"), key("Secret", "a"));
    plan(&board, &owner, &[(a.clone(), &[])]);
    let failure =
        Failure { class: Class::Invalid, reason: "Rejected", message: "ü".repeat(9000), stalls: true };
    child(&board, &owner, &a, runtime::State::Failed(failure));
    let why = states(&board, &owner).remove(0).2.unwrap();
    assert!(why.starts_with("Rejected: üü") && why.ends_with("ü…"), "{why}");
    assert_eq!(why.chars().count(), 501);
}

#[test]
fn a_tree_of_twenty_children_takes_less_than_two_kibibytes() {
    let (board, owner) = (board(), key("Harbor", "harbor"));
    let children: Vec<_> =
        (0..20).map(|n| (key("Certificate", &format!("harbor-component-{n}")), [n])).collect();
    let planned: Vec<_> = children.iter().map(|(key, after)| (key.clone(), &after[..0])).collect();
    plan(&board, &owner, &planned);
    for (child_key, _) in &children {
        child(&board, &owner, child_key, runtime::State::Ready);
    }
    let memory = board.memory();
    let tree = memory.owners.values().next().unwrap();
    let names: usize = tree.children.iter().map(|child| child.name.len().next_multiple_of(16) + 8).sum();
    let bytes = tree.children.len() * size_of::<Child>() + tree.edges.len() * 4 + names;
    assert!(bytes < 2048, "{bytes}");
}
