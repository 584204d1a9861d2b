//! Label selectors.

use super::{
    metadata::{labels, named},
    names,
};
use crate::{
    failure::Cause,
    kinds::value::{entries, items, text},
};
use serde_json::{Value, json};

/// The problems of a selector, if it is set.
pub(super) fn selector(selector: &Value, path: &str, causes: &mut Vec<Cause>) {
    labels(selector, "matchLabels", &format!("{path}.matchLabels"), causes);
    for (index, requirement) in items(selector, "matchExpressions").iter().enumerate() {
        let path = format!("{path}.matchExpressions[{index}]");
        let values = items(requirement, "values");
        match text(requirement, "operator") {
            "In" | "NotIn" if values.is_empty() => {
                let message = "must be specified when `operator` is 'In' or 'NotIn'";
                causes.push(Cause::required(format!("{path}.values"), message));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let message = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                causes.push(Cause::forbidden(format!("{path}.values"), message));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => {
                let message = "not a valid selector operator";
                causes.push(Cause::invalid(format!("{path}.operator"), &json!(other), message));
            }
        }
        named(&format!("{path}.key"), text(requirement, "key"), names::qualified_name, causes);
        for (index, value) in values.iter().filter_map(Value::as_str).enumerate() {
            named(&format!("{path}.values[{index}]"), value, names::label_value, causes);
        }
    }
}

/// Whether a selector is empty. A missing one matches nothing.
pub(super) fn is_empty(selector: &Value) -> bool {
    !selector.is_null()
        && entries(selector, "matchLabels").next().is_none()
        && items(selector, "matchExpressions").is_empty()
}

/// Whether a selector matches an object with these labels.
pub(super) fn matches(selector: &Value, labels: &Value) -> bool {
    !selector.is_null()
        && entries(selector, "matchLabels").all(|(key, value)| labels.get(key) == Some(value))
        && items(selector, "matchExpressions").iter().all(|requirement| {
            let label = labels.get(text(requirement, "key"));
            let listed = label.is_some_and(|label| items(requirement, "values").contains(label));
            match text(requirement, "operator") {
                "In" => listed,
                "NotIn" => !listed,
                "Exists" => label.is_some(),
                _ => label.is_none(),
            }
        })
}
