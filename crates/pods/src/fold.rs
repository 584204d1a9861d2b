//! From objects to a report.

use crate::{
    LogKey, Unseen,
    event::warnings,
    log::{self, last_lines},
    owner::{Named, Owned, Owners},
    pod::pod_report,
    report::{EventReport, PodReport, Report, WorkloadReport},
    workload::{Sort, Standing, Workload},
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, Pod};
use plan::ObjectKey;
use progress::Tally;
use std::collections::{BTreeMap, BTreeSet};

/// What was read of the cluster.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The workloads that exist.
    pub workloads: Vec<Workload>,
    /// Pods of their namespaces.
    pub pods: Vec<Pod>,
    /// What is between workloads and pods.
    pub owners: Owners,
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
        let homes = self.homes();
        let wanted = |workload: &Workload| log::wanted(homes.pods(workload), workload.standing, now);
        self.workloads.iter().flat_map(wanted).collect()
    }

    /// The report.
    pub fn fold(&self, now: Timestamp) -> Report {
        let homes = self.homes();
        let about = |workload: &Workload| {
            (workload.object.key.clone(), self.workload(workload, homes.pods(workload), now))
        };
        Report { workloads: self.workloads.iter().map(about).collect(), unseen: self.unseen.clone() }
    }

    fn workload(&self, workload: &Workload, pods: &[&Pod], now: Timestamp) -> WorkloadReport {
        let about = [&workload.object.key].into_iter().chain(self.between(workload));
        // What is said about a pod stands below it.
        let about = about.filter(|key| key.kind != "Pod");
        let events = about.flat_map(|key| warnings(&self.events, &key.kind, &key.name, now));
        WorkloadReport {
            ready: workload.standing == Standing::Ready,
            tally: workload.tally.or_else(|| counted(workload, pods)),
            pods: pods.iter().map(|pod| self.pod(pod, now)).collect(),
            events: events.collect(),
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

    /// The pods of all workloads: those that fail first, and then by name. Of a Deployment, the pods of its newest template, if it
    /// is known which these are.
    fn homes(&self) -> Homes<'_> {
        let all = self.workloads.iter();
        let newest = all.filter_map(|workload| Some((&workload.object.key, self.newest_sets(workload)?)));
        let newest: BTreeMap<_, _> = newest.collect();
        let mut homes: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for pod in &self.pods {
            let chain = self.owners.of_pod(pod);
            let Some(home) = self.home(&chain) else { continue };
            let is_newest = |newest: &BTreeSet<_>| chain.iter().any(|owner| newest.contains(&owner.key));
            if newest.get(&home.object.key).is_none_or(is_newest) {
                homes.entry(&home.object.key).or_default().push(pod);
            }
        }
        for pods in homes.values_mut() {
            pods.sort_by_cached_key(|pod| {
                let report = pod_report(pod, Vec::new());
                (!report.failed, report.is_well(), report.name)
            });
        }
        Homes(homes)
    }

    /// The nearest workload among these owners.
    fn home(&self, chain: &[Named]) -> Option<&Workload> {
        chain.iter().find_map(|owner| self.workloads.iter().find(|workload| workload.object.is(owner)))
    }

    /// The last known owners of pods of which it is not known what they belong to.
    pub(crate) fn unread(&self) -> BTreeSet<ObjectKey> {
        self.owners.unread(&self.pods, |chain| self.home(chain).is_some())
    }

    /// What is between a workload and its pods; of a Deployment, the ReplicaSets of its newest template.
    fn between(&self, workload: &Workload) -> Vec<&ObjectKey> {
        let newest = self.newest_sets(workload);
        let is_between = |it: &&Owned| {
            let home = self.home(&self.owners.of(&it.object));
            home.is_some_and(|home| home.object == workload.object)
                && !it.object.is(&workload.object)
                && newest.as_ref().is_none_or(|newest| newest.contains(&it.object.key))
        };
        let is_known = workload.revision.is_none() || newest.is_some();
        let between = self.owners.iter().filter(|_| is_known).filter(is_between);
        between.map(|it| &it.object.key).collect()
    }

    /// The ReplicaSets with the newest template of a Deployment; `None` if they are not known.
    fn newest_sets(&self, workload: &Workload) -> Option<BTreeSet<&ObjectKey>> {
        let revision = workload.revision.as_ref()?;
        let is_newest = |it: &&Owned| {
            it.owner.as_ref().is_some_and(|owner| owner.is(&workload.object))
                && it.revision.as_ref() == Some(revision)
        };
        let newest: BTreeSet<_> = self.owners.iter().filter(is_newest).map(|it| &it.object.key).collect();
        (!newest.is_empty()).then_some(newest)
    }
}

/// The pods of each workload.
struct Homes<'a>(BTreeMap<&'a ObjectKey, Vec<&'a Pod>>);

impl<'a> Homes<'a> {
    fn pods(&self, workload: &Workload) -> &[&'a Pod] {
        self.0.get(&workload.object.key).map(Vec::as_slice).unwrap_or_default()
    }
}

/// How many of the pods that an object of another operator has are ready: it is not known how many it wants.
fn counted(workload: &Workload, pods: &[&Pod]) -> Option<Tally> {
    let key = &workload.object.key;
    if Sort::of(key) != Some(Sort::Owning) || key.kind == "Pod" {
        return None;
    }
    let phase = |pod: &Pod| pod.status.as_ref().and_then(|status| status.phase.clone());
    let serving = pods.iter().filter(|pod| phase(pod).as_deref() != Some("Succeeded"));
    let serving: Vec<_> = serving.map(|pod| pod_report(pod, Vec::new())).collect();
    let ready = serving.iter().filter(|pod| pod.state == "ready").count();
    (!serving.is_empty()).then_some(Tally { ready, all: serving.len() })
}
