//! The registry's Deployment.

use super::{DIRECTORY, FILE, Registry, TLS_DIRECTORY, environment, service::API, validated::Validated};
use crate::{
    certificates::InternalTls,
    observability::Metrics,
    pods::{Workload, config_map_volume, container_port, directory_mount, http_probe, tcp_probe},
    registrycontroller,
};
use k8s_openapi::api::core::v1::{
    Container, ExecAction, Lifecycle, LifecycleHandler, Probe, Volume, VolumeMount,
};
use plan::{Component, Desired};

const CONFIGURATION: &str = "registry-config";

/// Seconds that a terminating pod keeps serving, since requests still reach it.
const PRE_STOP: u64 = 10;

/// The minimum grace period in seconds.
const GRACE: u64 = 120;

/// The Deployment. It waits for the ConfigMaps and the Secret that its pods use.
pub(super) fn deployment(registry: &Validated<'_>) -> Desired {
    let controller = &registry.controller;
    let store = (environment::store(registry), shared_mounts(registry).collect());
    let sidecar = registrycontroller::container(controller, store, registry.trace.clone());
    let grace = GRACE.max(registry.drain.saturating_add(PRE_STOP + 10));
    Workload {
        instance: &registry.instance,
        containers: vec![
            (container(registry), &registry.spec.component),
            (sidecar, &controller.spec.component),
        ],
        volumes: volumes(registry),
        strategy: registry.strategy,
        termination_grace_period_seconds: i64::try_from(grace).ok(),
    }
    .deployment()
}

fn container(registry: &Validated<'_>) -> Container {
    let ports = [Some(container_port(API, super::PORT)), registry.metrics.map(Metrics::container_port)];
    Container {
        name: Registry::NAME.into(),
        image: Some(registry.instance.image("registry-photon")),
        args: Some(vec!["serve".into(), super::CONFIG_PATH.into()]),
        env: Some(environment::environment(registry).into()),
        ports: Some(ports.into_iter().flatten().collect()),
        volume_mounts: Some(mounts(registry).collect()),
        // It checks the store before it listens, and some stores are slow.
        startup_probe: Some(Probe { failure_threshold: Some(30), ..tcp_probe(API) }),
        // Not a request: while the store is unavailable, the registry answers 503, and a restart would not
        // help.
        liveness_probe: Some(tcp_probe(API)),
        readiness_probe: Some(http_probe("/", API, registry.scheme())),
        lifecycle: Some(Lifecycle {
            pre_stop: Some(LifecycleHandler {
                exec: Some(ExecAction { command: Some(vec!["sleep".into(), PRE_STOP.to_string()]) }),
                ..LifecycleHandler::default()
            }),
            ..Lifecycle::default()
        }),
        ..Container::default()
    }
}

fn volumes(registry: &Validated<'_>) -> Vec<Volume> {
    [config_map_volume(CONFIGURATION, &registry.instance.name, FILE)]
        .into_iter()
        .chain(registry.files.volumes())
        .chain(registry.driver.files.volumes())
        .chain(registry.tls.map(|tls| tls.volume()))
        .chain(registry.authorities.volumes())
        .chain(registrycontroller::volumes(&registry.controller))
        .collect()
}

fn mounts(registry: &Validated<'_>) -> impl Iterator<Item = VolumeMount> {
    let certificate = registry.tls.map(|_| InternalTls::mounts(TLS_DIRECTORY)).into_iter().flatten();
    shared_mounts(registry).chain(registry.files.mounts()).chain(certificate)
}

/// The mounts that the controller shares. It gets neither the users nor the private keys.
fn shared_mounts(registry: &Validated<'_>) -> impl Iterator<Item = VolumeMount> {
    [directory_mount(CONFIGURATION, DIRECTORY)]
        .into_iter()
        .chain(registry.driver.files.mounts())
        .chain(registry.authorities.mounts())
}
