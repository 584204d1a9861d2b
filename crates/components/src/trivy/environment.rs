//! The environment of Trivy's container, beyond what its ConfigMap and its Secret bring.

use super::inputs::Inputs;
use crate::{connections::proxy_environment, pods::Environment};
use k8s_openapi::api::core::v1::{ConfigMapEnvSource, EnvFromSource, SecretEnvSource};

/// Directory Trivy's own certificate is in.
pub(super) const TLS_DIRECTORY: &str = "/etc/harbor/ssl";

/// All of it, each name once.
pub(super) fn environment(trivy: &Inputs<'_>) -> Environment {
    let token = match &trivy.github_token {
        Some(key) => Environment::default().with_secret("SCANNER_TRIVY_GITHUB_TOKEN", key),
        None => Environment::default(),
    };
    // Trivy pulls what it scans through Core, which is called like the Harbor it belongs to.
    let core = format!("{}-core", trivy.instance.owner);
    token
        .and(server(trivy))
        .and(proxy_environment(trivy.proxy.as_ref(), [core.as_str()]))
        .with("SCANNER_TRIVY_TIMEOUT", &trivy.spec.timeout)
}

fn server(trivy: &Inputs<'_>) -> Environment {
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
pub(super) fn sources(trivy: &Inputs<'_>) -> Vec<EnvFromSource> {
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
