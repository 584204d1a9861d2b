use super::{
    Found, NodeState, Phase, Tree, TreeNode,
    owner::{Child, LONGEST_MESSAGE},
    tally,
};
use crate::{Planned, Progress, Stage, State};
use plan::{Class, Failure, ObjectKey, Readiness, Verdict};

fn key(kind: &str, name: &str) -> ObjectKey {
    ObjectKey::new("g", kind, "ns", name)
}

/// A tree whose clock shows one more at each event.
#[derive(Default)]
struct Story {
    tree: Tree<u32>,
    now: u32,
}

impl Story {
    fn stage(&mut self, owner: &ObjectKey, stage: Stage) {
        self.now += 1;
        self.tree.observe(&Progress { owner: owner.clone(), stage }, self.now);
    }

    fn plan(&mut self, owner: &ObjectKey, children: &[(&ObjectKey, &[usize])]) {
        let planned = |(object, after): &(&ObjectKey, &[usize])| Planned {
            object: (*object).clone(),
            after: after.to_vec(),
        };
        self.stage(owner, Stage::Planned(children.iter().map(planned).collect()));
    }

    fn child(&mut self, owner: &ObjectKey, object: &ObjectKey, state: State) {
        self.stage(owner, Stage::Child { object: object.clone(), state });
    }

    fn conclude(&mut self, owner: &ObjectKey, verdict: Verdict) {
        self.stage(owner, Stage::Concluded(verdict));
    }

    fn read_status(&mut self, owner: &ObjectKey, readiness: &Readiness) {
        self.now += 1;
        self.tree.read_status(owner, readiness, self.now);
    }

    fn find(&self, key: &ObjectKey) -> Found<u32> {
        self.tree.find(&key.namespace, &key.kind, &key.name).unwrap()
    }

    fn node(&self, key: &ObjectKey) -> TreeNode<u32> {
        self.find(key).node().clone()
    }

    fn phases(&self, owner: &ObjectKey) -> Vec<(String, Phase)> {
        self.node(owner).children.iter().map(|child| (child.key.name.clone(), child.state.phase)).collect()
    }
}

fn waiting(message: &str) -> Verdict {
    Verdict::Progressing { reason: Verdict::WAITING, message: message.into() }
}

/// A stack with a Secret and a piece, which has a Secret of its own; everything is ready.
fn a_stack() -> (Story, [ObjectKey; 4]) {
    let keys = [key("Stack", "s"), key("Secret", "a"), key("Piece", "p"), key("Secret", "b")];
    let [stack, a, piece, b] = &keys;
    let mut story = Story::default();
    story.plan(stack, &[(a, &[]), (piece, &[0])]);
    story.plan(piece, &[(b, &[])]);
    story.child(piece, b, State::Ready);
    story.conclude(piece, Verdict::Ready);
    story.child(stack, a, State::Ready);
    story.child(stack, piece, State::Ready);
    story.conclude(stack, Verdict::Ready);
    (story, keys)
}

#[test]
fn an_object_is_ready_when_it_and_everything_below_it_is() {
    let (mut story, [stack, a, piece, b]) = a_stack();
    let counted = |story: &Story| {
        let node = story.node(&stack);
        (node.state.phase, node.tally().to_string(), tally(&story.tree.roots()).to_string())
    };
    assert_eq!(counted(&story), (Phase::Ready, "3 of 3".into(), "4 of 4".into()));

    story.child(&piece, &b, State::Waiting("later".into()));
    assert_eq!(
        counted(&story),
        (Phase::Waiting, "1 of 3".into(), "1 of 4".into()),
        "whatever the owners say"
    );
    assert_eq!(
        story.node(&stack).state,
        NodeState {
            phase: Phase::Waiting,
            reason: None,
            message: Some("Piece ns/p: Secret ns/b: later".into()),
            blocked_by: None
        }
    );
    assert_eq!(story.node(&stack).since, story.now, "since the Secret waits");

    story.child(&piece, &b, State::Ready);
    story.stage(&piece, Stage::Paused);
    assert_eq!(
        counted(&story),
        (Phase::Waiting, "2 of 3".into(), "2 of 4".into()),
        "a paused object is not ready"
    );
    assert_eq!(story.node(&stack).counts(), [(Phase::Paused, 1), (Phase::Ready, 2)].into());

    story.conclude(&piece, Verdict::Ready);
    story.child(&stack, &piece, State::Waiting("later".into()));
    assert_eq!(counted(&story), (Phase::Waiting, "2 of 3".into(), "2 of 4".into()), "its owner says so");
    assert_eq!(story.phases(&stack), [("a".into(), Phase::Ready), ("p".into(), Phase::Waiting)]);
    assert!(story.node(&a).is_ready());
}

