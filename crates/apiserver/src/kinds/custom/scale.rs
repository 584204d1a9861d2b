//! The numbers of the scale subresource of a custom object.

use crate::{failure::Cause, go, kinds::resource::Resource};
use serde_json::{Value, json};

/// The problems of the numbers that the scale subresource shows. A write of the status checks only those of
/// the status.
pub(crate) fn wrong_scale(resource: &Resource, object: &Value, status_only: bool) -> Vec<Cause> {
    let Some(scale) = &resource.subresources.scale else { return Vec::new() };
    let wanted = (!status_only).then_some(&scale.spec_replicas);
    wanted.into_iter().chain([&scale.status_replicas]).filter_map(|path| wrong(object, path)).collect()
}

fn wrong(object: &Value, path: &str) -> Option<Cause> {
    let mut parts = path.split('.').filter(|part| !part.is_empty());
    let value = parts.try_fold(object, |value, part| value.get(part))?;
    match value.as_i64() {
        Some(count) if count >= 0 => None,
        Some(_) => Some(Cause::invalid(path, value, "should be a non-negative integer")),
        None => {
            let kind = go::type_name(value);
            let message = format!("{path} accessor error: {value} is of the type {kind}, expected int64");
            Some(Cause::invalid(path, &json!(0), message))
        }
    }
}
