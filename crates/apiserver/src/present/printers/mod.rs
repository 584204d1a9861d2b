//! The columns that `kubectl get` shows for built-in kinds.

mod access;
mod cluster;
mod events;
mod network;
mod pods;
mod reading;
mod scaling;
mod storage;
mod workloads;

use crate::schema::definitions;
use jiff::Timestamp;
use serde_json::Value;

/// The printer of one kind.
#[derive(Clone, Copy)]
pub(super) struct Printer {
    pub heads: &'static [Head],
    print: Print,
    /// Whether an empty table has `null` for its rows, as the simplest tables of kube-apiserver do.
    pub rows_may_be_unset: bool,
}

#[derive(Clone, Copy)]
enum Print {
    Each(fn(&Value, Timestamp) -> Vec<Value>),
    Rows(fn(&[&Value], Timestamp) -> Vec<Row>),
}

/// The head of a column.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub name: &'static str,
    pub kind: &'static str,
    pub format: &'static str,
    pub about: About,
    pub priority: i64,
}

/// The description of a column.
#[derive(Clone, Copy)]
pub(super) enum About {
    Text(&'static str),
    /// The documentation of a field: a definition below `io.k8s.`, and its property.
    Field(&'static str, &'static str),
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub cells: Vec<Value>,
    /// Marks a completed object, for clients that show it differently.
    pub condition: Option<Value>,
}

impl Row {
    /// A row without conditions.
    pub fn plain(cells: Vec<Value>) -> Self {
        Self { cells, condition: None }
    }
}

impl Printer {
    /// One row per object, in order.
    pub fn rows(&self, objects: &[&Value], now: Timestamp) -> Vec<Row> {
        match self.print {
            Print::Each(cells) => objects.iter().map(|object| Row::plain(cells(object, now))).collect(),
            Print::Rows(rows) => rows(objects, now),
        }
    }
}

impl About {
    /// The description's text; empty if the field is not documented.
    pub fn text(self) -> String {
        match self {
            Self::Text(text) => text.to_owned(),
            Self::Field(definition, property) => definitions()
                .get(&format!("io.k8s.{definition}"))
                .and_then(|schema| schema.get("properties")?.get(property)?.get("description")?.as_str())
                .unwrap_or_default()
                .to_owned(),
        }
    }
}

pub(super) const CREATED: About =
    About::Field("apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp");
const NAMED: About = About::Field("apimachinery.pkg.apis.meta.v1.ObjectMeta", "name");

pub(super) const NAME: Head =
    Head { name: "Name", kind: "string", format: "name", about: NAMED, priority: 0 };
const AGE: Head = column("Age", "string", CREATED);
const CONTAINERS: Head = wide("Containers", About::Text("Names of each container in the template."));
const IMAGES: Head = wide("Images", About::Text("Images referenced by each container in the template."));

const fn column(name: &'static str, kind: &'static str, about: About) -> Head {
    Head { name, kind, format: "", about, priority: 0 }
}

/// A column of texts.
const fn words(name: &'static str, about: About) -> Head {
    column(name, "string", about)
}

/// A column of texts that only `-o wide` shows.
const fn wide(name: &'static str, about: About) -> Head {
    Head { name, kind: "string", format: "", about, priority: 1 }
}

const fn each(heads: &'static [Head], cells: fn(&Value, Timestamp) -> Vec<Value>) -> Printer {
    Printer { heads, print: Print::Each(cells), rows_may_be_unset: false }
}

const fn plainest(heads: &'static [Head], cells: fn(&Value, Timestamp) -> Vec<Value>) -> Printer {
    Printer { rows_may_be_unset: true, ..each(heads, cells) }
}

/// The printer of a built-in kind; name and time of creation if it has no columns of its own.
pub(super) fn of(group: &str, plural: &str) -> Printer {
    match (group, plural) {
        ("", "pods") => pods::PODS,
        ("", "podtemplates") => workloads::POD_TEMPLATES,
        ("", "replicationcontrollers") => workloads::REPLICATION_CONTROLLERS,
        ("apps", "replicasets") => workloads::REPLICA_SETS,
        ("apps", "deployments") => workloads::DEPLOYMENTS,
        ("apps", "statefulsets") => workloads::STATEFUL_SETS,
        ("apps", "daemonsets") => workloads::DAEMON_SETS,
        ("apps", "controllerrevisions") => workloads::CONTROLLER_REVISIONS,
        ("batch", "jobs") => workloads::JOBS,
        ("batch", "cronjobs") => workloads::CRON_JOBS,
        ("policy", "poddisruptionbudgets") => scaling::POD_DISRUPTION_BUDGETS,
        ("autoscaling", "horizontalpodautoscalers") => scaling::HORIZONTAL_POD_AUTOSCALERS,
        ("", "services") => network::SERVICES,
        ("", "endpoints") => network::ENDPOINTS,
        ("discovery.k8s.io", "endpointslices") => network::ENDPOINT_SLICES,
        ("networking.k8s.io", "ingresses") => network::INGRESSES,
        ("networking.k8s.io", "ingressclasses") => network::INGRESS_CLASSES,
        ("networking.k8s.io", "networkpolicies") => network::NETWORK_POLICIES,
        ("", "persistentvolumes") => storage::PERSISTENT_VOLUMES,
        ("", "persistentvolumeclaims") => storage::PERSISTENT_VOLUME_CLAIMS,
        ("storage.k8s.io", "storageclasses") => storage::STORAGE_CLASSES,
        ("", "configmaps") => cluster::CONFIG_MAPS,
        ("", "secrets") => cluster::SECRETS,
        ("", "namespaces") => cluster::NAMESPACES,
        ("", "nodes") => cluster::NODES,
        ("", "resourcequotas") => cluster::RESOURCE_QUOTAS,
        ("coordination.k8s.io", "leases") => cluster::LEASES,
        ("scheduling.k8s.io", "priorityclasses") => cluster::PRIORITY_CLASSES,
        ("apiextensions.k8s.io", "customresourcedefinitions") => cluster::CUSTOM_RESOURCE_DEFINITIONS,
        (
            "admissionregistration.k8s.io",
            "validatingwebhookconfigurations" | "mutatingwebhookconfigurations",
        ) => cluster::WEBHOOK_CONFIGURATIONS,
        ("", "serviceaccounts") => access::SERVICE_ACCOUNTS,
        ("rbac.authorization.k8s.io", "rolebindings") => access::ROLE_BINDINGS,
        ("rbac.authorization.k8s.io", "clusterrolebindings") => access::CLUSTER_ROLE_BINDINGS,
        ("" | "events.k8s.io", "events") => events::EVENTS,
        _ => cluster::ANY,
    }
}
