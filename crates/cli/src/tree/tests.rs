//! Drawings of a Core that becomes ready, and of the owner of such a Core.

use super::{Details, Header, Live, Size, Tree, frame, json, lines::Lines, message, still};
use ::page::{Page, Reach, Setup, Store};
use axum::body::Body;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use kube::Client;
use plan::{Class, Failure, ObjectKey, Readiness, Verdict};
use pods::Report;
use progress::{Observer as _, Planned, Progress, Stage, State, Summary};
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

fn key(kind: &str, name: &str) -> ObjectKey {
    ObjectKey::new("", kind, "registry", name)
}

fn core() -> ObjectKey {
    key("Core", "harbor")
}

fn at(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Service; ConfigMap and Secret, and after both the Deployment.
fn planned() -> Vec<Planned> {
    let child =
        |kind: &str, after: &[usize]| Planned { object: key(kind, "harbor-core"), after: after.to_vec() };
    vec![child("Service", &[]), child("ConfigMap", &[]), child("Secret", &[]), child("Deployment", &[1, 2])]
}

/// A tree, and the lines about its changes.
#[derive(Default)]
struct Story {
    tree: Tree,
    lines: Lines,
}

impl Story {
    fn observe(&mut self, owner: ObjectKey, stage: Stage, milliseconds: u64) -> &mut Self {
        let changes = self.tree.observe(&Progress { owner, stage }, at(milliseconds));
        for change in &changes {
            self.lines.add(change, at(milliseconds));
        }
        self
    }

    fn stage(&mut self, stage: Stage, milliseconds: u64) -> &mut Self {
        self.observe(core(), stage, milliseconds)
    }

    fn child(&mut self, kind: &str, state: State, milliseconds: u64) -> &mut Self {
        self.stage(Stage::Child { object: key(kind, "harbor-core"), state }, milliseconds)
    }

    fn status(&mut self, readiness: &Readiness, milliseconds: u64) {
        let changes = self.tree.read_status(&core(), readiness, at(milliseconds));
        for change in &changes {
            self.lines.add(change, at(milliseconds));
        }
    }
}

/// A Core that was applied and planned, and whose Service, ConfigMap and Secret are being applied.
fn begun() -> Story {
    let mut story = Story::default();
    story.tree.expect(&core(), at(0));
    story.stage(Stage::Planned(planned()), 100);
    story.child("Service", State::Applying, 120).child("Service", State::Ready, 200);
    story.child("ConfigMap", State::Applying, 130).child("ConfigMap", State::Ready, 350);
    story.child("Secret", State::Applying, 140);
    story
}

fn waiting() -> Story {
    let mut story = begun();
    story.child("Secret", State::Ready, 400).child("Deployment", State::Applying, 410);
    story.child("Deployment", State::Waiting("0 of 1 replicas available".into()), 500);
    let message = "Deployment registry/harbor-core: 0 of 1 replicas available".into();
    story.stage(Stage::Concluded(Verdict::Progressing { reason: "ChildrenNotReady", message }), 510);
    story
}

fn ready() -> Story {
    let mut story = waiting();
    story.child("Deployment", State::Ready, 2500);
    story.status(&Readiness::Ready, 2600);
    story.stage(Stage::Concluded(Verdict::Ready), 2610);
    story
}

#[track_caller]
fn assert_shown(story: &Story, milliseconds: u64, size: (usize, usize), expected: &str) {
    let size = Size { width: size.0, height: size.1 };
    let shown = frame(&story.tree.roots(), &Details::new(), Some(at(milliseconds)), size);
    let shown = anstream::adapter::strip_str(&shown).to_string();
    assert_eq!(shown, expected.trim_start_matches('\n'), "\n{shown}");
}

#[test]
fn before_its_first_reconcile_an_object_is_pending() {
    let mut story = Story::default();
    story.tree.expect(&core(), at(0));
    assert_shown(
        &story,
        50,
        (80, 24),
        "
· Core registry/harbor  pending
0 of 1 objects ready, 0.0s
",
    );
}

#[test]
fn an_object_outside_the_cluster_is_drawn_like_any_other_child_and_names_what_it_waits_for() {
    let system = plan::System::new("harbor", "registry", "acme");
    let project = ObjectKey::external(&system, "project", "alpha");
    let robot = ObjectKey::external(&system, "robot", "builder");
    let mut story = Story::default();
    story.tree.expect(&core(), at(0));
    let planned =
        |object: &ObjectKey, after: &[usize]| Planned { object: object.clone(), after: after.to_vec() };
    story.stage(Stage::Planned(vec![planned(&project, &[]), planned(&robot, &[0])]), 100);
    let why = "was written, and the Harbor does not show it yet: public";
    story.stage(Stage::Child { object: project.clone(), state: State::Applying }, 120);
    story.stage(Stage::Child { object: project.clone(), state: State::Waiting(why.into()) }, 500);
    story.stage(Stage::Child { object: robot, state: State::Blocked { by: project.clone() } }, 505);
    let message = format!("{project}: {why}");
    story.stage(Stage::Concluded(Verdict::Progressing { reason: "ChildrenNotReady", message }), 510);
    let found = story.tree.find(project.place(), "project", "alpha").unwrap();
    assert_eq!((&found.node().key, found.parent().map(|node| &node.key)), (&project, Some(&core())));
    assert_shown(
        &story,
        1700,
        (100, 24),
        "
◌ Core registry/harbor  waiting 1.1s  0 of 2 ready
├── ◌ project alpha     waiting 1.2s  was written, and the Harbor does not show it yet: public
└── · robot builder     pending  until project alpha is ready
0 of 3 objects ready, 1.7s
",
    );
}

#[test]
fn while_children_are_applied_their_dependents_are_pending() {
    assert_shown(
        &begun(),
        450,
        (80, 24),
        "
↑ Core registry/harbor        applying 0.3s  2 of 4 ready
├── ✓ Service harbor-core     ready 0.2s
├── ✓ ConfigMap harbor-core   ready 0.3s
├── ↑ Secret harbor-core      applying 0.3s
└── · Deployment harbor-core  pending  until Secret harbor-core is ready
2 of 5 objects ready, 0.4s
",
    );
}

#[test]
fn a_waiting_child_shows_the_reason_and_how_long_it_waits() {
    assert_shown(
        &waiting(),
        1700,
        (80, 24),
        "
◌ Core registry/harbor        waiting 1.1s  3 of 4 ready
├── ✓ Service harbor-core     ready 0.2s
├── ✓ ConfigMap harbor-core   ready 0.3s
├── ✓ Secret harbor-core      ready 0.4s
└── ◌ Deployment harbor-core  waiting 1.2s  0 of 1 replicas available
3 of 5 objects ready, 1.7s
",
    );
}

#[test]
fn a_ready_object_shows_how_long_it_took() {
    assert_shown(
        &ready(),
        9000,
        (80, 24),
        "
✓ Core registry/harbor        ready 2.6s
├── ✓ Service harbor-core     ready 0.2s
├── ✓ ConfigMap harbor-core   ready 0.3s
├── ✓ Secret harbor-core      ready 0.4s
└── ✓ Deployment harbor-core  ready 2.5s
5 of 5 objects ready, 9.0s
",
    );
}

#[test]
fn a_narrow_terminal_cuts_lines_and_shows_the_cut_messages_below() {
    assert_shown(
        &waiting(),
        1700,
        (44, 24),
        "
◌ Core registry/harbor  waiting 1.1s  3 of …
├ ✓ Service harb…-core  ready 0.2s
├ ✓ ConfigMap har…core  ready 0.3s
├ ✓ Secret harbor-core  ready 0.4s
└ ◌ Deployme…rbor-core  waiting 1.2s  0 of …

◌ Core registry/harbor: 3 of 4 ready
◌ Deployment harbor-core: 0 of 1 replicas
  available

3 of 5 objects ready, 1.7s
",
    );
    let lines = [13, 12, 10].map(|height| {
        frame(&waiting().tree.roots(), &Details::new(), Some(at(1700)), Size { width: 44, height })
            .lines()
            .count()
    });
    assert_eq!(lines, [11, 11, 9], "as many messages as there is room for");
}

#[test]
fn a_drawing_that_is_printed_once_is_followed_by_the_messages_that_were_cut() {
    let mut story = waiting();
    let message = "Secret registry/postgres does not exist; create it".into();
    let verdict = Verdict::Progressing { reason: "DependencyMissing", message };
    story.observe(key("Harbor", "h"), Stage::Concluded(verdict), 600);
    let drawn =
        |width| anstream::adapter::strip_str(&still(&story.tree.roots(), &Details::new(), width)).to_string();
    assert_eq!(
        drawn(60),
        "\
◌ Core registry/harbor        waiting  3 of 4 ready
├── ✓ Service harbor-core     ready
├── ✓ ConfigMap harbor-core   ready
├── ✓ Secret harbor-core      ready
└── ◌ Deployment harbor-core  waiting  0 of 1 replicas avai…
◌ Harbor registry/h           waiting  Secret registry/post…

◌ Deployment harbor-core: 0 of 1 replicas available
◌ Harbor registry/h: Secret registry/postgres does not exist; create it

3 of 6 objects ready
"
    );
    assert_eq!(drawn(usize::MAX).matches("create it").count(), 1);
}

#[test]
fn a_low_terminal_omits_ready_objects_and_then_cuts() {
    assert_shown(
        &ready(),
        2600,
        (80, 6),
        "
✓ Core registry/harbor  ready 2.6s
… and 4 lines about what is ready
5 of 5 objects ready, 2.6s
",
    );
    assert_shown(
        &waiting(),
        1700,
        (80, 6),
        "
◌ Core registry/harbor        waiting 1.1s  3 of 4 ready
└── ◌ Deployment harbor-core  waiting 1.2s  0 of 1 replicas available
… and 3 lines about what is ready
3 of 5 objects ready, 1.7s
",
    );
}

#[test]
fn a_failure_is_one_line_and_blocks_its_dependents() {
    let mut story = begun();
    let message = "cannot apply Secret registry/harbor-core:\nno".into();
    let failure = Failure {
        class: Class::Invalid,
        reason: "Rejected",
        message,
        subject: plan::Subject::default(),
        stalls: true,
    };
    story.child("Secret", State::Failed(failure), 400);
    story.child("Deployment", State::Blocked { by: key("Secret", "harbor-core") }, 400);
    let message = "cannot apply Secret registry/harbor-core:\nno".into();
    story.stage(Stage::Concluded(Verdict::Stalled { reason: "Rejected", message }), 410);
    assert_shown(
        &story,
        1000,
        (110, 24),
        "
✗ Core registry/harbor        failed 0.5s  Rejected: cannot apply Secret registry/harbor-core: no
├── ✓ Service harbor-core     ready 0.2s
├── ✓ ConfigMap harbor-core   ready 0.3s
├── ✗ Secret harbor-core      failed 0.6s  Rejected: cannot apply Secret registry/harbor-core: no
└── · Deployment harbor-core  pending  until Secret harbor-core is ready
2 of 5 objects ready, 1.0s
",
    );
}

#[test]
fn the_failure_of_a_child_is_shown_in_its_row_without_its_name() {
    let mut story = begun();
    let message = "Secret registry/harbor-core: the disk is full".to_owned();
    let reason = "ChildFailed";
    let failure = Failure {
        class: Class::Dependency,
        reason,
        message: message.clone(),
        subject: plan::Subject::default(),
        stalls: true,
    };
    story.child("Secret", State::Failed(failure), 400);
    story.stage(Stage::Concluded(Verdict::Stalled { reason, message }), 410);
    assert_shown(
        &story,
        1000,
        (80, 24),
        "
✗ Core registry/harbor        failed 0.5s  2 of 4 ready
├── ✓ Service harbor-core     ready 0.2s
├── ✓ ConfigMap harbor-core   ready 0.3s
├── ✗ Secret harbor-core      failed 0.6s  ChildFailed: the disk is full
└── · Deployment harbor-core  pending  until Secret harbor-core is ready
2 of 5 objects ready, 1.0s
",
    );
}

#[test]
fn an_object_without_a_plan_shows_the_reason() {
    let mut story = Story::default();
    let message = "Secret registry/postgres does not exist; create it".into();
    story.stage(Stage::Concluded(Verdict::Progressing { reason: "DependencyMissing", message }), 100);
    assert_shown(
        &story,
        300,
        (80, 24),
        "
◌ Core registry/harbor  waiting 0.2s  Secret registry/postgres does not exist; …

◌ Core registry/harbor: Secret registry/postgres does not exist; create it

0 of 1 objects ready, 0.3s
",
    );
}

#[test]
fn an_object_that_is_a_child_of_another_is_shown_as_that_with_its_own_children() {
    let mut story = waiting();
    let harbor = key("Harbor", "h");
    let planned = vec![
        Planned { object: core(), after: vec![] },
        Planned { object: key("JobService", "j"), after: vec![0] },
    ];
    story.observe(harbor, Stage::Planned(planned), 50);
    assert_shown(
        &story,
        1700,
        (100, 24),
        "
· Harbor registry/h               pending
├── ◌ Core harbor                 waiting 1.1s  3 of 4 ready
│   ├── ✓ Service harbor-core     ready 0.2s
│   ├── ✓ ConfigMap harbor-core   ready 0.3s
│   ├── ✓ Secret harbor-core      ready 0.4s
│   └── ◌ Deployment harbor-core  waiting 1.2s  0 of 1 replicas available
└── · JobService j                pending  until Core harbor is ready
3 of 7 objects ready, 1.7s
",
    );
}

#[test]
fn a_new_plan_removes_objects_that_are_no_longer_wanted() {
    let mut story = ready();
    story.stage(Stage::Planned(planned().into_iter().take(1).collect()), 5000);
    assert_shown(
        &story,
        5000,
        (80, 24),
        "
✓ Core registry/harbor     ready 2.6s
└── ✓ Service harbor-core  ready 0.2s
2 of 2 objects ready, 5.0s
",
    );
}

#[test]
fn lines_tell_when_an_object_of_the_user_waits_and_when_it_is_ready_once() {
    let mut story = ready();
    story.child("Deployment", State::Ready, 2700).stage(Stage::Concluded(Verdict::Ready), 2700);
    assert_eq!(
        story.lines.take(),
        "   0.5s  Core registry/harbor: waiting: Deployment registry/harbor-core: 0 of 1 replicas available\n   \
         2.6s  Core registry/harbor: ready\n"
    );
}

/// A Harbor with a Secret and a Core, whose Deployment is not ready, and one that is paused.
fn two_harbors() -> Vec<Progress> {
    let progress = |owner: &ObjectKey, stage| Progress { owner: owner.clone(), stage };
    let child = |object: ObjectKey, state| Stage::Child { object, state };
    let (harbor, paused) = (key("Harbor", "h"), key("Harbor", "paused"));
    let parts = [key("Secret", "keys"), core()];
    let plan = parts.iter().map(|object| Planned { object: object.clone(), after: vec![] }).collect();
    let why = || "0 of 1 replicas available".to_owned();
    let later = |message| Stage::Concluded(Verdict::Progressing { reason: Verdict::WAITING, message });
    let mut events = vec![
        progress(&paused, Stage::Paused),
        progress(&harbor, Stage::Planned(plan)),
        progress(&harbor, child(key("Secret", "keys"), State::Ready)),
        progress(&harbor, child(core(), State::Ready)),
        progress(&harbor, Stage::Concluded(Verdict::Ready)),
        progress(&core(), Stage::Planned(planned())),
    ];
    let ready = ["Service", "ConfigMap", "Secret"].map(|kind| child(key(kind, "harbor-core"), State::Ready));
    events.extend(ready.map(|stage| progress(&core(), stage)));
    events.push(progress(&core(), child(key("Deployment", "harbor-core"), State::Waiting(why()))));
    events.push(progress(&core(), later(format!("Deployment registry/harbor-core: {}", why()))));
    events
}

/// The text of a page that shows these events.
async fn page(events: &[Progress], path: &str) -> String {
    let store = Arc::new(Store::new(|_| Summary::default(), jiff::Timestamp::now));
    for progress in events {
        store.observe(progress.clone());
    }
    let refuse = tower::service_fn(|_: Request<kube::client::Body>| async {
        Ok::<_, std::convert::Infallible>(Response::new(kube::client::Body::empty()))
    });
    let setup = Setup { title: "", listed: vec!["Harbor"], status: None, kinds: vec![] };
    let page = Page::new(store, Client::new(refuse, "ns"), setup, CancellationToken::new());
    let request = Request::get(path).header("host", "localhost").body(Body::empty()).unwrap();
    let answer = page.router(Reach::Machine).oneshot(request).await.unwrap();
    String::from_utf8(answer.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn the_terminal_the_table_and_the_page_show_the_same_numbers() {
    let (events, live) = (two_harbors(), Live::begin());
    for progress in &events {
        live.observe(progress.clone());
    }
    let roots = live.read(Tree::roots);
    let shown = frame(&roots, &Details::new(), None, Size { width: 100, height: 24 });
    let shown = anstream::adapter::strip_str(&shown).to_string();
    let lines: Vec<_> = shown.lines().collect();
    let trees: Value = serde_json::from_str(
        &json(roots.iter().map(|root| (root, Header::default())), &Report::default()).unwrap(),
    )
    .unwrap();
    let harbor = roots.iter().find(|node| node.key.name == "h").unwrap();

    assert_eq!(harbor.tally().to_string(), "4 of 6", "Secret, Core and its four objects");
    assert!(
        lines[1].starts_with("◌ Harbor registry/h") && lines[1].ends_with("waiting  4 of 6 ready"),
        "{shown}"
    );
    assert!(lines[3].contains("◌ Core harbor") && lines[3].ends_with("waiting  3 of 4 ready"), "{shown}");
    assert_eq!(lines.last(), Some(&"4 of 8 objects ready"), "the Harbors count, too");
    assert_eq!(
        (trees[1]["state"].as_str(), message(&harbor.state)),
        (
            Some("waiting"),
            Some("Core registry/harbor: Deployment registry/harbor-core: 0 of 1 replicas available".into())
        ),
        "the operator reported it as ready before the Deployment changed"
    );
    let text = page(&events, "/registry/Harbor/h").await;
    assert!(text.contains("</span> 4 of 6 objects ready, 2 waiting</p>"), "{text}");
    let text = page(&events, "/registry/Core/harbor").await;
    assert!(text.contains("<dt>Objects</dt><dd>3 of 4 ready</dd>"), "{text}");
    let text = page(&events, "/").await;
    assert!(text.contains("2 in all, 1 waiting, 1 paused"), "{text}");
    assert_eq!(roots.iter().filter(|node| node.is_ready()).count(), 0);
}
