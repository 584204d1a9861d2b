//! Everything together: the watches, the leader's loops, and the server.

use crate::{
    announcer::announce,
    configuration::configuration,
    definition::{self, Definition},
    endpoint::{self, LARGEST_LIST, LARGEST_POD},
    identity::Identity,
    issuer::Issuer,
    listener::TlsListener,
    migration::Migration,
    registrar::Registrar,
    rules::Rules,
    settings::{Conversion, Rewriting, Settings},
    trust::{Trust, includes},
    watched::{self, Watched},
};
use axum::Router;
use election::Leadership;
use futures::future::{BoxFuture, FutureExt as _, join_all};
use jiff::Timestamp;
use k8s_openapi::api::{admissionregistration::v1::MutatingWebhookConfiguration, core::v1::Secret};
use kube::{Api, Client, api::Patch};
use runtime::{Entropy, EventRecorder, Health, Metrics};
use serde_json::{Value, json};
use server::Limits;
use std::{sync::Arc, time::Duration};
use tokio::{
    net::TcpListener,
    sync::{Mutex, watch},
};
use tokio_util::sync::CancellationToken;

/// Limits for API servers, which wait one second for the answer about a pod, 30 for that about a list of objects, and keep
/// their connections.
const LIMITS: Limits = Limits {
    connections: 64,
    head: Duration::from_secs(5),
    request: Duration::from_secs(10),
    idle: Duration::from_mins(2),
    body_bytes: LARGEST_POD,
    ..Limits::DEFAULT
};

/// The server of all webhooks. It registers them while this operator leads.
pub struct WebhookServer {
    /// For watches, and for the objects that register webhooks.
    pub client: Client,
    /// Whether this operator leads.
    pub leadership: Leadership,
    /// Which webhooks are served, and how they are registered.
    pub settings: Settings,
    /// Where reviews are counted.
    pub metrics: Arc<Metrics>,
    /// What is not ready before the server has its certificate and its rules.
    pub health: Arc<Health>,
    /// The time, for certificates.
    pub clock: fn() -> Timestamp,
    /// Serial numbers of certificates.
    pub entropy: Arc<dyn Entropy>,
}

