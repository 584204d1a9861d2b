//! Observability of a component: Prometheus metrics, ServiceMonitors and traces.
//!
//! Uses: pods, secrets, values.

mod metrics;
mod service_monitor;
mod trace;

pub(crate) use self::{
    metrics::{METRICS_PORT, Metrics},
    service_monitor::Monitor,
    trace::trace_environment,
};
