//! The server: what it is made of, how to make one, and what tests can do to it.

use crate::{
    access::Locks,
    clock::{Clock, TokioClock},
    entropy::{Entropy, Seeded},
    network::Network,
    repositories::{Image, Sender, UnknownProject},
    state::{Data, Installation, Runtime, Served},
    system::{Broken, Component},
    version::Version,
};
use jiff::Timestamp;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// How much larger numbers are after a restore.
const RENUMBERED: i64 = 1000;

/// A Harbor in memory. Clones share it.
///
/// It is a [`tower::Service`], so that it answers in process, or behind any HTTP server.
#[derive(Clone)]
pub struct HarborServer {
    shared: Arc<Shared>,
}

struct Shared {
    clock: Box<dyn Clock>,
    state: Mutex<State>,
}

struct State {
    data: Data,
    runtime: Runtime,
}

/// A database at some moment.
#[derive(Clone)]
pub struct Backup(Data);

impl fmt::Debug for Backup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Backup").field("version", &self.0.version.to_string()).finish_non_exhaustive()
    }
}

/// How a server is to be. Made by [`HarborServer::builder`].
pub struct Builder {
    version: Version,
    admin_password: String,
    clock: Option<Box<dyn Clock>>,
    entropy: Box<dyn Entropy>,
    installation: Installation,
    network: Network,
    job_duration: Duration,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("version", &self.version.to_string()).finish_non_exhaustive()
    }
}

impl HarborServer {
    /// A freshly installed Harbor of this version, whose administrator has this password, with everything else at
    /// its default.
    pub fn new(version: Version, admin_password: &str) -> Self {
        Self::builder(version, admin_password).build()
    }

    /// A server to be configured.
    pub fn builder(version: Version, admin_password: &str) -> Builder {
        Builder {
            version,
            admin_password: admin_password.to_owned(),
            clock: None,
            entropy: Box::new(Seeded::new(1)),
            installation: Installation::default(),
            network: Network::default(),
            job_duration: Duration::from_secs(5),
        }
    }

    /// The other systems that this Harbor can reach.
    pub fn network(&self) -> Network {
        self.with(|_, runtime, _| runtime.network.clone())
    }

    /// Takes the database away, or gives it back. Without it, valid credentials are refused with 401.
    pub fn set_database_up(&self, up: bool) {
        self.set_healthy(Component::Database, up);
    }

    /// Changes what the health of a component is reported to be. Without the job service, jobs make no progress, and Harbor
    /// shows neither queues nor workers.
    pub fn set_healthy(&self, component: Component, healthy: bool) {
        self.with(|_, runtime, _| {
            if healthy {
                runtime.unhealthy.remove(&component);
            } else {
                runtime.unhealthy.insert(component);
            }
        });
    }

    /// Breaks something of which the health shows nothing, or mends it.
    pub fn set_broken(&self, what: Broken, broken: bool) {
        self.with(|_, runtime, _| {
            if broken {
                runtime.broken.insert(what);
            } else {
                runtime.broken.remove(&what);
            }
        });
    }

    /// Lets Core act on old settings for this long after a change, as another replica with a warm cache does.
    pub fn set_configuration_lag(&self, lag: Duration) {
        self.with(|_, runtime, _| runtime.configuration_lag = lag);
    }

    /// Turns the read-only mode on or off behind the back of the API, at once.
    pub fn set_read_only(&self, read_only: bool) {
        self.with(|data, _, now| {
            let values = BTreeMap::from([("read_only".to_owned(), read_only.into())]);
            data.configuration.store(values, now, Duration::ZERO);
        });
    }

    /// Lets jobs that start from now on run this long.
    pub fn set_job_duration(&self, duration: Duration) {
        self.with(|_, runtime, _| runtime.job_duration = duration);
    }

    /// Adds an image to the repository of a project, as a push by `operator` does.
    ///
    /// # Errors
    /// When the project does not exist.
    pub fn push(&self, image: &Image, operator: &str) -> Result<(), UnknownProject> {
        self.with(|data, runtime, now| {
            let sender = Sender { operator, host: runtime.installation.registry_host() };
            data.push(image, &sender, &mut *runtime.entropy, now)
        })
    }

