//! Decides when each owner is reconciled: queues, fairness between owners and namespaces, backoff, deadlines, panics.
//!
//! Uses: cluster, external, reconcile, telemetry.

mod backoff;
mod controller;
mod fair_queue;
mod permission_waiters;
mod queue;

pub(crate) use controller::{Limits, control};
pub(crate) use permission_waiters::{PermissionWaiters, probe};
