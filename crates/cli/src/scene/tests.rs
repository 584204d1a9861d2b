//! What is shown of a Core that comes up.

use super::*;
use plan::{Class, Failure, Readiness};

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

impl Scene {
    fn stage(&mut self, stage: Stage, milliseconds: u64) -> &mut Self {
        self.observe(Progress { owner: core(), stage }, at(milliseconds));
        self
    }

    fn child(&mut self, kind: &str, state: State, milliseconds: u64) -> &mut Self {
        self.stage(Stage::Child { object: key(kind, "harbor-core"), state }, milliseconds)
    }
}

/// A Core that was applied and planned, and whose Service, ConfigMap and Secret are being seen to.
fn begun() -> Scene {
    let mut scene = Scene::default();
    scene.expect(&core(), at(0));
    scene.stage(Stage::Planned(planned()), 100);
    scene.child("Service", State::Applying, 120).child("Service", State::Ready, 200);
    scene.child("ConfigMap", State::Applying, 130).child("ConfigMap", State::Ready, 350);
    scene.child("Secret", State::Applying, 140);
    scene
}

fn waiting() -> Scene {
    let mut scene = begun();
    scene.child("Secret", State::Ready, 400).child("Deployment", State::Applying, 410);
    scene.child("Deployment", State::Waiting("0 of 1 replicas available".into()), 500);
    let message = "Deployment registry/harbor-core: 0 of 1 replicas available".into();
    scene.stage(Stage::Concluded(Verdict::Progressing { reason: "ChildrenNotReady", message }), 510);
    scene
}

fn ready() -> Scene {
    let mut scene = waiting();
    scene.child("Deployment", State::Ready, 2500);
    scene.judge(&core(), Readiness::Ready, at(2600));
    scene.stage(Stage::Concluded(Verdict::Ready), 2610);
    scene
}

#[track_caller]
fn assert_shown(scene: &Scene, milliseconds: u64, size: (usize, usize), expected: &str) {
    let shown = frame(scene, Some(at(milliseconds)), Size { width: size.0, height: size.1 });
    let shown = anstream::adapter::strip_str(&shown).to_string();
    assert_eq!(shown, expected.trim_start_matches('\n'), "\n{shown}");
}

#[test]
fn before_anything_has_happened_an_object_is_pending() {
    let mut scene = Scene::default();
    scene.expect(&core(), at(0));
    assert_shown(
        &scene,
        50,
        (80, 24),
        "
· Core registry/harbor  pending
0 of 1 ready, 0.0s
",
    );
}

#[test]
fn while_children_are_applied_what_waits_for_them_is_pending() {
    assert_shown(
        &begun(),
        450,
        (80, 24),
        "
↑ Core registry/harbor            applying 0.3s  2 of 4 ready
├── ✓ Service harbor-core         ready 0.2s
├── ✓ ConfigMap harbor-core       ready 0.3s
│   └── Deployment harbor-core (see below)
└── ↑ Secret harbor-core          applying 0.3s
    └── · Deployment harbor-core  pending
0 of 1 ready, 0.4s
",
    );
}

#[test]
fn what_a_child_waits_for_is_told_with_how_long() {
    assert_shown(
        &waiting(),
        1700,
        (80, 24),
        "
◌ Core registry/harbor            waiting 1.1s  3 of 4 ready
├── ✓ Service harbor-core         ready 0.2s
├── ✓ ConfigMap harbor-core       ready 0.3s
│   └── Deployment harbor-core (see below)
└── ✓ Secret harbor-core          ready 0.4s
    └── ◌ Deployment harbor-core  waiting 1.2s  0 of 1 replicas available
0 of 1 ready, 1.7s
",
    );
}

#[test]
fn other_words_do_not_make_the_waiting_shorter() {
    let mut scene = waiting();
    scene.child("Deployment", State::Waiting("1 of 2 replicas available".into()), 1600);
    assert_eq!(scene.roots[0].children[3].at.since, at(500));
}

#[test]
fn what_is_ready_tells_how_long_it_took() {
    assert_shown(
        &ready(),
        9000,
        (80, 24),
        "
✓ Core registry/harbor            ready 2.6s
├── ✓ Service harbor-core         ready 0.2s
├── ✓ ConfigMap harbor-core       ready 0.3s
│   └── Deployment harbor-core (see below)
└── ✓ Secret harbor-core          ready 0.4s
    └── ✓ Deployment harbor-core  ready 2.5s
1 of 1 ready, 9.0s
",
    );
    assert!(ready().is_ready() && ready().is_settled());
}

#[test]
fn a_narrow_terminal_cuts_lines_and_breaks_neither_them_nor_the_column() {
    assert_shown(
        &waiting(),
        1700,
        (44, 24),
        "
◌ Core registry/harbor  waiting 1.1s  3 of …
├ ✓ Service harb…-core  ready 0.2s
├ ✓ ConfigMap har…core  ready 0.3s
│ └ Deployment harbor-core (see below)
└ ✓ Secret harbor-core  ready 0.4s
  └ ◌ Deploym…bor-core  waiting 1.2s  0 of …
0 of 1 ready, 1.7s
",
    );
}

