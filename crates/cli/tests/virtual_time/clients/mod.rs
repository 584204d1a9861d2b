//! Clients that log in to a Harbor and pull an image twice a second, and report every request that fails.
//!
//! A test starts them when the Harbor is ready, does what should disturb no user, and asks how it was:
//!
//! ```ignore
//! let clients = Clients::of(&cluster, "acme-harbor").await;
//! // upgrade the Harbor, rotate a credential, …
//! clients.assert_served();
//! ```
//!
//! Every half second of virtual time, each account of the clients logs in, gets a token, and pulls: GET of a manifest and HEAD
//! of a blob. Kubernetes may route each of these requests to any pod that is ready, so the clients try every way through Core
//! and the registry, and report the ones that fail:
//!
//! - A Service without a ready endpoint does not answer.
//! - A login fails if Harbor's database does not know the password. An account of the clients is [`Account`].
//! - A token that one pod of Core signs is refused by a pod with another key.
//! - A pod refuses to connect to one whose certificate it does not trust, if there is TLS between components.
//! - The registry refuses a pod of Core whose user or password is not in its htpasswd file.
//! - A pod fails whose password a server outside of Harbor does not accept: see [`Server`]. PostgreSQL and Redis are such
//!   servers; a test adds others, and changes what they accept, with [`Clients::serve`].
//!
//! What a pod has is what a real one would have: see [`Pods`]. To try another credential, add a check to `pull.rs` that compares
//! what [`Pods::variable`] and [`Pods::file`] return for the pods on both sides.
//!
//! What they do not do: requests that take long, so they do not notice uploads and downloads that a pod aborts when it ends,
//! and locks of tables while the database is migrated. Pods of the stand-ins end at once, and endpoints follow at once.

mod pods;
mod pull;
mod server;
mod trust;

pub use pods::{Pods, source};
pub use pull::Account;
pub use server::Server;
pub use trust::is_trusted;

use crate::cluster::Cluster;
use envtest::clock;
use harborserver::HarborServer;
use jiff::Timestamp;
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    task::JoinHandle,
    time::{MissedTickBehavior, interval},
};

/// How often each client pulls.
const PERIOD: Duration = Duration::from_millis(500);

/// Clients of one Harbor. They end when this is dropped.
pub struct Clients {
    log: Arc<Mutex<Log>>,
    servers: Arc<Mutex<BTreeMap<&'static str, Server>>>,
    task: JoinHandle<()>,
}

/// What happened until now.
#[derive(Default)]
struct Log {
    /// How often all accounts have pulled.
    rounds: usize,
    failures: Vec<Failure>,
}

/// A request that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// In virtual time.
    pub at: Timestamp,
    /// Which request, of which pods, and why.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.what)
    }
}

impl Clients {
    /// A robot account that pulls through the Core with this name. The Harbor must be ready.
    pub async fn of(cluster: &Cluster, core: &str) -> Self {
        let robot = Account::robot(&cluster.harbor).await;
        Self::with(cluster, core, vec![robot]).await
    }

    /// These accounts, which pull through the Core with this name. The Harbor must be ready.
    pub async fn with(cluster: &Cluster, core: &str, accounts: Vec<Account>) -> Self {
        let log = Arc::<Mutex<Log>>::default();
        let servers = [Server::postgres(), Server::redis()].map(|server| (server.name, server));
        let servers = Arc::new(Mutex::new(BTreeMap::from(servers)));
        let pods = Pods::of(cluster).await;
        let clients = Client {
            harbor: cluster.harbor.clone(),
            core: core.to_owned(),
            accounts,
            pods,
            servers: Arc::clone(&servers),
        };
        Self { task: tokio::spawn(clients.run(Arc::clone(&log))), log, servers }
    }

    /// Adds a server outside of Harbor, or changes the one of this name.
    pub fn serve(&self, server: Server) {
        self.servers.lock().unwrap().insert(server.name, server);
    }

    /// The requests that failed until now, in order.
    pub fn failures(&self) -> Vec<Failure> {
        self.log.lock().unwrap().failures.clone()
    }

    /// Asserts that there were requests, and that none failed.
    pub fn assert_served(&self) {
        let Log { rounds, failures } = &*self.log.lock().unwrap();
        assert!(*rounds > 20, "the clients pulled only {rounds} times");
        let first: Vec<_> = failures.iter().take(10).map(ToString::to_string).collect();
        assert!(failures.is_empty(), "{} requests of {rounds} rounds failed: {first:#?}", failures.len());
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What the requests of a round need.
struct Client {
    harbor: HarborServer,
    core: String,
    accounts: Vec<Account>,
    pods: Pods,
    servers: Arc<Mutex<BTreeMap<&'static str, Server>>>,
}

impl Client {
    async fn run(self, log: Arc<Mutex<Log>>) {
        let mut ticks = interval(PERIOD);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let at = clock();
            let failed = self.pull().await;
            let mut log = log.lock().unwrap();
            log.rounds += 1;
            log.failures.extend(failed.into_iter().map(|what| Failure { at, what }));
        }
    }
}
