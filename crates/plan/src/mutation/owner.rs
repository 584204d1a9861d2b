//! The controller reference of a child.

use super::Mutation;
use crate::{AnyManifest, Owner, PlanError};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

/// Makes an owner the controller of its children, so that they are deleted with it.
#[derive(Clone, Debug)]
pub struct OwnedBy(Option<OwnerReference>);

impl OwnedBy {
    /// The owner as controller. An owner that was never stored has no uid and cannot be referenced, so `render` shows
    /// children without owner.
    pub fn controller<O: Owner>(owner: &O) -> Self {
        Self(owner.controller_owner_ref(&()).map(|reference| OwnerReference {
            // If the user requests foreground deletion, the deletion of the owner waits for its children.
            block_owner_deletion: Some(true),
            ..reference
        }))
    }
}

impl Mutation for OwnedBy {
    fn mutate(&self, object: &mut dyn AnyManifest) -> Result<(), PlanError> {
        if let Some(owner) = &self.0 {
            object.meta_mut().owner_references = Some(vec![owner.clone()]);
        }
        Ok(())
    }
}
