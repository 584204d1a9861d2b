//! How the process itself is observed: metrics, health, and what of all results is worth a line in the log.
//!
//! Uses: nothing.

mod health;
mod log;
mod metrics;
mod review;

pub(crate) use health::FirstList;
pub use health::{Health, HealthError};
pub(crate) use log::Logged;
pub use metrics::{Build, Format, Metrics};
pub(crate) use metrics::{Counted, Issuer, ObjectState, ReconcileMetrics, Tracked};
pub use review::{Access, ReviewError, Reviewer};
