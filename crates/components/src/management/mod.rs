//! What the kinds share that describe objects inside a running Harbor: which Harbor that is and how to reach it, what its
//! version can do, whether objects are adopted and deleted, and the status that the old operator's kinds have.
//!
//! Uses: secrets, values.

mod access;
mod facts;
mod policy;
mod registry;
mod server;
mod status;
mod target;
mod text;

pub(crate) use self::{
    access::connection,
    facts::{facts, field},
    policy::Policy,
    registry::Registry,
    server::Server,
    status::Legacy,
    target::system,
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
