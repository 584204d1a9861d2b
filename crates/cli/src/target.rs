//! Which cluster a command talks to, and where in it, as kubectl's flags say it.

use crate::{connect::connect_to, error::Error, namespace::namespace};
use clap::Args;
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};
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
        let no_cluster = |problem: String| Error::Connect { problem };
        let options = KubeConfigOptions { context: self.context.clone(), ..KubeConfigOptions::default() };
        match (&self.kubeconfig, &self.context) {
            (Some(file), _) => {
                let known = Kubeconfig::read_from(file).map_err(|error| no_cluster(error.to_string()))?;
                Config::from_custom_kubeconfig(known, &options)
                    .await
                    .map_err(|error| no_cluster(error.to_string()))
            }
            (None, Some(_)) => {
                Config::from_kubeconfig(&options).await.map_err(|error| no_cluster(error.to_string()))
            }
            (None, None) => Config::infer().await.map_err(|error| no_cluster(error.to_string())),
        }
    }
}
