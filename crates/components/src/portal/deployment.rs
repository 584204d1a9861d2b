//! Portal's Deployment.

use super::{Portal, validated::Validated};
use crate::{
    certificates::InternalTls,
    nginx::{CONFIG_FILE, CONFIG_PATH, security_context, temporary_mount, temporary_volume},
    pods::{Scheme, Strategy, Workload, config_map_volume, container_port, file_mount, http_probe},
};
use k8s_openapi::api::core::v1::{Container, Volume, VolumeMount};
use plan::{Component, Desired};

/// Directory of Portal's certificate.
pub(super) const TLS_DIRECTORY: &str = "/etc/portal/ssl";

/// The Deployment. It waits for the ConfigMap that its pods mount.
pub(super) fn deployment(portal: &Validated<'_>) -> Desired {
    Workload {
        instance: &portal.instance,
        containers: vec![(container(portal), &portal.spec.component)],
        volumes: volumes(portal),
        strategy: Strategy::Unset,
        termination_grace_period_seconds: None,
    }
    .deployment()
}

fn container(portal: &Validated<'_>) -> Container {
    let scheme = portal.scheme();
    let port = |scheme: Scheme| container_port(scheme.as_str(), scheme.container_port());
    let probe = || http_probe("/", scheme.as_str(), scheme);
    Container {
        name: Portal::NAME.into(),
        image: Some(portal.instance.image("harbor-portal")),
        // Both ports are declared, although nginx listens on one of them: removing one would restart the pods.
        ports: Some([Scheme::Http, Scheme::Https].map(port).into()),
        volume_mounts: Some(mounts(portal)),
        liveness_probe: Some(probe()),
        readiness_probe: Some(probe()),
        security_context: Some(security_context()),
        ..Container::default()
    }
}

const CONFIGURATION: &str = "config";

fn volumes(portal: &Validated<'_>) -> Vec<Volume> {
    let always = [config_map_volume(CONFIGURATION, &portal.instance.name, CONFIG_FILE), temporary_volume()];
    always.into_iter().chain(portal.tls.map(|tls| tls.volume())).collect()
}

fn mounts(portal: &Validated<'_>) -> Vec<VolumeMount> {
    let always = [file_mount(CONFIGURATION, CONFIG_FILE, CONFIG_PATH), temporary_mount()];
    always
        .into_iter()
        .chain(portal.tls.map(|_| InternalTls::mounts(TLS_DIRECTORY)).into_iter().flatten())
        .collect()
}
