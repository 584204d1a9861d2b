//! What to do about an existing object whose content the operator does not compare field by field: one that it creates once,
//! and a Secret with a certificate.

use super::{Action, Apply, Known, Observed, Resolver, is_immutable};
use crate::{
    Applied, Certificate, Desired, Ownership, Recipe, expensive_lines, is_labelled_alike, secret_data, tags,
};
use api::names::{CONTROLLER_LABEL, KEPT_ANNOTATION};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::{ResourceExt as _, core::DynamicObject};
use std::collections::BTreeMap;

impl Resolver<'_> {
    /// For an existing object that is created once. A child without owner, because its owner was deleted with orphaned
    /// children and created again, gets the new owner.
    pub(super) fn once<N>(
        &self,
        desired: &Desired,
        generate: &BTreeMap<String, Recipe>,
        observed: Observed<'_>,
    ) -> Action<N> {
        let Observed::Stored(stored) = observed else { return Action::Read };
        if has_expensive_lines(desired, generate, stored) {
            return Action::Rehash;
        }
        let owner = Ownership::of(&stored.metadata, self.owner.home());
        let is_as_desired = match owner {
            None if stored.annotations().contains_key(KEPT_ANNOTATION) => true,
            None => !is_labelled_alike(&stored.metadata, desired.object.meta()),
            owner => self.has_owner(desired, owner.as_ref()),
        };
        if is_as_desired { Action::Nothing } else { Action::SetOwner }
    }

    /// For a Secret with a certificate. It is read only when the certificate is due for renewal, or when it or its inputs
    /// have changed. A Secret that neither has the operator's label nor belongs to the owner is used unchanged.
    pub(super) fn issue<N>(&self, desired: &Desired, observed: Observed<'_>, known: Known<'_>) -> Action<N> {
        let serves = |certificate: &&Certificate| {
            Some(certificate.asked) == known.digest && certificate.due > self.now
        };
        let certificate = match known.applied {
            Some(Applied::Issued(certificate)) => Some(certificate).filter(serves),
            _ => None,
        };
        match observed {
            Observed::Absent => Action::Issue(Apply::New),
            Observed::Watched(seen) if certificate.is_some_and(|it| it.holds(seen)) => Action::Nothing,
            Observed::Named | Observed::Watched(_) => Action::Read,
            Observed::Stored(stored) if is_immutable(stored) || !is_ours(stored, desired) => Action::Nothing,
            Observed::Stored(stored) => match (self.adopt(desired, stored), certificate) {
                (Err(refusal), _) => Action::Refuse(refusal),
                (Ok(Apply::Child), Some(_)) if has_metadata(stored, desired) => Action::Nothing,
                (Ok(how), Some(_)) => Action::Apply(how),
                (Ok(how), None) => Action::Issue(how),
            },
        }
    }
}

/// Whether generated htpasswd lines have a high bcrypt cost: the registry checks such a line with every request. Only in a
/// Secret that belongs to the owner, because lines that a user wrote stay.
fn has_expensive_lines(
    desired: &Desired,
    generate: &BTreeMap<String, Recipe>,
    stored: &DynamicObject,
) -> bool {
    belongs(stored, desired)
        && stored.data["immutable"] != true
        && !expensive_lines(generate, &secret_data(&stored.data)).is_empty()
}

/// Whether the operator created the Secret, for this owner or for another one.
fn is_ours(secret: &DynamicObject, desired: &Desired) -> bool {
    secret.labels().contains_key(CONTROLLER_LABEL) || belongs(secret, desired)
}

/// Whether the Secret has the desired labels, annotations and owner.
fn has_metadata(secret: &DynamicObject, desired: &Desired) -> bool {
    tags(desired.object.meta()).is_subset(&tags(&secret.metadata))
        && owners(desired).all(|owner| is_owned(secret, owner))
}

/// Whether the Secret has the desired owner.
fn belongs(secret: &DynamicObject, desired: &Desired) -> bool {
    owners(desired).any(|owner| is_owned(secret, owner))
}

fn owners(desired: &Desired) -> impl Iterator<Item = &OwnerReference> {
    desired.object.meta().owner_references.iter().flatten()
}

fn is_owned(secret: &DynamicObject, by: &OwnerReference) -> bool {
    secret.owner_references().iter().any(|owner| owner.uid == by.uid)
}
