//! The kinds of registries that a version can talk to.

use super::{Registry, read::missing};
use crate::{
    call::Call,
    failure::Failure,
    labels::LabelScope,
    rest::{Reply, Shown},
    state::Id,
    version::{Change, Version},
};
use serde_json::{Map, Value, json};

/// Kind, and the first and the last minor version that has it. The last ones of `dtr`, `gitlab` and `quay` are assumed.
const KINDS: &[(&str, u8, u8)] = &[
    ("ali-acr", 0, u8::MAX),
    ("artifact-hub", 0, 7),
    ("aws-ecr", 0, u8::MAX),
    ("azure-acr", 0, u8::MAX),
    ("docker-hub", 0, u8::MAX),
    ("docker-registry", 0, u8::MAX),
    ("dtr", 0, 13),
    ("github-ghcr", 0, u8::MAX),
    ("gitlab", 0, 13),
    ("google-gcr", 0, u8::MAX),
    ("harbor", 0, u8::MAX),
    ("helm-hub", 0, 7),
    ("huawei-SWR", 0, u8::MAX),
    ("jfrog-artifactory", 0, u8::MAX),
    ("quay", 0, 13),
    ("tencent-tcr", 0, u8::MAX),
    ("volcengine-cr", 11, u8::MAX),
];

/// The kinds of a version, sorted.
pub(super) fn kinds(version: Version) -> Vec<&'static str> {
    let served = |(_, since, until): &&(&str, u8, u8)| (*since..=*until).contains(&version.minor());
    KINDS.iter().filter(served).map(|(kind, ..)| *kind).collect()
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system("replication-adapter", "list")?;
    Ok(Reply::json(json!(kinds(call.version()))))
}

/// Patterns for the forms of the web interface. The stand-in has none.
pub(super) fn infos(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system("replication-adapter", "list")?;
    let pattern = json!({ "credential_pattern": null, "endpoint_pattern": null });
    let infos: Map<String, Value> =
        kinds(call.version()).into_iter().map(|kind| (kind.to_owned(), pattern.clone())).collect();
    Ok(Reply::json(Value::Object(infos)))
}

/// What policies with a registry can say. Harbors are also filtered by label; the labels are the remote ones.
pub(super) fn info(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Registry> = call.id("id")?;
    call.on_system("registry", "read")?;
    let registry = match id.number() {
        0 => None,
        _ => Some(call.data.registries.get(id).ok_or_else(|| missing(id))?),
    };
    let kind = registry.map_or("harbor", |registry| registry.kind.as_str());
    let input = |name: &str| json!({ "type": name, "style": "input", "values": null });
    let mut filters = vec![input("name"), input("tag")];
    let mut resources = vec!["image"];
    if kind == "harbor" {
        let labels = call.data.labels.iter().filter(|(_, label)| label.scope == LabelScope::Global);
        let names: Vec<&str> = labels.map(|(_, label)| label.name.as_str()).collect();
        filters.push(json!({ "type": "label", "style": "list", "values": names }));
        resources.push("artifact");
    }
    filters.push(json!({ "type": "resource", "style": "radio", "values": resources }));
    let local = registry.is_none();
    let triggers =
        if local { json!(["manual", "scheduled", "event_based"]) } else { json!(["manual", "scheduled"]) };
    Ok(Reply::json(
        Shown::new()
            .with("type", kind)
            .with("supported_resource_filters", filters)
            .with("supported_triggers", triggers)
            .when(call.has(Change::CopiesByChunk), "supported_copy_by_chunk", kind == "harbor"),
    ))
}
