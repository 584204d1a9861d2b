//! The server and its builder.

use crate::{
    access::{Access, Tokens, User},
    admission::{RemoteWebhooks, Webhooks},
    clock::Clock,
    discovery::Documents,
    journal::{Header, Journal, JournalError},
    kinds::Kinds,
    lifecycle::{self, Controllers},
    schema,
    serve::{Authority, AuthorityError},
    state::{Recorder, State},
};
use jiff::Timestamp;
use rand::RngExt as _;
use serde_json::Value;
use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How many changes of each kind are kept for watches by default.
const HISTORY: usize = 10_000;

/// A Kubernetes API in memory. Clones share it.
///
/// It is a [`tower::Service`], so a `kube::Client` can use it directly; [`serve`](crate::serve) listens on a socket.
#[derive(Clone)]
pub struct ApiServer {
    pub(crate) shared: Arc<Shared>,
    /// The user of all requests through this value, if it is set.
    pub(crate) user: Option<Arc<User>>,
}

/// The configuration of a server. Created by [`ApiServer::builder`].
#[derive(Default)]
pub struct Builder {
    history: Option<usize>,
    seed: Option<u64>,
    start: Option<Timestamp>,
    bare: bool,
    access: Access,
    owner_references: OwnerReferences,
    service_accounts: ServiceAccounts,
    tokens: Vec<(String, User)>,
    webhooks: Option<Arc<dyn Webhooks>>,
    file: Option<PathBuf>,
}

/// Whether every client that can write an object can set its owners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OwnerReferences {
    #[default]
    Free,
    Protected,
}

/// Whether pods need a ServiceAccount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ServiceAccounts {
    #[default]
    Optional,
    Required,
}

/// State that all requests share.
pub(crate) struct Shared {
    state: Mutex<State>,
    pub clock: Clock,
    pub controllers: Controllers,
    pub access: Access,
    pub owner_references: OwnerReferences,
    pub tokens: Tokens,
    pub webhooks: Arc<dyn Webhooks>,
    documents: Mutex<Option<(Arc<Kinds>, Arc<Documents>)>>,
    journal: Option<Arc<Mutex<Journal>>>,
}

impl ApiServer {
    /// A server with all defaults: open to every client, nothing persisted.
    pub fn new() -> Self {
        let shared = Shared::empty(Builder::default());
        shared.state().bootstrap(&shared.clock);
        Self { shared: Arc::new(shared), user: None }
    }

    /// A builder for a server.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The same server, where every request through this value is from this user, whatever its credentials.
    ///
    /// For clients in this process: requests over a socket cannot choose their user.
    #[must_use]
    pub fn acting_as(&self, user: User) -> Self {
        Self { shared: Arc::clone(&self.shared), user: Some(Arc::new(user)) }
    }

    /// Drops the history of all objects, so that watches and pages from earlier revisions have to start over.
    pub fn compact(&self) {
        self.shared.state().store.compact();
    }

    /// The certificate authority of this server. It is always the same if the server has a file, so that a kubeconfig
    /// stays valid after a restart.
    ///
    /// # Errors
    /// When no key can be made, or the file cannot be written.
    pub fn authority(&self) -> Result<Authority, AuthorityError> {
        let Some(journal) = &self.shared.journal else { return Authority::generate() };
        let mut journal = journal.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pems) = journal.header().authority.clone() {
            return Authority::from_pems(pems);
        }
        let authority = Authority::generate()?;
        let header = Header { authority: Some(authority.pems().clone()), ..journal.header().clone() };
        journal.set_header(header)?;
        Ok(authority)
    }

    /// All CustomResourceDefinitions, as they are stored.
    pub fn definitions(&self) -> Vec<Value> {
        lifecycle::definitions(&self.shared.state()).map(|definition| Value::clone(definition)).collect()
    }

    /// Stores the [definitions](ApiServer::definitions) of another server, which has checked them, and serves their kinds.
    ///
    /// That takes a fraction of the time of requests that create them. They keep their uids and times.
    pub fn adopt(&self, definitions: Vec<Value>) {
        lifecycle::adopt(&mut self.shared.state(), definitions, self.shared.controllers, &self.shared.clock);
    }

    /// The newest resource version. It shows whether anything was written.
    pub fn revision(&self) -> u64 {
        self.shared.state().store.revision()
    }
}

impl Default for ApiServer {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer").field("revision", &self.revision()).finish_non_exhaustive()
    }
}

impl Builder {
    /// Keeps this many changes of each kind for watches and pages; 10,000 by default.
    #[must_use]
    pub fn history(mut self, changes: usize) -> Self {
        self.history = Some(changes);
        self
    }

