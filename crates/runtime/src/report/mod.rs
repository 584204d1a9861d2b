//! Reports for users: the status of an owner, events about it, and the progress of reconciles.
//!
//! Uses: cluster, telemetry.

mod child_changes;
mod events;
mod recorder;
mod sink;
mod status;

pub(crate) use child_changes::{ChangeKind, ChildChange, RolloutReason};
pub(crate) use events::{Events, ReportedProblem};
pub use recorder::EventRecorder;
pub(crate) use sink::ProgressSink;
pub(crate) use status::{
    FIRST_STATUS, Written, operator_status, previous_status, until_next_details, write_status,
};
