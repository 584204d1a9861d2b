//! The cluster and the namespace of a command, with the flags of kubectl.

use super::namespace;
use crate::{
    connect::{self, connect_to},
    output::Error,
};
use clap::Args;
use kube::{Client, Config};
use std::path::PathBuf;

/// The flags for the cluster and the namespace.
#[derive(Debug, Args)]
pub struct Target {
    /// Namespace; defaults to that of the context
    #[arg(long, short, value_name = "NAME", value_parser = namespace)]
    pub namespace: Option<String>,

    /// Context of the kubeconfig; defaults to the current one
    #[arg(long, value_name = "NAME")]
    context: Option<String>,

    /// Kubeconfig file; defaults to $KUBECONFIG, then ~/.kube/config, then the cluster of the pod
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
}

/// A connected cluster, and a namespace in it.
pub struct Place {
    /// The client of the cluster.
    pub client: Client,
    /// The namespace.
    pub namespace: String,
}

impl Target {
    /// Connects.
    pub async fn connect(&self) -> Result<Place, Error> {
        let config = self.config().await?;
        let namespace = self.namespace.clone().unwrap_or_else(|| config.default_namespace.clone());
        Ok(Place { client: connect_to(config).await?, namespace })
    }

    async fn config(&self) -> Result<Config, Error> {
        match (self.kubeconfig.as_deref(), self.context.as_deref()) {
            (None, None) => connect::default_config().await,
            (file, context) => connect::config(file, context).await,
        }
    }
}
