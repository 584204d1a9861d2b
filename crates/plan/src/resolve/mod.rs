//! Decides what to do about one object. No other module does.
//!
//! The operator performs the action, a dry run performs it with a client that writes nothing, `render` prints it and
//! `status` reads it.

mod action;
mod applied;
mod external;
mod gate;
mod secrets;
mod sweep;
#[cfg(test)]
mod tests;

pub use action::{Action, Apply, Refusal};
pub use applied::{Applied, Certificate, Pods, image};
pub use external::OtherOwners;
pub use gate::Gate;
pub use sweep::{Unwanted, unwanted};

use crate::{
    Adoption, Amendment, AnyManifest, Claimant, DeletionBehavior, Desired, Digest, Held, ObjectKey,
    Observation, Ownership, Policy, applied_digest,
};
use api::names::IMMUTABLE_ANNOTATION;
use jiff::Timestamp;
use kube::{ResourceExt as _, core::DynamicObject};
use std::collections::BTreeSet;

/// What the operator knows about an object that should exist.
#[derive(Clone, Copy, Debug)]
pub enum Observed<'a> {
    /// There is no object of this name.
    Absent,
    /// There is an object of this name. Its content is unknown.
    Named,
    /// The object as a watch delivered it.
    Watched(&'a Observation),
    /// The whole object, just read; of an object outside the cluster, as it was last listed.
    Stored(&'a DynamicObject),
}

/// Resolves the desired objects of one owner.
#[derive(Clone, Copy, Debug)]
pub struct Resolver<'a> {
    /// The owner.
    pub owner: &'a ObjectKey,
    /// The owner's uid.
    pub uid: &'a str,
    /// Field managers of the old operator.
    pub predecessors: &'a BTreeSet<String>,
    /// The current time, for the renewal of certificates.
    pub now: Timestamp,
}

/// What the operator remembers about a desired object and would send for it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// The state in which the operator left the object. For [`Policy::Issue`] and a Secret that was just read, the
    /// certificate in it, if that can still be used.
    pub applied: Option<&'a Applied>,
    /// What it would send, see [`crate::desired_digest`]. For [`Policy::Issue`], what it would issue; for
    /// [`Policy::External`], the write-only fields, if there are any.
    pub digest: Option<Digest>,
    /// For [`Policy::External`]: what other owners have of it.
    pub others: OtherOwners<'a>,
}

