//! `rbac`: the permissions of the operator, as text.

use super::run::{LEASE, WEBHOOK, lease_name};
use crate::{
    flags::{OPERATORS, class, namespace},
    operator::page_setup,
    output::{Error, Failure, Output, Printed, print},
};
use api::names::{INSTANCE_LABEL, NAME_LABEL};
use clap::Args;
use k8s_openapi::api::{
    core::v1::ServiceAccount,
    rbac::v1::{ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject},
};
use kube::{Resource, core::ObjectMeta};
use plan::{ComponentKind, HarborClass, Placement};
use runtime::{DIGEST_KEY, Permissions, digest_key_rules};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// The name of the service account, of its roles and of their bindings.
const NAME: &str = "harbor-operator";
/// The name of the role for leader election.
const ELECTION: &str = "harbor-operator-leader-election";
/// The name of the role that lets the operator review clients of its metrics.
const METRICS_AUTH: &str = "harbor-operator-metrics-auth";
/// The name of the role for clients that read metrics.
const METRICS_READER: &str = "harbor-operator-metrics-reader";
/// The name of the role for the webhook that rewrites images.
const REWRITE_IMAGES: &str = "harbor-operator-rewrite-images";
/// The name of the role for annotations of Namespaces.
const BIND_NAMESPACES: &str = "harbor-operator-bind-namespaces";
/// The name of the role for the webhook that converts objects.
const CONVERT_V1ALPHA3: &str = "harbor-operator-convert-v1alpha3";
/// The name of the role with which the page reads logs.
const PAGE_LOGS: &str = "harbor-operator-page-logs";
/// The name of the role for the digest key, which is that of its Secret.
const DIGESTS: &str = DIGEST_KEY;

/// Print the permissions of the operator, as a service account with roles
///
/// They are derived from what the operator does with each kind: it needs all of them, and no others. It can read all
/// Secrets in every reconciled namespace, because RBAC cannot limit a list to some of them.
///
/// With --namespace, all of them are Roles: nothing is allowed on the cluster or in another namespace. Only --metrics-auth
/// adds a ClusterRole then, because its reviews are requests on the cluster.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator rbac | kubectl apply -f -
  harbor-operator rbac --page | kubectl apply -f -
  harbor-operator rbac -n registry -n registry-staging | kubectl apply -f -")]
pub struct Rbac {
    /// Allow this namespace only, as for run --namespace; may be repeated [default: the whole cluster]
    #[arg(long, short, value_name = "NAME", value_parser = namespace)]
    namespace: Vec<String>,

    /// The namespace that the operator runs in
    #[arg(long, value_name = "NAME", default_value = OPERATORS, value_parser = namespace)]
    operator_namespace: String,

    /// Also allow what the web page reads, as for run --page-address: the objects it shows, and their events. A role of its own
    /// allows the logs of pods; without that role, the page shows no logs
    #[arg(long)]
    page: bool,

    /// Also allow the reviews of run --metrics-auth, and print a ClusterRole for clients that read metrics
    #[arg(long)]
    metrics_auth: bool,

    #[command(flatten)]
    features: Features,

    /// The name of the lease, as for run --lease-name
    #[arg(long, value_name = "NAME", default_value = LEASE)]
    lease_name: String,

    /// The class of the operator, as for run --class: its lease is named after it
    #[arg(long, value_name = "NAME", value_parser = class)]
    class: Option<String>,

    /// Output format
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value = "yaml")]
    output: Output,
}

/// What an operator of the whole cluster does only if a flag asks for it.
#[derive(Debug, Args)]
struct Features {
    /// Also allow what the webhook of run --rewrite-images needs
    #[arg(long, conflicts_with = "namespace")]
    rewrite_images: bool,

    /// Also allow what the webhook of run --convert-v1alpha3 needs
    #[arg(long, conflicts_with = "namespace")]
    convert_v1alpha3: bool,

    /// Also allow what run --bind-namespaces needs
    #[arg(long, conflicts_with = "namespace")]
    bind_namespaces: bool,

    /// The name of the MutatingWebhookConfiguration, as for run --webhook-name
    #[arg(long, value_name = "NAME", default_value = WEBHOOK, value_parser = namespace)]
    webhook_name: String,
}

impl Rbac {
    /// Prints them all.
    pub fn run(self) -> Result<(), Failure> {
        let objects = self.objects()?;
        let printed = objects.iter().map(|object| Printed { notes: &[], object });
        Ok(print(&self.output.text(printed)?)?)
    }

