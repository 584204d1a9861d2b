//! `managedFields` and server-side apply.
//!
//! An entry written in another version of a kind counts as written in this one; the schemas of versions that are
//! served here differ in no path.

mod apply;
mod blank;
mod check;
mod compare;
mod element;
mod entries;
mod failure;
mod last_applied;
mod merge;
mod owned;
mod remove;
mod set;
mod typed;
mod update;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;

pub(crate) use self::{
    apply::{Force, apply},
    failure::ApplyError,
    update::{same_but_for_times, update},
};

use serde_json::{Map, Value};

/// The manager of a write, its operation and its time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manager<'a> {
    pub name: &'a str,
    pub subresource: Option<&'a str>,
    pub api_version: &'a str,
    /// RFC 3339, to the second.
    pub now: &'a str,
}

/// Fields without an owner: the API server sets them, or they identify the object.
const UNOWNED: &[&[&str]] = &[
    &["apiVersion"],
    &["kind"],
    &["metadata"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "creationTimestamp"],
    &["metadata", "selfLink"],
    &["metadata", "uid"],
    &["metadata", "clusterName"],
    &["metadata", "generation"],
    &["metadata", "managedFields"],
    &["metadata", "resourceVersion"],
];

/// Removes `metadata.managedFields` from an object.
fn take_managed_fields(object: &mut Value) -> Option<Value> {
    object.get_mut("metadata")?.as_object_mut()?.remove("managedFields")
}

/// Sets the owners of an object's fields.
fn put_managed_fields(object: &mut Value, entries: &entries::Entries) {
    let Some(list) = entries.list() else { return };
    let Some(fields) = object.as_object_mut() else { return };
    let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.insert("managedFields".to_owned(), list);
    }
}
