//! ChartMuseum's Deployment.

use super::{
    ChartMuseum, config, environment,
    inputs::{Inputs, TOKEN_CERTIFICATE},
};
use crate::{
    certificates::InternalTls,
    pods::{
        Strategy, Workload, config_map_volume, container_port, directory_mount, file_mount, http_probe,
        secret_volume,
    },
};
use k8s_openapi::api::core::v1::{Container, Probe, Volume, VolumeMount};
use plan::{Component, Desired};

/// Directory ChartMuseum's settings are in.
pub(super) const DIRECTORY: &str = "/etc/chartmuseum";

/// Directory its own certificate is in.
pub(super) const TLS_DIRECTORY: &str = "/etc/chartmuseum/ssl";

/// Directory of the certificate of whoever signs tokens.
pub(super) const TOKEN_DIRECTORY: &str = "/etc/chartmuseum/auth-certificates";

const CONFIG: &str = "config";
const TOKEN: &str = "auth-certificates";

/// The Deployment. Waits for the ConfigMap its settings are in.
pub(super) fn deployment(charts: &Inputs<'_>) -> Desired {
    Workload {
        instance: &charts.instance,
        containers: vec![(container(charts), &charts.spec.component)],
        volumes: volumes(charts),
        strategy: charts.claims.strategy(Strategy::RollingUpdate),
        termination_grace_period_seconds: None,
    }
    .deployment()
}

fn container(charts: &Inputs<'_>) -> Container {
    let scheme = charts.scheme();
    let probe = |failures| Probe {
        failure_threshold: Some(failures),
        ..http_probe("/health", scheme.as_str(), scheme)
    };
    Container {
        name: ChartMuseum::NAME.into(),
        image: Some(charts.instance.image("chartmuseum-photon")),
        env: Some(environment::environment(charts).into()),
        ports: Some(vec![container_port(scheme.as_str(), scheme.container_port())]),
        volume_mounts: Some(mounts(charts)),
        // Before it listens it may have to log in to its store.
        startup_probe: Some(probe(30)),
        liveness_probe: Some(probe(6)),
        readiness_probe: Some(probe(3)),
        ..Container::default()
    }
}

fn bearer<'a>(charts: &Inputs<'a>) -> Option<&'a str> {
    let bearer = charts.spec.authentication.as_ref()?.bearer.as_ref()?;
    Some(&bearer.certificate_ref)
}

fn volumes(charts: &Inputs<'_>) -> Vec<Volume> {
    let token =
        bearer(charts).map(|secret| secret_volume(TOKEN, secret, &[(TOKEN_CERTIFICATE, TOKEN_CERTIFICATE)]));
    std::iter::once(config_map_volume(CONFIG, &charts.instance.name, config::FILE))
        .chain(charts.store.volume())
        .chain(token)
        .chain(charts.tls.map(|tls| tls.volume()))
        .chain(charts.authorities.volumes())
        .collect()
}

fn mounts(charts: &Inputs<'_>) -> Vec<VolumeMount> {
    std::iter::once(file_mount(CONFIG, config::FILE, config::path()))
        .chain(charts.store.mount())
        .chain(bearer(charts).map(|_| directory_mount(TOKEN, TOKEN_DIRECTORY)))
        .chain(charts.tls.map(|_| InternalTls::mounts(TLS_DIRECTORY)).into_iter().flatten())
        .chain(charts.authorities.mounts())
        .collect()
}
