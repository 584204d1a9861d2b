//! Garbage collection: objects whose owners are gone, and owners that wait for their dependents.

use crate::{
    clock::Clock,
    kinds::Resource,
    request::{DeleteOptions, Propagation},
    state::State,
    store::Key,
    write::{deletion, finalizers},
};
use serde_json::Value;
use std::sync::Arc;

/// What an owner reference refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Owner {
    /// The owner exists, with this key.
    Present(Key),
    /// It exists and waits for its dependents to be deleted.
    WaitsForDependents,
    Absent,
    /// Its kind is not served, so it is unknown whether it exists.
    Unknown,
}

/// Handles one object: deletes it if its owners are gone, removes it if nothing blocks it any more.
pub(super) fn settle(state: &mut State, key: &Key, clock: &Clock) {
    let Some(object) = state.store.get(key).cloned() else { return };
    let Some(resource) = state.resource_at(key) else { return };
    if is_deleting(&object) {
        let pending = finalizers(&object);
        if pending.contains(&"orphan") {
            orphan_dependents(state, &object);
            remove_finalizer(state, key, "orphan");
        } else if pending.contains(&"foregroundDeletion") {
            delete_dependents(state, key, &object, clock);
        }
        return;
    }
    collect(state, &resource, key, &object, clock);
}

/// The keys of the owners of an object.
pub(super) fn owners<'a>(
    state: &'a State,
    key: &'a Key,
    object: &'a Value,
) -> impl Iterator<Item = Key> + 'a {
    references(object).filter_map(move |reference| match owner(state, key, reference) {
        Owner::Present(place) => Some(place),
        Owner::WaitsForDependents => place_of(state, key, reference),
        Owner::Absent | Owner::Unknown => None,
    })
}

fn collect(state: &mut State, resource: &Resource, key: &Key, object: &Value, clock: &Clock) {
    let owners: Vec<Owner> = references(object).map(|reference| owner(state, key, reference)).collect();
    let none_left = owners.iter().all(|owner| matches!(owner, Owner::Absent | Owner::WaitsForDependents));
    if owners.is_empty() || owners.contains(&Owner::Unknown) {
        return;
    }
    if none_left {
        let waited_for = owners.contains(&Owner::WaitsForDependents);
        let own = uid(object).map(|uid| dependents(state, uid)).unwrap_or_default();
        // An owner that waits for this object also waits for what this object owns.
        let propagation =
            if waited_for && !own.is_empty() { Propagation::Foreground } else { Propagation::Background };
        let waits = |place: &Key| state.store.get(place).is_some_and(|found| waits_for_dependents(found));
        if waited_for && own.iter().any(waits) {
            // Owners in a cycle would wait for each other forever.
            unblock_owners(state, key, object);
        }
        delete(state, resource, key, object, propagation, clock);
        return;
    }
    // A deleted owner leaves its dependents to their other owners.
    let mut kept = owners.iter().map(|owner| matches!(owner, Owner::Present(_)));
    if owners.iter().any(|owner| !matches!(owner, Owner::Present(_))) {
        let mut after = object.clone();
        if let Some(references) = after["metadata"]["ownerReferences"].as_array_mut() {
            references.retain(|_| kept.next().unwrap_or(true));
        }
        state.commit(key, Some(after));
    }
}

/// Lets the owners of an object be deleted before it.
fn unblock_owners(state: &mut State, key: &Key, object: &Value) {
    let mut after = object.clone();
    for reference in after["metadata"]["ownerReferences"].as_array_mut().into_iter().flatten() {
        reference["blockOwnerDeletion"] = false.into();
    }
    state.commit(key, Some(after));
}

fn delete(
    state: &mut State,
    resource: &Resource,
    key: &Key,
    object: &Value,
    propagation: Propagation,
    clock: &Clock,
) {
    let explicit = finalizers(object).iter().any(|name| matches!(*name, "orphan" | "foregroundDeletion"));
    let options = DeleteOptions {
        propagation: (!explicit).then_some(propagation),
        uid: uid(object).map(str::to_owned),
        ..DeleteOptions::default()
    };
    // Preconditions hold under the lock, and nothing else can refuse the deletion.
    let _deleted = deletion::delete(state, resource, key, &options, clock);
}

