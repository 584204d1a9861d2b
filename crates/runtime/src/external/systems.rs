//! All systems outside the cluster that owners read or write, in one place for the whole process.
//!
//! A collection is listed when an owner first reads it, and then at an interval for as long as any owner reads it. What a
//! write is answered with replaces the object in the list, so no write of the operator needs another list.

use super::{
    At, ExternalDriver, SystemError,
    listing::{Listed, Listing, Objects},
};
use crate::{
    Entropy, Leadership, Options, ReconcileError,
    cluster::{Cluster, Interest},
    error::Verb,
};
use futures::future::join_all;
use kube::core::DynamicObject;
use plan::{Connection, External, ObjectKey, ObjectVersion, System};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;

/// How long a list may take.
const LONGEST_LIST: Duration = Duration::from_secs(30);

/// All systems outside the cluster.
pub(crate) struct Systems {
    drivers: Vec<Arc<dyn ExternalDriver>>,
    interval: Duration,
    entropy: Arc<dyn Entropy>,
    leadership: Leadership,
    /// Where owners are that read what is listed here.
    scopes: Mutex<Vec<Weak<Cluster>>>,
    listings: Mutex<BTreeMap<ObjectKey, Arc<Listing>>>,
    rescheduled: Notify,
}

/// An owner that reads.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) owner: &'a ObjectKey,
}

/// How old an answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Age {
    /// As old as the interval.
    AsListed,
    /// A few seconds.
    Fresh,
}

impl Systems {
    pub(crate) fn new(options: &Options, leadership: Leadership) -> Self {
        Self {
            drivers: options.external_drivers.clone(),
            interval: options.external_interval,
            entropy: Arc::clone(&options.entropy),
            leadership,
            scopes: Mutex::default(),
            listings: Mutex::default(),
            rescheduled: Notify::new(),
        }
    }

    /// From now on owners in this scope are woken when something that they read changes.
    pub(crate) fn add_scope(&self, cluster: &Arc<Cluster>) {
        lock(&self.scopes).push(Arc::downgrade(cluster));
    }

    /// What people call a system.
    pub(crate) fn describe(&self, system: &System) -> String {
        self.driver(system).map_or_else(|_| system.to_string(), |driver| driver.describe(system))
    }

    /// An object, if it exists, for a reader that is woken from now on when the object changes.
    pub(crate) async fn read(
        &self,
        Reader { cluster, owner }: Reader<'_>,
        connection: &Connection,
        key: &ObjectKey,
        age: Age,
    ) -> Result<Option<Arc<DynamicObject>>, ReconcileError> {
        let system = system_of(key)?;
        self.driver(&system)?;
        // Before the listing is taken, or it could be dropped as one that nothing reads.
        cluster.router.index.subscribe(owner, &[key.clone()].into(), Interest::Substance);
        let listing = Arc::clone(
            lock(&self.listings).entry(key.its_kind()).or_insert_with(|| Arc::new(Listing::new())),
        );
        let mut listed = listing.listed.lock().await;
        if !listing.serves(&listed, connection, age) {
            self.list(key, &listing, &mut listed, At { system: &system, connection }).await?;
        }
        let objects = listed.answer.as_ref();
        let objects = objects.map_err(|error| self.failed(Verb::Read, key, error.clone()))?;
        let object = objects.get(&key.name).cloned();
        // While the listing is locked, so that an older state never replaces a newer one.
        self.observed(key, object.as_deref(), Some(owner));
        Ok(object)
    }

    /// Creates an object.
    pub(crate) async fn create(
        &self,
        owner: &ObjectKey,
        connection: &Connection,
        wanted: &External,
    ) -> Result<Arc<DynamicObject>, SystemError> {
        let driver = self.driver(&wanted.system).map_err(unreachable)?;
        let at = At { system: &wanted.system, connection };
        let answer = self.while_leading(driver.create(at, wanted)).await?;
        self.written(owner, &wanted.key(), answer).await
    }

