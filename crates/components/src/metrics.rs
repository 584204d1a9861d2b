//! Prometheus metrics.

use crate::{environment::Environment, ports, tls::Scheme};
use api::v1beta1::metrics::MetricsSpec;
use k8s_openapi::api::core::v1::{ContainerPort, ServicePort};
use plan::PlanError;
use std::collections::BTreeMap;

/// Name of the port metrics are served on.
pub(crate) const PORT: &str = "metrics";

/// Metrics that are turned on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Metrics<'a>(&'a MetricsSpec);

impl<'a> Metrics<'a> {
    /// The metrics a spec turns on, on a port nothing else listens on.
    pub fn of(spec: Option<&'a MetricsSpec>, scheme: Scheme) -> Result<Option<Self>, PlanError> {
        let Some(spec) = spec.filter(|spec| spec.enabled) else { return Ok(None) };
        if spec.port == scheme.port() || spec.port == scheme.container_port() {
            return Err(PlanError::invalid(
                "spec.metrics.port",
                format!("{} is the port of the API", spec.port),
                "use another port, such as 8001",
            ));
        }
        Ok(Some(Self(spec)))
    }

    /// Tells Harbor whether and where to serve metrics.
    pub fn environment(metrics: Option<&Self>, component: &str) -> Environment {
        let environment = Environment::default().with("METRIC_ENABLE", metrics.is_some());
        let Some(Self(spec)) = metrics else { return environment };
        environment
            .with("METRIC_PATH", &spec.path)
            .with("METRIC_PORT", spec.port)
            .with("METRIC_NAMESPACE", "harbor")
            .with("METRIC_SUBSYSTEM", component)
    }

    /// Tells Prometheus where to look.
    pub fn annotations(self) -> BTreeMap<String, String> {
        let Self(spec) = self;
        [
            ("prometheus.io/path", spec.path.clone()),
            ("prometheus.io/port", spec.port.to_string()),
            ("prometheus.io/scrape", "true".to_owned()),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
    }

    /// The port of the container.
    pub fn container_port(self) -> ContainerPort {
        ports::container(PORT, self.0.port)
    }

    /// The port of the Service.
    pub fn service_port(self) -> ServicePort {
        ports::service(PORT, self.0.port)
    }
}