#[test]
fn an_object_that_two_owners_want_counts_once_in_the_phase_that_needs_attention() {
    let mut story = Story::default();
    let [one, two, shared] = [key("Stack", "one"), key("Stack", "two"), key("Secret", "shared")];
    for owner in [&one, &two] {
        story.plan(owner, &[(&shared, &[])]);
        story.conclude(owner, Verdict::Ready);
    }
    story.child(&one, &shared, State::Ready);
    story.child(&two, &shared, State::Waiting("later".into()));
    assert_eq!(tally(&story.tree.roots()).to_string(), "1 of 3");
    story.child(&two, &shared, State::Ready);
    assert_eq!(tally(&story.tree.roots()).to_string(), "3 of 3");
}

#[test]
fn an_object_that_owns_itself_has_an_end() {
    let (mut story, stack) = (Story::default(), key("Stack", "s"));
    story.plan(&stack, &[(&stack, &[])]);
    story.conclude(&stack, Verdict::Ready);
    assert_eq!(tally(&story.tree.roots()).to_string(), "0 of 1");
}

#[test]
fn a_blocked_child_names_the_sibling_it_waits_for() {
    let (mut story, stack) = (Story::default(), key("Stack", "s"));
    let [a, b] = ["a", "b"].map(|name| key("Secret", name));
    story.plan(&stack, &[(&a, &[]), (&b, &[0])]);
    story.child(&stack, &a, State::Waiting("later".into()));
    story.child(&stack, &b, State::Blocked { by: a.clone() });
    let found = story.find(&b);
    assert_eq!(
        found.node().state,
        NodeState { phase: Phase::Blocked, reason: None, message: None, blocked_by: Some(a.clone()) }
    );
    assert_eq!(found.parent().map(|parent| &parent.key), Some(&stack));
    assert_eq!(found.before(), [&story.node(&a)]);
    assert_eq!(story.find(&a).after(), [found.node()]);
}

#[test]
fn an_object_is_found_in_the_whole_installation_that_it_belongs_to() {
    let (story, [stack, a, piece, b]) = a_stack();
    let line =
        |key: &ObjectKey| story.find(key).line().iter().map(|node| node.key.clone()).collect::<Vec<_>>();
    assert_eq!(line(&b), [stack.clone(), piece.clone(), b]);
    assert_eq!(line(&a), [stack.clone(), a]);
    assert_eq!(line(&stack), std::slice::from_ref(&stack));
    assert_eq!(*story.find(&piece).root(), story.node(&stack));
}

#[test]
fn objects_that_own_each_other_are_found() {
    let mut story = Story::default();
    let [one, other] = ["one", "other"].map(|name| key("Stack", name));
    story.plan(&one, &[(&other, &[])]);
    story.plan(&other, &[(&one, &[])]);
    for key in [&one, &other] {
        assert_eq!(story.node(key).key, *key);
    }
}

#[test]
fn a_new_plan_keeps_the_states_of_children_that_stay_and_forgets_the_others() {
    let (mut story, stack) = (Story::default(), key("Stack", "s"));
    let [a, b, c] = ["a", "b", "c"].map(|name| key("Secret", name));
    story.plan(&stack, &[(&a, &[]), (&b, &[])]);
    story.child(&stack, &b, State::Ready);
    story.plan(&stack, &[(&c, &[]), (&b, &[0])]);
    assert_eq!(story.phases(&stack), [("c".into(), Phase::Pending), ("b".into(), Phase::Ready)]);
    assert_eq!(story.tree.find("ns", "Secret", "a"), None);
}

#[test]
fn the_same_events_again_are_no_change() {
    let (story, mut again) = (a_stack().0, a_stack().0);
    let (stack, a) = (key("Stack", "s"), key("Secret", "a"));
    again.child(&stack, &a, State::Applying);
    again.child(&stack, &a, State::Ready);
    again.conclude(&stack, Verdict::Ready);
    again.conclude(&stack, Verdict::Interrupted);
    assert_eq!(again.tree.roots(), story.tree.roots(), "a write to an object that is ready does not flicker");
    assert_eq!(again.tree.revision(), story.tree.revision());
}

#[test]
fn another_reason_for_a_phase_is_a_change_and_the_phase_has_not_begun_anew() {
    let (mut story, stack) = (Story::default(), key("Stack", "s"));
    story.conclude(&stack, waiting("one"));
    let (since, revision) = (story.node(&stack).since, story.tree.revision());
    story.conclude(&stack, waiting("another"));
    assert_eq!(story.node(&stack).since, since);
    assert!(story.tree.revision() > revision);
}

#[test]
fn a_change_below_an_object_has_a_number_that_is_not_that_of_its_siblings() {
    let (mut story, [stack, a, piece, b]) = a_stack();
    let before = [&stack, &piece, &a].map(|key| story.node(key).revision);
    story.child(&piece, &b, State::Waiting("later".into()));
    let after = [&stack, &piece, &a].map(|key| story.node(key).revision);
    let changed: Vec<_> = before.iter().zip(&after).map(|(before, after)| before < after).collect();
    assert_eq!(changed, [true, true, false]);
}

