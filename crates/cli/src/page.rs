//! The web page about everything that is looked after here.

use ::page::{Board, Page, Setup, Summary};
use components::Visitor;
use jiff::Timestamp;
use kube::{Client, core::ApiResource};
use plan::{Children, Component};
use runtime::Observer;
use serde_json::Value;
use std::{io, net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// A page that has its address and serves nothing yet.
pub struct WebPage {
    board: Arc<Board>,
    listener: TcpListener,
    address: SocketAddr,
}

impl WebPage {
    /// A page for whoever connects to this listener.
    pub fn on(listener: TcpListener) -> io::Result<Self> {
        let address = listener.local_addr()?;
        Ok(Self { board: Arc::new(Board::new(summary, Timestamp::now)), listener, address })
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
        self.board.clone()
    }

    /// Serves it until told to stop. What it shows of an object in full it reads through the client.
    pub async fn serve(self, client: Client, stop: CancellationToken) {
        let page = Page::new(self.board, client, setup(), stop);
        if let Err(error) = page.serve(self.listener).await {
            tracing::warn!(%error, "the web page is not served");
        }
    }
}

/// What is on it: the kinds the operator looks after, and their children.
pub fn setup() -> Setup {
    let mut kinds = Kinds(Vec::new(), Children::none());
    components::for_each(&mut kinds);
    let Kinds(owners, children) = kinds;
    let kinds = owners.into_iter().chain(children.iter().map(|kind| kind.resource.clone()));
    Setup { title: "Harbor operator", listed: vec!["HarborCluster", "Harbor"], kinds: kinds.collect() }
}

/// What every kind that has a version and a URL calls them.
fn summary(object: &Value) -> Summary {
    let text = |field: &str| object["spec"][field].as_str().map(Into::into);
    Summary { version: text("version"), url: text("externalURL") }
}

/// All kinds the operator knows: those it looks after, and their children.
struct Kinds(Vec<ApiResource>, Children);

impl Visitor for Kinds {
    fn visit<C: Component>(&mut self) {
        self.0.push(ApiResource::erase::<C::Owner>(&()));
        self.1.extend(C::children());
    }
}
