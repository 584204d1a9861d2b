//! A change of one object: its states before and after.

use super::{
    fold::{Shown, folded},
    lines::merged,
    mask::masked,
    yaml::lines,
};
use crate::{KNOWN_LATER, ObjectKey, References};
use api::names::{
    DEPLOYMENT_REVISION_ANNOTATION, EXTERNAL_ANNOTATION, EXTERNAL_FINALIZER, INPUTS_ANNOTATION,
    LAST_APPLIED_ANNOTATION,
};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use serde_json::Value;
use std::{collections::BTreeSet, fmt};

/// Fields of the metadata that the API server sets.
const SERVER_FIELDS: [&str; 6] =
    ["managedFields", "uid", "resourceVersion", "generation", "creationTimestamp", "selfLink"];
/// What kubectl, the controllers of the cluster and the operator record: the first repeats the whole object, secrets
/// included.
const IGNORED_ANNOTATIONS: [&str; 3] =
    [LAST_APPLIED_ANNOTATION, DEPLOYMENT_REVISION_ANNOTATION, EXTERNAL_ANNOTATION];

/// How an object changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeType {
    /// The object does not exist before the change.
    Created,
    /// The object exists before and after the change.
    Changed,
    /// The object does not exist after the change.
    Deleted,
}

/// A change of one object. The status, and fields that the API server sets, are not part of it.
#[derive(Clone, PartialEq)]
pub struct Change {
    /// Which object.
    pub key: ObjectKey,
    states: States,
}

#[derive(Clone, PartialEq)]
enum States {
    Created(Value),
    Changed(Value, Value),
    Deleted(Value),
}

// Not derived: the object may be a Secret.
impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.change_type(), self.key)
    }
}

impl Change {
    /// The change from one state to another, as the API serves them; `None` if they do not differ.
    pub fn between(key: ObjectKey, before: Option<Value>, after: Option<Value>) -> Option<Self> {
        let states = match (before.map(comparable), after.map(comparable)) {
            (None, None) => return None,
            (None, Some(mut after)) => {
                remove_assigned_values(&mut after);
                States::Created(after)
            }
            (Some(before), None) => States::Deleted(before),
            (Some(before), Some(after)) if before == after => return None,
            (Some(before), Some(after)) => States::Changed(before, after),
        };
        Some(Self { key, states })
    }

    /// How the object changes.
    pub fn change_type(&self) -> ChangeType {
        match &self.states {
            States::Created(_) => ChangeType::Created,
            States::Changed(..) => ChangeType::Changed,
            States::Deleted(_) => ChangeType::Deleted,
        }
    }

    /// The change as lines of YAML, without values of Secrets.
    pub fn text(&self) -> Vec<Shown> {
        let (before, after) = masked(&self.key, self.before(), self.after());
        let [before, after] = [before, after].map(|object| object.as_ref().map(lines).unwrap_or_default());
        folded(merged(before, after))
    }

    /// Replaces the digest of a workload's inputs by a note that it is not known yet, if its pods use one of these
    /// generated objects.
    pub fn hide_unknown_digest(&mut self, generated: &BTreeSet<ObjectKey>) {
        let depends = self.references().is_some_and(|used| used.keys().any(|key| generated.contains(key)));
        let (States::Created(after) | States::Changed(_, after)) = &mut self.states else { return };
        let pointer = "/spec/template/metadata/annotations";
        let digest = after.pointer_mut(pointer).and_then(|all| all.get_mut(INPUTS_ANNOTATION));
        if let Some(digest) = digest.filter(|_| depends) {
            *digest = KNOWN_LATER.into();
        }
    }

    /// The object as it was.
    pub(super) fn before(&self) -> Option<&Value> {
        match &self.states {
            States::Created(_) => None,
            States::Changed(before, _) | States::Deleted(before) => Some(before),
        }
    }

    /// The object as it will be.
    pub(super) fn after(&self) -> Option<&Value> {
        match &self.states {
            States::Created(after) | States::Changed(_, after) => Some(after),
            States::Deleted(_) => None,
        }
    }

    /// The Secrets and ConfigMaps that the pods of a workload use after the change.
    pub(super) fn references(&self) -> Option<References> {
        let template = self.after()?.pointer("/spec/template")?;
        let template: PodTemplateSpec = serde_json::from_value(template.clone()).ok()?;
        Some(References::of(&self.key.namespace, &template))
    }
}

/// The object without its status and without fields that the API server and controllers set.
fn comparable(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| !SERVER_FIELDS.contains(&field.as_str()));
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.retain(|name, _| !IGNORED_ANNOTATIONS.contains(&name.as_str()));
            if annotations.is_empty() {
                metadata.remove("annotations");
            }
        }
        if let Some(finalizers) = metadata.get_mut("finalizers").and_then(Value::as_array_mut) {
            finalizers.retain(|finalizer| finalizer != EXTERNAL_FINALIZER);
            if finalizers.is_empty() {
                metadata.remove("finalizers");
            }
        }
    }
    object
}

/// Removes values that will differ when the object is really created.
fn remove_assigned_values(object: &mut Value) {
    let owners = object.pointer_mut("/metadata/ownerReferences").and_then(Value::as_array_mut);
    for owner in owners.into_iter().flatten().filter_map(Value::as_object_mut) {
        owner.remove("uid");
    }
    if object["kind"] == "Service"
        && let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut)
        && spec.get("clusterIP").is_some_and(|address| address != "None")
    {
        spec.retain(|field, _| !["clusterIP", "clusterIPs"].contains(&field.as_str()));
    }
}
