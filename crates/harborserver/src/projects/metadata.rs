//! Metadata of projects, key by key.

use super::{
    Project,
    metadata_keys::{Kind, MetadataKey, keys},
};
use crate::{call::Call, failure::Failure, rest::Reply, state::Id};
use serde_json::json;
use std::collections::BTreeMap;

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.project("project_name_or_id", "metadata", "list")?;
    Ok(Reply::json(json!(metadata(call, id)?)))
}

/// A key that is not set is an empty object.
pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.project("project_name_or_id", "metadata", "read")?;
    let name = call.parameter("meta_name").to_owned();
    Ok(Reply::json(match metadata(call, id)?.get(&name) {
        Some(value) => json!({ name: value }),
        None => json!({}),
    }))
}

pub(super) fn add(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: BTreeMap<String, String> = call.optional_body("metadata")?.unwrap_or_default();
    let id = call.project("project_name_or_id", "metadata", "create")?;
    let mut entries = wanted.into_iter();
    let (Some((name, value)), None) = (entries.next(), entries.next()) else {
        return Err(Failure::bad_request("only allow one key/value pair"));
    };
    let value = checked(call, &name, &value)?;
    if metadata(call, id)?.contains_key(&name) {
        return Err(Failure::conflict(format!("metadata {name} already exists for project {id}")));
    }
    store(call, id, name, value)
}

pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: BTreeMap<String, String> = call.optional_body("metadata")?.unwrap_or_default();
    let id = call.project("project_name_or_id", "metadata", "update")?;
    let name = call.parameter("meta_name").to_owned();
    let value = wanted.get(&name).map(String::as_str).unwrap_or_default();
    let value = checked(call, &name, value)?;
    store(call, id, name, value)
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.project("project_name_or_id", "metadata", "delete")?;
    let name = call.parameter("meta_name").to_owned();
    if let Some(project) = call.data.projects.get_mut(id) {
        project.metadata.remove(&name);
    }
    Ok(Reply::done())
}

fn metadata<'a>(call: &'a Call<'_>, id: Id<Project>) -> Result<&'a BTreeMap<String, String>, Failure> {
    call.data.projects.get(id).map(|project| &project.metadata).ok_or_else(Failure::internal)
}

fn store(call: &mut Call<'_>, id: Id<Project>, name: String, value: String) -> Result<Reply, Failure> {
    let project = call.data.projects.get_mut(id).ok_or_else(Failure::internal)?;
    project.metadata.insert(name, value);
    Ok(Reply::done())
}

/// A value as it is stored. Only here are values checked and normalised.
fn checked(call: &Call<'_>, name: &str, value: &str) -> Result<String, Failure> {
    let writable = |key: &&MetadataKey| key.name == name && key.kind != Kind::Reference;
    let key = keys(call.version())
        .find(writable)
        .ok_or_else(|| Failure::bad_request(format!("invalid key: {name}")))?;
    key.normalised(value, call.version())
        .ok_or_else(|| Failure::bad_request(format!("invalid value: {value}")))
}
