//! A small read-only web page that shows what the operator does: every installation with its state, the tree of its objects,
//! and for every object why it waits, what happened to it, command lines about it, and its manifest without secrets.
//!
//! The operator reports its progress to a [`Store`], which keeps it in memory. [`Page`] answers requests from that, and reads
//! the manifest, the events and the pods of an object from the cluster when its page is requested, and the ends of logs of
//! containers that fail. It knows no component.
//!
//! What it guarantees:
//! - It is read-only: it answers only GET and HEAD.
//! - It shows only objects that the operator reports, and never sends values of Secrets.
//! - A page sends requests only to the operator: there is no inline script, no font, and nothing from other sites.
//! - It does not delay the operator: connections, requests and their durations are bounded.
//!
//! There is no login: every client that reaches the address can read the page.

mod assets;
mod changes;
mod details;
mod filter;
mod guard;
mod html;
mod mask;
mod names;
mod outline;
mod reading;
mod recent;
mod router;
mod store;

pub use guard::Reach;
pub use store::{Address, Store};

use axum::Router;
use kube::{Client, core::ApiResource};
use pods::Report;
use reading::Reader;
use recent::Recent;
use server::Limits;
use std::{io, sync::Arc};
use store::Node;
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::sync::CancellationToken;

/// Most concurrent requests.
const REQUESTS: usize = 16;
/// Most concurrent streams of changes.
const STREAMS: usize = 64;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The title of all pages.
    pub title: &'static str,
    /// Kinds that are listed even if another program owns them.
    pub listed: Vec<&'static str>,
    /// The command that shows the state of an object of these kinds on a terminal, if there is one.
    pub status: Option<&'static str>,
    /// Kinds whose manifests are shown.
    pub kinds: Vec<ApiResource>,
}

/// The page.
pub struct Page {
    store: Arc<Store>,
    reader: Reader,
    recent: Recent,
    setup: Setup,
    requests: Semaphore,
    streams: Arc<Semaphore>,
    stop: CancellationToken,
}

impl Page {
    /// A page that shows this store. It reads through `client`; streams end when `stop` is cancelled.
    pub fn new(store: Arc<Store>, client: Client, setup: Setup, stop: CancellationToken) -> Self {
        let reader = Reader::new(client, setup.kinds.iter().cloned());
        let (requests, streams) = (Semaphore::new(REQUESTS), Arc::new(Semaphore::new(STREAMS)));
        Self { store, reader, recent: Recent::default(), setup, requests, streams, stop }
    }

    /// What the pods of an object, and of what is below it, report. None if there are no workloads.
    pub(crate) async fn pods(&self, node: &Node) -> Option<Report> {
        let workloads = pods::workloads(node);
        if workloads.is_empty() {
            return None;
        }
        let read = self.reader.pods(&workloads, self.store.now());
        Some(self.recent.report(&workloads, read).await)
    }

    /// The router, for another server.
    pub fn router(self, reach: Reach) -> Router {
        router::router(self, reach)
    }

    /// Serves until it is stopped.
    pub async fn serve(self, listener: TcpListener) -> io::Result<()> {
        let reach = Reach::of(listener.local_addr()?.ip());
        let stop = self.stop.clone();
        server::serve(listener, self.router(reach), Limits::DEFAULT, stop).await;
        Ok(())
    }
}