impl Resolver<'_> {
    /// What to do about a desired object.
    ///
    /// Laws: an action that was performed resolves to [`Action::Nothing`]; an immutable object is never changed, but for
    /// [`Action::Rehash`], after which every reader finds the same password; an existing object is never created; an
    /// object that another program created is never changed unless a user requests it.
    pub fn resolve<N: Copy>(
        &self,
        desired: &Desired,
        observed: Observed<'_>,
        gate: Gate<N>,
        known: Known<'_>,
    ) -> Action<N> {
        if let Policy::Await { .. } = desired.policy {
            return Action::Await;
        }
        if let Policy::Amend { amendment, .. } = &desired.policy {
            return amend(amendment, observed, gate);
        }
        if let Policy::External(it) = &desired.policy {
            return external::resolve(desired, it, observed, gate, known);
        }
        if matches!(observed, Observed::Absent) {
            if let Some(by) = gate.keeps_away() {
                return Action::Blocked { by };
            }
            return match &desired.policy {
                Policy::CreateOnce { .. } => Action::Create,
                Policy::Issue(_) => Action::Issue(Apply::New),
                _ => Action::Apply(Apply::New),
            };
        }
        if gate.change.is_some() || held(desired, observed, gate).is_some_and(|held| held.object.is_none()) {
            return Action::Hold;
        }
        if let Observed::Watched(seen) = observed
            && (seen.immutable || matches!(desired.policy, Policy::CreateOnce { .. }))
        {
            let has_owner = self.has_owner(desired, seen.owner.as_ref());
            return if has_owner { Action::Nothing } else { Action::SetOwner };
        }
        match &desired.policy {
            Policy::CreateOnce { generate } => self.once(desired, generate, observed),
            Policy::Issue(_) => self.issue(desired, observed, known),
            _ => self.apply(desired, observed, known),
        }
    }

    fn apply<N>(&self, desired: &Desired, observed: Observed<'_>, known: Known<'_>) -> Action<N> {
        match observed {
            Observed::Absent => Action::Apply(Apply::New),
            Observed::Watched(seen) if self.is_child(seen) => apply_child(seen, known),
            Observed::Named | Observed::Watched(_) => Action::Read,
            Observed::Stored(stored) => {
                let api_version = desired.object.child_kind().resource.api_version;
                let is_applied =
                    known.digest.is_some() && applied_digest(stored, &api_version) == known.digest;
                match self.adopt(desired, stored) {
                    Ok(_) if is_immutable(stored) => Action::Nothing,
                    Ok(Apply::Child) if is_applied => Action::Nothing,
                    Ok(how) => Action::Apply(how),
                    Err(refusal) => Action::Refuse(refusal),
                }
            }
        }
    }

    /// How the operator applies a child to an existing object of the same name, or why it must not adopt the object.
    fn adopt(&self, desired: &Desired, stored: &DynamicObject) -> Result<Apply, Refusal> {
        let Self { owner, uid, predecessors, .. } = *self;
        let claimant = Claimant { owner, uid, desired: desired.object.meta(), predecessors };
        match claimant.adoption(&stored.metadata) {
            Adoption::Allowed => Ok(Apply::Child),
            Adoption::AfterHandOver(owners) => Ok(Apply::HandOver(owners)),
            Adoption::OwnedBy(other) => Err(Refusal::OwnedBy(other)),
            Adoption::Foreign => Err(Refusal::NotCreatedByOperator),
        }
    }

    /// Whether an object is a child of the owner with this uid, and the old operator owns none of its fields.
    pub fn is_child(&self, seen: &Observation) -> bool {
        seen.owner.as_ref().is_some_and(|owner| owner.is(self.owner, self.uid)) && !seen.unadopted
    }

    /// Whether the ownership of a child matches the desired deletion behavior. An object without owner was created by a
    /// user and stays unchanged.
    fn has_owner(&self, desired: &Desired, owner: Option<&Ownership>) -> bool {
        match (owner, desired.deletion) {
            (Some(Ownership::Owned(owner, _)), DeletionBehavior::Kept)
            | (Some(Ownership::Kept(owner)), DeletionBehavior::Owned) => owner != self.owner,
            (Some(Ownership::Owned(..)), DeletionBehavior::Owned)
            | (Some(Ownership::Kept(_)), DeletionBehavior::Kept)
            | (None, _) => true,
        }
    }
}

fn apply_child<N>(seen: &Observation, known: Known<'_>) -> Action<N> {
    match known.applied {
        Some(applied @ Applied::Sent { digest, .. }) if Some(*digest) == known.digest => {
            if applied.holds(seen) { Action::Nothing } else { Action::Apply(Apply::Repair) }
        }
        Some(Applied::Sent { .. }) => Action::Apply(Apply::Child),
        // An earlier process of the operator may have sent it.
        _ if seen.applied.is_none() => Action::Read,
        _ if seen.applied == known.digest => Action::Nothing,
        _ => Action::Apply(Apply::Child),
    }
}

/// An object of another program, to which the operator only adds an item.
fn amend<N: Copy>(amendment: &Amendment, observed: Observed<'_>, gate: Gate<N>) -> Action<N> {
    match (observed, gate.keeps_away()) {
        (_, Some(by)) => Action::Blocked { by },
        (Observed::Absent, None) => Action::Refuse(Refusal::MustExist),
        (Observed::Named | Observed::Watched(_), None) => Action::Read,
        (Observed::Stored(stored), None) if amendment.is_in(&stored.data) => Action::Nothing,
        (Observed::Stored(_), None) => Action::Amend,
    }
}

/// What an object that may not be upgraded yet is kept as.
pub fn held<'d, N>(desired: &'d Desired, observed: Observed<'_>, gate: Gate<N>) -> Option<&'d Held> {
    let exists = !matches!(observed, Observed::Absent);
    desired.held.as_ref().filter(|held| gate.upgrade.is_some() && (exists || held.object.is_some()))
}

/// The object that the operator sends with this gate.
pub fn wanted<N>(desired: &Desired, gate: Gate<N>) -> &dyn AnyManifest {
    let held = desired.held.as_ref().filter(|_| gate.upgrade.is_some());
    let held = held.and_then(|held| held.object.as_ref());
    &**held.unwrap_or(&desired.object)
}

fn is_immutable(stored: &DynamicObject) -> bool {
    stored.annotations().get(IMMUTABLE_ANNOTATION).is_some_and(|value| value == "true")
}
