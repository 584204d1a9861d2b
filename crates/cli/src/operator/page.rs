//! The web page about everything that is looked after here.

use ::page::{Page, Setup, Store, Summary};
use jiff::Timestamp;
use kube::Client;
use plan::Children;
use progress::Observer;
use serde_json::Value;
use std::{io, net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// A page that has its address and serves nothing yet.
pub struct WebPage {
    store: Arc<Store>,
    listener: TcpListener,
    address: SocketAddr,
}

impl WebPage {
    /// A page for whoever connects to this listener.
    pub fn on(listener: TcpListener) -> io::Result<Self> {
        let address = listener.local_addr()?;
        Ok(Self { store: Arc::new(Store::new(summary, Timestamp::now)), listener, address })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where to look at it.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Whom the operator tells what it shows.
    pub fn observer(&self) -> Arc<dyn Observer> {
        self.store.clone()
    }

    /// Serves it until told to stop. What it shows of an object in full it reads through the client.
    pub async fn serve(self, client: Client, stop: CancellationToken) {
        let page = Page::new(self.store, client, setup(), stop);
        if let Err(error) = page.serve(self.listener).await {
            tracing::warn!(%error, "the web page is not served");
        }
    }
}

/// What it shows: the kinds that the operator reconciles, and their children.
pub fn setup() -> Setup {
    let mut children = Children::none();
    let mut kinds = Vec::new();
    for component in components::all() {
        kinds.push(component.resource().clone());
        children.extend(component.children);
    }
    kinds.extend(children.iter().map(|kind| kind.resource.clone()));
    Setup { title: "Harbor operator", listed: vec!["HarborCluster", "Harbor"], kinds }
}

/// What every kind that has a version and a URL calls them.
fn summary(object: &Value) -> Summary {
    let text = |field: &str| object["spec"][field].as_str().map(Into::into);
    Summary { version: text("version"), url: text("externalURL") }
}
