//! The Deployment of the front.

use super::{Front, config::HEALTH};
use crate::{
    authorities,
    nginx::server,
    ports, volumes,
    workload::{Strategy, Workload},
};
use api::names::UPSTREAM_ADDRESSES_ANNOTATION;
use k8s_openapi::api::core::v1::{Container, ExecAction, Lifecycle, LifecycleHandler, Volume, VolumeMount};
use plan::Desired;

/// Directory of the certificate users are served with.
pub(super) const CERTIFICATE_DIRECTORY: &str = "/etc/nginx/cert";

/// File of the authority that signed the certificates of Core and the portal.
pub(super) const AUTHORITY: &str = "/etc/nginx/authority/ca.crt";

/// Seconds in which everybody learns that a pod is about to end. nginx then takes no new connections and lets pushes
/// and pulls end, as long as the grace period lasts.
const DRAIN: &str = "10";

/// The Deployment.
pub(super) fn deployment(front: &Front<'_>) -> Desired {
    let mut pods = pods(front);
    let template = pods.object.pod_template_mut().filter(|_| !front.wishes.addresses.is_empty());
    if let Some(template) = template {
        let annotations = template.metadata.get_or_insert_default().annotations.get_or_insert_default();
        annotations.insert(UPSTREAM_ADDRESSES_ANNOTATION.into(), front.wishes.addresses.join(","));
    }
    pods
}

fn pods(front: &Front<'_>) -> Desired {
    Workload {
        instance: &front.instance,
        containers: vec![(container(front), front.wishes.pods)],
        volumes: volumes(front),
        strategy: Strategy::Unset,
        termination_grace_period_seconds: Some(120),
    }
    .deployment()
}

fn container(front: &Front<'_>) -> Container {
    let scheme = front.scheme();
    let ports = front.schemes().map(|scheme| ports::container(scheme.as_str(), scheme.container_port()));
    let probe = || ports::probe(HEALTH, scheme.as_str(), scheme);
    Container {
        name: "nginx".into(),
        image: Some(front.instance.image("nginx-photon")),
        ports: Some(ports.collect()),
        volume_mounts: Some(mounts(front)),
        liveness_probe: Some(probe()),
        readiness_probe: Some(probe()),
        lifecycle: Some(Lifecycle {
            pre_stop: Some(LifecycleHandler {
                // Not `sleep:`, which clusters before 1.29 do not know.
                exec: Some(ExecAction { command: Some(vec!["sleep".into(), DRAIN.into()]) }),
                ..LifecycleHandler::default()
            }),
            ..Lifecycle::default()
        }),
        security_context: Some(server::security()),
        ..Container::default()
    }
}

const CONFIGURATION: &str = "config";
const CERTIFICATE: &str = "certificate";
const INTERNAL_AUTHORITY: &str = "authority";

fn volumes(front: &Front<'_>) -> Vec<Volume> {
    let certificate = |secret: &str| {
        volumes::secret(CERTIFICATE, secret, &[("tls.crt", "tls.crt"), ("tls.key", "tls.key")])
    };
    let authority = |secret: &str| {
        let file = authorities::CERTIFICATE;
        volumes::secret(INTERNAL_AUTHORITY, secret, &[(file, file)])
    };
    [volumes::config_map(CONFIGURATION, &front.instance.name, server::FILE), server::scratch_volume()]
        .into_iter()
        .chain(front.wishes.certificate.map(certificate))
        .chain(front.wishes.authority.map(authority))
        .collect()
}

fn mounts(front: &Front<'_>) -> Vec<VolumeMount> {
    let certificate = front.wishes.certificate;
    let authority = front.wishes.authority;
    [volumes::file(CONFIGURATION, server::FILE, server::PATH), server::scratch_mount()]
        .into_iter()
        .chain(certificate.map(|_| volumes::directory(CERTIFICATE, CERTIFICATE_DIRECTORY)))
        .chain(authority.map(|_| volumes::file(INTERNAL_AUTHORITY, authorities::CERTIFICATE, AUTHORITY)))
        .collect()
}