/// Deletes the dependents that an owner waits for. Removes the owner when nothing blocks it any more.
fn delete_dependents(state: &mut State, key: &Key, object: &Value, clock: &Clock) {
    let Some(uid) = uid(object) else { return };
    for dependent in dependents(state, uid) {
        let Some(found) = state.store.get(&dependent).cloned() else { continue };
        if !is_deleting(&found)
            && let Some(resource) = state.resource_at(&dependent)
        {
            collect(state, &resource, &dependent, &found, clock);
        }
    }
    let blocking = dependents(state, uid).into_iter().any(|dependent| {
        let found = state.store.get(&dependent);
        found.is_some_and(|found| {
            references(found).any(|reference| {
                reference["uid"] == uid && reference["blockOwnerDeletion"].as_bool().unwrap_or(false)
            })
        })
    });
    if !blocking {
        remove_finalizer(state, key, "foregroundDeletion");
    }
}

fn orphan_dependents(state: &mut State, object: &Value) {
    let Some(uid) = uid(object) else { return };
    for dependent in dependents(state, uid) {
        let Some(found) = state.store.get(&dependent) else { continue };
        let mut after = Value::clone(found);
        let metadata = &mut after["metadata"];
        if let Some(references) = metadata["ownerReferences"].as_array_mut() {
            references.retain(|reference| reference["uid"] != uid);
            if references.is_empty()
                && let Some(metadata) = metadata.as_object_mut()
            {
                metadata.remove("ownerReferences");
            }
        }
        state.commit(&dependent, Some(after));
    }
}

/// Removes a finalizer of an object that is being deleted, and the object with its last one.
pub(super) fn remove_finalizer(state: &mut State, key: &Key, finalizer: &str) {
    let Some(object) = state.store.get(key) else { return };
    let mut after = Value::clone(object);
    if let Some(names) = after["metadata"]["finalizers"].as_array_mut() {
        names.retain(|name| name != finalizer);
        if names.is_empty()
            && let Some(metadata) = after["metadata"].as_object_mut()
        {
            metadata.remove("finalizers");
        }
    }
    let gone = deletion::may_go(&after);
    state.commit(key, (!gone).then_some(after));
}

fn owner(state: &State, dependent: &Key, reference: &Value) -> Owner {
    let Some(resource) = kind_of(state, reference) else { return Owner::Unknown };
    if resource.namespaced && dependent.namespace.is_empty() {
        // A cluster-scoped object cannot be owned by a namespaced one, because the namespace is unknown.
        return Owner::Unknown;
    }
    let Some(place) = place_of(state, dependent, reference) else { return Owner::Unknown };
    match state.store.get(&place) {
        Some(object) if object["metadata"]["uid"] == reference["uid"] => {
            if waits_for_dependents(object) {
                Owner::WaitsForDependents
            } else {
                Owner::Present(place)
            }
        }
        _ => Owner::Absent,
    }
}

fn place_of(state: &State, dependent: &Key, reference: &Value) -> Option<Key> {
    let resource = kind_of(state, reference)?;
    let namespace = resource.namespaced.then_some(&*dependent.namespace);
    Some(State::key(&resource, namespace, reference["name"].as_str()?))
}

fn kind_of(state: &State, reference: &Value) -> Option<Arc<Resource>> {
    let api_version = reference["apiVersion"].as_str()?;
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    state.kinds.by_kind(group, version, reference["kind"].as_str()?)
}

fn dependents(state: &State, uid: &str) -> Vec<Key> {
    state.store.dependents(uid).cloned().collect()
}

fn references(object: &Value) -> impl Iterator<Item = &Value> {
    object["metadata"]["ownerReferences"].as_array().into_iter().flatten()
}

fn uid(object: &Value) -> Option<&str> {
    object["metadata"]["uid"].as_str()
}

fn waits_for_dependents(object: &Value) -> bool {
    is_deleting(object) && finalizers(object).contains(&"foregroundDeletion")
}

fn is_deleting(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}