impl WebhookServer {
    /// Serves until `stop` is cancelled, and then answers the reviews that have begun to arrive.
    ///
    /// The operator is not ready from now on, until the server has its first certificate and its first rules.
    ///
    /// # Errors
    /// When TLS cannot be set up, which is a bug.
    pub fn run(
        self,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> impl Future<Output = Result<(), rustls::Error>> + Send {
        let certified = self.health.needs("the certificate of the webhooks");
        let rewriting = self.settings.rewriting.map(|it| (it, self.health.needs("the rules for images")));
        self.serve(listener, stop, certified, rewriting)
    }

    /// Serves. Cancels the tokens when it has its first certificate and its first rules.
    async fn serve(
        self,
        listener: TcpListener,
        stop: CancellationToken,
        certified: CancellationToken,
        rewriting: Option<(Rewriting, CancellationToken)>,
    ) -> Result<(), rustls::Error> {
        let identity = Arc::<Identity>::default();
        let listener = TlsListener::new(listener, identity.config()?);
        let (secret, seen_secret) = watch::channel(Watched::<Secret>::Unknown);
        let (trust, seen_trust) = watch::channel(None);
        let secrets = Api::<Secret>::namespaced(self.client.clone(), &self.settings.namespace);
        let issuer = Issuer {
            client: self.leadership.guard(self.client.clone()),
            leadership: self.leadership.clone(),
            settings: self.settings.clone(),
            secret: seen_secret.clone(),
            trust,
            clock: self.clock,
            entropy: Arc::clone(&self.entropy),
        };
        let name = &self.settings.name;
        let mut work = vec![
            watched::follow(secrets, name.clone(), secret).boxed(),
            present(identity, seen_secret, name.clone(), certified).boxed(),
            issuer.run().boxed(),
        ];
        let (mut router, mut limits) = (Router::new(), LIMITS);
        if let Some((rewriting, listed)) = rewriting {
            let rules = Arc::new(Rules::new(["kube-system".to_owned(), self.settings.namespace.clone()]));
            let listing = Arc::clone(&rules);
            work.push(
                async move {
                    listing.until_listed().await;
                    listed.cancel();
                }
                .boxed(),
            );
            work.extend(self.rewriting(rewriting, &rules, &seen_trust));
            router = router.merge(endpoint::rewriting(rules, Arc::clone(&self.metrics)));
        }
        if let Some(conversion) = self.settings.conversion {
            work.extend(self.converting(conversion, &seen_trust));
            router = router.merge(endpoint::converting(Arc::clone(&self.metrics)));
            limits.body_bytes = LARGEST_LIST;
        }
        tokio::select! {
            () = server::serve(listener, router, limits, stop.clone()) => {}
            _ = join_all(work) => {}
        }
        Ok(())
    }

    /// What keeps the rules and the MutatingWebhookConfiguration current.
    fn rewriting(
        &self,
        rewriting: Rewriting,
        rules: &Arc<Rules>,
        trust: &watch::Receiver<Option<Trust>>,
    ) -> [BoxFuture<'static, ()>; 4] {
        let Self { client, leadership, settings, .. } = self;
        let guarded = leadership.guard(client.clone());
        let (stored, seen) = watch::channel(Watched::<MutatingWebhookConfiguration>::Unknown);
        let registrar = Registrar {
            api: Api::all(guarded.clone()),
            leadership: leadership.clone(),
            settings: settings.clone(),
            name: settings.name.clone(),
            stored: seen,
            trust: trust.clone(),
        };
        let patches = {
            let (rules, settings) = (Arc::clone(rules), settings.clone());
            move |trust: &Trust, stored: Option<&MutatingWebhookConfiguration>| {
                let wanted =
                    rules.read(|sources| configuration(&settings, rewriting, trust, &sources.exempt()));
                let is_current =
                    |wanted: &Value| stored.is_some_and(|stored| includes(&json!(stored), wanted));
                wanted.filter(|wanted| !is_current(wanted)).map(Patch::Apply).into_iter().collect()
            }
        };
        let (feeding, feeds) = (Arc::clone(rules), client.clone());
        [
            async move { Box::pin(feeding.feed(&feeds)).await }.boxed(),
            watched::follow(Api::all(client.clone()), settings.name.clone(), stored).boxed(),
            registrar.run(rules.changes(), patches).boxed(),
            announce(guarded, leadership.clone(), Arc::clone(rules)).boxed(),
        ]
    }

    /// What keeps the definitions current, and migrates objects.
    fn converting(
        &self,
        conversion: Conversion,
        trust: &watch::Receiver<Option<Trust>>,
    ) -> Vec<BoxFuture<'static, ()>> {
        let Self { client, leadership, settings, .. } = self;
        let (guarded, resource) = (leadership.guard(client.clone()), definition::resource());
        let recorder = Arc::new(EventRecorder::new(guarded.clone()));
        let turn = Arc::new(Mutex::new(()));
        let each = definition::names().iter().map(|name| {
            let (stored, seen) = watch::channel(Watched::<Definition>::Unknown);
            let registrar = Registrar {
                api: Api::all_with(guarded.clone(), &resource),
                leadership: leadership.clone(),
                settings: settings.clone(),
                name: name.clone(),
                stored: seen.clone(),
                trust: trust.clone(),
            };
            let migration = Migration {
                client: guarded.clone(),
                leadership: leadership.clone(),
                recorder: Arc::clone(&recorder),
                settings: settings.clone(),
                conversion,
                definition: seen,
                trust: trust.clone(),
                turn: Arc::clone(&turn),
            };
            let patches = {
                let settings = settings.clone();
                move |trust: &Trust, stored: Option<&Definition>| {
                    stored.map_or_else(Vec::new, |stored| definition::patches(&settings, trust, stored))
                }
            };
            // Nothing else concerns a definition.
            let (_, never) = watch::channel(());
            [
                watched::follow(Api::all_with(client.clone(), &resource), name.clone(), stored).boxed(),
                registrar.run(never, patches).boxed(),
                migration.run().boxed(),
            ]
        });
        each.flatten().collect()
    }
}

/// Presents the certificate of the Secret, whenever it changes. Cancels `certified` when it has the first one.
async fn present(
    identity: Arc<Identity>,
    mut secret: watch::Receiver<Watched<Secret>>,
    name: String,
    certified: CancellationToken,
) {
    loop {
        let current = secret.borrow_and_update().clone();
        if let Watched::Present(current) = current {
            match identity.set(&current) {
                Ok(()) => certified.cancel(),
                Err(error) => {
                    tracing::warn!(secret = name, %error, "the webhook keeps its certificate: the Secret has none");
                }
            }
        }
        if secret.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
