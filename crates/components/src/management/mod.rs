//! What the kinds share that describe objects inside a running Harbor: which Harbor that is and how to reach it, what its
//! version can do, whether objects are adopted and deleted, and the status that the old operator's kinds have.
//!
//! Uses: secrets, values.

mod access;
mod admin_password;
mod docker_config;
mod health;
mod label;
mod member;
mod password;
mod policy;
mod project;
mod project_names;
mod registry;
mod registry_host;
mod server;
mod status;
mod target;
mod text;

pub(crate) use self::{
    access::{check_open_to, connection},
    admin_password::{AdminPassword, CURRENT, FIRST, admin_password_key, current_secret},
    docker_config::{DOCKER_CONFIG, DOCKER_CONFIG_TYPE, RegistryHosts, robot_secret},
    health::remote_health,
    label::label,
    member::{group_type, member},
    password::check_password,
    policy::Policy,
    project::Projects,
    project_names::{ProjectNames, is_project_name},
    registry::Registry,
    server::Server,
    status::{Legacy, field, fields_with_id, found, managed_fields},
    target::{check_default, configuration, is_about, is_harbor, system},
    text::text,
};

use harborstate::State;
use plan::{External, PlanError, System};

/// An object inside a Harbor.
pub(crate) fn object<S: State>(system: &System, name: &str, state: &S) -> Result<External, PlanError> {
    state.external(system, name).map_err(|error| {
        PlanError::invalid("spec", format!("cannot be sent to Harbor: {error}"), "report this as a bug")
    })
}
