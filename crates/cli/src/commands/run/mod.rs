//! `run`: the operator itself.

mod election;
mod http;
mod metrics_auth;
mod page;
mod telemetry;
#[cfg(feature = "otlp")]
mod traces;
mod webhook;

pub use election::{LEASE, lease_name};
use page::PageArgs;
pub use webhook::WEBHOOK;

use crate::{
    connect::connect,
    flags::{DefaultsArgs, class, namespace_or_nothing, own_namespace},
    operator::{Signals, WebPage, drivers, operator, reconciled},
    output::{Error, Failure},
};
use clap::Args;
use election::ElectionArgs;
use harbordriver::Internet;
use kube::Client;
use plan::HarborClass;
use runtime::{Ended, Options, Scope, SystemEntropy, ensure_digest_key};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use telemetry::{Telemetry, TelemetryArgs};
use tokio_util::sync::CancellationToken;
use webhook::WebhookArgs;
use webhookserver::WebhookServer;

/// Run the operator
///
/// Connects to the cluster it runs in, or to the one $KUBECONFIG (or ~/.kube/config) names. The custom resource
/// definitions must be installed: harbor-operator crds | kubectl apply -f -
///
/// Finishes running reconciles after the first SIGTERM or Ctrl-C; a second one ends it at once.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator run
  harbor-operator run --namespace registry --namespace registry-staging")]
pub struct Run {
    /// Reconcile this namespace only; may be repeated. Needs no permission outside of it
    #[arg(long, short, env = "HARBOR_OPERATOR_NAMESPACE", value_name = "NAME", value_delimiter = ',', value_parser = namespace_or_nothing)]
    namespace: Vec<String>,

    /// Reconcile objects of this class only (annotation goharbor.io/harbor-class) [default: objects without the
    /// annotation]
    #[arg(long, env = "HARBOR_OPERATOR_CLASS", value_name = "NAME", value_parser = class)]
    class: Option<String>,

    /// How many objects of one kind to reconcile concurrently
    #[arg(long, env = "HARBOR_OPERATOR_CONCURRENCY", value_name = "NUMBER", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// Deadline of one reconcile, in seconds; a reconcile that exceeds it is retried later
    #[arg(long, env = "HARBOR_OPERATOR_DEADLINE", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    deadline: u64,

    /// How often to compare objects with the Harbors that they are in, in seconds, unless spec.interval of the
    /// HarborServerConfiguration is set
    #[arg(long, env = "HARBOR_OPERATOR_HARBOR_INTERVAL", value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(30..))]
    harbor_interval: u64,

    /// The namespace of the Secret harbor-operator-digest-key, which the operator creates when it first starts. It
    /// keys the digests in pod templates, so that readers of Deployments cannot test guesses of passwords [default: the
    /// namespace of the pod; outside of a cluster, the one that the kubeconfig's context names]
    #[arg(long, env = "HARBOR_OPERATOR_DIGEST_KEY_NAMESPACE", value_name = "NAME", value_parser = namespace_or_nothing)]
    digest_key_namespace: Option<String>,

    /// Create pull secrets, and projects, for Namespaces with the annotation goharbor.io/project
    ///
    /// The operator needs further permissions: harbor-operator rbac --bind-namespaces
    #[arg(
        long,
        env = "HARBOR_OPERATOR_BIND_NAMESPACES",
        value_parser = clap::builder::BoolishValueParser::new(),
        conflicts_with = "namespace",
    )]
    bind_namespaces: bool,

    #[command(flatten)]
    defaults: DefaultsArgs,

    #[command(flatten)]
    election: ElectionArgs,

    #[command(flatten)]
    telemetry: TelemetryArgs,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    webhook: WebhookArgs,
}

