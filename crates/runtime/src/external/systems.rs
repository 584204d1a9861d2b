//! All systems outside the cluster that owners read or write, in one place for the whole process.
//!
//! A collection is listed when an owner first reads it, and then at an interval for as long as any owner reads it. What a
//! write is answered with replaces the object in the list, so no write of the operator needs another list.

use super::{
    budget::Load,
    listing::{Listed, Listing, Objects, Question},
    lock,
    turns::Turns,
};
use crate::{
    At, Collection, Entropy, ExternalDriver, Options, ReconcileError,
    cluster::{AffectedOwners, Cluster, Interest},
    error::Verb,
};
use election::Leadership;
use kube::core::DynamicObject;
use plan::{Connection, Contents, External, ObjectKey, ObjectVersion, System, SystemError};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, Weak},
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};

/// After how many failures in a row a list is reported to the owners that read it, see
/// [`ExternalDriver::reports_failures`]: about seven seconds.
const FAILURES_TO_REPORT: u32 = 3;

/// How long a list may take.
const LONGEST_LIST: Duration = Duration::from_secs(30);

/// All systems outside the cluster.
pub(crate) struct Systems {
    drivers: Vec<Arc<dyn ExternalDriver>>,
    pub(super) interval: Duration,
    entropy: Arc<dyn Entropy>,
    leadership: Leadership,
    /// Where owners are that read what is listed here.
    scopes: Mutex<Vec<Weak<Cluster>>>,
    pub(super) listings: Mutex<BTreeMap<Question, Arc<Listing>>>,
    pub(super) rescheduled: Notify,
    pub(super) turns: Turns,
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
            turns: Turns::default(),
        }
    }

    /// From now on owners in this scope are woken when something that they read changes.
    pub(crate) fn add_scope(&self, cluster: &Arc<Cluster>) {
        lock(&self.scopes).push(Arc::downgrade(cluster));
    }

    /// Whether any system can be reached.
    pub(crate) fn has_drivers(&self) -> bool {
        !self.drivers.is_empty()
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
        let failed = |error| self.failed(Verb::Read, key, error);
        let system = system_of(key).map_err(failed)?;
        // Before the listing is taken, or it could be dropped as one that nothing reads.
        cluster.router.index.subscribe(owner, &[key.clone()].into(), Interest::Spec);
        let question = self.question(key).map_err(failed)?;
        let listing = Arc::clone(
            lock(&self.listings).entry(question.clone()).or_insert_with(|| Arc::new(Listing::new())),
        );
        let mut listed = listing.listed.lock().await;
        if !listing.serves(&listed, connection, age, cluster.owners.comparison_requested(owner)) {
            self.list(&question, Some(key), &listing, &mut listed, At { system, connection, owner: None })
                .await;
        }
        let objects = listed.answer.as_ref().map_err(|error| failed(error.clone()))?;
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
        let driver = self.driver(&wanted.system)?;
        let at = At { system: &wanted.system, connection, owner: Some(owner) };
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
        let driver = self.driver(&wanted.system)?;
        let at = At { system: &wanted.system, connection, owner: Some(owner) };
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
        contents: Contents,
    ) -> Result<(), SystemError> {
        let system = system_of(key)?;
        let driver = self.driver(system)?;
        let at = At { system, connection, owner: Some(owner) };
        self.while_leading(driver.delete(at, key, actual, contents)).await?;
        self.replace(owner, key, None).await;
        Ok(())
    }

    /// Lists the collection of an object again when it is next read.
    pub(crate) fn expire(&self, key: &ObjectKey) {
        if let Some(listing) = self.listing(key) {
            listing.set_due(Instant::now());
        }
    }

    /// The error of a request for an object.
    pub(crate) fn failed(&self, verb: Verb, key: &ObjectKey, error: SystemError) -> ReconcileError {
        self.failed_on(verb, key, Vec::new(), error)
    }

    /// The error of a request for an object that differed in these fields.
    pub(super) fn failed_on(
        &self,
        verb: Verb,
        key: &ObjectKey,
        fields: Vec<String>,
        error: SystemError,
    ) -> ReconcileError {
        let system = key.system().map(|system| self.describe(system)).unwrap_or_default();
        ReconcileError::External { verb, object: key.clone(), fields, system, error }
    }

    /// Lists a collection, or a part of one, for the reader of `read`. Readers of other objects that have changed are
    /// woken; all are after failures.
    pub(super) async fn list(
        &self,
        question: &Question,
        read: Option<&ObjectKey>,
        listing: &Listing,
        listed: &mut Listed,
        at: At<'_>,
    ) {
        let begun = Instant::now();
        let answer = self.ask(question, listing, at).await;
        let recovers = listed.failures > 0 && answer.is_ok();
        let interval = self.interval_of(question, at.connection);
        listing.keep(listed, at.connection, (begun, answer), interval, &*self.entropy);
        self.rescheduled.notify_one();
        let objects = match &listed.answer {
            Ok(objects) => objects,
            Err(error) => {
                let (system, collection) = (self.describe(at.system), question);
                if listed.failures == 1 {
                    tracing::warn!(%system, %collection, error = plan::one_line(error), "a list failed; the operator tries again");
                } else {
                    tracing::debug!(%system, %collection, error = plan::one_line(error), "a list failed again");
                }
                if listed.failures == FAILURES_TO_REPORT && self.reports_failures(question) {
                    self.report_failure(question);
                }
                return;
            }
        };
        for cluster in self.scopes() {
            for (key, readers) in self.readers_of(question, &cluster) {
                if Some(&key) != read {
                    self.observed(&key, objects.get(&key.name).map(AsRef::as_ref), None);
                }
                if recovers {
                    cluster.router.wake(readers);
                }
            }
        }
    }

    fn reports_failures(&self, question: &Question) -> bool {
        let driver = question.collection.system().and_then(|system| self.driver(system).ok());
        driver.is_some_and(|driver| driver.reports_failures(&question.collection.kind))
    }

    /// Lets the readers of a list read it again, which fails.
    fn report_failure(&self, question: &Question) {
        for cluster in self.scopes() {
            for (key, _) in self.readers_of(question, &cluster) {
                self.observed(&key, None, None);
            }
        }
    }

    async fn ask(&self, question: &Question, listing: &Listing, at: At<'_>) -> Result<Objects, SystemError> {
        let collection = Collection { name: &question.collection.kind, part: question.part.as_deref() };
        let list = self.driver(at.system)?.list(at, collection);
        let too_long = || SystemError::Unreachable(format!("no answer within {} s", LONGEST_LIST.as_secs()));
        let answer = tokio::time::timeout(LONGEST_LIST, list).await.map_err(|_elapsed| too_long())??;
        listing.set_requests(answer.requests);
        answer.objects.into_iter().map(|(name, value)| Ok((name, object(value)?))).collect()
    }

    /// The question whose answer contains an object.
    fn question(&self, key: &ObjectKey) -> Result<Question, SystemError> {
        let part = self.driver(system_of(key)?)?.part(&key.kind, &key.name).map(str::to_owned);
        Ok(Question { collection: key.its_kind(), part })
    }

    fn listing(&self, key: &ObjectKey) -> Option<Arc<Listing>> {
        lock(&self.listings).get(&self.question(key).ok()?).cloned()
    }

    /// The objects in the answer to a question that owners read, each with these owners.
    pub(super) fn readers_of(
        &self,
        question: &Question,
        cluster: &Cluster,
    ) -> Vec<(ObjectKey, AffectedOwners)> {
        let mut readers = cluster.router.index.readers_of(&question.collection);
        readers.retain(|(key, _)| self.question(key).is_ok_and(|asked| asked == *question));
        readers
    }

    /// How often a question is asked. Parts of collections are asked for in turn, so that the requests to a system do not grow
    /// with the number of its projects.
    fn interval_of(&self, question: &Question, connection: &Connection) -> Duration {
        let own = |question: &Question| {
            let driver = question.collection.system().and_then(|system| self.driver(system).ok());
            driver.and_then(|driver| driver.interval(&question.collection.kind))
        };
        if let Some(own) = own(question) {
            return own;
        }
        let interval = connection.interval().unwrap_or(self.interval);
        if question.part.is_none() {
            return interval;
        }
        let mut load = Load::default();
        for (asked, listing) in &*lock(&self.listings) {
            if asked.collection.system() == question.collection.system() && own(asked).is_none() {
                let total = if asked.part.is_some() { &mut load.parts } else { &mut load.whole };
                *total += listing.requests();
            }
        }
        interval.saturating_mul(load.turns())
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
        let Some(listing) = self.listing(key) else { return };
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

    pub(super) fn scopes(&self) -> Vec<Arc<Cluster>> {
        lock(&self.scopes).iter().filter_map(Weak::upgrade).collect()
    }

    fn driver(&self, system: &System) -> Result<&Arc<dyn ExternalDriver>, SystemError> {
        let driver = self.drivers.iter().find(|driver| driver.kind() == system.kind);
        driver.ok_or_else(|| {
            SystemError::Unreachable(format!("there is no driver for systems of kind {}", system.kind))
        })
    }
}

pub(super) fn system_of(key: &ObjectKey) -> Result<&System, SystemError> {
    key.system().ok_or(SystemError::Gone)
}

fn object(value: Value) -> Result<Arc<DynamicObject>, SystemError> {
    plan::outside(value).map_err(|_| SystemError::Unreachable("the answer cannot be encoded".into()))
}
