//! Performs the action of the resolver for one child.

use super::{
    ensure::{Applier, Child},
    issue::Examined,
    restarts::Restarts,
};
use crate::{
    ReconcileError,
    report::{ChangeKind, RolloutReason},
};
use graph::NodeId;
use kube::core::DynamicObject;
use plan::{
    Action, Applied, Apply, Gate, Health, Known, Observation, Observed, Pods, Policy, Recipe, References,
    Refusal, desired_digest, image,
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
    /// What keeps its pods from restarting, if anything does.
    kept: Option<String>,
}

/// What the operator would send for a child, as far as it was needed.
#[derive(Default)]
struct Content {
    body: Option<Body>,
    examined: Option<Examined>,
}

/// A child as it was just read.
pub(super) enum Reading {
    /// Not read.
    NotRead,
    /// It does not exist.
    Absent,
    /// The object without its managed fields, from the cache.
    Cached(Box<DynamicObject>),
    /// The whole object.
    Stored(Box<DynamicObject>),
}

impl Reading {
    pub(super) fn object(&self) -> Option<&DynamicObject> {
        match self {
            Self::Cached(object) | Self::Stored(object) => Some(object),
            Self::NotRead | Self::Absent => None,
        }
    }
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
        let (mut reading, mut content) = (self.first_reading(child).await?, Content::default());
        for _ in 0..ROUNDS {
            let seen = index.child(key);
            let observed = match (reading.object(), &reading, &seen) {
                (Some(stored), ..) => Observed::Stored(stored),
                (None, Reading::NotRead, Some(seen)) => Observed::Watched(seen),
                (None, Reading::NotRead, None) if index.has(key) => Observed::Named,
                (None, ..) => Observed::Absent,
            };
            let held = plan::held(desired, observed, gate).map(|held| held.why.clone());
            let health = || seen.as_ref().map_or(Health::READY, |seen| seen.health.clone());
            let before = self.state().applied.get(key).cloned();
            let (action, known) = self.decide(child, gate, observed, seen.as_ref(), &mut content).await?;
            let held = held.or_else(|| content.body.as_ref()?.kept.clone());
            let exists = |applied, health| Ok(Performed::Exists(Exists { applied, health, held }));
            let left_alone = || left_alone(&desired.policy, seen.as_ref(), known);
            let is_child = seen.as_ref().is_some_and(|seen| self.resolver().is_child(seen));
            match (action, &content.body, &content.examined) {
                (Action::Blocked { by }, ..) => return Ok(Performed::Blocked { by }),
                (Action::Hold, ..) => return exists(Applied::Exists, health()),
                (Action::Await, ..) => {
                    let health = self.awaited(child).await?;
                    return exists(Applied::Awaited(health.clone()), health);
                }
                (Action::Nothing, Some(body), _) => {
                    let (applied, health) = self.unchanged(child, body, &reading)?;
                    return exists(applied, health);
                }
                (Action::Nothing, None, _) => {
                    return exists(left_alone(), health());
                }
                (Action::SetOwner, ..) => {
                    self.set_owner(child).await?;
                    return exists(left_alone(), health());
                }
                (Action::Read, ..) => reading = self.reading(child).await?,
                (Action::Create, ..) => return exists(Applied::Exists, self.create(child).await?),
                (Action::Rehash, ..) => {
                    self.rehash(child, &reading).await?;
                    self.state().applied.insert(key.clone(), Applied::Exists);
                    reading = Reading::NotRead;
                }
                (Action::Refuse(refusal), ..) => return Err(self.refused(child, refusal, &reading)?),
                // To adopt an object, the operator needs its managed fields.
                (Action::Apply(_) | Action::Issue(_), ..)
                    if matches!(reading, Reading::Cached(_)) && !is_child =>
                {
                    reading = self.whole(child).await?;
                }
                (Action::Apply(how) | Action::Issue(how), _, Some(examined)) => {
                    let is_repair = examined.is_remembered(before.as_ref(), self.now);
                    if is_repair && !self.state().repairs.allow(key, self.now) {
                        return Err(ReconcileError::Contended { object: key.clone() });
                    }
                    match self.certify(child, examined, &how, &reading).await? {
                        Some(issued) => return exists(issued, Health::READY),
                        None => reading = self.reading(child).await?,
                    }
                }
                (Action::Apply(how), Some(body), None) => {
                    if how == Apply::Repair && !self.state().repairs.allow(key, self.now) {
                        return Err(ReconcileError::Contended { object: key.clone() });
                    }
                    let Some(stored) = self.send(child, &body.json, &how, &reading).await? else {
                        // Another program created it first.
                        reading = self.reading(child).await?;
                        continue;
                    };
                    let now = self.record(key, kind, &stored)?;
                    self.report_rollout(child, body, before.filter(|_| seen.is_some()));
                    return exists(body.sent(&now), now.health);
                }
                (Action::Update { .. }, ..) => {
                    return Err(ReconcileError::Bug(format!("{key} does not live outside the cluster")));
                }
                (Action::Amend, ..) => {
                    return Err(ReconcileError::Bug(format!("{key} is not of another program")));
                }
                (Action::Apply(_) | Action::Issue(_), _, None) => {
                    return Err(ReconcileError::Bug(format!("{key} is applied without content")));
                }
            }
        }
        Err(ReconcileError::Contended { object: key.clone() })
    }

    /// The action for a child, and the state of it that this was decided on. What the operator would send is made only
    /// where the action depends on it.
    async fn decide(
        &self,
        child: Child<'_>,
        gate: Gate<NodeId>,
        observed: Observed<'_>,
        seen: Option<&Observation>,
        content: &mut Content,
    ) -> Result<(Action<NodeId>, Option<Applied>), ReconcileError> {
        let Child { key, desired, .. } = child;
        let applied = self.state().applied.get(key).cloned();
        let resolve = |known: Known<'_>| self.resolver().resolve(desired, observed, gate, known);
        let known = Known { applied: applied.as_ref(), ..Known::default() };
        let action = resolve(known);
        let digest = match (&desired.policy, &action) {
            (Policy::Apply, Action::Apply(_) | Action::Read) => {
                if content.body.is_none() {
                    content.body = Some(self.body(child, gate, seen).await?);
                }
                content.body.as_ref().map(|body| body.digest)
            }
            (Policy::Issue(issuance), Action::Issue(_)) => {
                let asked = self.asked(child, issuance).await?;
                let stored = if let Observed::Stored(stored) = observed { Some(stored) } else { None };
                let examined = content.examined.insert(self.examine(child, issuance, asked, stored).await?);
                let certificate = examined.certificate(seen);
                let action = resolve(Known { applied: certificate.as_ref(), digest: Some(asked), ..known });
                return Ok((action, certificate));
            }
            (Policy::Issue(issuance), Action::Read) => Some(self.asked(child, issuance).await?),
            // The Secret of a user, which may have taken the place of one of the operator.
            (Policy::Issue(_), Action::Nothing) if let Observed::Stored(_) = observed => {
                return Ok((action, None));
            }
            _ => return Ok((action, applied)),
        };
        let action = resolve(Known { digest, ..known });
        Ok((action, applied))
    }

    /// Reads a Secret with htpasswd lines, once for each process: only the whole Secret shows their cost, and no line
    /// becomes more expensive later.
    async fn first_reading(&self, child: Child<'_>) -> Result<Reading, ReconcileError> {
        let Child { key, desired, .. } = child;
        let has_lines = match &desired.policy {
            Policy::CreateOnce { generate } => {
                generate.values().any(|recipe| matches!(recipe, Recipe::Htpasswd { .. }))
            }
            Policy::Apply
            | Policy::Issue(_)
            | Policy::Await { .. }
            | Policy::External(_)
            | Policy::Amend { .. } => false,
        };
        let is_known = self.state().applied.contains_key(key);
        if has_lines && !is_known && self.cluster.router.index.is_child(key) {
            self.reading(child).await
        } else {
            Ok(Reading::NotRead)
        }
    }

    /// The child as the operator would apply it, with the digest of its inputs.
    async fn body(
        &self,
        child: Child<'_>,
        gate: Gate<NodeId>,
        seen: Option<&Observation>,
    ) -> Result<Body, ReconcileError> {
        let Child { key, desired, .. } = child;
        let bug = |error: serde_json::Error| ReconcileError::Bug(error.to_string());
        let wanted = plan::wanted(desired, gate);
        let mut json = wanted.to_json().map_err(bug)?;
        let references = wanted.pod_template().map(|pods| References::of(&key.namespace, pods));
        let mut why = None;
        if let Some(references) = references.as_ref().filter(|references| !references.is_empty()) {
            let Restarts { restarted, kept } = self.restarts(child, seen).await?;
            let computed = self.inputs_digest(key, references, &desired.counted).await?;
            // Where pods do not restart for the value, they have nothing to wait for.
            let kept = kept.filter(|kept| kept.inputs != computed);
            let (inputs, restarted, waits) = match kept {
                Some(kept) => (kept.inputs, kept.restarted, Some(kept.why)),
                None => (computed, restarted, None),
            };
            plan::stamp(&mut json, inputs);
            why = waits;
            if !restarted.is_empty() {
                restarted.write(&mut json);
            }
        }
        let digest = desired_digest(&json, self.manager);
        let digest = digest.ok_or_else(|| ReconcileError::Bug(format!("{key} has no version")))?;
        let pods = Pods::of(&json).map_err(bug)?;
        Ok(Body { json, digest, pods, references, kept: why })
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
            Reading::NotRead | Reading::Absent | Reading::Cached(_) => {
                let seen = self.cluster.router.index.child(key);
                seen.ok_or_else(|| ReconcileError::Bug(format!("{key} is gone")))?
            }
        };
        Ok((body.sent(&now), now.health))
    }

    /// Reads the child. If the operator does not apply its content, this subscribes the owner to it: a user may have
    /// created it, and then only the subscription reports its deletion.
    async fn reading(&self, child: Child<'_>) -> Result<Reading, ReconcileError> {
        match child.desired.policy {
            Policy::CreateOnce { .. } | Policy::Issue(_) => {
                let found = self.find(child.key).await?;
                Ok(found
                    .map_or(Reading::Absent, |found| Reading::Cached(Box::new(DynamicObject::clone(&found)))))
            }
            Policy::Apply | Policy::Await { .. } | Policy::External(_) | Policy::Amend { .. } => {
                self.whole(child).await
            }
        }
    }

    /// Reads the child with its managed fields.
    async fn whole(&self, Child { key, .. }: Child<'_>) -> Result<Reading, ReconcileError> {
        let stored = self.cluster.stored(key).await?;
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
        Ok(ReconcileError::refused(key, refusal))
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
    fn sent(&self, now: &Observation) -> Applied {
        Applied::Sent {
            digest: self.digest,
            pods: self.pods,
            uid: now.uid.clone(),
            owned_fields: now.owned_fields,
        }
    }
}

/// The state of a child whose content the operator does not send.
fn left_alone(policy: &Policy, seen: Option<&Observation>, known: Option<Applied>) -> Applied {
    match (policy, known) {
        _ if seen.is_some_and(|seen| seen.immutable) => Applied::Immutable,
        (Policy::Issue(_), Some(issued @ Applied::Issued(_))) => issued,
        _ => Applied::Exists,
    }
}
