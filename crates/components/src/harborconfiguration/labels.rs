//! Labels of the whole Harbor. Artifacts may have them, so they stay unless the spec says otherwise.

use crate::management::{self, Policy};
use api::v1beta1::{
    CreationPolicy, HarborConfigurationSpec, harborconfiguration::label::SystemLabel,
    object_deletion_policy::ObjectDeletionPolicy,
};
use plan::{Desired, PlanError, System};

/// The labels of the spec.
pub(super) fn labels(spec: &HarborConfigurationSpec, system: &System) -> Result<Vec<Desired>, PlanError> {
    spec.labels.iter().flatten().map(|it| label(it, system)).collect()
}

fn label(
    SystemLabel { name, appearance, deletion_policy }: &SystemLabel,
    system: &System,
) -> Result<Desired, PlanError> {
    let policy = Policy {
        creation: CreationPolicy::CreateOrAdopt,
        deletion: deletion_policy.unwrap_or(ObjectDeletionPolicy::Orphan),
    };
    Ok(policy.desired(management::object(system, name, &management::label(appearance))?))
}
