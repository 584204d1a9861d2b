//! `run`: the operator itself.

use crate::{
    error::{Error, Failure},
    operator::operator,
    signals::Signals,
};
use clap::{Args, ValueEnum};
use kube::{Client, Config};
use runtime::{Options, Scope};
use std::{collections::BTreeSet, io::IsTerminal as _, time::Duration};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

/// Look after the Harbors of a cluster until told to stop
///
/// Connects to the cluster it runs in, or to the one $KUBECONFIG (or ~/.kube/config) names. The custom resource
/// definitions must be installed: harbor-operator crds | kubectl apply -f -
///
/// Ends with the first SIGTERM or Ctrl-C, after work under way is done; a second one ends it at once. What to log is
/// said by RUST_LOG, such as RUST_LOG=info,runtime=debug.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator run
  harbor-operator run --namespace registry --namespace registry-staging")]
pub struct Run {
    /// Look after this namespace only; may be repeated. Then no permission outside of it is needed
    #[arg(long, short, value_name = "NAME")]
    namespace: Vec<String>,

    /// How many objects of one kind to work on at once
    #[arg(long, value_name = "NUMBER", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// After how many seconds to give up on an object and try again later
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    deadline: u64,

    /// How to write the log
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    log: Log,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Log {
    /// A line of text for people
    Text,
    /// An object a line for programs
    Json,
}

impl Run {
    /// Works until told to stop.
    pub fn run(self) -> Result<(), Failure> {
        self.log.start();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::Run(error.to_string()))?;
        Ok(runtime.block_on(self.operate())?)
    }

    async fn operate(self) -> Result<(), Error> {
        let client = connect().await?;
        let options = Options {
            scopes: self.scopes(),
            deadline: Duration::from_secs(self.deadline),
            concurrency: self.concurrency,
            ..Options::default()
        };
        let operator = operator(client, options);

        let stop = CancellationToken::new();
        tokio::spawn(stop_on_signal(stop.clone()));
        tracing::info!(version = env!("CARGO_PKG_VERSION"), namespaces = ?self.namespace, "started");
        operator.run(stop).await.map_err(|error| Error::Run(error.to_string()))?;
        tracing::info!("stopped");
        Ok(())
    }

    fn scopes(&self) -> Vec<Scope> {
        let namespaces: BTreeSet<_> = self.namespace.iter().cloned().collect();
        if namespaces.is_empty() {
            vec![Scope::Cluster]
        } else {
            namespaces.into_iter().map(Scope::Namespace).collect()
        }
    }
}

/// A client whose server has answered once: an operator that cannot reach its cluster should say so and end.
async fn connect() -> Result<Client, Error> {
    let no_cluster = |problem: String| Error::Connect { problem };
    let mut config = Config::infer().await.map_err(|error| no_cluster(error.to_string()))?;
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

async fn stop_on_signal(stop: CancellationToken) {
    let Ok(mut signals) = Signals::catch() else {
        return tracing::warn!("signals cannot be caught; the operator will end without finishing its work");
    };
    signals.next().await;
    tracing::info!("stopping; a second signal stops at once");
    stop.cancel();
    signals.next().await;
    std::process::exit(1);
}

impl Log {
    /// Writes it to standard error from now on.
    pub fn start(self) {
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,kube=warn"));
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        match self {
            Self::Text => log.with_ansi(std::io::stderr().is_terminal()).init(),
            Self::Json => log.json().init(),
        }
    }
}