    /// Writes an object that exists.
    pub(crate) async fn update(
        &self,
        owner: &ObjectKey,
        connection: &Connection,
        wanted: &External,
        actual: &Value,
    ) -> Result<Arc<DynamicObject>, SystemError> {
        let driver = self.driver(&wanted.system).map_err(unreachable)?;
        let at = At { system: &wanted.system, connection };
        let answer = self.while_leading(driver.update(at, wanted, actual)).await?;
        self.written(owner, &wanted.key(), answer).await
    }

    /// Deletes an object.
    pub(crate) async fn delete(
        &self,
        owner: &ObjectKey,
        connection: &Connection,
        key: &ObjectKey,
        actual: &Value,
    ) -> Result<(), SystemError> {
        let system = system_of(key).map_err(unreachable)?;
        let driver = self.driver(&system).map_err(unreachable)?;
        self.while_leading(driver.delete(At { system: &system, connection }, key, actual)).await?;
        self.replace(owner, key, None).await;
        Ok(())
    }

    /// Lists the collection of an object again when it is next read.
    pub(crate) fn expire(&self, key: &ObjectKey) {
        if let Some(listing) = lock(&self.listings).get(&key.its_kind()) {
            listing.set_due(Instant::now());
        }
    }

    /// The error of a request for an object.
    pub(crate) fn failed(&self, verb: Verb, key: &ObjectKey, error: SystemError) -> ReconcileError {
        let system = key.system().map(|system| self.describe(&system)).unwrap_or_default();
        ReconcileError::External { verb, object: key.clone(), system, error }
    }

    /// Lists every collection again when that is due, until the operator stops.
    pub(crate) async fn refresh(self: Arc<Self>, stop: CancellationToken) {
        let work = async {
            loop {
                let next = lock(&self.listings).values().map(|listing| listing.due()).min();
                let due = async {
                    match next {
                        Some(due) => tokio::time::sleep_until(due).await,
                        None => std::future::pending().await,
                    }
                };
                tokio::select! {
                    biased;
                    () = self.rescheduled.notified() => {}
                    () = due => self.refresh_due().await,
                }
            }
        };
        stop.run_until_cancelled(work).await;
    }

    async fn refresh_due(&self) {
        let now = Instant::now();
        let due: Vec<_> = {
            let mut listings = lock(&self.listings);
            listings.retain(|collection, listing| listing.due() > now || self.is_read(collection));
            let due = listings.iter().filter(|(_, listing)| listing.due() <= now);
            due.map(|(collection, listing)| (collection.clone(), Arc::clone(listing))).collect()
        };
        let refreshed = due.iter().map(async |(collection, listing)| {
            let mut listed = listing.listed.lock().await;
            let (Ok(system), Some(connection)) = (system_of(collection), listed.connection.clone()) else {
                return;
            };
            if listing.due() <= now {
                let at = At { system: &system, connection: &connection };
                // It has a driver, since it was listed before.
                let _no_driver = self.list(collection, listing, &mut listed, at).await;
            }
        });
        join_all(refreshed).await;
    }

