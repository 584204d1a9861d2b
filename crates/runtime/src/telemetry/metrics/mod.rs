//! What is counted, for whoever scrapes it.
//!
//! Counting is an atomic addition to a number that was found beforehand; text is made only when somebody asks for it. No
//! label names an object: how many series there are depends on the kinds there are, not on how many objects.

mod calls;
mod certificates;
mod format;
mod process;
mod queues;
mod reconciles;

pub use format::Format;

pub(crate) use certificates::{Issuer, Tracked};
pub(crate) use queues::Backlog;
pub(crate) use reconciles::{Counted, ObjectState, ReconcileMetrics};

use certificates::Certificates;
use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Metric, Registry},
};
use queues::Queues;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// What every name begins with, save those that every process has.
const PREFIX: &str = "harbor_operator";

/// A histogram of durations, by something.
type Durations<L> = Family<L, Histogram, fn() -> Histogram>;

/// What runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Build {
    /// The operator's version.
    pub version: String,
    /// The commit it was built from.
    pub commit: String,
    /// The versions of Harbor it can run.
    pub harbor: String,
}

/// A kind, as the only label.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfKind {
    kind: String,
}

/// Everything that is counted in one process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    reconciles: reconciles::Families,
    queues: Arc<Queues>,
    calls: calls::Families,
    watch_failures: Family<OfKind, Counter>,
    events_lost: Counter,
    certificates: Arc<Certificates>,
    leader: Gauge,
    transitions: Counter,
    leads: AtomicBool,
    panics: Counter,
}

impl Metrics {
    /// Nothing is counted yet.
    pub fn new(build: Build) -> Self {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(process::Process));
        let ours = registry.sub_registry_with_prefix(PREFIX);
        ours.register("build", "The version that runs and the versions of Harbor it knows", Info::new(build));
        let (queues, certificates) = (Arc::<Queues>::default(), Arc::<Certificates>::default());
        ours.register_collector(Box::new(Arc::clone(&queues)));
        ours.register_collector(Box::new(Arc::clone(&certificates)));
        Self {
            reconciles: reconciles::Families::registered(ours),
            calls: calls::Families::registered(ours),
            watch_failures: registered(
                ours,
                "watch_failures",
                "Watches that failed and were opened again, by kind",
            ),
            events_lost: registered(ours, "events_lost", "Events that could not be sent"),
            leader: registered(ours, "leader", "Whether this process leads: 1 if it does"),
            transitions: registered(
                ours,
                "leader_transitions",
                "How often this process began or ceased to lead",
            ),
            panics: registered(ours, "panics", "Panics, each of which is a bug"),
            leads: AtomicBool::new(false),
            queues,
            certificates,
            registry,
        }
    }

    /// Everything, in this format.
    pub fn text(&self, format: Format) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _written = text::encode(&mut text, &self.registry);
        match format {
            Format::OpenMetrics => text,
            Format::Prometheus => format::prometheus(&text),
        }
    }

    /// This process leads, or does not. To be told again what is known changes nothing.
    pub fn leading(&self, leads: bool) {
        if self.leads.swap(leads, Ordering::Relaxed) != leads {
            self.leader.set(i64::from(leads));
            self.transitions.inc();
        }
    }

    /// Something panicked, wherever that was.
    pub fn panicked(&self) {
        self.panics.inc();
    }

    pub(crate) fn watch_failed(&self, kind: &str) {
        self.watch_failures.get_or_create(&OfKind { kind: kind.to_owned() }).inc();
    }

    pub(crate) fn event_lost(&self) {
        self.events_lost.inc();
    }

    /// What is counted of the objects of one kind.
    pub(crate) fn reconciles(&self, kind: &str) -> ReconcileMetrics {
        self.reconciles.of(kind)
    }

    /// Where the queue of one kind, in one scope, tells how long it is.
    pub(crate) fn backlog(&self, kind: &str) -> Arc<Backlog> {
        self.queues.backlog(kind)
    }

    /// A certificate that is valid until then, for as long as what is answered is kept.
    pub(crate) fn track(&self, issuer: Issuer, expires: jiff::Timestamp) -> Tracked {
        Certificates::track(&self.certificates, issuer, expires)
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

/// From a request that is answered at once to a reconcile that is given up.
fn durations() -> Histogram {
    Histogram::new([0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0])
}

#[cfg(test)]
mod documented;
#[cfg(test)]
mod tests;
