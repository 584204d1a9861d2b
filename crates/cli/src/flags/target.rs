//! Which cluster a command talks to, and where in it, as kubectl's flags say it.

use super::namespace;
use crate::{
    connect::{self, connect_to},
    output::Error,
};
use clap::Args;
use kube::{Client, Config};
use std::path::PathBuf;

/// A place in a cluster.
#[derive(Debug, Args)]
pub struct Target {
    /// Namespace to look at. By default the one the kubeconfig's context names
    #[arg(long, short, value_name = "NAME", value_parser = namespace)]
    pub namespace: Option<String>,

    /// Context of the kubeconfig to use. By default the current one
    #[arg(long, value_name = "NAME")]
    context: Option<String>,

    /// Kubeconfig to use. By default what $KUBECONFIG names, then ~/.kube/config, then the cluster this runs in
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
}

/// A cluster that has answered, and the namespace that is meant.
pub struct Place {
    /// Talks to the cluster.
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
