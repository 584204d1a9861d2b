//! Decides what to do about one object outside the cluster.

use super::{Action, Applied, Gate, Known, Observed, Refusal, held};
use crate::{Desired, External, IfAbsent, IfExists, ObjectKey, Sharing};
use kube::core::DynamicObject;
use std::collections::BTreeSet;

/// What other owners have of an object outside the cluster.
#[derive(Clone, Copy, Debug, Default)]
pub struct OtherOwners<'a> {
    /// The owner of the object that it is a part of.
    pub whole: Option<&'a ObjectKey>,
    /// The older owners of it, each with the fields that it has to itself; none for the whole object.
    pub seniors: &'a [(ObjectKey, BTreeSet<String>)],
}

/// What to do about an object outside the cluster. [`Observed::Named`] stands for one that has not been read: the answer is
/// [`Action::Read`] if it depends on the object.
pub(super) fn resolve<N: Copy>(
    desired: &Desired,
    external: &External,
    observed: Observed<'_>,
    gate: Gate<N>,
    known: Known<'_>,
) -> Action<N> {
    if let Some(fault) = &external.fault {
        return Action::Refuse(Refusal::Invalid(fault.clone()));
    }
    // If the operator neither created nor may adopt one, there is nothing to repair, and the system need not be asked.
    let may_exist = known.applied.is_some() || external.if_exists == IfExists::Adopt;
    if let Some(by) = gate.keeps_away().filter(|_| !may_exist) {
        return Action::Blocked { by };
    }
    if let Some(owner) = known.others.whole {
        return Action::Refuse(Refusal::ClaimedAsPart(owner.clone()));
    }
    let action = match (observed, gate.keeps_away()) {
        (Observed::Named | Observed::Watched(_), _) => return Action::Read,
        (Observed::Absent, Some(by)) => Action::Blocked { by },
        (Observed::Absent, None) => create(external, known),
        _ if gate.change.is_some() => Action::Hold,
        _ if held(desired, observed, gate).is_some_and(|held| held.object.is_none()) => Action::Hold,
        (Observed::Stored(stored), _) => keep(external, stored, known),
    };
    claimed(external, &action, known.others.seniors).map_or(action, Action::Refuse)
}

fn create<N>(external: &External, known: Known<'_>) -> Action<N> {
    match (&external.if_absent, known.applied) {
        (IfAbsent::Refuse { .. }, _) | (IfAbsent::CreateOnce { .. }, Some(_)) => {
            Action::Refuse(Refusal::MustExist)
        }
        (IfAbsent::Create, _) | (IfAbsent::CreateOnce { .. }, None) => Action::Create,
    }
}

fn keep<N>(external: &External, stored: &DynamicObject, known: Known<'_>) -> Action<N> {
    let written = match (known.applied, &external.if_exists) {
        (Some(Applied::External { written }), _) => *written,
        (_, IfExists::Adopt) => None,
        (_, IfExists::Refuse { .. }) => return Action::Refuse(Refusal::NotCreatedByOperator),
    };
    let mut fields = external.differences(&stored.data);
    if known.digest.is_some() && known.digest != written {
        fields.extend(external.write_only.keys().cloned());
    }
    if fields.is_empty() { Action::Nothing } else { Action::Update { fields } }
}

/// The refusal if an older owner has the object. Owners that share it by fields meet only where they differ.
fn claimed<N>(
    external: &External,
    action: &Action<N>,
    seniors: &[(ObjectKey, BTreeSet<String>)],
) -> Option<Refusal> {
    let mut fields = external.claimed_fields();
    if external.sharing == Sharing::Fields {
        let Action::Update { fields: different } = action else { return None };
        fields.retain(|field| different.iter().any(|path| path.split('.').next() == Some(field)));
    }
    let meets =
        |theirs: &BTreeSet<String>| theirs.is_empty() || fields.is_empty() || !theirs.is_disjoint(&fields);
    let (owner, _) = seniors.iter().find(|(_, theirs)| meets(theirs))?;
    Some(Refusal::Claimed { owner: owner.clone(), fields: fields.into_iter().collect() })
}