    fn objects(&self) -> Result<Vec<Value>, Error> {
        let lease =
            lease_name(&self.lease_name, self.class.as_deref().and_then(HarborClass::named).as_ref())?;
        let (work, lead) = (self.permissions().rules(), Permissions::to_lead(&lease));
        let account = ServiceAccount {
            metadata: named(NAME, Some(&self.operator_namespace)),
            ..ServiceAccount::default()
        };
        let mut objects = vec![value(&account)?];
        objects.extend(self.reconciled(NAME, &work)?);
        for (name, rules) in [(ELECTION, lead), (DIGESTS, digest_key_rules())] {
            objects.extend(self.within(&self.operator_namespace, name, rules)?);
        }
        if self.page {
            objects.extend(self.reconciled(PAGE_LOGS, &pods::permissions())?);
        }
        if self.metrics_auth {
            objects.extend(self.everywhere(METRICS_AUTH, Permissions::to_review().rules())?);
            objects.push(value(&metrics_reader())?);
        }
        let Features { rewrite_images, convert_v1alpha3, bind_namespaces, webhook_name } = &self.features;
        if *rewrite_images {
            objects.extend(self.everywhere(REWRITE_IMAGES, webhookserver::to_rewrite(webhook_name))?);
        }
        if *convert_v1alpha3 {
            objects.extend(self.everywhere(CONVERT_V1ALPHA3, webhookserver::to_convert())?);
        }
        if *bind_namespaces {
            let rules = Permissions::to_reconcile(&components::namespace()).rules();
            objects.extend(self.everywhere(BIND_NAMESPACES, rules)?);
        }
        Ok(objects)
    }

    /// These rules where the operator reconciles: in the whole cluster, or in each namespace.
    fn reconciled(&self, name: &str, rules: &[PolicyRule]) -> Result<Vec<Value>, Error> {
        let namespaces: BTreeSet<_> = self.namespace.iter().collect();
        if namespaces.is_empty() {
            return Ok(self.everywhere(name, rules.to_vec())?.into());
        }
        let mut objects = Vec::new();
        for namespace in namespaces {
            objects.extend(self.within(namespace, name, rules.to_vec())?);
        }
        Ok(objects)
    }

    /// A Role with these rules, bound to the operator.
    fn within(&self, namespace: &str, name: &str, rules: Vec<PolicyRule>) -> Result<[Value; 2], Error> {
        let metadata = named(name, Some(namespace));
        let role = Role { metadata: metadata.clone(), rules: Some(rules) };
        let role_ref = role_ref::<Role>(name);
        let binding = RoleBinding { metadata, role_ref, subjects: Some(self.subjects()) };
        Ok([value(&role)?, value(&binding)?])
    }

    /// A ClusterRole with these rules, bound to the operator.
    fn everywhere(&self, name: &str, rules: Vec<PolicyRule>) -> Result<[Value; 2], Error> {
        let metadata = named(name, None);
        let role = ClusterRole { metadata: metadata.clone(), rules: Some(rules), aggregation_rule: None };
        let role_ref = role_ref::<ClusterRole>(name);
        let binding = ClusterRoleBinding { metadata, role_ref, subjects: Some(self.subjects()) };
        Ok([value(&role)?, value(&binding)?])
    }

    /// The permissions in every reconciled namespace.
    fn permissions(&self) -> Permissions {
        let is_reconciled = |component: &ComponentKind| match component.placement() {
            Placement::Namespaced => true,
            // An operator of some namespaces does not reconcile them.
            Placement::ClusterWide => self.namespace.is_empty(),
        };
        let needed = needed(is_reconciled);
        if !self.page {
            return needed;
        }
        let mut shown = page_setup().kinds;
        for component in components::all().iter().filter(|component| !is_reconciled(component)) {
            shown.retain(|kind| kind != component.resource());
        }
        needed.and(Permissions::to_show(&shown))
    }

    fn subjects(&self) -> Vec<Subject> {
        vec![Subject {
            kind: "ServiceAccount".into(),
            name: NAME.into(),
            namespace: Some(self.operator_namespace.clone()),
            ..Subject::default()
        }]
    }
}

/// The role of a client that reads metrics. The user binds it.
fn metrics_reader() -> ClusterRole {
    let rule = PolicyRule {
        non_resource_urls: Some(vec!["/metrics".into()]),
        verbs: vec!["get".into()],
        ..PolicyRule::default()
    };
    ClusterRole { metadata: named(METRICS_READER, None), rules: Some(vec![rule]), aggregation_rule: None }
}

/// The permissions to reconcile these kinds.
fn needed(is_reconciled: impl Fn(&ComponentKind) -> bool) -> Permissions {
    let mut needed = Permissions::to_work();
    components::all().iter().filter(|component| is_reconciled(component)).for_each(|it| needed.reconcile(it));
    needed
}

fn named(name: &str, namespace: Option<&str>) -> ObjectMeta {
    let labels = [(INSTANCE_LABEL, NAME), (NAME_LABEL, NAME)];
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: namespace.map(str::to_owned),
        labels: Some(labels.map(|(key, value)| (key.to_owned(), value.to_owned())).into()),
        ..ObjectMeta::default()
    }
}

fn role_ref<K: Resource<DynamicType = ()>>(name: &str) -> RoleRef {
    RoleRef { api_group: K::group(&()).into(), kind: K::kind(&()).into(), name: name.to_owned() }
}

fn value<K: Resource<DynamicType = ()> + Serialize>(object: &K) -> Result<Value, Error> {
    serde_json::to_value(object)
        .map_err(|error| Error::Encode { object: K::kind(&()).into(), problem: error.to_string() })
}
