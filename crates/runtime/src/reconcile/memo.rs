//! The memory between two reconciles of an owner, so that the operator sends nothing twice.

use super::to_outcome;
use crate::{
    ReconcileError,
    apply::{Done, Read, Repairs, RunState},
    cluster::{Absences, Index},
    telemetry::Issuer,
};
use api::v1beta1::rotation::RotationStatus;
use graph::{Edge, Edges, Graph, NodeId};
use jiff::Timestamp;
use kube::core::ObjectMeta;
use plan::{
    Amended, Applied, Aspect, DeletionBehavior, Desired, ExternalObjects, Gate, ObjectKey, Observation,
    Outcome, Outlook, Ownership, Plan, Policy, Reached, Readiness, ServedCertificate, Serving, Tag, tags,
};
use progress::Planned;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// An owner's uid, generation, labels and annotations.
pub(crate) type OwnerState = (String, Option<i64>, BTreeSet<Tag>);

/// The inputs of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inputs {
    pub(crate) owner: OwnerState,
    /// The objects that were read.
    pub(crate) reads: BTreeMap<ObjectKey, Read>,
}

impl Inputs {
    /// The part of an owner that its plan depends on: spec, labels and annotations.
    pub(crate) fn of(meta: &ObjectMeta) -> Self {
        let owner = (meta.uid.clone().unwrap_or_default(), meta.generation, tags(meta));
        Self { owner, reads: BTreeMap::new() }
    }

    /// Whether something that was read is another one now.
    pub(crate) fn have_changed(&self, index: &Index) -> bool {
        let is_same = |(key, was): (&ObjectKey, &Read)| {
            was.interest.same(was.state.as_ref(), index.input(key).as_ref())
        };
        !self.reads.iter().all(is_same)
    }
}

/// One node of the graph, without the object.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) key: ObjectKey,
    /// Positions of the nodes that it depends on, with the edges.
    pub(crate) after: Vec<(usize, Edges)>,
    /// What the reconcile did about it.
    pub(crate) done: Done,
    /// The part of the owner's state that it belongs to.
    pub(crate) aspect: Option<Aspect>,
    /// The item that the operator adds to it, if it is an object of another program.
    pub(crate) amended: Option<Amended>,
    deletion: DeletionBehavior,
    /// The object outside the cluster that it is a part of.
    pub(crate) whole: Option<ObjectKey>,
}

impl Node {
    pub(crate) fn of(graph: &Graph<Desired>, id: NodeId, done: &mut BTreeMap<ObjectKey, Done>) -> Self {
        let desired = graph.get(id);
        let key = desired.object.key();
        let done = done.remove(&key).unwrap_or_default();
        let after = graph.edges(id).map(|(id, edges)| (id.index(), edges)).collect();
        let whole = match &desired.policy {
            Policy::External(external) => external.part_of.as_ref().map(|whole| whole.object.clone()),
            Policy::Apply
            | Policy::CreateOnce { .. }
            | Policy::Issue(_)
            | Policy::Await { .. }
            | Policy::Amend { .. } => None,
        };
        let amended = desired.amendment();
        Self { key, after, done, aspect: desired.aspect, amended, deletion: desired.deletion, whole }
    }

    /// The node in the form of progress reports.
    pub(crate) fn planned(&self) -> Planned {
        Planned { object: self.key.clone(), after: self.after.iter().map(|(before, _)| *before).collect() }
    }

    /// Whether an observed child is deleted with its owner, or kept, as desired.
    fn has_deletion_behavior(&self, now: &Observation) -> bool {
        let behavior = match now.owner {
            Some(Ownership::Owned(..)) => DeletionBehavior::Owned,
            Some(Ownership::Kept(_)) => DeletionBehavior::Kept,
            None => self.deletion,
        };
        behavior == self.deletion
    }

    /// The outcome of its step.
    pub(crate) fn outcome(&self, outcome: &graph::Outcome<ReconcileError>) -> Outcome {
        match (to_outcome(&self.key, outcome), &self.done) {
            (Outcome::Waiting { object, why }, Done::Held(Some(held))) if why == *held => {
                Outcome::Held { object, why }
            }
            (outcome, _) => outcome,
        }
    }

    /// Whether a node that it needs does not have what it reads, given the outcomes of the nodes before it.
    pub(crate) fn is_in_need(&self, outcomes: &[Outcome], reached: impl Fn(usize) -> Reached) -> bool {
        let mut needed = self.after.iter().filter(|(_, edges)| edges.contains(Edge::Needs));
        needed.any(|(blocker, _)| match &outcomes[*blocker] {
            Outcome::Ready => false,
            Outcome::Waiting { .. } | Outcome::Held { .. } => reached(*blocker) < Reached::Available,
            Outcome::Failed(_) | Outcome::Blocked => true,
        })
    }
}

