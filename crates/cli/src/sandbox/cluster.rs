//! The seam to what stands in for a cluster: an API server in memory and controllers that bring workloads up.

use super::error::SandboxError;
use crate::error::Error;
use kube::Client;
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// What cluster is wanted.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// Where to serve the API.
    pub listen: SocketAddr,
    /// Where to keep its objects; nowhere, if nothing is named.
    pub state: Option<PathBuf>,
    /// How long things take to become ready.
    pub delay: Duration,
    /// Where to write the kubeconfig.
    pub kubeconfig: &'a Path,
}

/// A running cluster that knows our kinds and those of the operators we use.
pub struct Cluster {
    /// Talks to it as an administrator.
    pub client: Client,
    stop: CancellationToken,
}

impl Cluster {
    /// Starts one, and writes its kubeconfig.
    #[allow(clippy::unused_async, reason = "the API server is not there yet")]
    pub async fn start(wanted: Wanted<'_>) -> Result<Self, Error> {
        let Wanted { listen, state: _, delay: _, kubeconfig: _ } = wanted;
        Err(SandboxError::Start(format!("nothing to serve on {listen} yet")).into())
    }

    /// Ends it, after what is under way is done.
    #[allow(clippy::unused_async, reason = "the API server is not there yet")]
    pub async fn end(self) {
        self.stop.cancel();
    }
}
