//! What was last sent and answered, so that nothing is sent twice.

use crate::absences::Absences;
use crate::contention::Repairs;
use crate::gate::Gate;
use crate::index::{Claim, Edition, Index, Interest, Observation, Tag};
use crate::metrics::Issuer;
use graph::{Edge, Edges, Graph, NodeId};
use jiff::Timestamp;
use plan::{Aspect, Desired, Digest, Health, ObjectKey, Outcome, Reached, Readiness};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// An owner's uid, generation, labels and annotations.
pub(crate) type OwnerState = (String, Option<i64>, BTreeSet<Tag>);

/// What everything an owner wants was decided on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inputs {
    pub(crate) owner: OwnerState,
    /// Everything read.
    pub(crate) reads: BTreeMap<ObjectKey, Read>,
}

/// Something that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// The state it was in; `None` for what did not exist.
    pub(crate) state: Option<Edition>,
    /// What of it was read for.
    pub(crate) interest: Interest,
}

/// How a child was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    /// Sent with this digest, with pods such as these, and answered with this state.
    Sent { digest: Digest, pods: Option<Pods>, uid: String, claim: Claim },
    /// A certificate that was issued, or found to be as asked for.
    Issued(Certificate),
    /// Found or created; its content is none of our business any more.
    Exists,
    /// Found to be marked as untouchable.
    Untouchable,
    /// Looked at: somebody else makes it, and it was like this. That it changes is noticed as it is of all reads.
    Awaited(Health),
}

impl Applied {
    /// Whether the child is still as it was left.
    pub(crate) fn holds(&self, now: &Observation) -> bool {
        match self {
            Self::Sent { uid, claim, .. } => *uid == now.uid && *claim == now.claim && !now.unadopted,
            Self::Issued(certificate) => certificate.holds(now),
            Self::Exists | Self::Awaited(_) => true,
            Self::Untouchable => now.immutable,
        }
    }
}

/// What pods are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pods {
    template: Digest,
    /// Of the first container, which is what the pods are there for.
    image: Option<Digest>,
}

impl Pods {
    /// Those of an object, if it has any.
    pub(crate) fn of(object: &Value) -> Result<Option<Self>, serde_json::Error> {
        let Some(template) = object.pointer("/spec/template") else { return Ok(None) };
        let image = image(object).map(Digest::of).transpose()?;
        Ok(Some(Self { template: Digest::of(template)?, image }))
    }

    pub(crate) fn has_image_of(&self, other: &Self) -> bool {
        self.image == other.image
    }
}

/// The image of the pods of an object.
pub(crate) fn image(object: &Value) -> Option<&str> {
    object.pointer("/spec/template/spec/containers/0/image")?.as_str()
}

/// A certificate in a Secret, as it was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Certificate {
    /// What was asked for, and of which authority.
    pub(crate) asked: Digest,
    pub(crate) uid: String,
    pub(crate) claim: Claim,
    /// When it is to be renewed.
    pub(crate) due: Timestamp,
    /// When it expires if it is not.
    pub(crate) expires: Option<Timestamp>,
}

impl Certificate {
    /// Whether the Secret is still as it was left.
    pub(crate) fn holds(&self, now: &Observation) -> bool {
        self.uid == now.uid && self.claim == now.claim
    }
}

/// One node of the graph, without the object.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) key: ObjectKey,
    /// Positions of the nodes it depends on, and in which ways.
    pub(crate) after: Vec<(usize, Edges)>,
    /// What the run did about it.
    pub(crate) done: Done,
    /// The part of the owner's state it belongs to.
    pub(crate) aspect: Option<Aspect>,
}

/// What a run did about a child.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Done {
    /// Nothing: what is remembered of the child is from an earlier plan.
    #[default]
    Nothing,
    /// All but what has to wait for something else; the words say what for, where its owner waits for that too.
    Held(Option<String>),
    /// Everything.
    Everything,
}

impl Node {
    pub(crate) fn of(graph: &Graph<Desired>, id: NodeId, done: &mut BTreeMap<ObjectKey, Done>) -> Self {
        let desired = graph.get(id);
        let key = desired.object.key();
        let done = done.remove(&key).unwrap_or_default();
        let after = graph.edges(id).map(|(id, edges)| (id.index(), edges)).collect();
        Self { key, after, done, aspect: desired.aspect }
    }

    /// Whether it needs something that is not ready, given what became of the nodes before it.
    fn is_in_need(&self, outcomes: &[Outcome]) -> bool {
        let mut needed = self.after.iter().filter(|(_, edges)| edges.contains(Edge::Needs));
        needed.any(|(blocker, _)| outcomes[*blocker] != Outcome::Ready)
    }
}

/// What a run that planned to the end left behind.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) inputs: Inputs,
    pub(crate) nodes: Vec<Node>,
}

