//! A small read-only web page that shows what the operator does: every installation with its state, the dependency graph
//! of each, and for every object why it waits, its last events and its manifest without secrets.
//!
//! The operator reports its progress to a [`Store`], which keeps it in memory. [`Page`] answers requests from that, and reads
//! the events and the manifest of an object from the cluster when its page is requested. It knows no component.
//!
//! What it guarantees:
//! - It changes nothing: only GET and HEAD are answered.
//! - Only objects the operator tells of can be looked at, and no value of a Secret is ever sent.
//! - A page asks nobody but the operator: there is no inline script, no font, nothing from elsewhere.
//! - It never keeps the operator from its work: connections, requests and the time they take are bounded.
//!
//! There is no login. Whoever reaches the address may look.

mod abbreviation;
mod assets;
mod changes;
mod drawing;
mod guard;
mod html;
mod layout;
mod mask;
mod reading;
mod router;
mod store;

pub use guard::Reach;
pub use store::{Address, Store, Summary};

use axum::Router;
use kube::{Client, core::ApiResource};
use reading::Reader;
use server::Limits;
use std::{io, sync::Arc};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::sync::CancellationToken;

/// Most requests that are worked on at once.
const REQUESTS: usize = 16;
/// Most browsers that are told of changes at once.
const STREAMS: usize = 64;

/// What the page shows.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Whose page it is.
    pub title: &'static str,
    /// Kinds that are listed even where an object of another program wants them to exist.
    pub listed: Vec<&'static str>,
    /// Kinds whose objects can be looked at in full.
    pub kinds: Vec<ApiResource>,
}

/// The page.
pub struct Page {
    store: Arc<Store>,
    reader: Reader,
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
        Self { store, reader, setup, requests, streams, stop }
    }

    /// Answers requests, for a server of somebody else.
    pub fn router(self, reach: Reach) -> Router {
        router::router(self, reach)
    }

    /// Serves until it is told to stop.
    pub async fn serve(self, listener: TcpListener) -> io::Result<()> {
        let reach = Reach::of(listener.local_addr()?.ip());
        let stop = self.stop.clone();
        server::serve(listener, self.router(reach), Limits::DEFAULT, stop).await;
        Ok(())
    }
}
