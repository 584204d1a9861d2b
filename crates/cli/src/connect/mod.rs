//! Connects to the cluster that a command works on, and says why it cannot.
//!
//! Uses: output.

mod answer;
mod credentials;
mod kubeconfig;
#[cfg(test)]
mod tests;

use crate::output::Error;
use http::Uri;
use kube::{
    Client, Config,
    config::{InClusterError, KubeConfigOptions, Kubeconfig},
};
use plan::Violation;
use std::{path::Path, time::Duration};
use tokio::time::timeout;

/// How long an API server may take to accept a connection, and how long to answer the first request.
const PATIENCE: Duration = Duration::from_secs(10);

/// A client whose server has answered once: an operator that cannot reach its cluster should say so and end.
pub async fn connect() -> Result<Client, Error> {
    connect_to(default_config().await?).await
}

/// The same for the cluster that this configuration names.
pub async fn connect_to(mut config: Config) -> Result<Client, Error> {
    // Every object has its own deadline and backoff; retries below them would only hide what is wrong.
    config.default_retry = false;
    config.connect_timeout = Some(PATIENCE);
    let server = address(&config.cluster_url);
    credentials::check(&config.auth_info).map_err(Error::Connect)?;
    let client = Client::try_from(config).map_err(|error| Error::Connect(answer::unusable(error)))?;
    let answered = timeout(PATIENCE * 2, client.apiserver_version()).await;
    let version = answered
        .map_err(|_| answer::late(&server))
        .and_then(|version| version.map_err(|error| answer::refused(&server, error)))
        .map_err(Error::Connect)?;
    tracing::info!(server, version = version.git_version, "connected");
    Ok(client)
}

/// What kubectl would use, or else the cluster this process is a pod of.
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

/// What this kubeconfig, or else the default one, says of a context, or else of the current one.
pub async fn config(file: Option<&Path>, context: Option<&str>) -> Result<Config, Error> {
    let options = KubeConfigOptions { context: context.map(str::to_owned), ..KubeConfigOptions::default() };
    let config = match file {
        Some(file) => match Kubeconfig::read_from(file) {
            Ok(known) => Config::from_custom_kubeconfig(known, &options).await,
            Err(error) => Err(error),
        },
        None => Config::from_kubeconfig(&options).await,
    };
    config.map_err(|error| Error::Connect(kubeconfig::unusable(error)))
}

/// Where a server is, without the user name and password that a URL can hold.
fn address(url: &Uri) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme_str().unwrap_or("http"), url.host().unwrap_or("unknown"))
}

fn problem(subject: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Violation {
    Violation { subject: subject.into(), problem: problem.into(), remedy: remedy.into() }
}
