//! The Deployment of the front.

use super::{Front, config::HEALTH};
use crate::{
    certificates::CA_CERTIFICATE,
    nginx::{CONFIG_FILE, CONFIG_PATH, security_context, temporary_mount, temporary_volume},
    pods::{
        Strategy, Workload, config_map_volume, container_port, directory_mount, file_mount, http_probe,
        secret_volume,
    },
};
use api::names::UPSTREAM_ADDRESSES_ANNOTATION;
use k8s_openapi::api::core::v1::{Container, ExecAction, Lifecycle, LifecycleHandler, Volume, VolumeMount};
use plan::Desired;

/// Directory of the certificate that users are served with.
pub(super) const CERTIFICATE_DIRECTORY: &str = "/etc/nginx/cert";

/// File of the authority that signed the certificates of Core and the portal.
pub(super) const AUTHORITY: &str = "/etc/nginx/authority/ca.crt";

/// Seconds until clients stop using a pod that is about to terminate. nginx then accepts no new connections and
/// lets pushes and pulls end within the grace period.
const DRAIN: &str = "10";

/// The Deployment.
pub(super) fn deployment(front: &Front<'_>) -> Desired {
    let mut pods = pods(front);
    let template = pods.object.pod_template_mut().filter(|_| !front.request.addresses.is_empty());
    if let Some(template) = template {
        let annotations = template.metadata.get_or_insert_default().annotations.get_or_insert_default();
        annotations.insert(UPSTREAM_ADDRESSES_ANNOTATION.into(), front.request.addresses.join(","));
    }
    pods
}

fn pods(front: &Front<'_>) -> Desired {
    Workload {
        instance: &front.instance,
        containers: vec![(container(front), front.request.pods)],
        volumes: volumes(front),
        strategy: Strategy::Unset,
        termination_grace_period_seconds: Some(120),
    }
    .deployment()
}

fn container(front: &Front<'_>) -> Container {
    let scheme = front.scheme();
    let ports = front.schemes().map(|scheme| container_port(scheme.as_str(), scheme.container_port()));
    let probe = || http_probe(HEALTH, scheme.as_str(), scheme);
    Container {
        name: "nginx".into(),
        image: Some(front.instance.image("nginx-photon")),
        ports: Some(ports.collect()),
        volume_mounts: Some(mounts(front)),
        liveness_probe: Some(probe()),
        readiness_probe: Some(probe()),
        lifecycle: Some(Lifecycle {
            pre_stop: Some(LifecycleHandler {
                // Not `sleep:`, which Kubernetes supports since 1.29.
                exec: Some(ExecAction { command: Some(vec!["sleep".into(), DRAIN.into()]) }),
                ..LifecycleHandler::default()
            }),
            ..Lifecycle::default()
        }),
        security_context: Some(security_context()),
        ..Container::default()
    }
}

const CONFIGURATION: &str = "config";
const CERTIFICATE: &str = "certificate";
const INTERNAL_AUTHORITY: &str = "authority";

fn volumes(front: &Front<'_>) -> Vec<Volume> {
    let certificate =
        |secret: &str| secret_volume(CERTIFICATE, secret, &[("tls.crt", "tls.crt"), ("tls.key", "tls.key")]);
    let authority = |secret: &str| {
        let file = CA_CERTIFICATE;
        secret_volume(INTERNAL_AUTHORITY, secret, &[(file, file)])
    };
    [config_map_volume(CONFIGURATION, &front.instance.name, CONFIG_FILE), temporary_volume()]
        .into_iter()
        .chain(front.request.certificate.map(certificate))
        .chain(front.request.authority.map(authority))
        .collect()
}

fn mounts(front: &Front<'_>) -> Vec<VolumeMount> {
    let certificate = front.request.certificate;
    let authority = front.request.authority;
    [file_mount(CONFIGURATION, CONFIG_FILE, CONFIG_PATH), temporary_mount()]
        .into_iter()
        .chain(certificate.map(|_| directory_mount(CERTIFICATE, CERTIFICATE_DIRECTORY)))
        .chain(authority.map(|_| file_mount(INTERNAL_AUTHORITY, CA_CERTIFICATE, AUTHORITY)))
        .collect()
}
