//! Deletion: at once, or after finalizers and dependents.

use super::finalizers;
use crate::{
    clock::Clock,
    failure::Failure,
    kinds::{Origin, Resource},
    lifecycle,
    request::{DeleteOptions, Propagation},
    state::State,
    store::Key,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// The result of a deletion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Deletion {
    /// The object after the deletion was requested, or before it was removed.
    pub object: Value,
    pub gone: bool,
}

/// Deletes an object, or marks it if it has to wait for finalizers, dependents or a grace period.
pub(crate) fn delete(
    state: &mut State,
    resource: &Resource,
    key: &Key,
    options: &DeleteOptions,
    clock: &Clock,
) -> Result<Deletion, Failure> {
    let live = state.get(resource, key)?.clone();
    check_preconditions(resource, key, &live, options)?;
    let grace = grace_period(resource, &live, options);
    if is_deleting(&live) {
        let pending = live["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or(0);
        if pending > 0 && grace >= pending {
            return Ok(Deletion { object: Value::clone(&live), gone: false });
        }
    }
    let mut after = Value::clone(&live);
    set_finalizers(&mut after, finalizers_after(resource, &live, options));
    if is_namespace(resource) {
        after["status"]["phase"] = "Terminating".into();
    }
    if is_definition(resource) && !is_deleting(&live) {
        hold_for_objects(&mut after, clock);
    }
    mark(&mut after, grace, clock.now());
    if is_namespace(resource)
        && let Some(metadata) = after["metadata"].as_object_mut()
    {
        metadata.remove("deletionGracePeriodSeconds");
    }
    let gone = may_go(&after);
    // A pod is marked before it is removed, so that its last state shows it.
    let last = if gone && !resource.is("", "pods") { Value::clone(&live) } else { after.clone() };
    if options.dry_run {
        return Ok(Deletion { object: last, gone });
    }
    if gone {
        state.commit(key, None);
        return Ok(Deletion { object: last, gone });
    }
    if after != *live {
        state.commit(key, Some(after));
    }
    let object = state.store.get(key).map_or_else(|| Value::clone(&live), |object| Value::clone(object));
    Ok(Deletion { object, gone })
}

/// Whether an object that is being deleted can be removed.
pub(crate) fn may_go(object: &Value) -> bool {
    let metadata = &object["metadata"];
    let own = object["kind"] == "Namespace" && object["apiVersion"] == "v1";
    is_deleting(object)
        && finalizers(object).is_empty()
        && metadata["deletionGracePeriodSeconds"].as_i64().unwrap_or(0) == 0
        && !(own && object["spec"]["finalizers"].as_array().is_some_and(|names| !names.is_empty()))
}

fn check_preconditions(
    resource: &Resource,
    key: &Key,
    live: &Value,
    options: &DeleteOptions,
) -> Result<(), Failure> {
    let metadata = &live["metadata"];
    let refuse = |why: String| Err(Failure::conflict(&resource.group, &resource.kind, &key.name, &why));
    if let Some(uid) = &options.uid
        && metadata["uid"] != **uid
    {
        let found = metadata["uid"].as_str().unwrap_or_default();
        return refuse(format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({found}). The object might have been deleted and then recreated"
        ));
    }
    if let Some(version) = &options.resource_version
        && metadata["resourceVersion"] != **version
    {
        let found = metadata["resourceVersion"].as_str().unwrap_or_default();
        return refuse(format!(
            "the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record ({found}). The object might have been modified"
        ));
    }
    Ok(())
}

/// The grace period: only pods that run on a node have one.
fn grace_period(resource: &Resource, live: &Value, options: &DeleteOptions) -> i64 {
    let phase = &live["status"]["phase"];
    if !resource.is("", "pods")
        || live["spec"]["nodeName"].is_null()
        || phase == "Succeeded"
        || phase == "Failed"
    {
        return 0;
    }
    let period = options
        .grace_period_seconds
        .or_else(|| live["spec"]["terminationGracePeriodSeconds"].as_i64())
        .unwrap_or(30);
    if period < 0 { 1 } else { period }
}

fn finalizers_after(resource: &Resource, live: &Value, options: &DeleteOptions) -> Vec<String> {
    let present = finalizers(live);
    let asked = match (options.orphan_dependents, options.propagation) {
        (Some(true), _) => Some(Propagation::Orphan),
        (Some(false), _) => Some(Propagation::Background),
        (None, propagation) => propagation,
    };
    let marked = present.iter().find_map(|name| match *name {
        "orphan" => Some(Propagation::Orphan),
        "foregroundDeletion" => Some(Propagation::Foreground),
        _ => None,
    });
    let propagation = asked.or(marked).unwrap_or_else(|| default_propagation(resource));
    let others = present.iter().filter(|name| !matches!(**name, "orphan" | "foregroundDeletion"));
    let own = match propagation {
        Propagation::Orphan => Some("orphan"),
        Propagation::Foreground => Some("foregroundDeletion"),
        Propagation::Background => None,
    };
    let own = own.filter(|_| !resource.is("", "events") && !resource.is("events.k8s.io", "events"));
    others.copied().chain(own).map(str::to_owned).collect()
}

/// Kinds that are older than garbage collection orphan their dependents by default.
fn default_propagation(resource: &Resource) -> Propagation {
    if resource.is("batch", "jobs") || resource.is("", "replicationcontrollers") {
        Propagation::Orphan
    } else {
        Propagation::Background
    }
}

fn set_finalizers(object: &mut Value, names: Vec<String>) {
    let Some(metadata) = object["metadata"].as_object_mut() else { return };
    if names.is_empty() {
        metadata.remove("finalizers");
    } else {
        metadata.insert("finalizers".into(), names.into());
    }
}

/// Marks an object as being deleted. The first mark increments the generation.
fn mark(object: &mut Value, grace: i64, now: Timestamp) {
    let already = is_deleting(object);
    let metadata = &mut object["metadata"];
    if !already {
        let at = now.checked_add(SignedDuration::from_secs(grace)).unwrap_or(Timestamp::MAX);
        metadata["deletionTimestamp"] = at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into();
        if let Some(generation) = metadata["generation"].as_i64() {
            metadata["generation"] = (generation + 1).into();
        }
    }
    metadata["deletionGracePeriodSeconds"] = grace.into();
}

fn hold_for_objects(definition: &mut Value, clock: &Clock) {
    let mut names: Vec<String> = finalizers(definition).into_iter().map(str::to_owned).collect();
    if !names.iter().any(|name| name == lifecycle::CUSTOM_RESOURCE_CLEANUP) {
        names.push(lifecycle::CUSTOM_RESOURCE_CLEANUP.to_owned());
    }
    set_finalizers(definition, names);
    if let Some(conditions) = definition["status"]["conditions"].as_array_mut() {
        conditions.push(json!({
            "type": "Terminating",
            "status": "True",
            "lastTransitionTime": clock.stamp(),
            "reason": "InstanceDeletionPending",
            "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        }));
    }
}

fn is_deleting(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

fn is_namespace(resource: &Resource) -> bool {
    resource.is("", "namespaces")
}

fn is_definition(resource: &Resource) -> bool {
    resource.origin == Origin::Builtin && resource.is("apiextensions.k8s.io", "customresourcedefinitions")
}
