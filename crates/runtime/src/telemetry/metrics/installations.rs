//! The metrics of installations. No other metric has labels that name objects, so these have at most [`MOST`] of each.

use super::ObjectState;
use jiff::Timestamp;
use plan::ObjectKey;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric as _},
    metrics::{MetricType, gauge::ConstGauge},
    registry::Unit,
};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Most installations that have series: the first ones by namespace and name.
const MOST: usize = 1000;

/// What the metrics show of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Installation {
    /// The version in its spec.
    pub(crate) version: String,
    /// Its state after the last reconcile.
    pub(crate) state: ObjectState,
    /// When the certificate that clients see expires, if they see one and the operator knows it.
    pub(crate) certificate_expires: Option<Timestamp>,
}

/// All installations.
#[derive(Debug, Default)]
pub(super) struct Installations(Mutex<BTreeMap<ObjectKey, Installation>>);

impl Installations {
    pub(super) fn show(this: &Arc<Self>, key: &ObjectKey, installation: Installation) -> ShownInstallation {
        this.all().insert(key.clone(), installation);
        ShownInstallation { all: Arc::clone(this), key: key.clone() }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, Installation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An installation that the metrics show until this is dropped.
#[derive(Debug)]
pub(crate) struct ShownInstallation {
    all: Arc<Installations>,
    key: ObjectKey,
}

impl ShownInstallation {
    /// Replaces what the metrics show.
    pub(crate) fn update(&self, installation: Installation) {
        self.all.all().insert(self.key.clone(), installation);
    }
}

impl Drop for ShownInstallation {
    fn drop(&mut self) {
        self.all.all().remove(&self.key);
    }
}

impl Installation {
    /// 1 if it is ready, 0 if not. A paused one is neither.
    fn readiness(&self) -> Option<i64> {
        match self.state {
            ObjectState::Ready => Some(1),
            ObjectState::Progressing | ObjectState::Stalled => Some(0),
            ObjectState::Paused | ObjectState::Interrupted => None,
        }
    }
}

/// The labels that name an installation.
fn labels(key: &ObjectKey) -> [(&'static str, &str); 2] {
    [("namespace", key.namespace.as_str()), ("name", key.name.as_str())]
}

impl Collector for Installations {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let all = self.all();
        let shown = || all.iter().take(MOST);
        let help = "The version of an installation";
        let mut info = encoder.encode_descriptor("installation", help, None, MetricType::Info)?;
        for (key, installation) in shown() {
            let version = [("version", installation.version.as_str())];
            info.encode_family(&labels(key))?.encode_info(&version)?;
        }
        let help = "Whether an installation is ready: 1 if it is. A paused one has no sample";
        let mut ready = encoder.encode_descriptor("installation_ready", help, None, MetricType::Gauge)?;
        for (key, installation) in shown() {
            if let Some(readiness) = installation.readiness() {
                ConstGauge::new(readiness).encode(ready.encode_family(&labels(key))?)?;
            }
        }
        let help = "When the certificate that clients of an installation see expires, in seconds since 1970";
        let name = "installation_certificate_expiry_timestamp";
        let mut expiry = encoder.encode_descriptor(name, help, Some(&Unit::Seconds), MetricType::Gauge)?;
        for (key, installation) in shown() {
            if let Some(expires) = installation.certificate_expires {
                ConstGauge::new(expires.as_second()).encode(expiry.encode_family(&labels(key))?)?;
            }
        }
        let omitted = i64::try_from(all.len().saturating_sub(MOST)).unwrap_or(i64::MAX);
        let help =
            "Installations beyond the first 1000 by namespace and name, which have no series of their own";
        let omitted_ones =
            encoder.encode_descriptor("installations_omitted", help, None, MetricType::Gauge)?;
        ConstGauge::new(omitted).encode(omitted_ones)
    }
}
