//! The controller reference of a child.

use super::Mutation;
use crate::{AnyManifest, Component, OwnerAccess, PlanError};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource as _;

/// Makes an owner the controller of its children, so that they are deleted with it.
#[derive(Clone, Debug)]
pub struct OwnedBy(Option<OwnerReference>);

impl OwnedBy {
    /// The owner as controller. An owner that was never stored has no uid and cannot be referenced, so `render` shows
    /// children without owner.
    pub fn controller<C: Component>(owner: &C::Owner) -> Self {
        // If the user requests foreground deletion, the deletion of the owner waits for its children. To set this, the operator
        // needs a permission to write the owner.
        let block_owner_deletion = match C::ACCESS {
            OwnerAccess::Written => Some(true),
            OwnerAccess::OnlyRead => None,
        };
        let reference = owner.controller_owner_ref(&());
        Self(reference.map(|reference| OwnerReference { block_owner_deletion, ..reference }))
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