/// All there is to remember of one owner: a few hundred bytes per child, and no content.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo {
    /// How children were left.
    pub(crate) applied: BTreeMap<ObjectKey, Applied>,
    /// How often children had to be put right lately.
    pub(crate) repairs: Repairs,
    /// What the owner misses.
    pub(crate) absences: Absences,
    /// The owner as it was when planning took too long, and how long that is. It is left until it changes.
    pub(crate) too_expensive: Option<(OwnerState, Duration)>,
    /// The last run, if it got as far as a plan.
    pub(crate) last: Option<Run>,
}

impl Memo {
    /// When the first of the owner's certificates is to be renewed.
    pub(crate) fn due(&self) -> Option<Timestamp> {
        let due = |applied: &Applied| match applied {
            Applied::Issued(certificate) => Some(certificate.due),
            _ => None,
        };
        self.applied.values().filter_map(due).min()
    }

    /// When the first of the owner's certificates expires that this one issues.
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

    /// The outcome of a run that would send nothing, or `None` when there is something to do.
    ///
    /// Answers from memory alone: this is what a reconcile costs when a child merely became ready.
    pub(crate) fn outcomes(&self, owner: &Inputs, index: &Index) -> Option<Vec<Outcome>> {
        let last = self.last.as_ref()?;
        if last.inputs.owner != owner.owner
            || last
                .inputs
                .reads
                .iter()
                .any(|(key, was)| !was.interest.same(was.state.as_ref(), index.input(key).as_ref()))
        {
            return None;
        }
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(last.nodes.len());
        for node in &last.nodes {
            if node.is_in_need(&outcomes) {
                outcomes.push(Outcome::Blocked);
                continue;
            }
            let gate =
                Gate::of(node.after.iter().copied(), |before| self.reached(&last.nodes[before].key, index));
            let child = index.child(&node.key);
            if node.done == Done::Nothing {
                (gate.keeps_away().is_some() && child.is_none()).then_some(())?;
                outcomes.push(Outcome::Blocked);
                continue;
            }
            let applied = self.applied.get(&node.key)?;
            let outcome = match child {
                // Its watch may not show it, so as long as it is missed every look is a new one.
                _ if let Applied::Awaited(health) = applied => {
                    (health.readiness == Readiness::Ready).then_some(Outcome::Ready)?
                }
                Some(now) if applied.holds(&now) => match &node.done {
                    Done::Held(_) if !gate.holds_back() => return None,
                    Done::Held(why) => outcome(&node.key, held(now.health.readiness, why.clone())),
                    Done::Nothing | Done::Everything => outcome(&node.key, now.health.readiness),
                },
                // Not a child of ours: created by the user beforehand, and watched as an input.
                None if *applied == Applied::Exists && index.input(&node.key).is_some() => Outcome::Ready,
                _ => return None,
            };
            outcomes.push(outcome);
        }
        Some(outcomes)
    }

    /// How far a child has come.
    fn reached(&self, child: &ObjectKey, index: &Index) -> Reached {
        match self.applied.get(child) {
            Some(Applied::Awaited(health)) => health.reached,
            _ => index.child(child).map_or(Reached::Nothing, |seen| seen.health.reached),
        }
    }

    /// How far all those children have come that serve requests, which are workloads and our own kinds; `None` where
    /// there are none. `owned` are all of the owner's, planned or not.
    pub(crate) fn serving(&self, owned: &[ObjectKey], index: &Index) -> Option<Reached> {
        let planned: Vec<_> = self.last.iter().flat_map(|run| &run.nodes).map(|node| &node.key).collect();
        let all = if planned.is_empty() { owned.iter().collect() } else { planned };
        let serves = |key: &&ObjectKey| key.group == "apps" || index.is_owner(key);
        all.into_iter().filter(serves).map(|key| self.reached(key, index)).min()
    }

    /// How many pods the owner has, if all of them belong to one Deployment.
    pub(crate) fn replicas(&self, index: &Index) -> Option<i32> {
        let nodes = &self.last.as_ref()?.nodes;
        let mut deployments =
            nodes.iter().map(|node| &node.key).filter(|key| key.group == "apps" && key.kind == "Deployment");
        match (deployments.next(), deployments.next()) {
            // One that says nothing has none: zero is left out of its status.
            (Some(only), None) => index.child(only).map(|now| now.replicas.unwrap_or(0)),
            _ => None,
        }
    }
}

/// How an object is that is held back: ready only when nothing more is to be done about it.
pub(crate) fn held(readiness: Readiness, why: Option<String>) -> Readiness {
    match (readiness, why) {
        (Readiness::Ready, Some(why)) => Readiness::Progressing(why),
        (readiness, _) => readiness,
    }
}

/// What the readiness of a child comes to.
pub(crate) fn outcome(key: &ObjectKey, readiness: Readiness) -> Outcome {
    match readiness {
        Readiness::Ready => Outcome::Ready,
        Readiness::Progressing(why) => Outcome::Waiting { object: key.clone(), why },
        Readiness::Failed(words) => {
            Outcome::Failed(plan::Failure::from(&crate::Failure::ChildFailed { object: key.clone(), words }))
        }
    }
}
