//! The environment of Trivy's container, in addition to its ConfigMap and its Secret.

use super::validated::Validated;
use crate::{connections::proxy_environment, pods::Environment};
use k8s_openapi::api::core::v1::{ConfigMapEnvSource, EnvFromSource, SecretEnvSource};

/// Directory of Trivy's certificate.
pub(super) const TLS_DIRECTORY: &str = "/etc/harbor/ssl";

/// The whole environment, without duplicate names.
pub(super) fn environment(trivy: &Validated<'_>) -> Environment {
    let token = match &trivy.github_token {
        Some(key) => Environment::default().with_secret("SCANNER_TRIVY_GITHUB_TOKEN", key),
        None => Environment::default(),
    };
    // Trivy pulls the images that it scans through Core, whose name follows from that of the Harbor.
    let core = format!("{}-core", trivy.instance.owner);
    token
        .and(server(trivy))
        .and(proxy_environment(trivy.proxy.as_ref(), [core.as_str()]))
        .with("SCANNER_TRIVY_TIMEOUT", &trivy.spec.timeout)
}

fn server(trivy: &Validated<'_>) -> Environment {
    let address = format!(":{}", trivy.scheme().container_port());
    let environment = Environment::default().with("SCANNER_API_SERVER_ADDR", address);
    if trivy.tls.is_none() {
        return environment;
    }
    environment
        .with("SCANNER_API_SERVER_TLS_CERTIFICATE", format_args!("{TLS_DIRECTORY}/tls.crt"))
        .with("SCANNER_API_SERVER_TLS_KEY", format_args!("{TLS_DIRECTORY}/tls.key"))
        .with_some("SCANNER_API_SERVER_CLIENT_CAS", trivy.callers.paths())
}

/// The ConfigMap and the Secret, each as a whole.
pub(super) fn sources(trivy: &Validated<'_>) -> Vec<EnvFromSource> {
    let name = || trivy.instance.name.to_string();
    vec![
        EnvFromSource {
            config_map_ref: Some(ConfigMapEnvSource { name: name(), optional: None }),
            ..EnvFromSource::default()
        },
        EnvFromSource {
            secret_ref: Some(SecretEnvSource { name: name(), optional: None }),
            ..EnvFromSource::default()
        },
    ]
}