    /// Derives uids and generated names from this number, so that a run can be repeated.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Starts the server's clock at this time instead of the system's. It then follows tokio's clock.
    #[must_use]
    pub fn start(mut self, time: Timestamp) -> Self {
        self.start = Some(time);
        self
    }

    /// Leaves out what kube-controller-manager does in a cluster: garbage collection and namespace deletion.
    #[must_use]
    pub fn without_controllers(mut self) -> Self {
        self.bare = true;
        self
    }

    /// Sets how access is controlled; by default it is open.
    #[must_use]
    pub fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Enables the admission plugin OwnerReferencesPermissionEnforcement, as in some clusters: a client that makes the
    /// deletion of an owner wait for an object must be allowed to update the owner's finalizers.
    #[must_use]
    pub fn protecting_owner_references(mut self) -> Self {
        self.owner_references = OwnerReferences::Protected;
        self
    }

    /// Enables the admission plugin ServiceAccount, as every cluster does: a pod has a ServiceAccount, which must exist, and
    /// its pull secrets unless it names others. No token is mounted.
    ///
    /// With controllers, every namespace has the ServiceAccount `default`.
    #[must_use]
    pub fn service_accounts(mut self) -> Self {
        self.service_accounts = ServiceAccounts::Required;
        self
    }

    /// Authenticates requests with this bearer token as this user.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>, user: User) -> Self {
        self.tokens.push((token.into(), user));
        self
    }

    /// Sets how webhooks are called: over HTTPS at their URLs by default.
    #[must_use]
    pub fn webhooks(mut self, webhooks: Arc<dyn Webhooks>) -> Self {
        self.webhooks = Some(webhooks);
        self
    }

    /// Stores everything in this file, and continues with its content.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    /// The server.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or is in use by another server.
    pub fn build(mut self) -> Result<ApiServer, JournalError> {
        let file = self.file.take();
        let mut shared = Shared::empty(self);
        if let Some(path) = file {
            let (journal, changes) = Journal::open(&path)?;
            let journal = Arc::new(Mutex::new(journal));
            let recording = Arc::clone(&journal);
            let record: Recorder = Box::new(move |change| {
                let mut journal = recording.lock().unwrap_or_else(PoisonError::into_inner);
                if let Err(error) = journal.record(change) {
                    tracing::error!(%error, "a change could not be written to the file");
                }
            });
            {
                let mut state = shared.state();
                state
                    .store
                    .restore_revision(journal.lock().unwrap_or_else(PoisonError::into_inner).revision());
                for change in changes {
                    state.store.restore(change);
                }
                if state.store.everything().next().is_some() {
                    state.store.forget_the_past();
                    state.reseed();
                }
                lifecycle::serve_all(&mut state);
                state.record_with(record);
                state.note_all();
            }
            shared.journal = Some(journal);
        }
        {
            let mut state = shared.state();
            state.bootstrap(&shared.clock);
            state.settle(shared.controllers, &shared.clock);
        }
        Ok(ApiServer { shared: Arc::new(shared), user: None })
    }
}

impl Shared {
    fn empty(builder: Builder) -> Self {
        let seed = builder.seed.unwrap_or_else(|| rand::rng().random());
        let state = State::new(builder.history.unwrap_or(HISTORY), seed, builder.service_accounts);
        Self {
            state: Mutex::new(state),
            clock: Clock::starting_at(builder.start.unwrap_or_else(Timestamp::now)),
            controllers: if builder.bare { Controllers::Off } else { Controllers::On },
            access: builder.access,
            owner_references: builder.owner_references,
            tokens: Tokens::new(builder.tokens),
            webhooks: builder.webhooks.unwrap_or_else(|| Arc::new(RemoteWebhooks::default())),
            documents: Mutex::default(),
            journal: None,
        }
    }

    /// The state of the server. Never locked across an await.
    pub fn state(&self) -> MutexGuard<'_, State> {
        // A panic under the lock leaves at most a change that was not announced.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The documents of discovery and OpenAPI for the kinds that are served.
    pub fn documents(&self) -> Arc<Documents> {
        let kinds = Arc::clone(&self.state().kinds);
        let mut cached = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, documents)) = &*cached
            && Arc::ptr_eq(known, &kinds)
        {
            return Arc::clone(documents);
        }
        let resources: Vec<_> = kinds.iter().cloned().collect();
        let documents = Arc::new(match &*cached {
            Some((_, outdated)) => outdated.renewed(&resources),
            None => Documents::new(&resources, schema::definitions()),
        });
        *cached = Some((kinds, Arc::clone(&documents)));
        documents
    }
}
