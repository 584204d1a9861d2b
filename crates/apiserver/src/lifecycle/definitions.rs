//! Custom kinds come with their definition and go with it.

use super::collection::remove_finalizer;
use crate::{
    clock::Clock,
    kinds,
    request::{DeleteOptions, Propagation},
    state::State,
    store::Key,
    write::{deletion, finalizers},
};
use serde_json::Value;
use std::sync::Arc;

/// Holds a definition until the last object of its kind is gone.
pub(crate) const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// The definition of the kind of the object at this place, if that is a custom one.
pub(super) fn of(state: &State, key: &Key) -> Option<Key> {
    let definition = Key {
        group: "apiextensions.k8s.io".into(),
        plural: "customresourcedefinitions".into(),
        namespace: "".into(),
        name: format!("{}.{}", key.plural, key.group).into(),
    };
    state.store.get(&definition).is_some().then_some(definition)
}

/// Serves what a definition defines, or deletes what it no longer defines.
pub(super) fn settle(state: &mut State, key: &Key, clock: &Clock) {
    let Some(definition) = state.store.get(key).cloned() else {
        Arc::make_mut(&mut state.kinds).remove_custom(&key.name);
        return;
    };
    if definition["metadata"]["deletionTimestamp"].is_null() {
        serve(state, key, &definition, clock);
    } else if finalizers(&definition).contains(&FINALIZER) {
        delete_objects(state, &definition, clock);
        if places(state, &definition).is_empty() {
            remove_finalizer(state, key, FINALIZER);
        }
    }
}

/// Serves the kinds of every definition in the store, after it was filled from a file.
pub(crate) fn serve_all(state: &mut State) {
    let definitions: Vec<Arc<Value>> =
        state.store.objects("apiextensions.k8s.io", "customresourcedefinitions", None).cloned().collect();
    for definition in definitions {
        if let Some(name) = definition["metadata"]["name"].as_str() {
            Arc::make_mut(&mut state.kinds).set_custom(name, kinds::resources(&definition));
        }
    }
}

fn serve(state: &mut State, key: &Key, definition: &Value, clock: &Clock) {
    let status = kinds::accepted_status(definition, clock.now());
    Arc::make_mut(&mut state.kinds).set_custom(&key.name, kinds::resources(definition));
    if definition["status"] != status {
        let mut after = definition.clone();
        after["status"] = status;
        state.commit(key, Some(after));
    }
}

fn delete_objects(state: &mut State, definition: &Value, clock: &Clock) {
    for place in places(state, definition) {
        let Some(resource) = state.resource_at(&place) else { continue };
        if state.store.get(&place).is_some_and(|object| object["metadata"]["deletionTimestamp"].is_null()) {
            let options =
                DeleteOptions { propagation: Some(Propagation::Background), ..DeleteOptions::default() };
            // Without preconditions, nothing refuses.
            let _deleted = deletion::delete(state, &resource, &place, &options, clock);
        }
    }
}

fn places(state: &State, definition: &Value) -> Vec<Key> {
    let (group, plural) = (&definition["spec"]["group"], &definition["spec"]["names"]["plural"]);
    state
        .store
        .everything()
        .filter(|(key, _)| group == &*key.group && plural == &*key.plural)
        .map(|(key, _)| key)
        .collect()
}
