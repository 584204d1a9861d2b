//! Warnings about workloads, their ReplicaSets and their pods.

use crate::{
    report::EventReport,
    text::{message, word},
};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Event;

/// Older events say nothing about the present.
const RECENT: SignedDuration = SignedDuration::from_hours(1);
/// Most events about one object.
const SHOWN: usize = 3;

/// The last warnings about one object, the newest first. Events with the same words are one.
pub(crate) fn warnings(events: &[Event], kind: &str, name: &str, now: Timestamp) -> Vec<EventReport> {
    let is_about = |event: &&Event| {
        let about = &event.involved_object;
        about.kind.as_deref() == Some(kind) && about.name.as_deref() == Some(name)
    };
    let mut found: Vec<EventReport> = Vec::new();
    for event in events.iter().filter(is_about).filter_map(|event| warning(event, now)) {
        match found.iter_mut().find(|it| (&it.reason, &it.message) == (&event.reason, &event.message)) {
            Some(same) => {
                same.count = same.count.saturating_add(event.count);
                same.last_seen = same.last_seen.max(event.last_seen);
            }
            None => found.push(event),
        }
    }
    found.sort_by(|one, other| {
        other.last_seen.cmp(&one.last_seen).then_with(|| one.reason.cmp(&other.reason))
    });
    found.truncate(SHOWN);
    found
}

fn warning(event: &Event, now: Timestamp) -> Option<EventReport> {
    if event.type_.as_deref() == Some("Normal") {
        return None;
    }
    let series = event.series.as_ref();
    let times = [
        event.last_timestamp.as_ref().map(|time| time.0),
        series.and_then(|series| series.last_observed_time.as_ref()).map(|time| time.0),
        event.event_time.as_ref().map(|time| time.0),
        event.first_timestamp.as_ref().map(|time| time.0),
        event.metadata.creation_timestamp.as_ref().map(|time| time.0),
    ];
    let last_seen = times.into_iter().flatten().max()?;
    if now.duration_since(last_seen) > RECENT {
        return None;
    }
    let count = series.and_then(|series| series.count).or(event.count).unwrap_or(1);
    Some(EventReport {
        reason: word(event.reason.as_deref()).unwrap_or_else(|| "Warning".into()),
        message: message(event.message.as_deref().unwrap_or_default()),
        count: u32::try_from(count).unwrap_or(1).max(1),
        last_seen,
    })
}
