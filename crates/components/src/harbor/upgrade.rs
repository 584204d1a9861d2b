//! From which version to which a Harbor may go.

use super::{inputs::Inputs, part::Part};
use crate::{HarborVersion, VERSION_ANNOTATION};
use api::v1beta1;
use k8s_openapi::api::core::v1::ConfigMap;
use plan::{PlanError, World};
use std::collections::BTreeMap;

/// How many minor releases Harbor supports being upgraded over at once.
const LONGEST_STEP: u32 = 2;

/// Refuses to go back, since no Harbor can undo a migration of the database, and to go too far at once.
///
/// What runs is told by Core's ConfigMap, which changes with the version and hardly ever otherwise; what the old
/// operator left behind says nothing there, and is told by the Core itself.
pub(super) fn allowed(harbor: &Inputs<'_>, world: &World<'_>) -> Result<(), PlanError> {
    let (wanted, core) = (&harbor.version, &harbor.name);
    let Some(config) = world.read::<ConfigMap>(&harbor.child(Part::Core.name()))? else { return Ok(()) };
    let running = match annotated(config.metadata.annotations.as_ref()) {
        Some(version) => Some(version),
        None => world.read::<v1beta1::Core>(core)?.and_then(|it| annotated(it.metadata.annotations.as_ref())),
    };
    let Some(running) = running else { return Ok(()) };
    let (from, to) = (running.minor(), wanted.minor());
    if to < from {
        return Err(PlanError::invalid(
            "spec.version",
            format!("Harbor {running} cannot go back to {wanted}: its database has been migrated"),
            format!(
                "set it to {running}; to go back all the same, restore the database and delete Core {core}"
            ),
        ));
    }
    if to.0 == from.0 && to.1 > from.1 + LONGEST_STEP {
        let (major, minor) = (from.0, from.1 + LONGEST_STEP);
        return Err(PlanError::invalid(
            "spec.version",
            format!("Harbor {running} cannot be upgraded to {wanted} at once"),
            format!("upgrade to {major}.{minor} first, and from there at most two minor releases at a time"),
        ));
    }
    Ok(())
}

/// What cannot be read tells nothing; it is about to be replaced.
fn annotated(annotations: Option<&BTreeMap<String, String>>) -> Option<HarborVersion> {
    HarborVersion::parse(annotations?.get(VERSION_ANNOTATION)?).ok()
}
