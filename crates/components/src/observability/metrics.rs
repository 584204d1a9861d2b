//! Prometheus metrics.

use crate::pods::{Environment, Scheme, container_port, service_port};
use api::v1beta1::metrics::MetricsSpec;
use k8s_openapi::api::core::v1::{ContainerPort, ServicePort};
use plan::PlanError;
use std::collections::BTreeMap;

/// Name of the port that serves metrics.
pub(crate) const METRICS_PORT: &str = "metrics";

/// Metrics that are turned on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Metrics<'a> {
    /// Port they are served on.
    pub port: i32,
    /// Path they are served under.
    pub path: &'a str,
}

impl<'a> Metrics<'a> {
    /// The metrics that a spec turns on. Their port must be free.
    pub fn of(spec: Option<&'a MetricsSpec>, scheme: Scheme) -> Result<Option<Self>, PlanError> {
        let Some(spec) = spec.filter(|spec| spec.enabled) else { return Ok(None) };
        let taken = [scheme.port(), scheme.container_port()];
        Self::served(spec.port, &spec.path, "spec.metrics.port", taken).map(Some)
    }

    /// Metrics on this port, which `field` sets, under this path. A port in `taken` is refused.
    pub fn served(
        port: i32,
        path: &'a str,
        field: &str,
        taken: impl IntoIterator<Item = i32>,
    ) -> Result<Self, PlanError> {
        if taken.into_iter().any(|taken| taken == port) {
            return Err(PlanError::invalid(
                field,
                format!("{port} is the port of the API"),
                "use another port, such as 8001",
            ));
        }
        if !(1..=65535).contains(&port) {
            return Err(PlanError::invalid(
                field,
                format!("there is no port {port}"),
                "use one from 1 to 65535, such as 8001",
            ));
        }
        Ok(Self { port, path })
    }

    /// The settings of Harbor for metrics.
    pub fn environment(metrics: Option<&Self>, component: &str) -> Environment {
        let environment = Environment::default().with("METRIC_ENABLE", metrics.is_some());
        let Some(Self { port, path }) = metrics else { return environment };
        environment
            .with("METRIC_PATH", path)
            .with("METRIC_PORT", port)
            .with("METRIC_NAMESPACE", "harbor")
            .with("METRIC_SUBSYSTEM", component)
    }

    /// The annotations with which Prometheus finds the metrics.
    pub fn annotations(self) -> BTreeMap<String, String> {
        [
            ("prometheus.io/path", self.path.to_owned()),
            ("prometheus.io/port", self.port.to_string()),
            ("prometheus.io/scrape", "true".to_owned()),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
    }

    /// The port of the container.
    pub fn container_port(self) -> ContainerPort {
        container_port(METRICS_PORT, self.port)
    }

    /// The port of the Service.
    pub fn service_port(self) -> ServicePort {
        service_port(METRICS_PORT, self.port)
    }
}