impl Run {
    /// Runs until it is stopped.
    pub fn run(self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::Run(error.to_string()))?;
        let ended = runtime.block_on(self.operate());
        // A plan that exceeded its deadline may still run on its thread; the process does not wait for it.
        runtime.shutdown_background();
        Ok(ended?)
    }

    async fn operate(self) -> Result<(), Error> {
        let telemetry = self.telemetry.start()?;
        let ended = self.reconcile(&telemetry).await;
        telemetry.flush().await;
        ended
    }

    async fn reconcile(self, telemetry: &Telemetry) -> Result<(), Error> {
        let class = self.class.as_deref().and_then(HarborClass::named);
        let election = self.election.election(class.as_ref())?;
        let client = telemetry.metrics.observe(connect().await?);
        self.telemetry.serve(telemetry, &client).await?;
        let page = self.page.page().await?;
        let digest_key =
            ensure_digest_key(&client, &self.digest_key_namespace(&client), &SystemEntropy).await;
        let digest_key = digest_key.map_err(|error| Error::DigestKey(error.to_string()))?;
        let options = Options {
            scopes: self.scopes(),
            class,
            defaults: self.defaults.defaults(),
            election,
            digest_key,
            deadline: Duration::from_secs(self.deadline),
            concurrency: self.concurrency,
            metrics: Arc::clone(&telemetry.metrics),
            health: Arc::clone(&telemetry.health),
            trace_id: telemetry.trace_id(),
            observer: page.as_ref().map(WebPage::observer),
            external_drivers: drivers(Internet),
            external_interval: Duration::from_secs(self.harbor_interval),
            ..Options::default()
        };
        let webhook = self.webhook.settings(self.digest_key_namespace(&client));
        let (clock, entropy) = (options.clock, Arc::clone(&options.entropy));
        let operator = operator(client.clone(), reconciled(self.bind_namespaces), options);

        let stop = CancellationToken::new();
        let webhook = if let Some((address, settings)) = webhook {
            let listener = webhook::bind(address).await?;
            let server = WebhookServer {
                client: client.clone(),
                leadership: operator.leadership(),
                settings,
                metrics: Arc::clone(&telemetry.metrics),
                health: Arc::clone(&telemetry.health),
                clock,
                entropy,
            };
            Some(webhook::serve(server, listener, &stop))
        } else {
            None
        };
        let page = page.map(|page| tokio::spawn(page.serve(client, stop.clone())));
        tokio::spawn(stop_on_signal(stop.clone()));
        tracing::info!(version = env!("CARGO_PKG_VERSION"), namespaces = ?self.namespace, "started");
        operator.run(stop).await.map_err(|ended| match ended {
            Ended::Deposed(lost) => Error::Deposed(lost.to_string()),
            Ended::Panicked(_) => Error::Run(ended.to_string()),
        })?;
        if let Some(webhook) = webhook {
            // It answers the reviews that have arrived.
            webhook.ended().await?;
        }
        if let Some(page) = page {
            // It closes its connections; a page that failed does not fail the operator.
            let _ = page.await;
        }
        tracing::info!("stopped");
        Ok(())
    }

    fn digest_key_namespace(&self, client: &Client) -> String {
        let chosen = self.digest_key_namespace.clone().filter(|name| !name.is_empty());
        chosen.or_else(|| own_namespace().ok()).unwrap_or_else(|| client.default_namespace().to_owned())
    }

    fn scopes(&self) -> Vec<Scope> {
        let namespaces: BTreeSet<_> =
            self.namespace.iter().filter(|name| !name.is_empty()).cloned().collect();
        if namespaces.is_empty() {
            vec![Scope::Cluster]
        } else {
            namespaces.into_iter().map(Scope::Namespace).collect()
        }
    }
}

async fn stop_on_signal(stop: CancellationToken) {
    let Ok(mut signals) = Signals::catch() else {
        return tracing::warn!(
            "cannot handle signals; the operator will end without finishing running reconciles"
        );
    };
    signals.next().await;
    tracing::info!("stopping; a second signal stops at once");
    stop.cancel();
    signals.insistent().await;
    std::process::exit(1);
}
