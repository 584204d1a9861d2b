//! The exporter's Deployment.

use super::{Exporter, environment, validated::Validated};
use crate::{
    observability::METRICS_PORT,
    pods::{Scheme, Strategy, Workload, http_probe},
};
use k8s_openapi::api::core::v1::{Container, Probe};
use plan::{Component, Desired};

/// How long a start may take, in probes ten seconds apart: five minutes. The exporter waits a minute for the
/// database.
const STARTUP_PROBES: i32 = 30;

/// The Deployment. It waits for the Secret that its pods use.
pub(super) fn deployment(exporter: &Validated<'_>) -> Desired {
    Workload {
        instance: &exporter.instance,
        containers: vec![(container(exporter), &exporter.spec.component)],
        volumes: exporter.authorities.volumes(),
        strategy: Strategy::Unset,
        termination_grace_period_seconds: None,
    }
    .deployment()
}

/// Its image takes no arguments: all settings are in the environment.
fn container(exporter: &Validated<'_>) -> Container {
    // Always in clear text. `/` depends on no other service, unlike the metrics.
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
