//! Which Harbor an object takes effect in.

use api::v1beta1::{
    Harbor, HarborCluster,
    harbor_target::{HarborKind, HarborReference, HarborTarget},
};
use plan::{ObjectKey, PlanError, System, World};

/// The Harbor in which an object of a namespace takes effect. A Harbor that this operator runs is named by its namespace and
/// its Harbor object, any other by its HarborServerConfiguration alone.
pub(crate) fn system(target: &HarborTarget, namespace: &str, world: &World<'_>) -> Result<System, PlanError> {
    match (&target.harbor_ref, &target.harbor_server_config) {
        (Some(reference), None) => Ok(harborstate::system(namespace, &harbor(reference, namespace, world)?)),
        (None, Some(configuration)) => Ok(harborstate::system("", configuration)),
        _ => Err(PlanError::invalid(
            "spec",
            "must have exactly one of harborRef and harborServerConfig",
            "keep the one that names the Harbor",
        )),
    }
}

/// The name of the Harbor object.
fn harbor(reference: &HarborReference, namespace: &str, world: &World<'_>) -> Result<String, PlanError> {
    let HarborReference { name, kind } = reference;
    let of_cluster = || format!("{name}-harbor");
    match kind {
        Some(HarborKind::Harbor) => Ok(name.to_string()),
        Some(HarborKind::HarborCluster) => Ok(of_cluster()),
        None if world.read::<HarborCluster>(name)?.is_some() => Ok(of_cluster()),
        None if world.read::<Harbor>(name)?.is_some() => Ok(name.to_string()),
        None => Err(PlanError::Missing([ObjectKey::of::<Harbor>(namespace, name)].into())),
    }
}

/// Whether an object stands for a Harbor, or is the part of one that serves its API.
pub(crate) fn is_harbor(object: &ObjectKey) -> bool {
    ["Harbor", "HarborCluster", "HarborServerConfiguration", "Core"].contains(&object.kind.as_str())
}
