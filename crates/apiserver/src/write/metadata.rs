//! Metadata that only the server sets: identity, times, generations.

use crate::{
    failure::{Cause, Failure, Fault},
    kinds::{self, Origin, Resource},
    store::Key,
};
use http::StatusCode;
use serde_json::Value;

/// Fields that a client may send but not set.
const SERVER_SET: [&str; 6] = [
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "resourceVersion",
    "selfLink",
];

/// Removes the fields that a client must not set from a new object.
pub(crate) fn wipe(object: &mut Value) {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in SERVER_SET {
            metadata.remove(field);
        }
    }
}

/// Sets the identity of a new object.
pub(crate) fn set_identity(resource: &Resource, object: &mut Value, uid: String, now: &str) {
    let metadata = &mut object["metadata"];
    metadata["uid"] = uid.into();
    metadata["creationTimestamp"] = now.into();
    if resource.counts_generations {
        metadata["generation"] = 1.into();
    }
}

/// Whether an update is for the stored object. Sets fields that the update may omit.
pub(crate) fn same_object(
    resource: &Resource,
    key: &Key,
    live: &Value,
    object: &mut Value,
) -> Result<(), Failure> {
    let sent = |object: &Value, field: &str| {
        object["metadata"][field].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let live_version = live["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    match sent(object, "resourceVersion") {
        Some(version) if version.parse::<u64>().is_err() => {
            return Err(Failure::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "",
                format!("strconv.ParseUint: parsing {version:?}: invalid syntax"),
            ));
        }
        Some(version) if version != live_version => {
            return Err(Failure::conflict(
                &resource.group,
                &resource.plural,
                &key.name,
                "the object has been modified; please apply your changes to the latest version and try again",
            ));
        }
        Some(_) => {}
        None if resource.unconditional_update => object["metadata"]["resourceVersion"] = live_version.into(),
        None => {
            let cause = Cause {
                fault: Fault::Invalid,
                field: "metadata.resourceVersion".into(),
                message: "Invalid value: 0: must be specified for an update".into(),
            };
            return Err(Failure::invalid(&resource.group, &resource.plural, &key.name, &[cause]));
        }
    }
    keep(live, object);
    Ok(())
}

/// Refuses an update with another uid. A patch with another uid is only invalid.
pub(crate) fn same_uid(resource: &Resource, key: &Key, live: &Value, object: &Value) -> Result<(), Failure> {
    let wanted = object["metadata"]["uid"].as_str().unwrap_or_default();
    let found = live["metadata"]["uid"].as_str().unwrap_or_default();
    if wanted.is_empty() || wanted == found {
        return Ok(());
    }
    let place = match resource.origin {
        Origin::Builtin => String::new(),
        Origin::Custom => format!("{}/", resource.group),
    };
    let within = if key.namespace.is_empty() { String::new() } else { format!("{}/", key.namespace) };
    Err(Failure::conflict(
        &resource.group,
        &resource.plural,
        &key.name,
        &format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{place}{}/{within}{}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}",
            resource.plural, key.name
        ),
    ))
}

/// Restores metadata that an update cannot change. Validation refuses the rest.
fn keep(live: &Value, object: &mut Value) {
    let Some(metadata) = object["metadata"].as_object_mut() else { return };
    metadata.remove("selfLink");
    for field in ["creationTimestamp", "generation"] {
        match &live["metadata"][field] {
            Value::Null => metadata.remove(field),
            value => metadata.insert(field.into(), value.clone()),
        };
    }
    for field in ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let overrides = field == "deletionTimestamp" || metadata.get(field).is_none_or(Value::is_null);
        if let Some(value) = live["metadata"].get(field).filter(|_| overrides) {
            metadata.insert(field.into(), value.clone());
        }
    }
}

/// Increments the generation if the spec changed.
pub(crate) fn count_generation(resource: &Resource, live: &Value, object: &mut Value) {
    if let Some(generation) = live["metadata"]["generation"].as_i64() {
        let changed = kinds::advances_generation(resource, live, object);
        object["metadata"]["generation"] = (generation + i64::from(changed)).into();
    }
}
