//! What Kubernetes refuses.

use crate::{failure::Cause, kinds::resource::Resource};
use serde_json::Value;

/// What is wrong with a new object.
pub(crate) fn validate_create(_resource: &Resource, _object: &Value) -> Vec<Cause> {
    Vec::new()
}

/// What is wrong with a change.
pub(crate) fn validate_update(_resource: &Resource, _old: &Value, _new: &Value) -> Vec<Cause> {
    Vec::new()
}

/// What is wrong with a change of the status.
pub(crate) fn validate_status(_resource: &Resource, _old: &Value, _new: &Value) -> Vec<Cause> {
    Vec::new()
}
