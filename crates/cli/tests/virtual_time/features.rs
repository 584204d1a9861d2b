//! What an operator does only if a flag asks for it.

use crate::cluster::HOME;
use election::Leadership;
use envtest::clock;
use kube::Client;
use plan::ComponentKind;
use runtime::{Metrics, SystemEntropy};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use webhookserver::{Certificate, Conversion, Reach, Rewriting, Settings, WebhookServer};

/// The name of the Service, the Secret and the configuration of webhooks.
pub const WEBHOOK: &str = "harbor-operator-webhook";

/// What an operator does only if a flag asks for it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    pub bind_namespaces: bool,
    pub rewrite_images: bool,
    pub convert_v1alpha3: bool,
}

impl Features {
    /// The kinds that it reconciles.
    pub fn components(self) -> Vec<ComponentKind> {
        if self.bind_namespaces { components::with_optional() } else { components::all() }
    }

    /// The webhooks that it serves.
    pub fn webhooks(self, client: Client, leadership: Leadership) -> Option<WebhookServer> {
        let settings = Settings {
            namespace: HOME.into(),
            name: WEBHOOK.into(),
            reach: Reach::Service,
            certificate: Certificate::Issued,
            rewriting: self.rewrite_images.then(Rewriting::default),
            conversion: self.convert_v1alpha3.then(Conversion::default),
        };
        let is_any = self.rewrite_images || self.convert_v1alpha3;
        is_any.then(|| WebhookServer {
            client,
            leadership,
            settings,
            metrics: Arc::<Metrics>::default(),
            health: Arc::default(),
            clock,
            entropy: Arc::new(SystemEntropy),
        })
    }
}

/// Serves webhooks, if there are any. Never ends. No API server calls them, because time is virtual.
pub async fn serve(webhooks: Option<WebhookServer>) {
    if let Some(webhooks) = webhooks {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        webhooks.run(listener, CancellationToken::new()).await.unwrap();
    }
    std::future::pending::<()>().await;
}
