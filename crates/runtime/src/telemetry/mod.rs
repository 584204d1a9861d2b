//! Observability of the process: metrics, health, logs of verdicts, and reviews of the clients that read metrics.
//!
//! Uses: nothing.

mod health;
mod log;
mod metrics;
mod review;

pub(crate) use health::FirstList;
pub use health::{Health, HealthError};
pub(crate) use log::Logged;
pub use metrics::{AdmissionOutcome, Build, ConversionOutcome, Format, Metrics};
pub(crate) use metrics::{
    Counted, Installation, Issuer, ObjectState, ReconcileMetrics, ShownInstallation, Tracked,
};
pub use review::{ReviewDecision, ReviewError, Reviewer};