    /// Notes a pull of an image by `operator`.
    pub fn pull(&self, image: &Image, operator: &str) {
        self.with(|data, runtime, now| {
            let sender = Sender { operator, host: runtime.installation.registry_host() };
            data.pull(image, &sender, &mut *runtime.entropy, now);
        });
    }

    /// Adds bytes of blobs that no artifact uses, as an unfinished push leaves them.
    pub fn leave_blobs(&self, bytes: i64) {
        self.with(|data, _, _| data.stored_bytes += bytes);
    }

    /// Installs another version over the same data, and restarts.
    pub fn upgrade(&self, version: Version) {
        self.with(|data, _, now| {
            data.version = version;
            data.start(now);
        });
    }

    /// The version that is installed.
    pub fn version(&self) -> Version {
        self.with(|data, _, _| data.version)
    }

    /// The database as it is now.
    pub fn backup(&self) -> Backup {
        self.with(|data, _, _| Backup(data.clone()))
    }

    /// The address that users have for it.
    pub fn external_url(&self) -> String {
        self.with(|_, runtime, _| runtime.installation.external_url.clone())
    }

    /// Changes the address that users have for it, as a restart of Core does.
    pub fn set_external_url(&self, url: &str) {
        let url = url.trim_end_matches('/');
        self.with(|_, runtime, _| url.clone_into(&mut runtime.installation.external_url));
    }

    /// Replaces the database with a backup, in which every object has another number than before.
    pub fn restore(&self, backup: &Backup) {
        self.with(|data, _, now| {
            let version = data.version;
            *data = backup.0.clone();
            data.version = version;
            data.renumber(RENUMBERED);
            data.start(now);
        });
    }

    /// The requests that were answered, in order.
    pub fn served(&self) -> Vec<Served> {
        self.with(|_, runtime, _| runtime.served.clone())
    }

    /// Forgets the requests that were answered.
    pub fn forget_served(&self) {
        self.with(|_, runtime, _| runtime.served.clear());
    }

    /// Does something with everything that the server knows. Nothing waits meanwhile.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Data, &mut Runtime, Timestamp) -> T) -> T {
        let now = self.shared.clock.now();
        // What a panic leaves behind is a request that was half done, as a crash of Core does.
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { data, runtime } = &mut *state;
        act(data, runtime, now)
    }
}

impl fmt::Debug for HarborServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HarborServer").field("version", &self.version().to_string()).finish_non_exhaustive()
    }
}

impl Builder {
    /// Where the time comes from; by default it begins with the year 2026 and follows tokio's clock.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Some(Box::new(clock));
        self
    }

    /// Where secrets and identifiers come from; by default they are the same in every run, and no secrets.
    #[must_use]
    pub fn entropy(mut self, entropy: impl Entropy + 'static) -> Self {
        self.entropy = Box::new(entropy);
        self
    }

    /// How the Harbor was installed.
    #[must_use]
    pub fn installation(mut self, installation: Installation) -> Self {
        self.installation = installation;
        self
    }

    /// The other systems that the Harbor can reach; none by default.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// How long jobs run; five seconds by default.
    #[must_use]
    pub fn job_duration(mut self, duration: Duration) -> Self {
        self.job_duration = duration;
        self
    }

    /// The server.
    pub fn build(self) -> HarborServer {
        // The default begins where no test begins by accident.
        let base = Timestamp::from_second(1_767_225_600).unwrap_or(Timestamp::UNIX_EPOCH);
        let clock = self.clock.unwrap_or_else(|| Box::new(TokioClock::starting_at(base)));
        let now = clock.now();
        let mut data = Data::installed(self.version, &self.admin_password, now);
        if let Some(settings) = &self.installation.configuration_overwrite {
            data.configuration.store(settings.clone(), now, Duration::ZERO);
        }
        let runtime = Runtime {
            installation: self.installation,
            entropy: self.entropy,
            network: self.network,
            locks: Locks::default(),
            unhealthy: BTreeSet::new(),
            broken: BTreeSet::new(),
            tokens: BTreeMap::new(),
            configuration_lag: Duration::ZERO,
            job_duration: self.job_duration,
            served: Vec::new(),
        };
        HarborServer { shared: Arc::new(Shared { clock, state: Mutex::new(State { data, runtime }) }) }
    }
}
