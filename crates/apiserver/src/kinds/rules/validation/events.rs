//! Events of both groups.

use super::{metadata::named, names};
use crate::{
    failure::Cause,
    kinds::{
        resource::Resource,
        value::{has, text},
    },
};
use serde_json::{Value, json};

/// The names of fields that both groups have, in one group.
struct Names {
    about: &'static str,
    controller: &'static str,
    message: &'static str,
    old: [&'static str; 4],
}

const CORE: Names = Names {
    about: "involvedObject",
    controller: "reportingComponent",
    message: "message",
    old: ["firstTimestamp", "lastTimestamp", "count", "source"],
};
const EVENTS: Names = Names {
    about: "regarding",
    controller: "reportingController",
    message: "note",
    old: ["deprecatedFirstTimestamp", "deprecatedLastTimestamp", "deprecatedCount", "deprecatedSource"],
};

/// The problems of an event, in the form of its group.
pub(super) fn event(resource: &Resource, object: &Value, causes: &mut Vec<Cause>) {
    let form = if resource.group.is_empty() { &CORE } else { &EVENTS };
    let (there, here) = (text(&object[form.about], "namespace"), text(&object["metadata"], "namespace"));
    let timed = has(object, "eventTime");
    let misplaced = match (timed, there) {
        (false, "") => !matches!(here, "" | "default"),
        (false, there) => here != there,
        (true, "") => !matches!(here, "default" | "kube-system"),
        (true, _) => false,
    };
    if misplaced {
        let message = "does not match event.namespace";
        causes.push(Cause::invalid("involvedObject.namespace", &json!(there), message));
    }
    if timed {
        timely(object, form, causes);
    }
}

fn timely(object: &Value, form: &Names, causes: &mut Vec<Cause>) {
    let controller = text(object, form.controller);
    if controller.is_empty() {
        causes.push(Cause::required(form.controller, ""));
    }
    named(form.controller, controller, names::qualified_name, causes);
    for field in ["reportingInstance", "action", "reason"] {
        if text(object, field).is_empty() {
            causes.push(Cause::required(field, ""));
        }
        limited(text(object, field), field, 128, causes);
    }
    limited(text(object, form.message), "message", 1024, causes);
}

fn limited(value: &str, field: &str, most: usize, causes: &mut Vec<Cause>) {
    if value.len() > most {
        causes.push(Cause::invalid(field, &json!(""), format!("can have at most {most} characters")));
    }
}

/// The fields that new events of `events.k8s.io` must have, and must no longer have.
pub(super) fn strict(object: &Value, causes: &mut Vec<Cause>) {
    let series = &object["series"];
    if series.is_object() && series["count"].as_i64().unwrap_or_default() < 2 {
        causes.push(Cause::invalid("series.count", &json!(""), "should be at least 2"));
    }
    if series.is_object() && !has(series, "lastObservedTime") {
        causes.push(Cause::required("series.lastObservedTime", ""));
    }
    if !has(object, "eventTime") {
        causes.push(Cause::required("eventTime", ""));
    }
    let kind = text(object, "type");
    if !matches!(kind, "Normal" | "Warning") {
        causes.push(Cause::invalid("type", &json!(""), format!("has invalid value: {kind}")));
    }
    for (field, reported) in EVENTS.old.iter().zip(CORE.old) {
        let value = object.get(*field).unwrap_or(&Value::Null);
        if !value.is_null() && *value != json!(0) && *value != json!({}) {
            causes.push(Cause::invalid(reported, &json!(""), "needs to be unset"));
        }
    }
}
