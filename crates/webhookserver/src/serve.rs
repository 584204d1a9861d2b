//! Everything together: the watches, the leader's loop, and the server.

use crate::{
    announcer::announce,
    endpoint,
    identity::Identity,
    listener::TlsListener,
    registrar::Registrar,
    rules::Rules,
    settings::Settings,
    watched::{self, Watched},
};
use election::Leadership;
use jiff::Timestamp;
use k8s_openapi::api::{admissionregistration::v1::MutatingWebhookConfiguration, core::v1::Secret};
use kube::{Api, Client};
use runtime::{Entropy, Metrics};
use server::Limits;
use std::{sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::watch};
use tokio_util::sync::CancellationToken;

/// Limits for API servers, which wait one second for an answer, and keep their connections.
const LIMITS: Limits = Limits {
    connections: 64,
    head: Duration::from_secs(5),
    request: Duration::from_secs(5),
    idle: Duration::from_mins(2),
    // No object that the API server stores is larger.
    body_bytes: 3 * 1024 * 1024,
    ..Limits::DEFAULT
};

/// The server of the webhook that rewrites images. It registers itself while this operator leads.
pub struct WebhookServer {
    /// For watches, and for the objects that register the webhook.
    pub client: Client,
    /// Whether this operator leads.
    pub leadership: Leadership,
    /// How the webhook is registered.
    pub settings: Settings,
    /// Where reviews are counted.
    pub metrics: Arc<Metrics>,
    /// The time, for certificates.
    pub clock: fn() -> Timestamp,
    /// Serial numbers of certificates.
    pub entropy: Arc<dyn Entropy>,
}

impl WebhookServer {
    /// Serves until `stop` is cancelled.
    ///
    /// # Errors
    /// When TLS cannot be set up, which is a bug.
    pub async fn run(self, listener: TcpListener, stop: CancellationToken) -> Result<(), rustls::Error> {
        let Self { client, leadership, settings, metrics, clock, entropy } = self;
        let rules = Arc::new(Rules::new(["kube-system".to_owned(), settings.namespace.clone()]));
        let identity = Arc::<Identity>::default();
        let listener = TlsListener::new(listener, identity.config()?);
        let (secret, seen_secret) = watch::channel(Watched::<Secret>::Unknown);
        let (stored, seen_stored) = watch::channel(Watched::<MutatingWebhookConfiguration>::Unknown);
        let secrets = Api::<Secret>::namespaced(client.clone(), &settings.namespace);
        let registrar = Registrar {
            client: leadership.guard(client.clone()),
            leadership: leadership.clone(),
            settings: settings.clone(),
            rules: Arc::clone(&rules),
            secret: seen_secret.clone(),
            configuration: seen_stored,
            clock,
            entropy,
        };
        let guarded = leadership.guard(client.clone());
        let work = async {
            tokio::join!(
                rules.feed(&client),
                watched::follow(secrets, &settings.name, &secret),
                watched::follow(Api::all(client.clone()), &settings.name, &stored),
                present(&identity, seen_secret, &settings.name),
                registrar.run(),
                announce(guarded, leadership, Arc::clone(&rules)),
            )
        };
        let router = endpoint::router(Arc::clone(&rules), metrics);
        tokio::select! {
            () = server::serve(listener, router, LIMITS, stop.clone()) => {}
            _ = work => {}
        }
        Ok(())
    }
}

/// Presents the certificate of the Secret, whenever it changes.
async fn present(identity: &Identity, mut secret: watch::Receiver<Watched<Secret>>, name: &str) {
    loop {
        let current = secret.borrow_and_update().clone();
        if let Watched::Present(current) = current
            && let Err(error) = identity.set(&current)
        {
            tracing::warn!(secret = name, %error, "the webhook keeps its certificate: the Secret has none");
        }
        if secret.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