/// The result of a reconcile whose planning succeeded.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) inputs: Inputs,
    pub(crate) nodes: Vec<Node>,
    /// The objects outside the cluster that the owner has or read, as far as they exist.
    pub(crate) external: ExternalObjects,
    /// When the plan will be another one although nothing else changes.
    pub(crate) until: Option<Timestamp>,
    /// The child whose next step waits, and what that waits for; see [`plan::Outlook`].
    pub(crate) waits: Option<(ObjectKey, String)>,
    /// The certificate that clients see.
    pub(crate) certificate: Option<ServedCertificate>,
    /// See [`plan::Outlook::rotations`].
    pub(crate) rotations: Vec<RotationStatus>,
    /// See [`plan::Outlook::replaced`].
    pub(crate) replaced: BTreeSet<ObjectKey>,
    /// Whether the plan depends on what was written for it, so that it will be another one now.
    pub(crate) is_outdated: bool,
}

/// The memory of one owner: a few hundred bytes per child, and no content.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    /// The state in which the operator left the children.
    pub(crate) applied: BTreeMap<ObjectKey, Applied>,
    /// How often the operator recently repaired the children.
    pub(crate) repairs: Repairs,
    /// The objects that the owner reads and that do not exist.
    pub(crate) absences: Absences,
    /// The state of the owner when planning took too long, and the limit. The operator does not plan it again until
    /// it changes.
    pub(crate) too_expensive: Option<(OwnerState, Duration)>,
    /// When something was last written outside the cluster.
    pub(crate) written: Option<Timestamp>,
    /// The last reconcile, if its planning succeeded.
    pub(crate) last: Option<Run>,
    /// If its planning failed: when it may succeed although nothing else changes.
    pub(crate) plannable_at: Option<Timestamp>,
}

impl Memo {
    /// Remembers a run whose nodes ended in `state`, and forgets children that are no longer desired. `planned` is what the
    /// plan was made from. Where that has been written meanwhile, such as a generated Secret, the plan is outdated: changes
    /// that a reconcile makes do not enqueue its owner.
    pub(crate) fn remember(&mut self, planned: Inputs, plan: Plan, nodes: Vec<Node>, state: RunState) {
        let RunState { mut applied, mut repairs, absences, mut reads, external, written, .. } = state;
        let is_outdated = |(key, was): &(ObjectKey, Read)| {
            reads.get(key).is_some_and(|now| !was.interest.same(was.state.as_ref(), now.state.as_ref()))
        };
        let outdated: Vec<_> = planned.reads.into_iter().filter(is_outdated).collect();
        let is_outdated = !outdated.is_empty();
        reads.extend(outdated);
        let wanted: BTreeSet<_> = nodes.iter().map(|node| &node.key).collect();
        applied.retain(|child, _| wanted.contains(child));
        repairs.forget_all_but(&wanted);
        let inputs = Inputs { owner: planned.owner, reads };
        let (until, Outlook { waits, certificate, rotations, replaced, .. }) = (plan.until, plan.outlook);
        *self = Self {
            applied,
            repairs,
            absences,
            too_expensive: None,
            written: written.or(self.written),
            last: Some(Run {
                inputs,
                nodes,
                external,
                until,
                waits,
                certificate,
                rotations,
                replaced,
                is_outdated,
            }),
            plannable_at: None,
        };
    }

    /// Whether the last plan will be another one now.
    pub(crate) fn is_outdated(&self) -> bool {
        self.last.as_ref().is_some_and(|run| run.is_outdated)
    }

    /// The objects outside the cluster of which the owner has parts.
    pub(crate) fn wholes(&self) -> impl Iterator<Item = &ObjectKey> {
        self.last.iter().flat_map(|run| &run.nodes).filter_map(|node| node.whole.as_ref())
    }

    /// When the operator renews the first of the owner's certificates, or has to plan the owner anew.
    pub(crate) fn due(&self) -> Option<Timestamp> {
        let due = |applied: &Applied| match applied {
            Applied::Issued(certificate) => Some(certificate.due),
            _ => None,
        };
        let until = self.last.as_ref().and_then(|run| run.until);
        self.applied.values().filter_map(due).chain(until).chain(self.plannable_at).min()
    }

    /// When the first of the owner's certificates from this issuer expires.
    pub(crate) fn expiry(&self, issuer: Issuer, index: &Index) -> Option<Timestamp> {
        let expires = |applied: &Applied| match applied {
            Applied::Issued(certificate) => certificate.expires,
            _ => None,
        };
        let nodes = self.last.as_ref().map_or(&[][..], |run| &run.nodes);
        match issuer {
            Issuer::Operator => self.applied.values().filter_map(expires).min(),
            Issuer::CertManager => {
                let certificates = nodes.iter().filter(|node| node.key.kind == "Certificate");
                certificates.filter_map(|node| index.child(&node.key)?.expires).min()
            }
        }
    }

    /// When the certificate that clients of the owner see expires.
    pub(crate) fn served_until(&self) -> Option<Timestamp> {
        let ServedCertificate { secret, expires } = self.last.as_ref()?.certificate.as_ref()?;
        expires.or_else(|| match self.applied.get(secret)? {
            Applied::Issued(certificate) => certificate.expires,
            _ => None,
        })
    }

