//! What the pods of workloads report, for people: their states, restarts and events, and the last lines that a container
//! logged before it failed.
//!
//! [`workloads`] finds the workloads of a tree, [`read`] reads the cluster once, and [`Report`] is what `status` and the web page
//! show. Between reading and showing there is only [`Observed::fold`], which is pure.
//!
//! What it guarantees:
//! - It reads only when asked, watches nothing and stores nothing.
//! - It keeps little of what it reads, in pages of 20 objects, so that objects of others do not fill the memory.
//! - A pod belongs to the workload that its owners lead to, whatever kinds are between them: objects of other operators have their
//!   pods, too, if these operators set owner references.
//! - A workload that is ready costs its share of one list of pods, and of one list of each kind that owns pods. Events, ReplicaSets
//!   and logs are read only if a workload is not ready, and logs only of containers that fail: at most [`LOGS_PER_WORKLOAD`] for
//!   each workload.
//! - It never reads a Secret. Text of containers and of other programs is cut, has no control characters, and what looks like a
//!   secret in it is masked, see [`masked`].
//! - A refused request leaves a gap in the report, which names the missing permission, and is no failure.

mod container;
mod event;
mod fold;
mod lines;
mod log;
mod mask;
mod owner;
mod pod;
mod read;
mod report;
mod slim;
#[cfg(test)]
mod tests;
mod text;
mod unseen;
mod workload;

pub use fold::Observed;
pub use lines::{Line, Mark};
pub use log::{LOGS_PER_WORKLOAD, LogInstance, LogKey};
pub use mask::masked;
pub use owner::{Named, Owned, Owners};
pub use read::read;
pub use report::{ContainerReport, Ended, EventReport, PodReport, Report, WorkloadReport};
pub use unseen::{Unseen, permissions};
pub use workload::{Standing, Workload, workloads};
