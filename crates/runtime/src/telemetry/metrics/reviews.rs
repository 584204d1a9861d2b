//! Metrics of the webhooks.

use super::{durations, registered};
use prometheus_client::{
    encoding::{EncodeLabelSet, EncodeLabelValue},
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::{Registry, Unit},
};
use std::time::Duration;

/// How a review of a pod ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
pub enum AdmissionOutcome {
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

/// How the conversion of objects ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
pub enum ConversionOutcome {
    /// All objects were converted.
    Converted,
    /// An object could not be converted.
    Failed,
    /// The request was no review.
    BadRequest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReviewEnded {
    outcome: AdmissionOutcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ConversionEnded {
    outcome: ConversionOutcome,
}

#[derive(Debug)]
pub(super) struct Families {
    requests: Family<ReviewEnded, Counter>,
    durations: Histogram,
    images: Counter,
    conversions: Family<ConversionEnded, Counter>,
    conversion_durations: Histogram,
    objects: Counter,
}

impl Families {
    pub fn registered(registry: &mut Registry) -> Self {
        let mut timed = |name: &str, help: &str| {
            let timed = durations();
            registry.register_with_unit(name, help, Unit::Seconds, timed.clone());
            timed
        };
        let durations = timed("webhook_duration", "How long the webhook took to review a pod");
        let conversion_durations =
            timed("conversion_duration", "How long the webhook took to convert the objects of a request");
        Self {
            requests: registered(registry, "webhook_requests", "Reviews of pods by the webhook, by outcome"),
            images: registered(registry, "webhook_rewritten_images", "Images that the webhook rewrote"),
            durations,
            conversions: registered(
                registry,
                "conversion_requests",
                "Requests to convert objects of v1alpha3 or v1beta1, by outcome",
            ),
            conversion_durations,
            objects: registered(registry, "converted_objects", "Objects that the webhook converted"),
        }
    }

    pub fn reviewed(&self, outcome: AdmissionOutcome, took: Duration, images: usize) {
        self.requests.get_or_create(&ReviewEnded { outcome }).inc();
        self.durations.observe(took.as_secs_f64());
        self.images.inc_by(images as u64);
    }

    pub fn converted(&self, outcome: ConversionOutcome, took: Duration, objects: usize) {
        self.conversions.get_or_create(&ConversionEnded { outcome }).inc();
        self.conversion_durations.observe(took.as_secs_f64());
        self.objects.inc_by(objects as u64);
    }
}