    /// The outcomes, if a reconcile would send nothing; `None` if there is something to do.
    ///
    /// Law: then the resolver would change none of the children. Uses only this memory and the index: this is the cost of
    /// a reconcile when a child became ready.
    pub(crate) fn outcomes(&self, owner: &Inputs, index: &Index) -> Option<Vec<Outcome>> {
        let last = self.last.as_ref()?;
        if last.inputs.owner != owner.owner || last.inputs.have_changed(index) {
            return None;
        }
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(last.nodes.len());
        let reached = |before: usize| self.reached(&last.nodes[before].key, index);
        for node in &last.nodes {
            if node.is_in_need(&outcomes, reached) {
                outcomes.push(Outcome::Blocked);
                continue;
            }
            let gate = Gate::of(node.after.iter().copied(), reached);
            let child = index.child(&node.key);
            if node.done == Done::Nothing {
                (gate.keeps_away().is_some() && !index.has(&node.key)).then_some(())?;
                outcomes.push(Outcome::Blocked);
                continue;
            }
            let applied = self.applied.get(&node.key)?;
            let outcome = match child {
                // The watch may not deliver it, so every reconcile reads it until it is ready.
                _ if let Applied::Awaited(health) = applied => {
                    (health.readiness == Readiness::Ready).then_some(Outcome::Ready)?
                }
                // What was read is as it was, and so is the object.
                _ if let Applied::External { .. } | Applied::Amended = applied => match &node.done {
                    Done::Held(_) if !gate.holds_back() => return None,
                    Done::Nothing | Done::Held(_) | Done::Everything => Outcome::Ready,
                },
                Some(now) if applied.holds(&now) && node.has_deletion_behavior(&now) => match &node.done {
                    Done::Held(_) if !gate.holds_back() => return None,
                    Done::Held(Some(why)) if now.health.readiness == Readiness::Ready => {
                        Outcome::Held { object: node.key.clone(), why: why.clone() }
                    }
                    Done::Nothing | Done::Held(_) | Done::Everything => {
                        outcome(&node.key, now.health.readiness)
                    }
                },
                // Not a child: the user created it beforehand, and the operator watches it as an input.
                None if *applied == Applied::Exists && index.input(&node.key).is_some() => Outcome::Ready,
                _ => return None,
            };
            outcomes.push(outcome);
        }
        Some(outcomes)
    }

    /// How far the rollout of a child has come.
    fn reached(&self, child: &ObjectKey, index: &Index) -> Reached {
        match self.applied.get(child) {
            Some(Applied::Awaited(health)) => health.reached,
            Some(Applied::External { .. } | Applied::Amended) => Reached::Ready,
            _ => index.child(child).map_or(Reached::Nothing, |seen| seen.health.reached),
        }
    }

    /// Whether all children serve requests that are there for that: workloads, and objects of the operator's own kinds.
    /// `owned` are all children of the owner, planned or not.
    pub(crate) fn serving(&self, owned: &[ObjectKey], index: &Index) -> Serving {
        let planned: Vec<_> = self.last.iter().flat_map(|run| &run.nodes).map(|node| &node.key).collect();
        let mut all = if planned.is_empty() { owned.iter().collect() } else { planned };
        all.retain(|key| key.group == "apps" || index.is_owner(key));
        let stopped = all.iter().find_map(|key| {
            let why = index.child(key)?.health.stopped?;
            Some(format!("{key}: {why}"))
        });
        match (stopped, all.into_iter().map(|key| self.reached(key, index)).min()) {
            (Some(stopped), _) => Serving::Stopped(stopped),
            (None, None | Some(Reached::Nothing)) => Serving::Unavailable,
            (None, Some(Reached::Available | Reached::Current | Reached::Ready)) => Serving::Available,
        }
    }

    /// How many pods the owner has, if all of them belong to one Deployment.
    pub(crate) fn replicas(&self, index: &Index) -> Option<i32> {
        let nodes = &self.last.as_ref()?.nodes;
        let mut deployments =
            nodes.iter().map(|node| &node.key).filter(|key| key.group == "apps" && key.kind == "Deployment");
        match (deployments.next(), deployments.next()) {
            // The status leaves zero out.
            (Some(only), None) => index.child(only).map(|now| now.replicas.unwrap_or(0)),
            _ => None,
        }
    }
}

/// The outcome for the readiness of a child.
pub(crate) fn outcome(key: &ObjectKey, readiness: Readiness) -> Outcome {
    match readiness {
        Readiness::Ready => Outcome::Ready,
        Readiness::Progressing(why) => Outcome::Waiting { object: key.clone(), why },
        Readiness::Failed(words) => {
            Outcome::Failed(plan::Failure::from(&crate::ReconcileError::ChildFailed {
                object: key.clone(),
                words,
            }))
        }
    }
}

#[cfg(test)]
mod tests;
