//! Drivers for systems outside the cluster that write nothing.

use crate::{Answer, At, Collection, ExternalDriver};
use futures::{FutureExt as _, future::BoxFuture};
use plan::{Change, Contents, External, ObjectKey, System, SystemError};
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// What would change outside the cluster, in order.
#[derive(Default)]
pub(super) struct ExternalChanges(Mutex<Vec<Change>>);

impl ExternalChanges {
    /// Drivers that read as these do, and write here.
    pub(super) fn instead_of(
        self: &Arc<Self>,
        drivers: &[Arc<dyn ExternalDriver>],
    ) -> Vec<Arc<dyn ExternalDriver>> {
        let driver = |inner: &Arc<dyn ExternalDriver>| -> Arc<dyn ExternalDriver> {
            Arc::new(DryRunDriver { inner: Arc::clone(inner), changes: Arc::clone(self) })
        };
        drivers.iter().map(driver).collect()
    }

    pub(super) fn take(&self) -> Vec<Change> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, change: Option<Change>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(change);
    }
}

struct DryRunDriver {
    inner: Arc<dyn ExternalDriver>,
    changes: Arc<ExternalChanges>,
}

impl DryRunDriver {
    /// As if the system had taken everything.
    fn write(&self, wanted: &External, actual: Option<&Value>) -> BoxFuture<'_, Result<Value, SystemError>> {
        self.changes.add(wanted.change(actual));
        let answer = Ok(wanted.value.clone());
        async { answer }.boxed()
    }
}

impl ExternalDriver for DryRunDriver {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn describe(&self, system: &System) -> String {
        self.inner.describe(system)
    }

    fn part<'a>(&self, collection: &str, name: &'a str) -> Option<&'a str> {
        self.inner.part(collection, name)
    }

    fn interval(&self, collection: &str) -> Option<Duration> {
        self.inner.interval(collection)
    }

    fn list<'a>(
        &'a self,
        at: At<'a>,
        collection: Collection<'a>,
    ) -> BoxFuture<'a, Result<Answer, SystemError>> {
        self.inner.list(at, collection)
    }

    fn create<'a>(&'a self, _: At<'a>, wanted: &'a External) -> BoxFuture<'a, Result<Value, SystemError>> {
        self.write(wanted, None)
    }

    fn update<'a>(
        &'a self,
        _: At<'a>,
        wanted: &'a External,
        actual: &'a Value,
    ) -> BoxFuture<'a, Result<Value, SystemError>> {
        self.write(wanted, Some(actual))
    }

    fn delete<'a>(
        &'a self,
        _: At<'a>,
        object: &'a ObjectKey,
        _: &'a Value,
        _: Contents,
    ) -> BoxFuture<'a, Result<(), SystemError>> {
        // Without its content: no owner says any more which of it is secret.
        self.changes.add(Change::between(object.clone(), Some(json!({"name": object.name})), None));
        async { Ok(()) }.boxed()
    }
}
