//! The exporter's Deployment.

use super::{Exporter, environment, inputs::Inputs};
use crate::{
    observability::METRICS_PORT,
    pods::{Scheme, Strategy, Workload, http_probe},
};
use k8s_openapi::api::core::v1::{Container, Probe};
use plan::{Component, Desired};

/// Time a start may take, in probes ten seconds apart: five minutes. The exporter waits a minute for the database.
const STARTUP_PROBES: i32 = 30;

/// The Deployment. Waits for the Secret that its pods use.
pub(super) fn deployment(exporter: &Inputs<'_>) -> Desired {
    Workload {
        instance: &exporter.instance,
        containers: vec![(container(exporter), &exporter.spec.component)],
        volumes: exporter.authorities.volumes(),
        strategy: Strategy::Unset,
        termination_grace_period_seconds: None,
    }
    .deployment()
}

/// Its image takes no arguments: what it is told, it is told through the environment.
fn container(exporter: &Inputs<'_>) -> Container {
    // Always in clear text, and without asking anybody: not the metrics, which are read from everywhere.
    let probe = || http_probe("/", METRICS_PORT, Scheme::Http);
    let mounts = exporter.authorities.mounts();
    Container {
        name: Exporter::NAME.into(),
        image: Some(exporter.instance.image("harbor-exporter")),
        env: Some(environment::environment(exporter).into()),
        ports: Some(vec![exporter.metrics.container_port()]),
        volume_mounts: Some(mounts).filter(|mounts| !mounts.is_empty()),
        startup_probe: Some(Probe { failure_threshold: Some(STARTUP_PROBES), ..probe() }),
        liveness_probe: Some(probe()),
        readiness_probe: Some(probe()),
        ..Container::default()
    }
}
