//! How users of a Harbor log in, and are to log in.

use crate::management::{self, Server};
use api::v1beta1::{HarborConfiguration, HarborUserSpec};
use harborstate::{State as _, user::User};
use kube::ResourceExt as _;
use plan::{ObjectKey, PlanError, System, World};

/// The mode in which Harbor has users of its own.
const DATABASE: &str = "db_auth";

/// Refuses a user where users come from a directory, or are to come from one.
pub(super) fn check(
    spec: &HarborUserSpec,
    system: &System,
    server: &Server,
    world: &World<'_>,
) -> Result<(), PlanError> {
    match server.state().map(|server| server.auth_mode.as_str()) {
        None | Some(DATABASE) => check_wanted(spec, system, world),
        Some(mode) => Err(PlanError::invalid(
            "spec",
            format!("users of this Harbor log in with {mode}, so that it has no users of its own"),
            "create the user in the directory and delete this object",
        )),
    }
}

/// Refuses the creation of a user in a Harbor that is to have another mode: Harbor refuses to change the mode as long as it
/// has users, so whichever object is reconciled first would decide.
fn check_wanted(spec: &HarborUserSpec, system: &System, world: &World<'_>) -> Result<(), PlanError> {
    if world.external(system, User::COLLECTION, &spec.username)?.is_some() {
        return Ok(());
    }
    for configuration in world.read_all::<HarborConfiguration>()? {
        let settings = configuration.spec.configuration.as_deref();
        let mode = settings.and_then(|settings| settings.auth_mode.as_deref());
        let Some(mode) = mode.filter(|mode| *mode != DATABASE) else { continue };
        if management::is_about(&configuration, system, world)? {
            let namespace = configuration.namespace().unwrap_or_default();
            let object = ObjectKey::of::<HarborConfiguration>(&namespace, &configuration.name_any());
            return Err(PlanError::invalid(
                "spec",
                format!(
                    "{object} sets authMode to {mode}, which Harbor refuses once it has users of its own"
                ),
                "create the user in the directory and delete this object, or set authMode to db_auth",
            ));
        }
    }
    Ok(())
}
