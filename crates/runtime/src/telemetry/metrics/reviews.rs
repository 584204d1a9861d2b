//! Metrics of the webhook that rewrites images.

use super::{durations, registered};
use prometheus_client::{
    encoding::{EncodeLabelSet, EncodeLabelValue},
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::{Registry, Unit},
};
use std::time::Duration;

/// How a review of a pod ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
pub enum ReviewOutcome {
    /// Images were rewritten.
    Rewritten,
    /// No rule was for an image.
    Unchanged,
    /// The object is none to rewrite.
    Skipped,
    /// Nothing was rewritten, because an object that rules come from is wrong.
    WrongRules,
    /// The operator had not read the rules yet.
    NotReady,
    /// The request was no review.
    BadRequest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByOutcome {
    outcome: ReviewOutcome,
}

#[derive(Debug)]
pub(super) struct Families {
    requests: Family<ByOutcome, Counter>,
    durations: Histogram,
    images: Counter,
}

impl Families {
    pub fn registered(registry: &mut Registry) -> Self {
        let durations = durations();
        registry.register_with_unit(
            "webhook_duration",
            "How long the webhook took to review a pod",
            Unit::Seconds,
            durations.clone(),
        );
        Self {
            requests: registered(registry, "webhook_requests", "Reviews of pods by the webhook, by outcome"),
            images: registered(registry, "webhook_rewritten_images", "Images that the webhook rewrote"),
            durations,
        }
    }

    pub fn reviewed(&self, outcome: ReviewOutcome, took: Duration, images: usize) {
        self.requests.get_or_create(&ByOutcome { outcome }).inc();
        self.durations.observe(took.as_secs_f64());
        self.images.inc_by(images as u64);
    }
}
