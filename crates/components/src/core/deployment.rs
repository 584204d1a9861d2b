//! Core's Deployment.

use super::{
    Core, config,
    environment::{self, DIRECTORY, TLS_DIRECTORY},
    keys,
    validated::Validated,
};
use crate::{
    certificates::{CA_CERTIFICATE, InternalTls},
    observability::Metrics,
    pods::{
        Instance, Strategy, Workload, config_map_volume, container_port, directory_mount, file_mount,
        http_probe, optional_secret_volume, scratch_volume, secret_volume, writable_mount,
    },
};
use api::{
    names::{REPLACE_TOGETHER_ANNOTATION, STOPPED_ANNOTATION},
    v1beta1::component::ComponentSpec,
};
use k8s_openapi::api::core::v1::{
    Container, ExecAction, Lifecycle, LifecycleHandler, Probe, Volume, VolumeMount,
};
use plan::{Component, Desired};

/// How long a first start may take, including the migration of a large database, in probes ten seconds apart:
/// one hour.
const STARTUP_PROBES: i32 = 360;

/// Seconds between the removal of a pod from the Service and SIGTERM. Core exits three seconds after SIGTERM
/// and aborts uploads, so most uploads should end before.
const DRAIN: &str = "30";

/// The Deployment. It waits for the ConfigMap and the Secret that its pods mount.
pub(super) fn deployment(core: &Validated<'_>) -> Desired {
    of(core, &core.instance)
}

/// The Deployment of a Core that the operator had stopped. An autoscaler does not start what has no replicas.
pub(super) fn restarted(core: &Validated<'_>) -> Desired {
    let autoscaled = core.instance.spec.autoscaling.as_ref().map(|it| it.min_replicas.unwrap_or(1).max(1));
    autoscaled.map_or_else(|| deployment(core), |least| scaled(core, least))
}

/// The Deployment with this number of replicas, which no autoscaler changes.
fn scaled(core: &Validated<'_>, replicas: i32) -> Desired {
    let pods = ComponentSpec { replicas: Some(replicas), autoscaling: None, ..core.instance.spec.clone() };
    of(core, &core.instance.with_spec(&pods))
}

/// The Deployment without pods; `why` says until when. Where a user wants no pods, the operator has not stopped it.
pub(super) fn stopped(core: &Validated<'_>, why: String) -> Desired {
    let mut desired = scaled(core, 0);
    if core.instance.spec.replicas != Some(0) {
        let annotations = desired.object.meta_mut().annotations.get_or_insert_default();
        annotations.insert(STOPPED_ANNOTATION.into(), why);
    }
    desired
}

fn of(core: &Validated<'_>, instance: &Instance<'_>) -> Desired {
    let together = core.instance.annotation(REPLACE_TOGETHER_ANNOTATION) == Some("true");
    Workload {
        instance,
        containers: vec![(container(core), &core.spec.component)],
        volumes: volumes(core),
        strategy: if together { Strategy::Together } else { Strategy::Unset },
        termination_grace_period_seconds: Some(120),
    }
    .deployment()
}

fn container(core: &Validated<'_>) -> Container {
    let scheme = core.scheme();
    let ports = [
        Some(container_port(scheme.as_str(), scheme.container_port())),
        core.metrics.map(Metrics::container_port),
    ];
    // Core answers as soon as the database is migrated, and without querying it.
    let probe = || http_probe("/api/v2.0/ping", scheme.as_str(), scheme);
    Container {
        name: Core::NAME.into(),
        image: Some(core.instance.image("harbor-core")),
        env: Some(environment::environment(core).into()),
        ports: Some(ports.into_iter().flatten().collect()),
        volume_mounts: Some(mounts(core)),
        startup_probe: Some(Probe { failure_threshold: Some(STARTUP_PROBES), ..probe() }),
        // Every request, including this one, writes to Redis, and takes many seconds while Redis hangs. A
        // restart of Core would not help, so the probe tolerates failures for five minutes.
        liveness_probe: Some(Probe {
            period_seconds: Some(30),
            timeout_seconds: Some(30),
            failure_threshold: Some(10),
            ..probe()
        }),
        readiness_probe: Some(Probe { failure_threshold: Some(3), ..probe() }),
        lifecycle: Some(Lifecycle {
            pre_stop: Some(LifecycleHandler {
                // Not `sleep:`, which Kubernetes supports since 1.29.
                exec: Some(ExecAction { command: Some(vec!["sleep".into(), DRAIN.into()]) }),
                ..LifecycleHandler::default()
            }),
            ..Lifecycle::default()
        }),
        ..Container::default()
    }
}

const CONFIGURATION: &str = "configuration";
const ENCRYPTION: &str = "encryption";
const TOKEN: &str = "token-service-private-key";
const SCRATCH: &str = "psc";
const CA_DOWNLOAD: &str = "ca-download";

fn volumes(core: &Validated<'_>) -> Vec<Volume> {
    let spec = core.spec;
    let token = &spec.components.token_service.certificate_ref;
    // Users may download the authority if there is one, but not the key in the same Secret.
    let public = spec.public_certificate_ref.as_ref();
    let download =
        public.map(|from| optional_secret_volume(CA_DOWNLOAD, from, &[(CA_CERTIFICATE, CA_CERTIFICATE)]));
    let always = [
        config_map_volume(CONFIGURATION, &core.instance.name, config::FILE),
        secret_volume(ENCRYPTION, core.memory.key_secret(), &[(keys::ENCRYPTION_KEY, "key")]),
        scratch_volume(SCRATCH),
        secret_volume(TOKEN, token, &[(keys::TOKEN_KEY, keys::TOKEN_KEY)]),
    ];
    always
        .into_iter()
        .chain(download)
        .chain(core.tls.map(|tls| tls.volume()))
        .chain(core.authorities.volumes())
        .collect()
}

fn mounts(core: &Validated<'_>) -> Vec<VolumeMount> {
    let path = |file: &str| format!("{DIRECTORY}/{file}");
    let download = core.spec.public_certificate_ref.as_ref();
    let always = [
        file_mount(CONFIGURATION, config::FILE, path(config::FILE)),
        file_mount(ENCRYPTION, "key", path("key")),
        writable_mount(SCRATCH, path("token")),
        file_mount(TOKEN, keys::TOKEN_KEY, path("private_key.pem")),
    ];
    always
        .into_iter()
        .chain(download.map(|_| directory_mount(CA_DOWNLOAD, path("ca"))))
        .chain(core.tls.map(|_| InternalTls::mounts(TLS_DIRECTORY)).into_iter().flatten())
        .chain(core.authorities.mounts())
        .collect()
}
