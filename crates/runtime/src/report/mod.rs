//! Reports for users: the status of an owner, events about it, and the progress of reconciles.
//!
//! Uses: cluster, telemetry.

mod child_changes;
mod events;
mod progress;
mod status;
mod tally;
mod tree;

pub(crate) use child_changes::{ChangeKind, ChildChange, RolloutReason};
pub(crate) use events::{Events, ReportedProblem};
pub(crate) use progress::ProgressSink;
pub use progress::{Observer, Planned, Progress, Stage, State};
pub(crate) use status::{
    FIRST_STATUS, Written, operator_status, previous_status, until_next_details, write_status,
};
pub use tally::Tally;
pub use tree::{Found, NodeState, Phase, Tree, TreeChange, TreeNode, tally};