#[test]
fn a_picture_that_nobody_redraws_is_followed_by_what_did_not_fit() {
    let mut scene = waiting();
    let message = "Secret registry/postgres does not exist; create it".into();
    let harbor = Progress {
        owner: key("Harbor", "h"),
        stage: Stage::Concluded(Verdict::Progressing { reason: "DependencyMissing", message }),
    };
    scene.observe(harbor, at(600));
    let drawn = |width| anstream::adapter::strip_str(&still(&scene, width)).to_string();
    assert_eq!(
        drawn(60),
        "\
◌ Core registry/harbor        waiting  3 of 4 ready
├ ✓ Service harbor-core       ready
├ ✓ ConfigMap harbor-core     ready
│ └ Deployment harbor-core (see below)
└ ✓ Secret harbor-core        ready
  └ ◌ Deployment harbor-core  waiting  0 of 1 replicas avai…
◌ Harbor registry/h           waiting  Secret registry/post…

◌ Deployment harbor-core: 0 of 1 replicas available
◌ Harbor registry/h: Secret registry/postgres does not exist; create it

0 of 2 ready
"
    );
    assert_eq!(drawn(usize::MAX).matches("create it").count(), 1);
}

#[test]
fn a_low_terminal_leaves_out_what_is_ready_and_then_cuts() {
    assert_shown(
        &ready(),
        2600,
        (80, 6),
        "
✓ Core registry/harbor  ready 2.6s
… and 5 lines about what is ready
1 of 1 ready, 2.6s
",
    );
    assert_shown(
        &waiting(),
        1700,
        (80, 6),
        "
◌ Core registry/harbor            waiting 1.1s  3 of 4 ready
└── ✓ Secret harbor-core          ready 0.4s
    └── ◌ Deployment harbor-core  waiting 1.2s  0 of 1 replicas available
… and 3 lines about what is ready
0 of 1 ready, 1.7s
",
    );
}

#[test]
fn a_failure_is_told_on_one_line_and_blocks_what_waits_for_it() {
    let mut scene = begun();
    let message = "cannot apply Secret registry/harbor-core:\nno".into();
    let failure = Failure { class: Class::Invalid, reason: "Rejected", message, stalls: true };
    scene.child("Secret", State::Failed(failure), 400);
    scene.child("Deployment", State::Blocked { by: key("Secret", "harbor-core") }, 400);
    let message = "cannot apply Secret registry/harbor-core:\nno".into();
    scene.stage(Stage::Concluded(Verdict::Stalled { reason: "Rejected", message }), 410);
    assert_shown(
        &scene,
        1000,
        (110, 24),
        "
✗ Core registry/harbor            failed 0.5s  Rejected: cannot apply Secret registry/harbor-core: no
├── ✓ Service harbor-core         ready 0.2s
├── ✓ ConfigMap harbor-core       ready 0.3s
│   └── Deployment harbor-core (see below)
└── ✗ Secret harbor-core          failed 0.6s  Rejected: cannot apply Secret registry/harbor-core: no
    └── · Deployment harbor-core  pending  until Secret harbor-core is ready
0 of 1 ready, 1.0s
",
    );
}

#[test]
fn a_failure_of_a_child_is_told_by_that_child_without_its_own_name() {
    let mut scene = begun();
    let message = "Secret registry/harbor-core: the disk is full".to_owned();
    let reason = "ChildFailed";
    let failure = Failure { class: Class::Dependency, reason, message: message.clone(), stalls: true };
    scene.child("Secret", State::Failed(failure), 400);
    scene.stage(Stage::Concluded(Verdict::Stalled { reason, message }), 410);
    assert_shown(
        &scene,
        1000,
        (80, 24),
        "
✗ Core registry/harbor            failed 0.5s  2 of 4 ready
├── ✓ Service harbor-core         ready 0.2s
├── ✓ ConfigMap harbor-core       ready 0.3s
│   └── Deployment harbor-core (see below)
└── ✗ Secret harbor-core          failed 0.6s  ChildFailed: the disk is full
    └── · Deployment harbor-core  pending
0 of 1 ready, 1.0s
",
    );
}

#[test]
fn why_there_is_no_plan_is_told_of_the_object() {
    let mut scene = Scene::default();
    let message = "Secret registry/postgres does not exist; create it".into();
    scene.stage(Stage::Concluded(Verdict::Progressing { reason: "DependencyMissing", message }), 100);
    assert_shown(
        &scene,
        300,
        (80, 24),
        "
◌ Core registry/harbor  waiting 0.2s  Secret registry/postgres does not exist; …
0 of 1 ready, 0.3s
",
    );
}

