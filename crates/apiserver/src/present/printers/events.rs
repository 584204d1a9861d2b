//! Events, in the old and the new form.

use super::{
    About, Head, NAME, Printer, each,
    reading::{name, number, since, text},
    wide, words,
};
use jiff::Timestamp;
use serde_json::Value;

pub(super) const EVENTS: Printer = each(
    &[
        words("Last Seen", About::Field("api.core.v1.Event", "lastTimestamp")),
        words("Type", About::Field("api.core.v1.Event", "type")),
        words("Reason", About::Field("api.core.v1.Event", "reason")),
        words("Object", About::Field("api.core.v1.Event", "involvedObject")),
        wide("Subobject", About::Field("api.core.v1.ObjectReference", "fieldPath")),
        wide("Source", About::Field("api.core.v1.Event", "source")),
        words("Message", About::Field("api.core.v1.Event", "message")),
        wide("First Seen", About::Field("api.core.v1.Event", "firstTimestamp")),
        wide("Count", About::Field("api.core.v1.Event", "count")),
        Head { priority: 1, ..NAME },
    ],
    cells,
);

fn cells(event: &Value, now: Timestamp) -> Vec<Value> {
    let either = |old: &str, new: &str| match text(event, old) {
        "" => text(event, new),
        text => text,
    };
    let ago = |old: &str, new: &str| {
        [old, new]
            .into_iter()
            .find(|pointer| !text(event, pointer).is_empty())
            .map(|found| since(event, found, now))
    };
    let first = ago("/firstTimestamp", "/deprecatedFirstTimestamp")
        .unwrap_or_else(|| since(event, "/eventTime", now));
    let mut last = ago("/lastTimestamp", "/deprecatedLastTimestamp").unwrap_or_else(|| first.clone());
    let mut count = number(event, "/count").max(number(event, "/deprecatedCount"));
    if event.get("series").is_some_and(Value::is_object) {
        last = since(event, "/series/lastObservedTime", now);
        count = number(event, "/series/count");
    } else if count == 0 {
        count = 1;
    }
    let kind = either("/involvedObject/kind", "/regarding/kind").to_lowercase();
    let object = match either("/involvedObject/name", "/regarding/name") {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    vec![
        last.into(),
        text(event, "/type").into(),
        text(event, "/reason").into(),
        object.into(),
        either("/involvedObject/fieldPath", "/regarding/fieldPath").into(),
        source(event).into(),
        either("/message", "/note").trim().into(),
        first.into(),
        count.into(),
        name(event),
    ]
}

/// The reporter: the component, and the instance if there is one.
fn source(event: &Value) -> String {
    let first = |pointers: [&str; 4]| {
        pointers
            .into_iter()
            .map(|pointer| text(event, pointer))
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    };
    let component = first([
        "/source/component",
        "/deprecatedSource/component",
        "/reportingComponent",
        "/reportingController",
    ]);
    match first(["/source/host", "/deprecatedSource/host", "/reportingInstance", "/reportingInstance"]) {
        "" => component.to_owned(),
        instance => format!("{component}, {instance}"),
    }
}
