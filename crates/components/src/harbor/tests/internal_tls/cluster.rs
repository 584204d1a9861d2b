//! A cluster around a Harbor with TLS between components, in which each write is one step.

use super::super::{Case, Harbor, policy_of};
use crate::cases::base64;
use api::{
    names::{CONTROLLER_LABEL, ROTATE_ANNOTATION},
    v1beta1::rotation::RotationPhase,
};
use plan::{Issuance, Outlook, Plan, Policy, Role};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const CREATED: &str = "2026-01-01T00:00:00Z";
pub const PREFIX: &str = "acme-harbor-internal-tls-";

/// The Deployments, and the parts whose certificates their pods use.
pub const PODS: [(&str, &[&str]); 6] = [
    ("core", &["core"]),
    ("jobservice", &["jobservice"]),
    ("registry", &["registry", "registryctl"]),
    ("portal", &["portal"]),
    ("notaryserver", &["notaryserver"]),
    ("nginx", &["core"]),
];

/// Whose certificate pods have, and whom they trust.
pub type Trust = (String, BTreeSet<String>);

/// A Harbor whose certificates the operator issues, and the cluster around it. Each write is one step, and the operator plans
/// anew after each, as if it were killed.
pub struct Cluster {
    pub case: Case<Harbor>,
    /// What the pods of each Deployment have.
    pub pods: BTreeMap<&'static str, Trust>,
    /// The subject that each authority was issued with, by its Secret.
    subjects: BTreeMap<String, String>,
    /// How often the pods of each Deployment were replaced.
    pub replaced: BTreeMap<&'static str, usize>,
}

impl Cluster {
    /// A Harbor that is ready.
    pub fn ready() -> Self {
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

    pub fn asked(request: &str) -> Self {
        let mut this = Self::ready();
        this.ask(request);
        this
    }

    pub fn ask(&mut self, request: &str) {
        self.change(|case| case.annotated(ROTATE_ANNOTATION, request));
    }

    pub fn change(&mut self, change: impl FnOnce(Case<Harbor>) -> Case<Harbor>) {
        let case = std::mem::replace(&mut self.case, Case::golden("without-cert-manager"));
        self.case = change(case);
    }

    pub fn plan(&self) -> Plan {
        self.case.plan().unwrap()
    }

    /// The Secrets that exist, without what their names have in common.
    pub fn secrets(&self) -> Vec<String> {
        let names = self.case.inputs.iter().filter_map(|input| input["metadata"]["name"].as_str());
        let mut names: Vec<_> =
            names.filter_map(|name| name.strip_prefix(PREFIX)).map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Creates the first Secret that is missing, and returns its name.
    pub fn create(&mut self) -> Option<String> {
        let plan = self.plan();
        let missing = plan.graph.iter().find_map(|(_, desired, _)| {
            let name = desired.object.key().name.strip_prefix(PREFIX)?.to_owned();
            let is_missing = desired.object.key().kind == "Secret" && !self.secrets().contains(&name);
            is_missing.then(|| (name, desired.object.to_json().unwrap()))
        });
        let (name, mut secret) = missing?;
        secret["metadata"]["creationTimestamp"] = json!(CREATED);
        secret["metadata"]["labels"] = json!({CONTROLLER_LABEL: "harbor"});
        secret["data"] = json!({"ca.crt": base64(format!("authorities in {name}").as_bytes())});
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
    pub fn unwanted(&self) -> Vec<String> {
        let plan = self.plan();
        let is_wanted = |name: &String| policy_of(&plan, &format!("{PREFIX}{name}")).is_some();
        self.secrets().into_iter().filter(|name| !is_wanted(name)).collect()
    }

    pub fn delete(&mut self, name: &str) {
        let name = format!("{PREFIX}{name}");
        self.case.inputs.retain(|input| input["metadata"]["name"] != *name);
    }

    /// The Secrets that the pods of a Deployment are to use.
    pub fn wanted(children: &[Value], deployment: &str) -> BTreeSet<String> {
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
    pub fn used(&self, deployment: &str) -> BTreeSet<String> {
        let name = format!("acme-harbor-{deployment}");
        let found =
            self.case.inputs.iter().find(|it| it["kind"] == "Deployment" && it["metadata"]["name"] == *name);
        let text = found.map(Value::to_string).unwrap_or_default();
        text.split('"').filter_map(|text| text.strip_prefix(PREFIX)).map(str::to_owned).collect()
    }

    /// The Deployments whose pods are not as the plan has them.
    pub fn behind(&self) -> Vec<&'static str> {
        let children = self.case.children();
        let is_behind = |name: &&str| self.used(name) != Self::wanted(&children, name);
        PODS.iter().map(|(name, _)| *name).filter(is_behind).collect()
    }

    /// Replaces the pods of a Deployment. While old and new pods serve, all pods accept each other.
    pub fn replace(&mut self, deployment: &'static str) {
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

    pub fn trust(&self, plan: &Plan, secret: &str) -> Trust {
        let Some(Policy::Issue(issuance)) = policy_of(plan, &format!("{PREFIX}{secret}")) else {
            panic!("{secret}")
        };
        let Role::Leaf { authority: Some(signer), also_trusted } = issuance.role else { panic!("{secret}") };
        let subject = |name: &String| self.subjects[name].clone();
        (subject(&signer), [&signer].into_iter().chain(&also_trusted).map(subject).collect())
    }

    /// Goes on, one write at a time, until nothing is left to do. The seed decides about the order.
    pub fn settle(&mut self, seed: usize) {
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
    pub fn replace_all(&mut self) {
        self.behind().into_iter().for_each(|name| self.replace(name));
    }

    /// Creates all Secrets that are missing, and returns their names.
    pub fn create_all(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.create()).collect()
    }

    /// Deletes all Secrets that are unwanted, and returns their names.
    pub fn delete_all(&mut self) -> Vec<String> {
        let unwanted = self.unwanted();
        for name in &unwanted {
            self.delete(name);
        }
        unwanted
    }

    /// Who signs the certificate in a Secret, and who else is trusted.
    pub fn role(&self, secret: &str) -> (String, Option<String>) {
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
pub fn states(outlook: &Outlook) -> Vec<(String, RotationPhase, String)> {
    let of = outlook.rotations.iter();
    of.map(|it| (it.name.clone(), it.phase, it.message.clone().unwrap_or_default())).collect()
}
