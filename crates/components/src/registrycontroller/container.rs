//! The container of the registry controller, in the pods of the registry.

use super::{RegistryController, Validated, config::FILE};
use crate::{
    certificates::{AUTHORITIES_DIRECTORY, CA_CERTIFICATE},
    pods::{Environment, Scheme, config_map_volume, container_port, directory_mount, file_mount, http_probe},
};
use k8s_openapi::api::core::v1::{Container, Probe, Volume, VolumeMount};
use plan::Component;

const DIRECTORY: &str = "/etc/registryctl";

/// Directory of its certificate.
pub(super) const TLS_DIRECTORY: &str = "/etc/registryctl/ssl";

const CONFIGURATION: &str = "registryctl-config";
const CERTIFICATES: &str = "ctl-internal-certificates";

/// The container. `store` holds the registry's variables and files for the store.
pub(crate) fn container(
    controller: &Validated<'_>,
    store: (Environment, Vec<VolumeMount>),
    trace: Environment,
) -> Container {
    let (environment, mounts) = store;
    let scheme = controller.scheme();
    let probe = || http_probe("/api/health", scheme.as_str(), scheme);
    Container {
        name: RegistryController::NAME.into(),
        image: Some(controller.instance.image("harbor-registryctl")),
        env: Some(environment.and(credentials(controller)).and(trace).into()),
        // Both ports are declared, although it listens on one of them: removing one would restart the pods.
        ports: Some(
            [Scheme::Http, Scheme::Https]
                .map(|scheme| container_port(scheme.as_str(), scheme.container_port()))
                .into(),
        ),
        volume_mounts: Some(mounts.into_iter().chain(own_mounts(controller)).collect()),
        // It checks the store before it listens, and some stores are slow.
        startup_probe: Some(Probe { failure_threshold: Some(30), ..probe() }),
        liveness_probe: Some(probe()),
        readiness_probe: Some(probe()),
        ..Container::default()
    }
}

fn credentials(controller: &Validated<'_>) -> Environment {
    let environment = Environment::default().with_secret("JOBSERVICE_SECRET", &controller.jobservice_secret);
    match &controller.core_secret {
        Some(secret) => environment.with_secret("CORE_SECRET", secret),
        None => environment,
    }
}

/// Volumes that only this container mounts.
pub(crate) fn volumes(controller: &Validated<'_>) -> impl Iterator<Item = Volume> {
    let certificate = controller.tls.map(|tls| tls.volume_named(CERTIFICATES));
    certificate.into_iter().chain([config_map_volume(CONFIGURATION, &controller.instance.name, FILE)])
}

fn own_mounts(controller: &Validated<'_>) -> impl Iterator<Item = VolumeMount> {
    let authority = format!("{AUTHORITIES_DIRECTORY}/ctl-{CA_CERTIFICATE}");
    let certificate = controller.tls.map(|_| {
        [file_mount(CERTIFICATES, CA_CERTIFICATE, authority), directory_mount(CERTIFICATES, TLS_DIRECTORY)]
    });
    certificate.into_iter().flatten().chain([directory_mount(CONFIGURATION, DIRECTORY)])
}
