//! Ensures one object in the cluster: asks [`plan::Resolver`] for the action and performs it. Server-side apply,
//! creation, certificates, hand-over from the old operator, contention.
//!
//! Uses: cluster, report.

mod amend;
mod contention;
mod ensure;
mod generate;
mod hand_over;
mod inputs;
mod inputs_digest;
mod issue;
mod perform;
mod rehash;
mod release;
mod restarts;
mod run_state;
mod send;
mod server_side_apply;
mod set_owner;

pub(crate) use amend::amend;
pub(crate) use contention::Repairs;
pub(crate) use ensure::{Applier, node_span};
pub(crate) use inputs::awaited;
pub(crate) use inputs_digest::DigestSource;
pub(crate) use issue::certificate_in;
pub(crate) use restarts::RestartTurns;
pub(crate) use run_state::{Done, Read, RunState};
pub use server_side_apply::server_side_apply;
