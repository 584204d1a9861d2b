//! Rotation of the authority and of the certificates of TLS between components.

mod cluster;
mod verification;

use self::cluster::{Cluster, PODS, PREFIX, states};
use super::{Case, Harbor, names, rotation::UNASKED};
use api::{
    names::{ROTATE_ANNOTATION, ROTATION_ANNOTATION},
    v1beta1::rotation::RotationPhase,
};
use serde_json::{Value, json};

const ADDS: &str = "step 1 of 4 has all components trust the new authority beside the one before";
const SIGNS: &str = "step 2 of 4 gives all components certificates of the new authority";
const REMOVES: &str = "step 3 of 4 has all components trust the new authority only";

fn state(name: &str, phase: RotationPhase, message: &str) -> (String, RotationPhase, String) {
    (name.into(), phase, message.into())
}

/// The Secrets of a turn.
fn turn(suffix: &str) -> Vec<String> {
    let parts = ["core", "jobservice", "notaryserver", "portal", "registry", "registryctl"];
    parts.map(|part| format!("{part}{suffix}")).into()
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn an_authority_is_replaced_in_three_steps_that_each_have_secrets_of_their_own() {
    let mut cluster = Cluster::asked("internalTLSAuthority@1");
    let both = |message: &str| {
        ["internalTLSAuthority", "internalTLS"].map(|name| state(name, RotationPhase::Running, message))
    };
    let old = "authority".to_owned();
    let new = "authority-1".to_owned();

    assert_eq!(states(&cluster.plan().outlook), both(ADDS));
    assert_eq!(cluster.create().as_ref(), Some(&new));
    assert_eq!(cluster.create().as_deref(), Some("core-1"), "its record begins the turn");
    assert_eq!(cluster.role("core-1"), (old.clone(), Some(new.clone())));
    assert_eq!(sorted(cluster.create_all()), turn("-1")[1..]);
    assert_eq!(cluster.role("registryctl-1"), (old.clone(), Some(new.clone())));
    assert_eq!(cluster.delete_all(), [""; 0], "pods use the ones before still");
    cluster.replace_all();
    assert_eq!(states(&cluster.plan().outlook), both(SIGNS));
    assert_eq!(cluster.create_all(), [""; 0], "the names are taken still");
    assert_eq!(cluster.delete_all(), turn(""));

    assert_eq!(sorted(cluster.create_all()), turn("-2"));
    assert_eq!(cluster.role("core-2"), (new.clone(), Some(old.clone())));
    let (subject, why) = cluster.plan().outlook.waits.unwrap();
    assert_eq!(subject.to_string(), "Deployment registry/acme-harbor-core");
    assert_eq!(why, format!("the rotation of internalTLSAuthority and internalTLS: {SIGNS}"));
    cluster.replace_all();
    assert_eq!(cluster.delete_all(), turn("-1"));

    assert_eq!(states(&cluster.plan().outlook), both(REMOVES));
    assert_eq!(sorted(cluster.create_all()), turn("-1"));
    assert_eq!(cluster.role("core-1"), (new.clone(), None));
    assert!(!cluster.unwanted().contains(&old), "the rotation has not ended");
    cluster.replace_all();
    let done = |said: &str| {
        ["internalTLSAuthority", "internalTLS"].map(|name| state(name, RotationPhase::Done, said))
    };
    assert_eq!(states(&cluster.plan().outlook), done(UNASKED));
    assert_eq!(cluster.delete_all(), [vec![old], turn("-2")].concat());
    assert_eq!(cluster.secrets(), [vec![new], turn("-1")].concat());
    assert_eq!(cluster.create_all(), [""; 0]);
    assert_eq!(states(&cluster.plan().outlook), done(""));
}

#[test]
fn pods_accept_each_other_wherever_the_operator_is_killed_and_each_is_replaced_three_times() {
    for seed in 0..5 {
        let mut cluster = Cluster::asked("internalTLSAuthority@1,internalTLS@1");
        cluster.settle(seed);
        assert!(cluster.replaced.values().all(|times| (3..=6).contains(times)), "{:?}", cluster.replaced);
        assert_eq!(cluster.replaced["core"], 3);
        let requests: Vec<_> =
            cluster.plan().outlook.rotations.into_iter().map(|it| (it.phase, it.request)).collect();
        assert_eq!(
            requests,
            [(RotationPhase::Done, Some("1".into())), (RotationPhase::Done, Some("1".into()))]
        );
        assert_eq!(cluster.secrets(), [vec!["authority-1".into()], turn("-1")].concat());
    }
}

#[test]
fn an_authority_can_be_replaced_again_and_again() {
    let mut cluster = Cluster::ready();
    for (request, authority, leaves) in
        [("1", "authority-1", "-1"), ("2", "authority-2", "-2"), ("3", "authority-1", "-1")]
    {
        cluster.ask(&format!("internalTLSAuthority@{request}"));
        cluster.settle(6);
        assert_eq!(cluster.secrets(), [vec![authority.into()], turn(leaves)].concat());
    }
}

#[test]
fn certificates_get_new_keys_in_one_step_and_keep_their_authority() {
    let mut cluster = Cluster::asked("internalTLS@1");
    let running = "step 1 of 2 gives all components certificates with new keys";
    assert_eq!(states(&cluster.plan().outlook), [state("internalTLS", RotationPhase::Running, running)]);
    assert_eq!(cluster.create().as_deref(), Some("core-1"));
    cluster.settle(0);
    assert_eq!(states(&cluster.plan().outlook), [state("internalTLS", RotationPhase::Done, "")]);
    assert_eq!(cluster.secrets(), [vec!["authority".into()], turn("-1")].concat());
    assert_eq!(cluster.role("portal-1"), ("authority".into(), None));
    assert!(
        PODS.iter().all(|(name, secrets)| cluster.replaced[name] <= secrets.len()),
        "{:?}",
        cluster.replaced
    );

    cluster.ask("internalTLSAuthority@1,internalTLS@1");
    cluster.settle(1);
    assert_eq!(cluster.secrets(), [vec!["authority-1".into()], turn("-2")].concat());
    cluster.ask("internalTLSAuthority@1,internalTLS@2");
    cluster.settle(2);
    assert_eq!(cluster.secrets(), [vec!["authority-1".into()], turn("-1")].concat());
    assert_eq!(cluster.role("core-1"), ("authority-1".into(), None));
}

#[test]
fn all_does_not_stand_for_certificates() {
    let cluster = Cluster::asked("all@1");
    let outlook = cluster.plan().outlook;
    assert!(
        states(&outlook).iter().all(|(name, ..)| !name.starts_with("internalTLS")),
        "{:?}",
        states(&outlook)
    );
}

#[test]
fn certificates_that_the_operator_does_not_issue_are_not_rotated() {
    let refused = |case: Case<Harbor>, name: &str| {
        let case = case.annotated(ROTATE_ANNOTATION, &format!("{name}@1"));
        let plan = case.plan().unwrap();
        let [(of, phase, why)] = <[_; 1]>::try_from(states(&plan.outlook)).unwrap();
        assert_eq!((of.as_str(), phase), (name, RotationPhase::Refused));
        assert!(plan.outlook.steps.is_empty() && plan.outlook.waits.is_none());
        why
    };
    let case = || Case::<Harbor>::golden("without-cert-manager");
    for name in ["internalTLS", "internalTLSAuthority"] {
        let by_cert_manager = Case { without: Vec::new(), ..case() };
        assert_eq!(
            refused(by_cert_manager, name),
            "cert-manager issues it; have cert-manager renew the Certificate"
        );
        assert_eq!(
            refused(case().set("/spec/internalTLS", json!(null)), name),
            "there is no TLS between components: spec.internalTLS.enabled is not set"
        );
        assert_eq!(
            refused(Case::golden("own-certificates"), name),
            "spec.internalTLS.certificates names the Secrets, which only you write; change the certificates there"
        );
    }
    let mut own = Cluster::ready();
    let authority =
        own.case.inputs.iter_mut().find(|it| it["metadata"]["name"] == format!("{PREFIX}authority"));
    authority.unwrap()["metadata"]["labels"] = json!({});
    let why = "the Secret acme-harbor-internal-tls-authority is not from the operator, which does not replace it; write another authority into it";
    assert_eq!(refused(own.case, "internalTLSAuthority"), why);
}

#[test]
fn the_operator_goes_on_issuing_after_a_rotation_when_cert_manager_is_installed_later() {
    let mut cluster = Cluster::asked("internalTLSAuthority@1");
    cluster.settle(0);
    cluster.case.without.clear();
    let of_components = |case: &Case<Harbor>| -> Vec<_> {
        names(case, "Certificate").into_iter().filter(|name| name.contains("-internal-")).collect()
    };
    assert_eq!(of_components(&cluster.case), [""; 0]);
    assert_eq!(cluster.role("core-1"), ("authority-1".into(), None));
}

#[test]
fn an_authority_that_a_user_deletes_is_issued_anew_and_can_be_rotated() {
    let mut cluster = Cluster::asked("internalTLSAuthority@1");
    cluster.settle(0);
    cluster.delete("authority-1");
    // Certificates are issued anew in their Secrets, which has all pods restart at once.
    assert_eq!(cluster.role("core-1"), ("authority".into(), None));
    let plan = cluster.plan();
    let core =
        plan.graph.iter().find(|(_, desired, _)| desired.object.key().name == format!("{PREFIX}core-1"));
    let record =
        core.unwrap().1.object.to_json().unwrap()["metadata"]["annotations"][ROTATION_ANNOTATION].clone();
    let record: Value = serde_json::from_str(record.as_str().unwrap()).unwrap();
    assert_eq!(record["trust"], json!({"signer": "acme-harbor-internal-tls-authority"}));
    let stored =
        cluster.case.inputs.iter_mut().find(|it| it["metadata"]["name"] == format!("{PREFIX}core-1"));
    stored.unwrap()["metadata"]["annotations"][ROTATION_ANNOTATION] = json!(record.to_string());
    cluster.create_all();
    for (name, _) in PODS {
        cluster.pods.insert(name, ("acme-harbor".into(), ["acme-harbor".into()].into()));
    }

    cluster.ask("internalTLSAuthority@2");
    cluster.settle(3);
    assert_eq!(cluster.secrets(), [vec!["authority-1".into()], turn("-2")].concat());
}

#[test]
fn an_upgrade_waits_for_the_end_of_a_rotation_of_the_authority() {
    let mut cluster = Cluster::asked("internalTLSAuthority@1");
    assert_eq!(cluster.create().as_deref(), Some("authority-1"));
    cluster.case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "acme-harbor-core-database", "namespace": "registry"},
        "data": {"migrated-by": crate::cases::base64(b"2.8.4"), "completed": crate::cases::base64(b"2.8.4")},
    }));
    cluster.change(|case| case.set("/spec/version", json!("2.8.6")));
    let why = cluster.plan().outlook.waits.unwrap().1;
    assert!(why.contains("the rotation of internalTLSAuthority and internalTLS has not ended"), "{why}");
}
