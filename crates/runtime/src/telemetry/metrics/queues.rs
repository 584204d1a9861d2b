//! Metrics of the work queues.

use super::OfKind;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric as _},
    metrics::{MetricType, gauge::ConstGauge},
    registry::Unit,
};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// All queues.
#[derive(Debug, Default)]
pub(super) struct Queues(Mutex<Vec<(String, Arc<Backlog>)>>);

/// The length of one queue, and since when its oldest object waits.
#[derive(Debug, Default)]
pub(crate) struct Backlog(Mutex<(usize, Option<Instant>)>);

impl Backlog {
    /// Sets how many objects wait, and since when the oldest does.
    pub(crate) fn set(&self, waiting: usize, since: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (waiting, since);
    }

    fn get(&self) -> (usize, Duration) {
        let (waiting, since) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (waiting, since.map(|since| since.elapsed()).unwrap_or_default())
    }
}

impl Queues {
    pub(super) fn backlog(&self, kind: &str) -> Arc<Backlog> {
        let backlog = Arc::<Backlog>::default();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((kind.to_owned(), Arc::clone(&backlog)));
        backlog
    }

    /// The backlog by kind, over the queues of all scopes.
    fn by_kind(&self) -> BTreeMap<String, (usize, Duration)> {
        let mut kinds = BTreeMap::<String, (usize, Duration)>::new();
        for (kind, backlog) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let (waiting, age) = backlog.get();
            let all = kinds.entry(kind.clone()).or_default();
            *all = (all.0 + waiting, all.1.max(age));
        }
        kinds
    }
}

impl Collector for Queues {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let kinds = self.by_kind();
        let help = "Objects that wait to be reconciled, by kind";
        let mut depth = encoder.encode_descriptor("queue_depth", help, None, MetricType::Gauge)?;
        for (kind, (waiting, _)) in &kinds {
            let waiting = i64::try_from(*waiting).unwrap_or(i64::MAX);
            ConstGauge::new(waiting).encode(depth.encode_family(&OfKind { kind: kind.clone() })?)?;
        }
        let help = "How long the oldest object in the queue has waited to be reconciled, by kind";
        let mut age =
            encoder.encode_descriptor("queue_oldest_age", help, Some(&Unit::Seconds), MetricType::Gauge)?;
        for (kind, (_, waited)) in &kinds {
            let kind = OfKind { kind: kind.clone() };
            ConstGauge::new(waited.as_secs_f64()).encode(age.encode_family(&kind)?)?;
        }
        Ok(())
    }
}
