//! Metrics of reconciles and their results.

use super::{Durations, OfKind, durations};
use plan::Verdict;
use prometheus_client::{
    encoding::{EncodeLabelSet, EncodeLabelValue},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Registry, Unit},
};
use std::time::Duration;

/// The state of an object after a reconcile, which also is the result of the reconcile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
pub(crate) enum ObjectState {
    Ready,
    Progressing,
    Stalled,
    Paused,
    /// Only a result: the operator was stopping.
    Interrupted,
}

impl ObjectState {
    pub(crate) fn of(verdict: Option<&Verdict>) -> Self {
        match verdict {
            None => Self::Paused,
            Some(Verdict::Ready) => Self::Ready,
            Some(Verdict::Progressing { .. }) => Self::Progressing,
            Some(Verdict::Stalled { .. }) => Self::Stalled,
            Some(Verdict::Interrupted) => Self::Interrupted,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Result {
    kind: String,
    result: ObjectState,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct InState {
    kind: String,
    state: ObjectState,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Error {
    kind: String,
    class: String,
    reason: &'static str,
}

/// The families for all kinds.
#[derive(Debug)]
pub(super) struct Families {
    reconciles: Family<Result, Counter>,
    durations: Durations<OfKind>,
    errors: Family<Error, Counter>,
    objects: Family<InState, Gauge>,
}

impl Families {
    pub(super) fn registered(registry: &mut Registry) -> Self {
        let families = Self {
            reconciles: Family::default(),
            durations: Family::new_with_constructor(durations),
            errors: Family::default(),
            objects: Family::default(),
        };
        registry.register(
            "reconciles",
            "Reconciles of an object, by its kind and by their result",
            families.reconciles.clone(),
        );
        registry.register_with_unit(
            "reconcile_duration",
            "How long reconciles of an object took, by its kind",
            Unit::Seconds,
            families.durations.clone(),
        );
        registry.register(
            "errors",
            "Errors of reconciles, by kind of the object, class of the error and reason, which is the reason of the \
            object's condition",
            families.errors.clone(),
        );
        registry.register(
            "objects",
            "Objects that the operator reconciles, by kind and by their state after the last reconcile",
            families.objects.clone(),
        );
        families
    }

    /// The metrics of one kind. All counters of results exist from the start: the rate of a series that appears with
    /// its first increment misses that increment.
    pub(super) fn of(&self, kind: &str) -> ReconcileMetrics {
        let counter = |result| self.reconciles.get_or_create_owned(&Result { kind: kind.into(), result });
        let gauge = |state| self.objects.get_or_create_owned(&InState { kind: kind.into(), state });
        ReconcileMetrics {
            reconciles: Each {
                ready: counter(ObjectState::Ready),
                progressing: counter(ObjectState::Progressing),
                stalled: counter(ObjectState::Stalled),
                paused: counter(ObjectState::Paused),
            },
            interrupted: counter(ObjectState::Interrupted),
            objects: Each {
                ready: gauge(ObjectState::Ready),
                progressing: gauge(ObjectState::Progressing),
                stalled: gauge(ObjectState::Stalled),
                paused: gauge(ObjectState::Paused),
            },
            duration: self.durations.get_or_create_owned(&OfKind { kind: kind.into() }),
            errors: self.errors.clone(),
            kind: kind.into(),
        }
    }
}

#[derive(Clone, Debug)]
struct Each<T> {
    ready: T,
    progressing: T,
    stalled: T,
    paused: T,
}

impl<T> Each<T> {
    fn get(&self, state: ObjectState) -> Option<&T> {
        match state {
            ObjectState::Ready => Some(&self.ready),
            ObjectState::Progressing => Some(&self.progressing),
            ObjectState::Stalled => Some(&self.stalled),
            ObjectState::Paused => Some(&self.paused),
            ObjectState::Interrupted => None,
        }
    }
}

/// The metrics of the objects of one kind.
#[derive(Clone, Debug)]
pub(crate) struct ReconcileMetrics {
    reconciles: Each<Counter>,
    interrupted: Counter,
    objects: Each<Gauge>,
    duration: Histogram,
    errors: Family<Error, Counter>,
    kind: String,
}

impl ReconcileMetrics {
    /// Counts a reconcile with this result.
    pub(crate) fn ended(&self, state: ObjectState) {
        self.reconciles.get(state).unwrap_or(&self.interrupted).inc();
    }

    /// Records the duration of a reconcile.
    pub(crate) fn took(&self, time: Duration) {
        self.duration.observe(time.as_secs_f64());
    }

    /// Counts an error of a reconcile.
    pub(crate) fn failed(&self, class: plan::Class, reason: &'static str) {
        let error = Error { kind: self.kind.clone(), class: class.to_string(), reason };
        self.errors.get_or_create(&error).inc();
    }

    /// Counts an object in this state until the result is dropped.
    pub(crate) fn count(&self, state: ObjectState) -> Option<Counted> {
        let objects = self.objects.get(state)?.clone();
        objects.inc();
        Some(Counted(objects))
    }
}

/// An object that the metrics count.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}
