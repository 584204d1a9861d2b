//! ChartMuseum's Deployment.

use super::{
    ChartMuseum, config, environment,
    validated::{TOKEN_CERTIFICATE, Validated},
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

/// Directory of ChartMuseum's settings.
pub(super) const DIRECTORY: &str = "/etc/chartmuseum";

/// Directory of its certificate.
pub(super) const TLS_DIRECTORY: &str = "/etc/chartmuseum/ssl";

/// Directory of the certificate of the token service.
pub(super) const TOKEN_DIRECTORY: &str = "/etc/chartmuseum/auth-certificates";

const CONFIG: &str = "config";
const TOKEN: &str = "auth-certificates";

/// The Deployment. It waits for the ConfigMap with the settings.
pub(super) fn deployment(charts: &Validated<'_>) -> Desired {
    Workload {
        instance: &charts.instance,
        containers: vec![(container(charts), &charts.spec.component)],
        volumes: volumes(charts),
        strategy: charts.claims.strategy(Strategy::RollingUpdate),
        termination_grace_period_seconds: None,
    }
    .deployment()
}

fn container(charts: &Validated<'_>) -> Container {
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
        // Before it listens, it may have to log in to its store.
        startup_probe: Some(probe(30)),
        liveness_probe: Some(probe(6)),
        readiness_probe: Some(probe(3)),
        ..Container::default()
    }
}

fn bearer<'a>(charts: &Validated<'a>) -> Option<&'a str> {
    let bearer = charts.spec.authentication.as_ref()?.bearer.as_ref()?;
    Some(&bearer.certificate_ref)
}

fn volumes(charts: &Validated<'_>) -> Vec<Volume> {
    let token =
        bearer(charts).map(|secret| secret_volume(TOKEN, secret, &[(TOKEN_CERTIFICATE, TOKEN_CERTIFICATE)]));
    std::iter::once(config_map_volume(CONFIG, &charts.instance.name, config::FILE))
        .chain(charts.store.volume())
        .chain(token)
        .chain(charts.tls.map(|tls| tls.volume()))
        .chain(charts.authorities.volumes())
        .collect()
}

fn mounts(charts: &Validated<'_>) -> Vec<VolumeMount> {
    std::iter::once(file_mount(CONFIG, config::FILE, config::path()))
        .chain(charts.store.mount())
        .chain(bearer(charts).map(|_| directory_mount(TOKEN, TOKEN_DIRECTORY)))
        .chain(charts.tls.map(|_| InternalTls::mounts(TLS_DIRECTORY)).into_iter().flatten())
        .chain(charts.authorities.mounts())
        .collect()
}
