//! Who a child belongs to.

use super::Mutation;
use crate::{AnyManifest, Owner, PlanError};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

/// Makes an owner the controller of its children, so that they are deleted with it.
#[derive(Clone, Debug)]
pub struct OwnedBy(Option<OwnerReference>);

impl OwnedBy {
    /// The owner as controller. One that was never stored has no uid and cannot be referred to: `render` shows
    /// children without owner.
    pub fn controller<O: Owner>(owner: &O) -> Self {
        Self(owner.controller_owner_ref(&()).map(|reference| OwnerReference {
            // Deletion of the owner waits for its children where the user asks for foreground deletion.
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
