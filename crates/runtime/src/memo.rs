//! What was last sent and answered, so that nothing is sent twice.

use crate::contention::Repairs;
use crate::index::{Claim, Edition, Index, Interest, Observation, Tag};
use crate::metrics::Issuer;
use graph::NodeId;
use jiff::Timestamp;
use plan::{Aspect, Desired, Digest, ObjectKey, Outcome, Readiness};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What everything an owner wants was decided on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// The owner's uid, generation, labels and annotations.
    pub(crate) owner: (String, Option<i64>, BTreeSet<Tag>),
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
    Awaited(Readiness),
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
    /// Positions of the nodes it waits for.
    pub(crate) after: Vec<usize>,
    /// Whether the run brought it about. If not, what is remembered of the child is from an earlier plan.
    pub(crate) brought_about: bool,
    /// The part of the owner's state it belongs to.
    pub(crate) aspect: Option<Aspect>,
}

impl Node {
    pub(crate) fn of(desired: &Desired, after: &[NodeId], brought_about: &BTreeSet<ObjectKey>) -> Self {
        let key = desired.object.key();
        let brought_about = brought_about.contains(&key);
        let after = after.iter().map(|id| id.index()).collect();
        Self { key, after, brought_about, aspect: desired.aspect }
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
            if node.after.iter().any(|&blocker| outcomes[blocker] != Outcome::Ready) {
                outcomes.push(Outcome::Blocked);
                continue;
            }
            let applied = self.applied.get(&node.key).filter(|_| node.brought_about)?;
            let outcome = match index.child(&node.key) {
                // Its watch may not show it, so as long as it is missed every look is a new one.
                _ if let Applied::Awaited(readiness) = applied => {
                    (*readiness == Readiness::Ready).then_some(Outcome::Ready)?
                }
                Some(now) if applied.holds(&now) => outcome(&node.key, now.readiness),
                // Not a child of ours: created by the user beforehand, and watched as an input.
                None if *applied == Applied::Exists && index.input(&node.key).is_some() => Outcome::Ready,
                _ => return None,
            };
            outcomes.push(outcome);
        }
        Some(outcomes)
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
