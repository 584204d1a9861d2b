//! The last step of a rotation of certificates: what Harbor says about them.

use super::{
    super::verification::{SOON, accepted, at, failed, questions, serve},
    Cluster, PREFIX, state, states, turn,
};
use api::v1beta1::rotation::RotationPhase;
use plan::Plan;
use serde_json::json;

const AUTHORITY: &str = "internalTLSAuthority@1";

/// A Harbor whose pods have the certificates of so many turns after the first, and whose Core serves.
fn replaced(request: &str, turns: usize) -> Cluster {
    let mut cluster = Cluster::asked(request);
    for turn in 1..=turns {
        cluster.create_all();
        cluster.replace_all();
        if turn < turns {
            cluster.delete_all();
        }
    }
    serve(&mut cluster.case);
    cluster
}

/// The Secrets that a plan keeps, without what their names have in common.
fn kept(plan: &Plan) -> Vec<String> {
    let all = plan.graph.iter().map(|(_, desired, _)| desired.object.key());
    let secrets = all.filter(|key| key.kind == "Secret");
    let mut names: Vec<_> =
        secrets.filter_map(|key| key.name.strip_prefix(PREFIX).map(str::to_owned)).collect();
    names.sort();
    names
}

#[test]
fn a_rotation_of_certificates_ends_when_harbor_accepts_them_over_tls() {
    for (request, turns, rotated, after) in [
        ("internalTLS@1", 1, &["internalTLS"][..], "authority"),
        (AUTHORITY, 3, &["internalTLSAuthority", "internalTLS"], "authority-1"),
    ] {
        let plan = at(&replaced(request, turns).case, SOON, &accepted());
        let done: Vec<_> = rotated.iter().map(|name| state(name, RotationPhase::Done, "")).collect();
        assert_eq!(states(&plan.outlook), done);
        assert_eq!(questions(&plan), ["verification everything"]);
        let trusted = format!("{PREFIX}core-1");
        assert!(plan.reads.iter().any(|read| read.name == trusted), "its authorities are trusted");
        assert_eq!(kept(&plan), [vec![after.to_owned()], turn("-1")].concat());
    }
}

#[test]
fn harbor_is_asked_after_the_last_turn_of_an_authority_only() {
    for turns in [1, 2] {
        let cluster = replaced(AUTHORITY, turns);
        assert_eq!(questions(&at(&cluster.case, SOON, &accepted())), Vec::<String>::new(), "{turns}");
    }
    let mut ended = replaced(AUTHORITY, 3);
    ended.delete_all();
    assert_eq!(questions(&at(&ended.case, SOON, &accepted())), Vec::<String>::new());
}

#[test]
fn a_check_that_fails_keeps_the_authority_and_the_certificates_before() {
    for (answer, expected) in [
        (failed("GET /v2/ with a token", "status 401"), "GET /v2/ with a token: status 401"),
        (json!({"unhealthy": ["portal"]}), "GET /api/v2.0/health: not healthy: portal"),
    ] {
        let open = |cluster: &Cluster, number: usize| {
            let plan = at(&cluster.case, SOON, &answer);
            let step = format!(
                "step {number} of {number} asks Harbor whether it accepts the new values, which failed: {expected}; look at the \
                 logs of Core, the registry and JobService. The operator goes on asking, and keeps the value before"
            );
            assert!(
                states(&plan.outlook)
                    .iter()
                    .all(|(_, phase, said)| { *phase == RotationPhase::Running && *said == step })
            );
            assert!(plan.outlook.waits.is_some(), "the Harbor is not ready");
            kept(&plan)
        };
        let both = |suffix: &str| {
            let mut all = [turn(suffix), turn("-1")].concat();
            all.sort();
            all
        };
        let leaves = replaced("internalTLS@1", 1);
        assert_eq!(open(&leaves, 2), [vec!["authority".to_owned()], both("")].concat());
        let authority = replaced(AUTHORITY, 3);
        let authorities = ["authority", "authority-1"].map(str::to_owned).to_vec();
        assert_eq!(open(&authority, 4), [authorities, both("-2")].concat());
    }
}