    /// Lists the collection of `key`. Readers of other objects that have changed are woken; all are after failures.
    async fn list(
        &self,
        key: &ObjectKey,
        listing: &Listing,
        listed: &mut Listed,
        at: At<'_>,
    ) -> Result<(), ReconcileError> {
        let driver = self.driver(at.system)?;
        let answer = match tokio::time::timeout(LONGEST_LIST, driver.list(at, &key.kind)).await {
            Ok(answer) => answer.and_then(objects),
            Err(_elapsed) => {
                Err(SystemError::Unreachable(format!("no answer within {} s", LONGEST_LIST.as_secs())))
            }
        };
        let recovers = listed.failures > 0 && answer.is_ok();
        listing.keep(listed, at.connection, answer, self.interval, &*self.entropy);
        self.rescheduled.notify_one();
        match &listed.answer {
            Ok(objects) => {
                for cluster in self.scopes() {
                    for (read, readers) in cluster.router.index.readers_of(&key.its_kind()) {
                        if read != *key {
                            self.observed(&read, objects.get(&read.name).map(AsRef::as_ref), None);
                        }
                        if recovers {
                            cluster.router.wake(readers);
                        }
                    }
                }
            }
            Err(error) => {
                let (system, collection) = (driver.describe(at.system), &key.kind);
                if listed.failures == 1 {
                    tracing::warn!(%system, collection, %error, "a list failed; the operator tries again until it works");
                } else {
                    tracing::debug!(%system, collection, %error, "a list failed again");
                }
            }
        }
        Ok(())
    }

    /// Takes the answer to a write into the list.
    async fn written(
        &self,
        owner: &ObjectKey,
        key: &ObjectKey,
        answer: Value,
    ) -> Result<Arc<DynamicObject>, SystemError> {
        let object = object(answer)?;
        self.replace(owner, key, Some(Arc::clone(&object))).await;
        Ok(object)
    }

    async fn replace(&self, owner: &ObjectKey, key: &ObjectKey, object: Option<Arc<DynamicObject>>) {
        let listing = lock(&self.listings).get(&key.its_kind()).cloned();
        let Some(listing) = listing else { return };
        let mut listed = listing.listed.lock().await;
        if let Ok(objects) = &mut listed.answer {
            match &object {
                Some(object) => objects.insert(key.name.clone(), Arc::clone(object)),
                None => objects.remove(&key.name),
            };
        }
        self.observed(key, object.as_deref(), Some(owner));
    }

    /// Wakes the readers of another state of an object, but not the `cause`, which knows.
    fn observed(&self, key: &ObjectKey, object: Option<&DynamicObject>, cause: Option<&ObjectKey>) {
        let state = object.map(|object| ObjectVersion::of(&object.metadata));
        for cluster in self.scopes() {
            let mut affected = cluster.router.index.read(key, state.as_ref());
            affected.retain(|owner| Some(owner) != cause);
            cluster.router.wake(affected);
        }
    }

    async fn while_leading<T>(
        &self,
        work: impl Future<Output = Result<T, SystemError>>,
    ) -> Result<T, SystemError> {
        let not_leading =
            || SystemError::Unreachable("another operator leads, so this one changes nothing".into());
        self.leadership.while_leading(work).await.unwrap_or_else(|| Err(not_leading()))
    }

    fn is_read(&self, collection: &ObjectKey) -> bool {
        self.scopes().iter().any(|cluster| !cluster.router.index.readers_of(collection).is_empty())
    }

    fn scopes(&self) -> Vec<Arc<Cluster>> {
        lock(&self.scopes).iter().filter_map(Weak::upgrade).collect()
    }

    fn driver(&self, system: &System) -> Result<&Arc<dyn ExternalDriver>, ReconcileError> {
        let driver = self.drivers.iter().find(|driver| driver.kind() == system.kind);
        driver.ok_or_else(|| ReconcileError::Bug(format!("there is no driver for {system}")))
    }
}

fn system_of(key: &ObjectKey) -> Result<System, ReconcileError> {
    key.system().ok_or_else(|| ReconcileError::Bug(format!("{key} does not live outside the cluster")))
}

fn unreachable(error: ReconcileError) -> SystemError {
    SystemError::Unreachable(error.to_string())
}

fn object(value: Value) -> Result<Arc<DynamicObject>, SystemError> {
    plan::outside(value).map_err(|_| SystemError::Unreachable("the answer cannot be encoded".into()))
}

fn objects(answer: BTreeMap<String, Value>) -> Result<Objects, SystemError> {
    answer.into_iter().map(|(name, value)| Ok((name, object(value)?))).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
