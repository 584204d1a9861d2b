//! Discovery in one document, which current clients ask for first.

use super::served::{Answer, Group, Kind, Version, words};
use crate::kinds::Origin;
use serde_json::{Value, json};

/// `APIGroupDiscoveryList` of the core group, or of all others, in this version of `apidiscovery.k8s.io`.
pub(super) fn group_discovery_list<'g>(groups: impl Iterator<Item = &'g Group>, version: &str) -> Value {
    let items: Vec<Value> = groups.map(group).collect();
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": format!("apidiscovery.k8s.io/{version}"),
        "metadata": {},
        "items": items,
    })
}

fn group(group: &Group) -> Value {
    let versions: Vec<Value> = group.versions.iter().map(version).collect();
    let metadata = if group.name.is_empty() { json!({}) } else { json!({"name": group.name}) };
    json!({"metadata": metadata, "versions": versions})
}

fn version(version: &Version) -> Value {
    let resources: Vec<Value> = version.kinds.iter().map(resource).collect();
    json!({"version": version.name, "resources": resources, "freshness": "Current"})
}

fn resource(kind: &Kind) -> Value {
    let resource = &kind.resource;
    let own = match resource.origin {
        Origin::Custom => {
            json!({"group": resource.group, "version": resource.version, "kind": resource.kind})
        }
        Origin::Builtin => json!({"group": "", "version": "", "kind": resource.kind}),
    };
    let mut described = json!({
        "resource": resource.plural,
        "responseKind": own,
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular,
        "verbs": words(resource.verbs),
    });
    if !resource.short_names.is_empty() {
        described["shortNames"] = json!(resource.short_names);
    }
    if !resource.categories.is_empty() {
        described["categories"] = json!(resource.categories);
    }
    let parts: Vec<Value> = kind
        .subresources
        .iter()
        .map(|part| {
            let answer = part.answer.map_or_else(
                || own.clone(),
                |Answer { group, version, kind }| json!({"group": group, "version": version, "kind": kind}),
            );
            json!({"subresource": part.name, "responseKind": answer, "verbs": words(part.verbs)})
        })
        .collect();
    if !parts.is_empty() {
        described["subresources"] = parts.into();
    }
    described
}
