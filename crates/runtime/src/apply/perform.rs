//! Performs the action of the resolver for one child.

use super::ensure::{Applier, Child};
use crate::{
    ReconcileError,
    report::{ChangeKind, RolloutReason},
};
use graph::NodeId;
use kube::core::DynamicObject;
use plan::{
    Action, Applied, Apply, Gate, Health, Known, Observed, Pods, Policy, References, Refusal, desired_digest,
    image,
};
use serde_json::Value;

/// How often one reconcile resolves a child. If the child keeps changing, the next reconcile continues.
const ROUNDS: usize = 4;

/// The result of an action.
pub(super) enum Performed {
    /// The child is not created before this node is available.
    Blocked {
        /// The node.
        by: NodeId,
    },
    /// The child exists.
    Exists(Exists),
}

/// A child that exists.
pub(super) struct Exists {
    pub(super) applied: Applied,
    pub(super) health: Health,
    /// Why its upgrade is held, if it is.
    pub(super) held: Option<String>,
}

/// A child as the operator would apply it.
struct Body {
    json: Value,
    digest: plan::Digest,
    pods: Option<Pods>,
    references: Option<References>,
}

/// A child as it was just read.
pub(super) enum Reading {
    /// Not read.
    NotRead,
    /// It does not exist.
    Absent,
    /// The whole object.
    Stored(Box<DynamicObject>),
}

