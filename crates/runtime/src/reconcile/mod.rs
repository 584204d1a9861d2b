//! One reconcile of one owner: plan, ensure the children in the order of the graph, sweep, write the status. Also the
//! memory between two reconciles.
//!
//! Uses: cluster, apply, external, report, telemetry.

mod context;
mod ending_namespace;
mod memo;
mod nodes;
mod owner;
mod planning;
mod reconciler;
mod session;
mod status;
mod sweep;

pub(crate) use context::Context;
pub(crate) use memo::{Node, outcome};
pub(crate) use nodes::{ensure, planned, to_outcome, unplanned};
pub(crate) use owner::Owner;
pub(crate) use planning::plan;
pub(crate) use reconciler::{Findings, Reconciler};
pub(crate) use session::Session;
pub(crate) use status::Reasons;
pub(crate) use sweep::sweep;