#[test]
fn a_deleted_owner_disappears_unless_it_is_expected() {
    let (mut story, stack) = (Story::default(), key("Stack", "s"));
    story.conclude(&stack, Verdict::Ready);
    story.stage(&stack, Stage::Deleted);
    assert_eq!(story.tree.roots(), []);

    story.tree.expect(&stack, 0);
    story.plan(&stack, &[(&key("Secret", "a"), &[])]);
    story.stage(&stack, Stage::Deleted);
    story.read_status(&stack, &Readiness::Progressing("does not exist".into()));
    let node = story.node(&stack);
    assert_eq!((node.state.phase, node.children), (Phase::Deleted, vec![]));
}

#[test]
fn an_expected_object_is_ready_when_its_status_says_so() {
    let (mut story, stack) = (Story::default(), key("Stack", "s"));
    story.tree.expect(&stack, 0);
    let phase = |story: &Story| story.tree.expected().remove(0).state.phase;
    assert_eq!(phase(&story), Phase::Pending);
    story.read_status(&stack, &Readiness::Progressing("no status yet".into()));
    assert_eq!(phase(&story), Phase::Waiting);
    story.conclude(&stack, Verdict::Ready);
    assert_eq!(phase(&story), Phase::Waiting, "the status is written next");
    story.read_status(&stack, &Readiness::Ready);
    assert_eq!(phase(&story), Phase::Ready);
    story.read_status(&stack, &Readiness::Progressing("later".into()));
    story.conclude(&stack, Verdict::Stalled { reason: "Invalid", message: "no".into() });
    let state = story.node(&stack).state;
    assert_eq!(
        (state.reason, state.message.as_deref()),
        (Some("Invalid"), Some("no")),
        "the operator knows more"
    );
    assert_eq!(state.explanation().as_deref(), Some("Invalid: no"));
}

#[test]
fn nothing_is_expected_to_change_when_all_is_ready_or_paused() {
    let (mut story, [stack, _, piece, _]) = a_stack();
    story.stage(&piece, Stage::Paused);
    assert!(story.tree.is_settled());
    story.conclude(&stack, waiting("later"));
    assert!(!story.tree.is_settled());
}

#[test]
fn owners_without_an_owner_come_in_the_order_of_their_arrival() {
    let (mut story, [stack, ..]) = a_stack();
    story.conclude(&key("Alone", "a"), Verdict::Ready);
    let roots: Vec<_> = story.tree.roots().into_iter().map(|node| node.key).collect();
    assert_eq!(roots, [stack, key("Alone", "a")]);
    let heads = story.tree.roots_without_children(|key| key.kind == "Stack");
    assert_eq!(
        heads,
        [TreeNode { children: vec![], revision: heads[0].revision, ..story.node(&heads[0].key) }]
    );
}

#[test]
fn a_long_message_is_cut() {
    let mut story = Story::default();
    let (stack, a) = (key("Stack", "s"), key("Secret", "a"));
    story.plan(&stack, &[(&a, &[])]);
    let message = "ü".repeat(9000);
    let failure = Failure {
        class: Class::Invalid,
        reason: "Rejected",
        message,
        subject: plan::Subject::default(),
        stalls: true,
    };
    story.child(&stack, &a, State::Failed(failure));
    let state = story.node(&a).state;
    let message = format!("{}…", "ü".repeat(LONGEST_MESSAGE));
    assert_eq!((state.reason, state.message), (Some("Rejected"), Some(message)));
}

#[test]
fn an_owner_of_twenty_children_takes_less_than_two_kibibytes() {
    let (mut story, owner) = (Story::default(), key("Harbor", "harbor"));
    let children: Vec<_> = (0..20).map(|n| key("Certificate", &format!("harbor-component-{n}"))).collect();
    story.plan(&owner, &children.iter().map(|child| (child, &[][..])).collect::<Vec<_>>());
    for child in &children {
        story.child(&owner, child, State::Ready);
    }
    let owner = &story.tree.owners[&owner];
    let names: usize = owner.children.iter().map(|child| child.name.len().next_multiple_of(16) + 8).sum();
    let bytes = owner.children.len() * size_of::<Child<u32>>() + owner.edges.len() * 4 + names;
    assert!(bytes < 2048, "{bytes}");
}

#[test]
fn children_of_a_namespace_are_in_it_and_are_no_roots() {
    let mut story = Story::default();
    let namespace = ObjectKey::new("", "Namespace", "", "ns");
    let project = key("HarborProject", "4k8s");
    story.plan(&project, &[]);
    story.plan(&namespace, &[(&project, &[])]);
    let roots = story.tree.roots();
    assert_eq!(roots.iter().map(|it| &it.key).collect::<Vec<_>>(), [&namespace]);
    assert_eq!(roots[0].children.iter().map(|it| &it.key).collect::<Vec<_>>(), [&project]);
}