impl Applier<'_> {
    /// Performs the actions of the resolver until the child is as desired.
    pub(super) async fn perform(
        &self,
        child: Child<'_>,
        gate: Gate<NodeId>,
    ) -> Result<Performed, ReconcileError> {
        let Child { key, kind, desired } = child;
        let index = &self.cluster.router.index;
        let (mut reading, mut body) = (Reading::NotRead, None);
        for _ in 0..ROUNDS {
            let seen = index.child(key);
            let observed = match (&reading, &seen) {
                (Reading::Stored(stored), _) => Observed::Stored(stored),
                (Reading::NotRead, Some(seen)) => Observed::Watched(seen),
                (Reading::NotRead, None) if index.has(key) => Observed::Named,
                (Reading::NotRead | Reading::Absent, _) => Observed::Absent,
            };
            let held = plan::held(desired, observed, gate).map(|held| held.why.clone());
            let exists = |applied, health| Ok(Performed::Exists(Exists { applied, health, held }));
            let health = || seen.as_ref().map_or(Health::READY, |seen| seen.health.clone());
            let applied = self.state().applied.get(key).cloned();
            let mut known = Known { applied: applied.as_ref(), digest: None };
            let mut action = self.resolver().resolve(desired, observed, gate, known);
            match (&desired.policy, &action) {
                (Policy::Apply, Action::Apply(_) | Action::Read) => {
                    if body.is_none() {
                        body = Some(self.body(child, gate).await?);
                    }
                    known.digest = body.as_ref().map(|body| body.digest);
                    action = self.resolver().resolve(desired, observed, gate, known);
                }
                (Policy::Issue(issuance), Action::Issue) => {
                    known.digest = Some(self.asked(child, issuance).await?);
                    action = self.resolver().resolve(desired, observed, gate, known);
                }
                _ => {}
            }
            match (action, &body) {
                (Action::Blocked { by }, _) => return Ok(Performed::Blocked { by }),
                (Action::Hold, _) => return exists(Applied::Exists, health()),
                (Action::Await, _) => {
                    let health = self.awaited(child).await?;
                    return exists(Applied::Awaited(health.clone()), health);
                }
                (Action::Nothing, Some(body)) => {
                    let (applied, health) = self.unchanged(child, body, &reading)?;
                    return exists(applied, health);
                }
                (Action::Nothing, None) => {
                    return exists(left_alone(&desired.policy, seen.as_ref(), applied), health());
                }
                (Action::SetOwner, _) => {
                    self.set_owner(child).await?;
                    return exists(left_alone(&desired.policy, seen.as_ref(), applied), health());
                }
                (Action::Read, _) => reading = self.reading(child).await?,
                (Action::Create, _) => return exists(Applied::Exists, self.create(child).await?),
                (Action::Issue, _) => return exists(self.issue(child, seen).await?, Health::READY),
                (Action::Refuse(refusal), _) => return Err(self.refused(child, refusal, &reading)?),
                (Action::Apply(how), Some(body)) => {
                    if how == Apply::Repair && !self.state().repairs.allow(key, self.now) {
                        return Err(ReconcileError::Contended { object: key.clone() });
                    }
                    let Some(stored) = self.send(child, &body.json, &how, &reading).await? else {
                        // Another program created it first.
                        reading = self.reading(child).await?;
                        continue;
                    };
                    let now = self.record(key, kind, &stored)?;
                    self.report_rollout(child, body, applied.filter(|_| seen.is_some()));
                    return exists(body.sent(&now), now.health);
                }
                (Action::Update { .. }, _) => {
                    return Err(ReconcileError::Bug(format!("{key} does not live outside the cluster")));
                }
                (Action::Apply(_), None) => {
                    return Err(ReconcileError::Bug(format!("{key} is applied without content")));
                }
            }
        }
        Err(ReconcileError::Contended { object: key.clone() })
    }

    /// The child as the operator would apply it, with the digest of its inputs.
    async fn body(
        &self,
        Child { key, desired, .. }: Child<'_>,
        gate: Gate<NodeId>,
    ) -> Result<Body, ReconcileError> {
        let bug = |error: serde_json::Error| ReconcileError::Bug(error.to_string());
        let wanted = plan::wanted(desired, gate);
        let mut json = wanted.to_json().map_err(bug)?;
        let references = wanted.pod_template().map(|pods| References::of(&key.namespace, pods));
        if let Some(references) = references.as_ref().filter(|references| !references.is_empty()) {
            plan::stamp(&mut json, self.inputs_digest(key, references).await?);
        }
        let digest = desired_digest(&json, self.manager);
        let digest = digest.ok_or_else(|| ReconcileError::Bug(format!("{key} has no version")))?;
        let pods = Pods::of(&json).map_err(bug)?;
        Ok(Body { json, digest, pods, references })
    }

    /// The state of a child that already is as desired.
    fn unchanged(
        &self,
        Child { key, kind, .. }: Child<'_>,
        body: &Body,
        reading: &Reading,
    ) -> Result<(Applied, Health), ReconcileError> {
        let now = match reading {
            Reading::Stored(stored) => self.record(key, kind, stored)?,
            Reading::NotRead | Reading::Absent => {
                let seen = self.cluster.router.index.child(key);
                seen.ok_or_else(|| ReconcileError::Bug(format!("{key} is gone")))?
            }
        };
        Ok((body.sent(&now), now.health))
    }

    /// Reads the child. If the child is created once, this subscribes the owner to it: a user may have created it,
    /// and then only the subscription reports its deletion.
    pub(super) async fn reading(
        &self,
        Child { key, desired, .. }: Child<'_>,
    ) -> Result<Reading, ReconcileError> {
        let stored = match desired.policy {
            Policy::CreateOnce { .. } => self.find(key).await?.map(|found| DynamicObject::clone(&found)),
            Policy::Apply | Policy::Issue(_) | Policy::Await { .. } | Policy::External(_) => {
                self.cluster.stored(key).await?
            }
        };
        Ok(stored.map_or(Reading::Absent, |stored| Reading::Stored(Box::new(stored))))
    }

    /// The error for a child that the operator must not change. Subscribes the owner to the object, because a user
    /// may change that.
    pub(super) fn refused(
        &self,
        Child { key, .. }: Child<'_>,
        refusal: Refusal,
        reading: &Reading,
    ) -> Result<ReconcileError, ReconcileError> {
        if let Reading::Stored(stored) = reading {
            self.subscribe(key, stored)?;
        }
        let object = key.clone();
        Ok(match refusal {
            Refusal::OwnedBy(owner) => ReconcileError::AlreadyOwned { object, owner },
            Refusal::NotCreatedByOperator => ReconcileError::AlreadyExists { object },
        })
    }

    /// Reports why pods are replaced, if they are.
    fn report_rollout(&self, Child { key, .. }: Child<'_>, body: &Body, before: Option<Applied>) {
        let Some(Applied::Sent { pods: before, .. }) = before else { return };
        let Some((before, pods)) = before.zip(body.pods).filter(|(before, pods)| before != pods) else {
            return;
        };
        let why = match image(&body.json).filter(|_| !pods.has_image_of(&before)) {
            Some(image) => RolloutReason::Image(image.to_owned()),
            None => RolloutReason::Inputs(self.changed(body.references.iter().flat_map(References::keys))),
        };
        self.state().changed_child(key, ChangeKind::RollingOut(why));
    }
}

impl Body {
    fn sent(&self, now: &plan::Observation) -> Applied {
        Applied::Sent {
            digest: self.digest,
            pods: self.pods,
            uid: now.uid.clone(),
            owned_fields: now.owned_fields,
        }
    }
}

/// The state of a child whose content the operator does not send.
fn left_alone(policy: &Policy, seen: Option<&plan::Observation>, before: Option<Applied>) -> Applied {
    match (policy, before) {
        _ if seen.is_some_and(|seen| seen.immutable) => Applied::Immutable,
        (Policy::Issue(_), Some(issued @ Applied::Issued(_))) => issued,
        _ => Applied::Exists,
    }
}
