//! Discovery document by document: groups, then the kinds of each version.

use super::served::{Group, Kind, Version, words};
use crate::kinds::Resource;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// `/api`
pub(super) fn api_versions(core: &Group) -> Value {
    let versions: Vec<&str> = core.versions.iter().map(|version| version.name.as_str()).collect();
    json!({
        "kind": "APIVersions",
        "versions": versions,
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:443"}],
    })
}

/// `/apis`
pub(super) fn api_group_list(groups: &[Group]) -> Value {
    let groups: Vec<Value> = groups.iter().filter(|group| !group.name.is_empty()).map(described).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// `/apis/GROUP`
pub(super) fn api_group(group: &Group) -> Value {
    let mut document = described(group);
    document["kind"] = "APIGroup".into();
    document["apiVersion"] = "v1".into();
    document
}

fn described(group: &Group) -> Value {
    let versions: Vec<Value> = group
        .versions
        .iter()
        .map(|version| json!({"groupVersion": version.group_version(), "version": version.name}))
        .collect();
    json!({"name": group.name, "preferredVersion": versions.first(), "versions": versions})
}

/// `/api/v1` and `/apis/GROUP/VERSION`
pub(super) fn api_resource_list(version: &Version) -> Value {
    let resources: Vec<Value> = version.kinds.iter().flat_map(resources).collect();
    let mut document =
        json!({"kind": "APIResourceList", "groupVersion": version.group_version(), "resources": resources});
    if !version.group.is_empty() {
        document["apiVersion"] = "v1".into();
    }
    document
}

/// A kind and its subresources.
fn resources(kind: &Kind) -> Vec<Value> {
    let resource = &kind.resource;
    let mut own = Map::from_iter([
        ("name".into(), json!(resource.plural)),
        ("singularName".into(), json!(resource.singular)),
        ("namespaced".into(), json!(resource.namespaced)),
        ("kind".into(), json!(resource.kind)),
        ("verbs".into(), json!(words(resource.verbs))),
    ]);
    if !resource.short_names.is_empty() {
        own.insert("shortNames".into(), json!(resource.short_names));
    }
    if !resource.categories.is_empty() {
        own.insert("categories".into(), json!(resource.categories));
    }
    if resource.is_stored() {
        own.insert("storageVersionHash".into(), storage_version_hash(resource));
    }
    let parts = kind.subresources.iter().map(|part| {
        let mut described = json!({
            "name": format!("{}/{}", resource.plural, part.name),
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": part.answer.map_or(resource.kind.as_str(), |answer| answer.kind),
            "verbs": words(part.verbs),
        });
        if let Some(answer) = part.answer.filter(|answer| !answer.version.is_empty()) {
            described["group"] = answer.group.into();
            described["version"] = answer.version.into();
        }
        described
    });
    std::iter::once(Value::Object(own)).chain(parts).collect()
}

/// A short text that changes with the version in which objects are stored.
fn storage_version_hash(resource: &Resource) -> Value {
    let stored = format!("{}/{}/{}", resource.storage_group, resource.storage_version, resource.kind);
    json!(STANDARD.encode(&Sha256::digest(stored)[..8]))
}
