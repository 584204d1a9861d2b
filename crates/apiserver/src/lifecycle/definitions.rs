//! Custom kinds are created and deleted with their definitions.

use super::{Controllers, Work, collection::remove_finalizer};
use crate::{
    clock::Clock,
    kinds::{self, Origin, Resource},
    request::{DeleteOptions, Propagation},
    state::State,
    store::Key,
    write::{deletion, finalizers},
};
use serde_json::{Value, json};
use std::sync::Arc;

const GROUP: &str = "apiextensions.k8s.io";
const PLURAL: &str = "customresourcedefinitions";

/// Blocks the deletion of a definition until the last object of its kind is gone.
pub(crate) const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// The definition that waits for the last object of its kind to be deleted, if that may be the one with this key.
pub(super) fn waiting_for(state: &State, key: &Key) -> Option<Key> {
    let definition = key_of(&format!("{}.{}", key.plural, key.group));
    let waits = |definition: &Arc<Value>| !definition["metadata"]["deletionTimestamp"].is_null();
    state.store.get(&definition).is_some_and(waits).then_some(definition)
}

/// Serves the kind of a definition, or deletes the objects of a deleted one.
pub(super) fn settle(state: &mut State, key: &Key, clock: &Clock) {
    let Some(definition) = state.store.get(key).cloned() else {
        Arc::make_mut(&mut state.kinds).remove_custom(&key.name);
        let waiting: Vec<Work> = waiting(state).map(Work::Definition).collect();
        state.work.extend(waiting);
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

/// Serves the kinds of every definition in the store, after it was loaded from a file.
pub(crate) fn serve_all(state: &mut State) {
    let all: Vec<Arc<Value>> = definitions(state).cloned().collect();
    for definition in all {
        if let Some(name) =
            definition["metadata"]["name"].as_str().filter(|_| kinds::is_established(&definition))
        {
            Arc::make_mut(&mut state.kinds).set_custom(name, kinds::resources(&definition));
        }
    }
}

/// Stores definitions that another server stored, and serves their kinds.
pub(crate) fn adopt(state: &mut State, definitions: Vec<Value>, controllers: Controllers, clock: &Clock) {
    for definition in definitions {
        let Some(key) = definition["metadata"]["name"].as_str().map(key_of) else { continue };
        state.commit(&key, Some(definition));
        state.settle(controllers, clock);
    }
}

fn key_of(name: &str) -> Key {
    Key { group: GROUP.into(), plural: PLURAL.into(), namespace: "".into(), name: name.into() }
}

fn serve(state: &mut State, key: &Key, definition: &Value, clock: &Clock) {
    let others = definitions(state).filter(|other| {
        other["spec"]["group"] == definition["spec"]["group"] && other["metadata"]["name"] != *key.name
    });
    let accepted = json!({
        "status": kinds::accepted_status(definition, others.map(|other| &**other), clock.now()),
    });
    if kinds::is_established(&accepted) {
        if !kinds::is_established(definition) {
            let spec = &definition["spec"];
            let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            state.store.begin(&name(&spec["group"]), &name(&spec["names"]["plural"]));
        }
        Arc::make_mut(&mut state.kinds).set_custom(&key.name, kinds::resources(definition));
    }
    if definition["status"] != accepted["status"] {
        let mut after = definition.clone();
        after["status"].clone_from(&accepted["status"]);
        state.commit(key, Some(after));
    }
}

/// Whether a kind is custom and its definition is being deleted.
pub(crate) fn is_terminating(state: &State, resource: &Resource) -> bool {
    resource.origin == Origin::Custom
        && definitions(state).any(|definition| {
            let (spec, metadata) = (&definition["spec"], &definition["metadata"]);
            spec["group"] == *resource.group
                && spec["names"]["plural"] == *resource.plural
                && !metadata["deletionTimestamp"].is_null()
        })
}

/// All definitions.
pub(crate) fn definitions(state: &State) -> impl Iterator<Item = &Arc<Value>> {
    state.store.objects(GROUP, PLURAL, None)
}

/// The definitions that do not have all their names.
fn waiting(state: &State) -> impl Iterator<Item = Key> + '_ {
    let lacks_names =
        |definition: &&Arc<Value>| definition["status"]["acceptedNames"] != definition["spec"]["names"];
    definitions(state)
        .filter(lacks_names)
        .filter_map(|definition| definition["metadata"]["name"].as_str().map(key_of))
}

fn delete_objects(state: &mut State, definition: &Value, clock: &Clock) {
    for place in places(state, definition) {
        let Some(resource) = state.resource_at(&place) else { continue };
        if state.store.get(&place).is_some_and(|object| object["metadata"]["deletionTimestamp"].is_null()) {
            let options =
                DeleteOptions { propagation: Some(Propagation::Background), ..DeleteOptions::default() };
            // Without preconditions, the deletion cannot be refused.
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