#[test]
fn an_object_that_is_a_child_of_another_is_shown_as_that_with_its_own_children() {
    let mut scene = waiting();
    let harbor = key("Harbor", "h");
    let planned = vec![
        Planned { object: core(), after: vec![] },
        Planned { object: key("JobService", "j"), after: vec![0] },
    ];
    scene.observe(Progress { owner: harbor, stage: Stage::Planned(planned) }, at(50));
    assert_shown(
        &scene,
        1700,
        (100, 24),
        "
· Harbor registry/h                       pending
└── ◌ Core harbor                         waiting 1.1s  3 of 4 ready
    │   ├── ✓ Service harbor-core         ready 0.2s
    │   ├── ✓ ConfigMap harbor-core       ready 0.3s
    │   │   └── Deployment harbor-core (see below)
    │   └── ✓ Secret harbor-core          ready 0.4s
    │       └── ◌ Deployment harbor-core  waiting 1.2s  0 of 1 replicas available
    └── · JobService j                    pending
0 of 1 ready, 1.7s
",
    );
}

#[test]
fn rows_trees_and_the_last_line_count_alike() {
    let harbor = key("Harbor", "h");
    let stage = |scene: &mut Scene, stage| scene.observe(Progress { owner: harbor.clone(), stage }, at(3000));
    let mut scene = ready();
    stage(&mut scene, Stage::Planned(vec![Planned { object: core(), after: vec![] }]));
    stage(&mut scene, Stage::Child { object: core(), state: State::Waiting("later".into()) });
    let message = "Core registry/harbor: later".into();
    stage(&mut scene, Stage::Concluded(Verdict::Progressing { reason: "ChildrenNotReady", message }));
    let counted = |scene: &Scene| {
        let trees = scene.trees();
        let [tree] = trees.as_slice() else { panic!("a part is no installation of its own") };
        let shown = frame(scene, None, Size { width: 100, height: 24 });
        let shown = anstream::adapter::strip_str(&shown).to_string();
        let row = shown.lines().nth(1).unwrap_or_default().contains("✓ Core harbor");
        (tree.tally().to_string(), row, shown.lines().last().unwrap_or_default().to_owned())
    };
    assert_eq!(counted(&scene), ("0 of 1".into(), false, "0 of 1 ready".into()), "its owner has work to do");
    stage(&mut scene, Stage::Child { object: core(), state: State::Ready });
    stage(&mut scene, Stage::Concluded(Verdict::Ready));
    assert_eq!(counted(&scene), ("1 of 1".into(), true, "1 of 1 ready".into()));
    scene.stage(Stage::Paused, 4000);
    assert_eq!(counted(&scene), ("0 of 1".into(), false, "1 of 1 ready".into()), "it says so itself");
}

#[test]
fn every_change_is_a_line_and_repetition_is_none() {
    let mut scene = ready();
    scene.child("Deployment", State::Ready, 2700).stage(Stage::Concluded(Verdict::Ready), 2700);
    let lines: Vec<_> = scene.take_news().iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "   0.1s  Core registry/harbor: applying",
            "   0.1s  Core registry/harbor: Service harbor-core: applying",
            "   0.2s  Core registry/harbor: Service harbor-core: ready",
            "   0.1s  Core registry/harbor: ConfigMap harbor-core: applying",
            "   0.3s  Core registry/harbor: ConfigMap harbor-core: ready",
            "   0.1s  Core registry/harbor: Secret harbor-core: applying",
            "   0.4s  Core registry/harbor: Secret harbor-core: ready",
            "   0.4s  Core registry/harbor: Deployment harbor-core: applying",
            "   0.5s  Core registry/harbor: Deployment harbor-core: waiting: 0 of 1 replicas available",
            "   0.5s  Core registry/harbor: waiting: Deployment registry/harbor-core: \
             0 of 1 replicas available",
            "   2.5s  Core registry/harbor: Deployment harbor-core: ready",
            "   2.6s  Core registry/harbor: ready",
        ]
    );
    assert_eq!(scene.take_news(), []);
}

#[test]
fn planning_again_forgets_what_is_no_longer_wanted_and_keeps_the_rest() {
    let mut scene = ready();
    scene.stage(Stage::Planned(planned().into_iter().take(1).collect()), 5000);
    assert_shown(
        &scene,
        5000,
        (80, 24),
        "
✓ Core registry/harbor     ready 2.6s
└── ✓ Service harbor-core  ready 0.2s
1 of 1 ready, 5.0s
",
    );
}

#[test]
fn what_is_deleted_disappears_unless_somebody_waits_for_it() {
    let mut scene = Scene::default();
    scene.stage(Stage::Concluded(Verdict::Ready), 100).stage(Stage::Deleted, 200);
    assert_shown(
        &scene,
        300,
        (80, 24),
        "
0 of 0 ready, 0.3s
",
    );
    let mut scene = ready();
    scene.stage(Stage::Deleted, 3000);
    scene.judge(&core(), Readiness::Progressing("does not exist".into()), at(3000));
    let expected = [Straggler { key: core(), condition: Condition::Deleted, children: vec![] }];
    assert_eq!(scene.stragglers(), expected);
}
