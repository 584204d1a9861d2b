//! The cluster a command talks to.

use crate::error::Error;
use kube::{Client, Config};
use std::time::Duration;

/// A client whose server has answered once: an operator that cannot reach its cluster should say so and end.
pub async fn connect() -> Result<Client, Error> {
    connect_to(Config::infer().await.map_err(|error| Error::Connect { problem: error.to_string() })?).await
}

/// The same for the cluster that this configuration names.
pub async fn connect_to(mut config: Config) -> Result<Client, Error> {
    let no_cluster = |problem: String| Error::Connect { problem };
    // Every object has its own deadline and backoff; retries below them would only hide what is wrong.
    config.default_retry = false;
    config.connect_timeout = Some(Duration::from_secs(10));
    let address = config.cluster_url.to_string();
    let client = Client::try_from(config).map_err(|error| no_cluster(error.to_string()))?;
    let version =
        client.apiserver_version().await.map_err(|error| no_cluster(format!("{address}: {error}")))?;
    tracing::info!(server = address, version = version.git_version, "connected");
    Ok(client)
}
