//! The workloads of a tree: what has pods, or may have pods.

use crate::owner::{Named, Owned};
use k8s_openapi::{
    api::{
        apps::v1::{Deployment, StatefulSet},
        batch::v1::Job,
    },
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};
use kube::Resource;
use plan::ObjectKey;
use progress::{Phase, Tally, TreeNode};
use std::collections::BTreeMap;

/// The annotation with which a Deployment and its ReplicaSets number their pod templates.
pub(crate) const REVISION: &str = "deployment.kubernetes.io/revision";

/// Groups of kinds that have no pods themselves: those of this operator, whose workloads are below them, and those that only
/// describe something to other programs. A group that is missing here costs requests and changes nothing else.
const WITHOUT_PODS: [&str; 3] = ["goharbor.io", "cert-manager.io", "monitoring.coreos.com"];

/// Whether a workload is as it should be, by its own status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It is not. Its pods may tell why.
    Unready,
    /// It is.
    Ready,
}

/// The workloads at or below an object: Deployments, StatefulSets, Jobs, pods, and objects of other operators, which may have pods
/// of their own. Those that do not exist yet have no pods, and are left out.
pub fn workloads<T>(root: &TreeNode<T>) -> BTreeMap<ObjectKey, Standing> {
    let mut found = BTreeMap::new();
    let mut ahead = vec![root];
    while let Some(node) = ahead.pop() {
        let standing = match node.state.phase {
            Phase::Ready => Some(Standing::Ready),
            Phase::Failed | Phase::Waiting | Phase::Blocked | Phase::Applying | Phase::Paused => {
                Some(Standing::Unready)
            }
            Phase::Pending | Phase::Deleted => None,
        };
        if let Some(standing) = standing.filter(|_| Sort::of(&node.key).is_some()) {
            let known = found.entry(node.key.clone()).or_insert(standing);
            *known = standing.min(*known);
        }
        ahead.extend(&node.children);
    }
    found
}

/// How the pods of a workload are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Its selector is read: it is a Deployment, a StatefulSet or a Job.
    Selecting,
    /// It is known only that its pods lead to it, from owner to owner: it is a pod, or an object of another operator.
    Owning,
}

impl Sort {
    /// None for an object that has no pods.
    pub(crate) fn of(key: &ObjectKey) -> Option<Self> {
        match (&*key.group, &*key.kind) {
            ("apps", "Deployment" | "StatefulSet") | ("batch", "Job") => Some(Self::Selecting),
            ("", "Pod") => Some(Self::Owning),
            _ if is_of_another_operator(key) => Some(Self::Owning),
            _ => None,
        }
    }
}

/// Groups of Kubernetes have no dot, or end in `k8s.io`.
fn is_of_another_operator(key: &ObjectKey) -> bool {
    let group = &*key.group;
    key.system().is_none()
        && group.contains('.')
        && !group.ends_with(".k8s.io")
        && !WITHOUT_PODS.contains(&group)
}

/// A workload that exists, with the fields that its pods are found by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// The object.
    pub object: Named,
    /// Whether it is ready.
    pub standing: Standing,
    /// How many of its pods are ready, if its own status says so.
    pub tally: Option<Tally>,
    /// The labels that select its pods, if it has a selector.
    pub labels: BTreeMap<String, String>,
    /// The number of its newest pod template, if it is a Deployment.
    pub revision: Option<String>,
}

/// A kind of workload.
pub(crate) trait Kind: Resource<DynamicType = ()> {
    /// How many of its pods are ready. While pods are replaced, more may be ready than it wants.
    fn tally(&self) -> Option<Tally> {
        None
    }

    fn selector(&self) -> Option<&LabelSelector>;
}

impl Kind for Deployment {
    fn tally(&self) -> Option<Tally> {
        let wanted = self.spec.as_ref().map_or(0, |spec| spec.replicas.unwrap_or(1));
        let ready = self.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or_default();
        Some(tally(ready, wanted))
    }

    fn selector(&self) -> Option<&LabelSelector> {
        Some(&self.spec.as_ref()?.selector)
    }
}

impl Kind for StatefulSet {
    fn tally(&self) -> Option<Tally> {
        let wanted = self.spec.as_ref().map_or(0, |spec| spec.replicas.unwrap_or(1));
        let ready = self.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or_default();
        Some(tally(ready, wanted))
    }

    fn selector(&self) -> Option<&LabelSelector> {
        Some(&self.spec.as_ref()?.selector)
    }
}

fn tally(ready: i32, wanted: i32) -> Tally {
    let number = |replicas: i32| usize::try_from(replicas).unwrap_or_default();
    Tally { ready: number(ready.min(wanted)), all: number(wanted) }
}

