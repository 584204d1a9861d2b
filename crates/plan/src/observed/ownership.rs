//! Which owner an object belongs to.

use crate::{ObjectKey, mutation::KeptFor};
use api::names::KEPT_ANNOTATION;
use kube::core::ObjectMeta;

/// The owner that an object belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// A controller reference names this owner, with this uid; the object is deleted with it.
    Owned(ObjectKey, String),
    /// An annotation names this owner; the object outlives it.
    Kept(ObjectKey),
}

impl Ownership {
    /// The ownership that the metadata of an object in `namespace` states.
    pub fn of(meta: &ObjectMeta, namespace: &str) -> Option<Self> {
        let kept_for = || meta.annotations.as_ref()?.get(KEPT_ANNOTATION);
        controller_of(meta, namespace).or_else(|| KeptFor::parse(kept_for()?, namespace).map(Self::Kept))
    }

    /// The owner.
    pub fn key(&self) -> &ObjectKey {
        match self {
            Self::Owned(key, _) | Self::Kept(key) => key,
        }
    }

    /// The uid of the owner that the object is deleted with.
    pub fn controller(&self) -> Option<&str> {
        match self {
            Self::Owned(_, uid) => Some(uid),
            Self::Kept(_) => None,
        }
    }

    /// Whether the owner is the object with this uid. A deleted owner of the same name has another uid.
    pub fn is(&self, owner: &ObjectKey, uid: &str) -> bool {
        match self {
            Self::Owned(key, its) => key == owner && its == uid,
            Self::Kept(key) => key == owner,
        }
    }
}

/// The ownership that a controller reference states.
pub fn controller_of(meta: &ObjectMeta, namespace: &str) -> Option<Ownership> {
    let owner = meta.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))?;
    let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
    let key = ObjectKey::owner(group, &owner.kind, namespace, &owner.name);
    Some(Ownership::Owned(key, owner.uid.clone()))
}
