//! The metrics of the operator.
//!
//! Counting is an atomic addition to a counter that was looked up before. The text is encoded only for a scrape. Labels
//! name no objects except installations, whose number is limited, so the number of series depends on the number of kinds,
//! not on the number of objects.

mod calls;
mod certificates;
mod format;
mod installations;
mod process;
mod queues;
mod reconciles;
mod reviews;

pub use format::Format;
pub use reviews::{AdmissionOutcome, ConversionOutcome};

pub(crate) use certificates::{Issuer, Tracked};
pub(crate) use installations::{Installation, ShownInstallation};
pub(crate) use queues::Backlog;
pub(crate) use reconciles::{Counted, ObjectState, ReconcileMetrics};

use certificates::Certificates;
use installations::Installations;
use plan::ObjectKey;
use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Metric, Registry},
};
use queues::Queues;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// The prefix of every name, except for the metrics of the process.
const PREFIX: &str = "harbor_operator";

/// Histograms of durations with labels.
type Durations<L> = Family<L, Histogram, fn() -> Histogram>;

/// The build of the operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Build {
    /// The operator's version.
    pub version: String,
    /// The commit it was built from.
    pub commit: String,
    /// The versions of Harbor that it supports.
    pub harbor: String,
}

/// A kind, as the only label.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfKind {
    kind: String,
}

/// All metrics of one process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    reconciles: reconciles::Families,
    queues: Arc<Queues>,
    calls: calls::Families,
    reviews: reviews::Families,
    watch_failures: Family<OfKind, Counter>,
    events_lost: Counter,
    certificates: Arc<Certificates>,
    installations: Arc<Installations>,
    leader: Gauge,
    transitions: Counter,
    leads: AtomicBool,
    panics: Counter,
}

impl Metrics {
    /// Metrics without counts.
    pub fn new(build: Build) -> Self {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(process::Process));
        let ours = registry.sub_registry_with_prefix(PREFIX);
        ours.register(
            "build",
            "The version of the operator and the versions of Harbor that it supports",
            Info::new(build),
        );
        let (queues, certificates) = (Arc::<Queues>::default(), Arc::<Certificates>::default());
        ours.register_collector(Box::new(Arc::clone(&queues)));
        ours.register_collector(Box::new(Arc::clone(&certificates)));
        let installations = Arc::<Installations>::default();
        ours.register_collector(Box::new(Arc::clone(&installations)));
        Self {
            reconciles: reconciles::Families::registered(ours),
            calls: calls::Families::registered(ours),
            reviews: reviews::Families::registered(ours),
            watch_failures: registered(
                ours,
                "watch_failures",
                "Watches that failed and were restarted, by kind",
            ),
            events_lost: registered(ours, "events_lost", "Events that could not be sent"),
            leader: registered(ours, "leader", "Whether this process is the leader: 1 if it is"),
            transitions: registered(
                ours,
                "leader_transitions",
                "How often this process became the leader or lost the lease",
            ),
            panics: registered(ours, "panics", "Panics, each of which is a bug"),
            leads: AtomicBool::new(false),
            queues,
            certificates,
            installations,
            registry,
        }
    }

    /// All metrics, in this format.
    pub fn text(&self, format: Format) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _written = text::encode(&mut text, &self.registry);
        match format {
            Format::OpenMetrics => text,
            Format::Prometheus => format::prometheus(&text),
        }
    }

    /// Sets whether this process is the leader. Counts only changes.
    pub fn leading(&self, leads: bool) {
        if self.leads.swap(leads, Ordering::Relaxed) != leads {
            self.leader.set(i64::from(leads));
            self.transitions.inc();
        }
    }

    /// Counts a panic.
    pub fn panicked(&self) {
        self.panics.inc();
    }

    /// Counts the review of a pod by the webhook, with the number of images that it rewrote.
    pub fn reviewed(&self, outcome: AdmissionOutcome, took: Duration, images: usize) {
        self.reviews.reviewed(outcome, took, images);
    }

    /// Counts a request to convert objects, with the number of converted ones.
    pub fn converted(&self, outcome: ConversionOutcome, took: Duration, objects: usize) {
        self.reviews.converted(outcome, took, objects);
    }

    pub(crate) fn watch_failed(&self, kind: &str) {
        self.watch_failures.get_or_create(&OfKind { kind: kind.to_owned() }).inc();
    }

    pub(crate) fn event_lost(&self) {
        self.events_lost.inc();
    }

    /// The metrics of the objects of one kind.
    pub(crate) fn reconciles(&self, kind: &str) -> ReconcileMetrics {
        self.reconciles.of(kind)
    }

    /// The backlog of the queue of one kind in one scope.
    pub(crate) fn backlog(&self, kind: &str) -> Arc<Backlog> {
        self.queues.backlog(kind)
    }

    /// Counts a certificate that expires then, until the result is dropped.
    pub(crate) fn track(&self, issuer: Issuer, expires: jiff::Timestamp) -> Tracked {
        Certificates::track(&self.certificates, issuer, expires)
    }

    /// Shows an installation until the result is dropped.
    pub(crate) fn show(&self, key: &ObjectKey, installation: Installation) -> ShownInstallation {
        Installations::show(&self.installations, key, installation)
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new(Build {
            version: env!("CARGO_PKG_VERSION").into(),
            commit: option_env!("HARBOR_OPERATOR_COMMIT").unwrap_or("unknown").into(),
            harbor: String::new(),
        })
    }
}

fn registered<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

/// Buckets from a fast request to a reconcile that reaches its deadline.
fn durations() -> Histogram {
    Histogram::new([0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0])
}

#[cfg(test)]
mod documented;
#[cfg(test)]
mod tests;