impl Kind for Job {
    fn selector(&self) -> Option<&LabelSelector> {
        self.spec.as_ref()?.selector.as_ref()
    }
}

impl Workload {
    pub(crate) fn of<K: Kind>(object: &K, standing: Standing) -> Self {
        let Owned { object: named, revision, owner: _ } = Owned::of::<K>(object.meta());
        Self {
            object: named,
            standing,
            tally: object.tally(),
            labels: object.selector().and_then(|it| it.match_labels.clone()).unwrap_or_default(),
            revision,
        }
    }

    /// One that is not read.
    pub(crate) fn owning(key: &ObjectKey, standing: Standing) -> Self {
        let (object, labels) = (Named { key: key.clone(), uid: None }, BTreeMap::new());
        Self { object, standing, tally: None, labels, revision: None }
    }
}

/// The labels that the pods of all these workloads have: a list of pods needs no others.
pub(crate) fn common_labels(workloads: &[Workload]) -> BTreeMap<String, String> {
    let Some((first, others)) = workloads.split_first() else { return BTreeMap::new() };
    let mut common = first.labels.clone();
    for other in others {
        common.retain(|key, value| other.labels.get(key) == Some(value));
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use progress::NodeState;
    use serde_json::json;

    #[test]
    fn pods_are_counted_as_a_deployment_wants_them() {
        let pods = |spec, status| {
            let deployment = serde_json::from_value::<Deployment>(json!({"spec": spec, "status": status}));
            Workload::of(&deployment.unwrap(), Standing::Ready).tally
        };
        let spec = |replicas| json!({"replicas": replicas, "selector": {}, "template": {}});
        let tally = |ready, all| Some(Tally { ready, all });
        assert_eq!(pods(spec(json!(3)), json!({"readyReplicas": 2})), tally(2, 3));
        assert_eq!(pods(spec(json!(1)), json!({"readyReplicas": 2})), tally(1, 1), "a rollout surges");
        assert_eq!(pods(spec(json!(null)), json!({})), tally(0, 1), "one is the default");
        assert_eq!(pods(spec(json!(0)), json!({})), tally(0, 0));
    }

    #[test]
    fn a_list_of_pods_is_narrowed_to_the_labels_that_all_workloads_share() {
        let workload = |labels: &[(&str, &str)]| Workload {
            object: Named { key: ObjectKey::of::<Deployment>("ns", "web"), uid: None },
            standing: Standing::Ready,
            tally: None,
            labels: labels.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect(),
            revision: None,
        };
        let (core, portal) = (workload(&[("a", "1"), ("b", "1")]), workload(&[("a", "1"), ("b", "2")]));
        assert_eq!(common_labels(std::slice::from_ref(&core)), core.labels);
        assert_eq!(common_labels(&[core, portal]), [("a".into(), "1".into())].into());
        assert_eq!(common_labels(&[]), BTreeMap::new());
    }

    #[test]
    fn workloads_are_found_at_any_depth_unless_they_do_not_exist_yet() {
        let node = |group: &str, kind: &str, name: &str, phase, children| TreeNode {
            key: ObjectKey::new(group, kind, "ns", name),
            state: NodeState { phase, reason: None, message: None, blocked_by: None },
            since: (),
            began: (),
            is_owner: false,
            after: Vec::new(),
            children,
            revision: 0,
        };
        let children = vec![
            node("apps", "Deployment", "ready", Phase::Ready, vec![]),
            node("apps", "StatefulSet", "failed", Phase::Failed, vec![]),
            node("apps", "Deployment", "pending", Phase::Pending, vec![]),
            node("", "Service", "ready", Phase::Ready, vec![]),
            node("", "Pod", "migration", Phase::Waiting, vec![]),
            node("minio.min.io", "Tenant", "store", Phase::Ready, vec![]),
            node("minio.min.io", "Tenant", "later", Phase::Pending, vec![]),
            node("cert-manager.io", "Certificate", "public", Phase::Ready, vec![]),
            node("gateway.networking.k8s.io", "HTTPRoute", "route", Phase::Ready, vec![]),
            node("autoscaling", "HorizontalPodAutoscaler", "scaler", Phase::Ready, vec![]),
        ];
        let core = node("goharbor.io", "Core", "core", Phase::Waiting, children);
        let root = node("goharbor.io", "Harbor", "acme", Phase::Waiting, vec![core]);
        let key = |group: &str, kind: &str, name: &str| ObjectKey::new(group, kind, "ns", name);
        assert_eq!(
            workloads(&root),
            [
                (key("apps", "Deployment", "ready"), Standing::Ready),
                (key("apps", "StatefulSet", "failed"), Standing::Unready),
                (key("", "Pod", "migration"), Standing::Unready),
                (key("minio.min.io", "Tenant", "store"), Standing::Ready),
            ]
            .into()
        );
    }
}
