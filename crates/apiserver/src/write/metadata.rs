//! What the server alone decides about an object: identity, times, generations.

use super::finalizers;
use crate::{
    failure::{Cause, Failure},
    kinds::{self, Resource},
};
use serde_json::{Value, json};

/// Fields a client may send but not set.
const SERVER_SET: [&str; 6] =
    ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion", "selfLink"];

/// Fields that an update cannot change, whatever it says.
const KEPT: [&str; 5] =
    ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"];

/// Takes what a client must not set out of an object to be created.
pub(crate) fn wipe(object: &mut Value) {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        SERVER_SET.iter().for_each(|field| {
            metadata.remove(*field);
        });
    }
}

/// Gives a new object its identity.
pub(crate) fn born(resource: &Resource, object: &mut Value, uid: String, now: &str) {
    let metadata = &mut object["metadata"];
    metadata["uid"] = uid.into();
    metadata["creationTimestamp"] = now.into();
    if resource.counts_generations {
        metadata["generation"] = 1.into();
    }
}

/// Whether an update is about the object that is stored; fills in what the update may leave out.
pub(crate) fn same_object(resource: &Resource, live: &Value, object: &mut Value) -> Result<(), Failure> {
    let name = live["metadata"]["name"].as_str().unwrap_or_default();
    let conflict = |why: &str| Failure::conflict(&resource.group, &resource.plural, name, why);
    let sent = |object: &Value, field: &str| {
        object["metadata"][field].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let live_version = live["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    let live_uid = live["metadata"]["uid"].as_str().unwrap_or_default();
    if let Some(uid) = sent(object, "uid")
        && uid != live_uid
    {
        return Err(conflict(&format!(
            "Precondition failed: UID in precondition: {uid}, UID in object meta: {live_uid}"
        )));
    }
    match sent(object, "resourceVersion") {
        Some(version) if version.parse::<u64>().is_err() => {
            return Err(invalid(
                resource,
                name,
                Cause::invalid(
                    "metadata.resourceVersion",
                    &json!(version),
                    format!("strconv.ParseUint: parsing {version:?}: invalid syntax"),
                ),
            ));
        }
        Some(version) if version != live_version => {
            return Err(conflict(
                "the object has been modified; please apply your changes to the latest version and try again",
            ));
        }
        Some(_) => {}
        None if resource.unconditional_update => object["metadata"]["resourceVersion"] = live_version.into(),
        None => {
            let cause = Cause {
                fault: crate::failure::Fault::Invalid,
                field: "metadata.resourceVersion".into(),
                message: "Invalid value: 0: must be specified for an update".into(),
            };
            return Err(invalid(resource, name, cause));
        }
    }
    keep(live, object);
    Ok(())
}

/// Puts back what an update cannot change.
fn keep(live: &Value, object: &mut Value) {
    let Some(metadata) = object["metadata"].as_object_mut() else { return };
    metadata.remove("selfLink");
    for field in KEPT {
        match &live["metadata"][field] {
            Value::Null => metadata.remove(field),
            value => metadata.insert(field.into(), value.clone()),
        };
    }
}

/// Refuses finalizers that appear while the object is being deleted.
pub(crate) fn finalizer_causes(live: &Value, object: &Value) -> Vec<Cause> {
    if live["metadata"]["deletionTimestamp"].is_null() {
        return Vec::new();
    }
    let before = finalizers(live);
    let added: Vec<String> = finalizers(object)
        .into_iter()
        .filter(|name| !before.contains(name))
        .map(|name| format!("{name:?}"))
        .collect();
    if added.is_empty() {
        return Vec::new();
    }
    vec![Cause::forbidden(
        "metadata.finalizers",
        &format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            added.join(", ")
        ),
    )]
}

/// Counts a change of what is wanted.
pub(crate) fn count_generation(resource: &Resource, live: &Value, object: &mut Value) {
    if let Some(generation) = live["metadata"]["generation"].as_i64() {
        let changed = kinds::advances_generation(resource, live, object);
        object["metadata"]["generation"] = (generation + i64::from(changed)).into();
    }
}

fn invalid(resource: &Resource, name: &str, cause: Cause) -> Failure {
    Failure::invalid(&resource.group, &resource.kind, name, &[cause])
}
