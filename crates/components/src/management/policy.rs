//! Whether objects inside a Harbor are created, adopted and deleted.

use api::v1beta1::{creation_policy::CreationPolicy, object_deletion_policy::ObjectDeletionPolicy};
use plan::{DeletionBehavior, Desired, External, IfAbsent, IfExists};

/// Whether an object inside a Harbor is created, adopted and deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Whether it may or must exist before.
    pub creation: CreationPolicy,
    /// Whether it is deleted with its owner.
    pub deletion: ObjectDeletionPolicy,
}

impl Policy {
    /// For a part of an object that exists with it, such as the members of a project: it cannot be deleted by itself.
    pub const INHERENT: Self =
        Self { creation: CreationPolicy::CreateOrAdopt, deletion: ObjectDeletionPolicy::Retain };
    /// For a part that is created by itself, such as a webhook of a project.
    pub const PART: Self =
        Self { creation: CreationPolicy::CreateOrAdopt, deletion: ObjectDeletionPolicy::Delete };

    /// The object with this policy.
    pub fn desired(self, mut external: External) -> Desired {
        external.if_exists = match self.creation {
            CreationPolicy::Create => IfExists::Refuse {
                remedy: "set spec.creationPolicy to CreateOrAdopt to take it over, or choose another name"
                    .into(),
            },
            CreationPolicy::Adopt | CreationPolicy::CreateOrAdopt => IfExists::Adopt,
        };
        external.if_absent = match self.creation {
            CreationPolicy::Adopt => IfAbsent::Refuse {
                remedy: "create it in Harbor, or set spec.creationPolicy to CreateOrAdopt".into(),
            },
            CreationPolicy::Create | CreationPolicy::CreateOrAdopt => IfAbsent::Create,
        };
        let deletion = if self.deletion.deletes() { DeletionBehavior::Owned } else { DeletionBehavior::Kept };
        Desired::external(external).on_deletion(deletion)
    }
}
