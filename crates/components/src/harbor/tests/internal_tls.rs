//! Rotation of the authority and of the certificates of TLS between components.

use super::{Case, Harbor, names, policy_of};
use api::{
    names::{CONTROLLER_LABEL, ROTATE_ANNOTATION, ROTATION_ANNOTATION},
    v1beta1::rotation::RotationPhase,
};
use plan::{Issuance, Outlook, Plan, Policy, Role};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const CREATED: &str = "2026-01-01T00:00:00Z";
const PREFIX: &str = "acme-harbor-internal-tls-";

/// The Deployments, and the parts whose certificates their pods use.
const PODS: [(&str, &[&str]); 6] = [
    ("core", &["core"]),
    ("jobservice", &["jobservice"]),
    ("registry", &["registry", "registryctl"]),
    ("portal", &["portal"]),
    ("notaryserver", &["notaryserver"]),
    ("nginx", &["core"]),
];

const ADDS: &str = "step 1 of 3 has all components trust the new authority beside the one before";
const SIGNS: &str = "step 2 of 3 gives all components certificates of the new authority";
const REMOVES: &str = "step 3 of 3 has all components trust the new authority only";

/// Whose certificate pods have, and whom they trust.
type Trust = (String, BTreeSet<String>);

/// A Harbor whose certificates the operator issues, and the cluster around it. Each write is one step, and the operator plans
/// anew after each, as if it were killed.
struct Cluster {
    case: Case<Harbor>,
    /// What the pods of each Deployment have.
    pods: BTreeMap<&'static str, Trust>,
    /// The subject that each authority was issued with, by its Secret.
    subjects: BTreeMap<String, String>,
    /// How often the pods of each Deployment were replaced.
    replaced: BTreeMap<&'static str, usize>,
}

impl Cluster {
    /// A Harbor that is ready.
    fn ready() -> Self {
        let case = Case::golden("without-cert-manager");
        let mut this =
            Self { case, pods: BTreeMap::new(), subjects: BTreeMap::new(), replaced: BTreeMap::new() };
        this.settle(0);
        assert_eq!(
            this.secrets(),
            ["authority", "core", "jobservice", "notaryserver", "portal", "registry", "registryctl"]
        );
        this.replaced.clear();
        this
    }

    fn asked(request: &str) -> Self {
        let mut this = Self::ready();
        this.ask(request);
        this
    }

    fn ask(&mut self, request: &str) {
        self.change(|case| case.annotated(ROTATE_ANNOTATION, request));
    }

    fn change(&mut self, change: impl FnOnce(Case<Harbor>) -> Case<Harbor>) {
        let case = std::mem::replace(&mut self.case, Case::golden("without-cert-manager"));
        self.case = change(case);
    }

    fn plan(&self) -> Plan {
        self.case.plan().unwrap()
    }

    /// The Secrets that exist, without what their names have in common.
    fn secrets(&self) -> Vec<String> {
        let names = self.case.inputs.iter().filter_map(|input| input["metadata"]["name"].as_str());
        let mut names: Vec<_> =
            names.filter_map(|name| name.strip_prefix(PREFIX)).map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Creates the first Secret that is missing, and returns its name.
    fn create(&mut self) -> Option<String> {
        let plan = self.plan();
        let missing = plan.graph.iter().find_map(|(_, desired, _)| {
            let name = desired.object.key().name.strip_prefix(PREFIX)?.to_owned();
            let is_missing = desired.object.key().kind == "Secret" && !self.secrets().contains(&name);
            is_missing.then(|| (name, desired.object.to_json().unwrap()))
        });
        let (name, mut secret) = missing?;
        secret["metadata"]["creationTimestamp"] = json!(CREATED);
        secret["metadata"]["labels"] = json!({CONTROLLER_LABEL: "harbor"});
        self.case.inputs.push(secret);
        let full = format!("{PREFIX}{name}");
        if let Some(Policy::Issue(Issuance { subject, role: Role::Authority { .. }, .. })) =
            policy_of(&plan, &full)
        {
            self.subjects.insert(full, subject);
        }
        Some(name)
    }

    /// The Secrets that the plan does not have.
    fn unwanted(&self) -> Vec<String> {
        let plan = self.plan();
        let is_wanted = |name: &String| policy_of(&plan, &format!("{PREFIX}{name}")).is_some();
        self.secrets().into_iter().filter(|name| !is_wanted(name)).collect()
    }

    fn delete(&mut self, name: &str) {
        let name = format!("{PREFIX}{name}");
        self.case.inputs.retain(|input| input["metadata"]["name"] != *name);
    }

    /// The Secrets that the pods of a Deployment are to use.
    fn wanted(children: &[Value], deployment: &str) -> BTreeSet<String> {
        let of = children.iter().filter(|child| match child["kind"].as_str().unwrap() {
            "Deployment" => deployment == "nginx",
            "Secret" => false,
            kind => {
                kind.to_lowercase() == deployment || kind == "RegistryController" && deployment == "registry"
            }
        });
        let text = of.map(Value::to_string).collect::<String>();
        text.split('"').filter_map(|text| text.strip_prefix(PREFIX)).map(str::to_owned).collect()
    }

    /// The Secrets that the pods of a Deployment use.
    fn used(&self, deployment: &str) -> BTreeSet<String> {
        let name = format!("acme-harbor-{deployment}");
        let found =
            self.case.inputs.iter().find(|it| it["kind"] == "Deployment" && it["metadata"]["name"] == *name);
        let text = found.map(Value::to_string).unwrap_or_default();
        text.split('"').filter_map(|text| text.strip_prefix(PREFIX)).map(str::to_owned).collect()
    }

    /// The Deployments whose pods are not as the plan has them.
    fn behind(&self) -> Vec<&'static str> {
        let children = self.case.children();
        let is_behind = |name: &&str| self.used(name) != Self::wanted(&children, name);
        PODS.iter().map(|(name, _)| *name).filter(is_behind).collect()
    }

