//! `run`: the operator itself.

mod election;
mod http;
mod metrics_auth;
mod page;
mod telemetry;
#[cfg(feature = "otlp")]
mod traces;

pub use election::{LEASE, lease_name};
use page::PageFlags;

use crate::{
    connect::connect,
    flags::{DefaultsArgs, class, namespace_or_nothing, own_namespace},
    operator::{Signals, WebPage, operator},
    output::{Error, Failure},
};
use clap::Args;
use election::ElectionArgs;
use kube::Client;
use plan::HarborClass;
use runtime::{Ended, Options, Scope, SystemEntropy, make_digest_key};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use telemetry::{Seen, Telemetry};
use tokio_util::sync::CancellationToken;

/// Look after the Harbors of a cluster until told to stop
///
/// Connects to the cluster it runs in, or to the one $KUBECONFIG (or ~/.kube/config) names. The custom resource
/// definitions must be installed: harbor-operator crds | kubectl apply -f -
///
/// Ends with the first SIGTERM or Ctrl-C, after work under way is done; a second one ends it at once.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator run
  harbor-operator run --namespace registry --namespace registry-staging")]
pub struct Run {
    /// Look after this namespace only; may be repeated. Then no permission outside of it is needed
    #[arg(long, short, env = "HARBOR_OPERATOR_NAMESPACE", value_name = "NAME", value_delimiter = ',', value_parser = namespace_or_nothing)]
    namespace: Vec<String>,

    /// Look after objects of this class only, which is said by their annotation goharbor.io/harbor-class [default:
    /// objects without it]
    #[arg(long, env = "HARBOR_OPERATOR_CLASS", value_name = "NAME", value_parser = class)]
    class: Option<String>,

    /// How many objects of one kind to work on at once
    #[arg(long, env = "HARBOR_OPERATOR_CONCURRENCY", value_name = "NUMBER", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: u16,

    /// After how many seconds to give up on an object and try again later
    #[arg(long, env = "HARBOR_OPERATOR_DEADLINE", value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    deadline: u64,

    /// The namespace of the Secret harbor-operator-digest-key, which the operator makes when it first starts. It keys the
    /// digests in pod templates, so that readers of Deployments cannot test guesses of passwords [default: the namespace of
    /// the pod; outside of a cluster, the one that the kubeconfig's context names]
    #[arg(long, env = "HARBOR_OPERATOR_DIGEST_KEY_NAMESPACE", value_name = "NAME", value_parser = namespace_or_nothing)]
    digest_key_namespace: Option<String>,

    #[command(flatten)]
    defaults: DefaultsArgs,

    #[command(flatten)]
    election: ElectionArgs,

    #[command(flatten)]
    telemetry: Telemetry,

    #[command(flatten)]
    page: PageFlags,
}

impl Run {
    /// Works until told to stop.
    pub fn run(self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::Run(error.to_string()))?;
        let ended = runtime.block_on(self.operate());
        // A plan that was given up may still be on its thread; the process does not wait for it.
        runtime.shutdown_background();
        Ok(ended?)
    }

    async fn operate(self) -> Result<(), Error> {
        let seen = self.telemetry.begin()?;
        let ended = self.look_after(&seen).await;
        seen.end().await;
        ended
    }

    async fn look_after(self, seen: &Seen) -> Result<(), Error> {
        let class = self.class.as_deref().and_then(HarborClass::named);
        let election = self.election.election(class.as_ref())?;
        let client = seen.metrics.observe(connect().await?);
        self.telemetry.serve(seen, &client).await?;
        let page = self.page.page().await?;
        let digest_key = make_digest_key(&client, &self.digest_key_namespace(&client), &SystemEntropy).await;
        let digest_key = digest_key.map_err(|error| Error::DigestKey(error.to_string()))?;
        let options = Options {
            scopes: self.scopes(),
            class,
            defaults: self.defaults.defaults(),
            election,
            digest_key,
            deadline: Duration::from_secs(self.deadline),
            concurrency: self.concurrency,
            metrics: Arc::clone(&seen.metrics),
            health: Arc::clone(&seen.health),
            trace_id: seen.trace_id(),
            observer: page.as_ref().map(WebPage::observer),
            ..Options::default()
        };
        let operator = operator(client.clone(), options);

        let stop = CancellationToken::new();
        let page = page.map(|page| tokio::spawn(page.serve(client, stop.clone())));
        tokio::spawn(stop_on_signal(stop.clone()));
        tracing::info!(version = env!("CARGO_PKG_VERSION"), namespaces = ?self.namespace, "started");
        operator.run(stop).await.map_err(|ended| match ended {
            Ended::Deposed(lost) => Error::Deposed(lost.to_string()),
            Ended::Panicked(_) => Error::Run(ended.to_string()),
        })?;
        if let Some(page) = page {
            // It has only farewells to say, and a page that ended otherwise has not kept the operator from its work.
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
        return tracing::warn!("signals cannot be caught; the operator will end without finishing its work");
    };
    signals.next().await;
    tracing::info!("stopping; a second signal stops at once");
    stop.cancel();
    signals.insistent().await;
    std::process::exit(1);
}
