//! From objects to a report.

use crate::{
    LogKey, Unseen,
    event::warnings,
    log::{self, last_lines},
    pod::pod_report,
    report::{EventReport, PodReport, Report, WorkloadReport},
    workload::{REVISION, Standing, Workload},
};
use jiff::Timestamp;
use k8s_openapi::{
    api::{
        apps::v1::ReplicaSet,
        core::v1::{Event, Pod},
    },
    apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference},
};
use kube::core::PartialObjectMeta;
use std::collections::{BTreeMap, BTreeSet};

/// The label with which a Deployment tells the pods of its templates apart.
const TEMPLATE_HASH: &str = "pod-template-hash";

/// What was read of the cluster.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The workloads that exist.
    pub workloads: Vec<Workload>,
    /// Pods of their namespaces.
    pub pods: Vec<Pod>,
    /// ReplicaSets of their namespaces.
    pub replica_sets: Vec<PartialObjectMeta<ReplicaSet>>,
    /// Events of their namespaces.
    pub events: Vec<Event>,
    /// The ends of logs, or why they cannot be read.
    pub logs: BTreeMap<LogKey, Result<String, String>>,
    /// What could not be read.
    pub unseen: BTreeSet<Unseen>,
}

impl Observed {
    /// The logs that tell why workloads are not ready.
    pub fn wanted_logs(&self, now: Timestamp) -> BTreeSet<LogKey> {
        let wanted = |workload: &Workload| log::wanted(&self.pods_of(workload), workload.standing, now);
        self.workloads.iter().flat_map(wanted).collect()
    }

    /// The report.
    pub fn fold(&self, now: Timestamp) -> Report {
        let about = |workload: &Workload| (workload.key.clone(), self.workload(workload, now));
        Report { workloads: self.workloads.iter().map(about).collect(), unseen: self.unseen.clone() }
    }

    fn workload(&self, workload: &Workload, now: Timestamp) -> WorkloadReport {
        let key = &workload.key;
        let of_sets = self.newest_sets(workload).into_iter().flatten();
        let of_sets = of_sets.flat_map(|set| warnings(&self.events, "ReplicaSet", set, now));
        WorkloadReport {
            ready: workload.standing == Standing::Ready,
            tally: workload.tally,
            pods: self.pods_of(workload).into_iter().map(|pod| self.pod(pod, now)).collect(),
            events: warnings(&self.events, &key.kind, &key.name, now).into_iter().chain(of_sets).collect(),
        }
    }

    fn pod(&self, pod: &Pod, now: Timestamp) -> PodReport {
        let [namespace, name] =
            [&pod.metadata.namespace, &pod.metadata.name].map(|it| it.as_deref().unwrap_or_default());
        let mut report = pod_report(pod, warnings(&self.events, "Pod", name, now));
        for container in &mut report.containers {
            let is_its = |(key, _): &(&LogKey, _)| {
                (&*key.namespace, &*key.pod, &key.container) == (namespace, name, &container.name)
            };
            match self.logs.iter().find(is_its).map(|(_, log)| log) {
                Some(Ok(log)) => container.log = last_lines(log),
                Some(Err(problem)) => container.log_problem = Some(problem.clone()),
                None => {}
            }
        }
        let is_said = |event: &EventReport| {
            let messages = report.containers.iter().map(|container| &container.message);
            messages.chain([&report.message]).flatten().any(|message| *message == event.message)
        };
        let events = std::mem::take(&mut report.events);
        report.events = events.into_iter().filter(|event| !is_said(event)).collect();
        report
    }

    /// The pods of a workload: those that fail first, and then by name. Of a Deployment, the pods of its newest template, if it is
    /// known which these are.
    fn pods_of(&self, workload: &Workload) -> Vec<&Pod> {
        let newest = self.newest_sets(workload);
        let belongs = |pod: &&Pod| {
            let is_here = pod.metadata.namespace.as_deref() == Some(&workload.key.namespace);
            let Some(owner) = controller(&pod.metadata).filter(|_| is_here) else { return false };
            match &*workload.key.kind {
                "Deployment" => {
                    let is_its = owner.kind == "ReplicaSet"
                        && deployment(pod, owner) == Some(workload.key.name.as_str());
                    is_its && newest.as_ref().is_none_or(|newest| newest.contains(owner.name.as_str()))
                }
                kind => owner.kind == kind && owner.name == workload.key.name,
            }
        };
        let mut pods: Vec<_> = self.pods.iter().filter(belongs).collect();
        pods.sort_by_cached_key(|pod| {
            let report = pod_report(pod, Vec::new());
            (!report.failed, report.is_well(), report.name)
        });
        pods
    }

    /// The names of the ReplicaSets with the newest template of a Deployment; `None` if they are not known.
    fn newest_sets(&self, workload: &Workload) -> Option<BTreeSet<&str>> {
        let revision = workload.revision.as_ref()?;
        let is_newest = |set: &&PartialObjectMeta<ReplicaSet>| {
            let owner = controller(&set.metadata);
            let annotations = set.metadata.annotations.as_ref();
            set.metadata.namespace.as_deref() == Some(&workload.key.namespace)
                && owner.is_some_and(|it| it.kind == "Deployment" && it.name == workload.key.name)
                && annotations.and_then(|all| all.get(REVISION)) == Some(revision)
        };
        let newest = self.replica_sets.iter().filter(is_newest);
        let newest: BTreeSet<_> = newest.filter_map(|set| set.metadata.name.as_deref()).collect();
        (!newest.is_empty()).then_some(newest)
    }
}

fn controller(metadata: &ObjectMeta) -> Option<&OwnerReference> {
    metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))
}

/// The Deployment of a pod, from the name of its ReplicaSet, which ends with the hash of the template.
fn deployment<'p>(pod: &'p Pod, set: &'p OwnerReference) -> Option<&'p str> {
    let hash = pod.metadata.labels.as_ref()?.get(TEMPLATE_HASH)?;
    set.name.strip_suffix(hash.as_str())?.strip_suffix('-')
}
