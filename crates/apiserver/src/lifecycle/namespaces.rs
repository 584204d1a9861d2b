//! Namespaces: each has a ServiceAccount, and one that is deleted loses its objects first.

use crate::{
    clock::Clock,
    request::{DeleteOptions, Propagation},
    server::ServiceAccounts,
    state::State,
    store::Key,
    write::{deletion, finalizers},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The finalizer of a namespace itself, which is in its spec.
pub(crate) const FINALIZER: &str = "kubernetes";

/// Creates the ServiceAccount of a namespace. Deletes the objects of a namespace that is being deleted, and the namespace
/// when it is empty.
pub(super) fn settle(state: &mut State, name: &str, clock: &Clock) {
    let key = Key { group: "".into(), plural: "namespaces".into(), namespace: "".into(), name: name.into() };
    let Some(namespace) = state.store.get(&key).cloned() else { return };
    let is_active = namespace["metadata"]["deletionTimestamp"].is_null();
    if is_active && state.service_accounts == ServiceAccounts::Required {
        state.create_service_account(name, clock);
    }
    let finalizers = namespace["spec"]["finalizers"].as_array();
    let pending = finalizers.is_some_and(|names| names.iter().any(|name| name == FINALIZER));
    if is_active || !pending {
        return;
    }
    for place in contents(state, name) {
        let Some(object) = state.store.get(&place) else { continue };
        if !object["metadata"]["deletionTimestamp"].is_null() {
            continue;
        }
        let Some(resource) = state.resource_at(&place) else { continue };
        let options =
            DeleteOptions { propagation: Some(Propagation::Background), ..DeleteOptions::default() };
        // Without preconditions, the deletion cannot be refused.
        let _deleted = deletion::delete(state, &resource, &place, &options, clock);
    }
    let left = contents(state, name);
    if left.is_empty() {
        let mut after = Value::clone(&namespace);
        if let Some(names) = after["spec"]["finalizers"].as_array_mut() {
            names.retain(|name| name != FINALIZER);
            if names.is_empty() {
                after["spec"] = json!({});
            }
        }
        let gone = deletion::may_go(&after);
        state.commit(&key, (!gone).then_some(after));
        return;
    }
    let mut after = Value::clone(&namespace);
    after["status"]["conditions"] = conditions(state, &left, clock);
    if after["status"]["conditions"].as_array().map(Vec::len)
        != namespace["status"]["conditions"].as_array().map(Vec::len)
        || messages(&after) != messages(&namespace)
    {
        state.commit(&key, Some(after));
    }
}

fn contents(state: &State, namespace: &str) -> Vec<Key> {
    state.store.everything().filter(|(key, _)| *key.namespace == *namespace).map(|(key, _)| key).collect()
}

fn messages(namespace: &Value) -> Vec<&Value> {
    let conditions = namespace["status"]["conditions"].as_array().into_iter().flatten();
    conditions.map(|condition| &condition["message"]).collect()
}

/// The conditions of a namespace while it waits.
fn conditions(state: &State, left: &[Key], clock: &Clock) -> Value {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut pending: BTreeMap<String, usize> = BTreeMap::new();
    for key in left {
        let kind = if key.group.is_empty() {
            key.plural.to_string()
        } else {
            format!("{}.{}", key.plural, key.group)
        };
        *kinds.entry(kind).or_default() += 1;
        if let Some(object) = state.store.get(key) {
            for finalizer in finalizers(object) {
                *pending.entry(finalizer.to_owned()).or_default() += 1;
            }
        }
    }
    let now = clock.stamp();
    let condition = |kind: &str, status: &str, reason: &str, message: String| json!({"type": kind, "status": status, "lastTransitionTime": now, "reason": reason, "message": message});
    let remaining: Vec<String> =
        kinds.iter().map(|(kind, count)| format!("{kind} has {count} resource instances")).collect();
    let finalizers: Vec<String> =
        pending.iter().map(|(name, count)| format!("{name} in {count} resource instances")).collect();
    json!([
        condition(
            "NamespaceDeletionDiscoveryFailure",
            "False",
            "ResourcesDiscovered",
            "All resources successfully discovered".into()
        ),
        condition(
            "NamespaceDeletionGroupVersionParsingFailure",
            "False",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed".into()
        ),
        condition(
            "NamespaceDeletionContentFailure",
            "False",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization".into()
        ),
        condition(
            "NamespaceContentRemaining",
            "True",
            "SomeResourcesRemain",
            format!("Some resources are remaining: {}", remaining.join(", "))
        ),
        condition(
            "NamespaceFinalizersRemaining",
            if finalizers.is_empty() { "False" } else { "True" },
            if finalizers.is_empty() { "ContentHasNoFinalizers" } else { "SomeFinalizersRemain" },
            if finalizers.is_empty() {
                "All content-preserving finalizers finished".into()
            } else {
                format!("Some content in the namespace has finalizers remaining: {}", finalizers.join(", "))
            }
        ),
    ])
}
