//! Portal's Deployment.

use super::{Portal, inputs::Inputs};
use crate::{
    nginx::server,
    ports,
    tls::{InternalTls, Scheme},
    volumes,
    workload::{Strategy, Workload},
};
use k8s_openapi::api::core::v1::{Container, Volume, VolumeMount};
use plan::{Component, Desired};

/// Directory Portal's own certificate is in.
pub(super) const TLS_DIRECTORY: &str = "/etc/portal/ssl";

/// The Deployment. Waits for the ConfigMap that its pods mount.
pub(super) fn deployment(portal: &Inputs<'_>) -> Desired {
    Workload {
        instance: &portal.instance,
        containers: vec![(container(portal), &portal.spec.component)],
        volumes: volumes(portal),
        strategy: Strategy::Unset,
        termination_grace_period_seconds: None,
    }
    .deployment()
}

fn container(portal: &Inputs<'_>) -> Container {
    let scheme = portal.scheme();
    let port = |scheme: Scheme| ports::container(scheme.as_str(), scheme.container_port());
    let probe = || ports::probe("/", scheme.as_str(), scheme);
    Container {
        name: Portal::NAME.into(),
        image: Some(portal.instance.image("harbor-portal")),
        // Both were always declared, although nginx listens on one of them.
        ports: Some([Scheme::Http, Scheme::Https].map(port).into()),
        volume_mounts: Some(mounts(portal)),
        liveness_probe: Some(probe()),
        readiness_probe: Some(probe()),
        security_context: Some(server::security()),
        ..Container::default()
    }
}

const CONFIGURATION: &str = "config";

fn volumes(portal: &Inputs<'_>) -> Vec<Volume> {
    let always =
        [volumes::config_map(CONFIGURATION, &portal.instance.name, server::FILE), server::scratch_volume()];
    always.into_iter().chain(portal.tls.map(|tls| tls.volume())).collect()
}

fn mounts(portal: &Inputs<'_>) -> Vec<VolumeMount> {
    let always = [volumes::file(CONFIGURATION, server::FILE, server::PATH), server::scratch_mount()];
    always
        .into_iter()
        .chain(portal.tls.map(|_| InternalTls::mounts(TLS_DIRECTORY)).into_iter().flatten())
        .collect()
}
