//! The forms of an object: as it is stored, and as each version of its kind shows it.
//!
//! Events of the core group and of `events.k8s.io` are stored together, in the form of the core group. Versions of a
//! custom kind differ only in their fields and the defaults of these.

use crate::{
    kinds::{
        canonicalise,
        resource::Resource,
        value::{set, unset},
    },
    schema,
};
use serde_json::Value;
use std::borrow::Cow;

/// Field names of the core group, and of `events.k8s.io`.
const NAMES: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// An object as it is stored, from the form in which `resource` is served.
pub(crate) fn to_stored(resource: &Resource, mut object: Value) -> Value {
    if resource.group != resource.storage_group {
        for (core, events) in NAMES {
            rename(&mut object, events, core);
        }
    }
    set(&mut object, "apiVersion", resource.storage_api_version());
    if let Some(stored) = &resource.stored {
        schema::prune(stored, &mut object);
    }
    object
}

/// An object in the form in which `resource` is served.
pub(crate) fn from_stored(resource: &Resource, stored: &Value) -> Value {
    let mut object = stored.clone();
    set(&mut object, "apiVersion", resource.api_version());
    if resource.group != resource.storage_group {
        for (core, events) in NAMES {
            rename(&mut object, core, events);
        }
        canonicalise(resource, &mut object);
    }
    if let Some(custom) = &resource.structural {
        schema::prune(custom, &mut object);
        schema::drop_nulls(custom, &mut object);
        schema::apply_defaults(custom, &mut object);
    }
    object
}

/// The stored name of a field in a field selector of `resource`.
pub(crate) fn stored_field<'f>(resource: &Resource, field: &'f str) -> Cow<'f, str> {
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    let known = NAMES.iter().find(|(_, events)| resource.group != resource.storage_group && *events == first);
    match known {
        Some((core, _)) if rest.is_empty() => Cow::Borrowed(core),
        Some((core, _)) => format!("{core}.{rest}").into(),
        None => field.into(),
    }
}

fn rename(object: &mut Value, from: &str, to: &str) {
    if let Some(value) = unset(object, from) {
        set(object, to, value);
    }
}

#[cfg(test)]
mod tests {
    use super::{from_stored, to_stored};
    use crate::kinds::Kinds;
    use serde_json::json;

    #[test]
    fn an_event_written_through_one_group_is_read_through_the_other() {
        let kinds = Kinds::builtin();
        let core = kinds.find("", "v1", "events").expect("core events");
        let events = kinds.find("events.k8s.io", "v1", "events").expect("events");
        let sent = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "e"},
            "regarding": {"kind": "Pod", "name": "p"}, "note": "hello", "reason": "Said", "type": "Normal",
            "reportingController": "us", "reportingInstance": "us-0", "action": "Say",
            "eventTime": "2026-01-02T03:04:05.000006Z", "deprecatedCount": 2,
            "deprecatedFirstTimestamp": null, "deprecatedLastTimestamp": null, "deprecatedSource": {},
        });
        let stored = to_stored(&events, sent.clone());
        assert_eq!(from_stored(&events, &stored), sent);
        assert_eq!(
            from_stored(&core, &stored),
            json!({
                "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"},
                "involvedObject": {"kind": "Pod", "name": "p"}, "message": "hello", "reason": "Said", "type": "Normal",
                "reportingComponent": "us", "reportingInstance": "us-0", "action": "Say",
                "eventTime": "2026-01-02T03:04:05.000006Z", "count": 2,
                "firstTimestamp": null, "lastTimestamp": null, "source": {},
            })
        );
    }
}