    /// Replaces the pods of a Deployment. While old and new pods serve, all pods accept each other.
    fn replace(&mut self, deployment: &'static str) {
        let (plan, wanted) = (self.plan(), Self::wanted(&self.case.children(), deployment));
        let trusts: BTreeSet<_> = wanted.iter().map(|secret| self.trust(&plan, secret)).collect();
        let [new] = <[Trust; 1]>::try_from(trusts.into_iter().collect::<Vec<_>>()).unwrap();
        let old = self.pods.insert(deployment, new.clone());
        *self.replaced.entry(deployment).or_default() += 1;
        for pods in self.pods.values().chain(&old) {
            assert!(
                pods.1.contains(&new.0) && new.1.contains(&pods.0),
                "{deployment} with {new:?} and {pods:?}"
            );
        }
        let name = format!("acme-harbor-{deployment}");
        self.case.inputs.retain(|it| it["kind"] != "Deployment" || it["metadata"]["name"] != *name);
        let volumes: Vec<_> = wanted
            .iter()
            .map(|it| json!({"name": it, "secret": {"secretName": format!("{PREFIX}{it}")}}))
            .collect();
        self.case.inputs.push(json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": "registry", "generation": 1},
            "spec": {"replicas": 1, "selector": {}, "template": {"spec": {"containers": [], "volumes": volumes}}},
            "status": {
                "observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
            },
        }));
    }

    fn trust(&self, plan: &Plan, secret: &str) -> Trust {
        let Some(Policy::Issue(issuance)) = policy_of(plan, &format!("{PREFIX}{secret}")) else {
            panic!("{secret}")
        };
        let Role::Leaf { authority: Some(signer), also_trusted } = issuance.role else { panic!("{secret}") };
        let subject = |name: &String| self.subjects[name].clone();
        (subject(&signer), [&signer].into_iter().chain(&also_trusted).map(subject).collect())
    }

    /// Goes on, one write at a time, until nothing is left to do. The seed decides about the order.
    fn settle(&mut self, seed: usize) {
        for round in 0_usize.. {
            assert!(round < 500, "the rotation does not end: {:?}", states(&self.plan().outlook));
            if self.create().is_some() {
                continue;
            }
            let (unwanted, behind) = (self.unwanted(), self.behind());
            let all = unwanted.len() + behind.len();
            if all == 0 {
                return;
            }
            let which = (seed.wrapping_mul(31) + round.wrapping_mul(17 + seed)) % all;
            match unwanted.get(which) {
                Some(secret) => self.delete(secret),
                None => self.replace(behind[which - unwanted.len()]),
            }
        }
    }

    /// Replaces the pods of all Deployments that are behind.
    fn replace_all(&mut self) {
        self.behind().into_iter().for_each(|name| self.replace(name));
    }

    /// Creates all Secrets that are missing, and returns their names.
    fn create_all(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.create()).collect()
    }

    /// Deletes all Secrets that are unwanted, and returns their names.
    fn delete_all(&mut self) -> Vec<String> {
        let unwanted = self.unwanted();
        unwanted.iter().for_each(|name| self.delete(name));
        unwanted
    }

    /// Who signs the certificate in a Secret, and who else is trusted.
    fn role(&self, secret: &str) -> (String, Option<String>) {
        let policy = policy_of(&self.plan(), &format!("{PREFIX}{secret}"));
        let Some(Policy::Issue(Issuance { role: Role::Leaf { authority, also_trusted }, .. })) = policy
        else {
            panic!("{secret}: {policy:?}")
        };
        let short = |name: String| name.strip_prefix(PREFIX).unwrap().to_owned();
        (short(authority.unwrap()), also_trusted.map(short))
    }
}

/// The state of each rotation: name, phase and message.
fn states(outlook: &Outlook) -> Vec<(String, RotationPhase, String)> {
    let of = outlook.rotations.iter();
    of.map(|it| (it.name.clone(), it.phase, it.message.clone().unwrap_or_default())).collect()
}

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
    let done = ["internalTLSAuthority", "internalTLS"].map(|name| state(name, RotationPhase::Done, ""));
    assert_eq!(states(&cluster.plan().outlook), done);
    assert_eq!(cluster.delete_all(), [vec![old], turn("-2")].concat());
    assert_eq!(cluster.secrets(), [vec![new], turn("-1")].concat());
    assert_eq!(cluster.create_all(), [""; 0]);
    assert_eq!(states(&cluster.plan().outlook), done);
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
    let running = "step 1 of 1 gives all components certificates with new keys";
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
