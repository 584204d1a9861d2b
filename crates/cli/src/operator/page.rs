//! The web page of the operator.

use ::page::{Page, Setup, Store};
use jiff::Timestamp;
use kube::Client;
use plan::{Children, Placement};
use progress::{Observer, Summary};
use serde_json::Value;
use std::{io, net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// A page that has its address and does not serve yet.
pub struct WebPage {
    store: Arc<Store>,
    listener: TcpListener,
    address: SocketAddr,
}

impl WebPage {
    /// Serves on this listener.
    pub fn on(listener: TcpListener) -> io::Result<Self> {
        let address = listener.local_addr()?;
        Ok(Self { store: Arc::new(Store::new(summary, Timestamp::now)), listener, address })
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Receives progress.
    pub fn observer(&self) -> Arc<dyn Observer> {
        self.store.clone()
    }

    /// Serves until stopped. It reads manifests and events of objects through the client.
    pub async fn serve(self, client: Client, stop: CancellationToken) {
        let mut setup = setup();
        // Every operator may read Namespaces, and some reconcile them.
        setup.kinds.push(components::namespace().resource().clone());
        let page = Page::new(self.store, client, setup, stop);
        if let Err(error) = page.serve(self.listener).await {
            tracing::warn!(%error, "cannot serve the web page");
        }
    }
}

/// The kinds that it shows: those that the operator reconciles, and their children.
pub fn setup() -> Setup {
    let mut children = Children::none();
    let mut kinds = Vec::new();
    for component in components::all() {
        kinds.push(component.resource().clone());
        children.extend(component.children);
    }
    // Children live in namespaces. Kinds of the whole cluster are only read.
    let children = children.iter().filter(|kind| kind.placement == Placement::Namespaced);
    kinds.extend(children.map(|kind| kind.resource.clone()));
    let status = Some("harbor-operator status");
    Setup { title: "Harbor operator", listed: vec!["HarborCluster", "Harbor"], status, kinds }
}

/// The version and the URL of an object, under the field names that all kinds share.
pub fn summary(object: &Value) -> Summary {
    let text = |field: &str| object["spec"][field].as_str().map(Into::into);
    Summary { version: text("version"), url: text("externalURL") }
}
