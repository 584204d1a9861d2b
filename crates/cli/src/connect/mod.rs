//! Connects to a cluster, and explains why that failed.
//!
//! Uses: output.

mod answer;
mod credentials;
mod kubeconfig;
mod proxy;
#[cfg(test)]
mod tests;
mod transport;

pub use answer::{unanswered, unauthenticated};

use crate::output::Error;
use http::Uri;
use kube::{
    Client, Config,
    config::{InClusterError, KubeConfigOptions, Kubeconfig, KubeconfigError},
};
use plan::Violation;
use proxy::Environment;
use std::{path::Path, time::Duration};
use tokio::time::timeout;

/// How long the API server may take to accept a connection, and to answer the first request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Connects to the default cluster, and sends one request: an operator that cannot reach its cluster should end.
pub async fn connect() -> Result<Client, Error> {
    connect_to(default_config().await?).await
}

/// Connects to the cluster of this configuration.
pub async fn connect_to(mut config: Config) -> Result<Client, Error> {
    // Reconciles have their own deadline and backoff; retries in the client would only hide errors.
    config.default_retry = false;
    config.connect_timeout = Some(TIMEOUT);
    credentials::check(&config.auth_info).map_err(Error::Connect)?;
    let unusable = |error| Error::Connect(answer::unusable(error));
    let proxy = proxy::proxy(&config, &Environment::of_process()).map_err(unusable)?;
    let through = proxy.as_ref().map(|proxy| format!(" through the proxy {}", address(proxy.uri())));
    let server = address(&config.cluster_url) + &through.unwrap_or_default();
    let client = transport::client(&config, proxy.as_ref()).map_err(unusable)?;
    let answered = timeout(TIMEOUT * 2, client.apiserver_version()).await;
    let version = answered
        .map_err(|_| answer::late(&server))
        .and_then(|version| version.map_err(|error| answer::refused(&server, &error)))
        .map_err(Error::Connect)?;
    tracing::info!(server, version = version.git_version, "connected");
    Ok(client)
}

/// The configuration that kubectl would use, or else that of the pod.
pub async fn default_config() -> Result<Config, Error> {
    let mut config = match Config::from_kubeconfig(&KubeConfigOptions::default()).await {
        Ok(config) => config,
        Err(error) => match Config::incluster() {
            Ok(config) => config,
            Err(InClusterError::ReadEnvironmentVariable(_)) => {
                return Err(Error::Connect(kubeconfig::unusable(error)));
            }
            Err(pod) if kubeconfig::is_absent(&error) => {
                let subject = "the service account of this pod";
                return Err(Error::Connect(problem(subject, pod.to_string(), "mount its token")));
            }
            Err(_) => return Err(Error::Connect(kubeconfig::unusable(error))),
        },
    };
    config.apply_debug_overrides();
    Ok(config)
}

/// The configuration for a context of a kubeconfig; by default the current context of the default kubeconfig.
pub async fn config(file: Option<&Path>, context: Option<&str>) -> Result<Config, Error> {
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    let config = match file {
        Some(file) => match Kubeconfig::read_from(file) {
            Ok(known) => Config::from_custom_kubeconfig(known, &options).await,
            Err(KubeconfigError::ReadConfig(error, path)) => {
                return Err(Error::Connect(kubeconfig::unreadable_flag(&path, &error)));
            }
            Err(error) => Err(error),
        },
        None => Config::from_kubeconfig(&options).await,
    };
    config.map_err(|error| Error::Connect(kubeconfig::unusable(error)))
}

/// The address of a server, without the user name and password that a URL can contain.
fn address(url: &Uri) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme_str().unwrap_or("http"), url.host().unwrap_or("unknown"))
}

fn problem(subject: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Violation {
    Violation { subject: subject.into(), problem: problem.into(), remedy: remedy.into() }
}
