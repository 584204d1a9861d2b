//! Reading artifacts.

use super::{Artifact, ListedTag};
use crate::{
    call::Call,
    clock::date_time,
    failure::Failure,
    rest::{Column, Reply, Row, Shown, Sort},
    state::Id,
    version::Change,
};
use serde_json::{Map, Value, json};

const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// The picture that the web interface shows for images.
const ICON: &str = "sha256:0048162a053eef4d4ce3fe7518615bef084403614f8bca43b40ae2e762e11e06";

struct Listed<'a>(Id<Artifact>, &'a Artifact);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "digest" => Some(Column::Text(self.1.digest.clone())),
            "size" => Some(Column::Number(self.1.size)),
            "type" => Some(Column::Text("IMAGE".to_owned())),
            "pushtime" => Some(Column::Time(Some(self.1.pushed))),
            "pulltime" => Some(Column::Time(self.1.pulled)),
            _ => None,
        }
    }
}

/// The parameters that say what an answer shows, and whether it does without them.
const ASKED: [(&str, bool); 4] = [
    ("with_tag", true),
    ("with_label", false),
    ("with_scan_overview", false),
    ("with_immutable_status", false),
];

/// Refuses parameters that are neither true nor false.
fn check_flags(call: &Call<'_>) -> Result<(), Failure> {
    ASKED.iter().try_for_each(|(name, _)| call.request.flag(name).map(|_| ()))
}

fn asks(call: &Call<'_>, name: &str) -> bool {
    let default = ASKED.iter().any(|(known, default)| *known == name && *default);
    call.request.flag(name).ok().flatten().unwrap_or(default)
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    check_flags(call)?;
    let repository = call.repository("artifact", "list")?;
    let rows = call.data.artifacts.iter().rev().filter(|(_, artifact)| artifact.repository == repository);
    let rows = rows.map(|(id, artifact)| Listed(id, artifact));
    call.listed(&filter, "-push_time", rows, |Listed(id, artifact)| show(call, id, artifact))
}

pub(super) fn list_of_project(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    check_flags(call)?;
    let project = call.project("project_name_or_id", "artifact", "list")?;
    let rows = call.data.artifacts.iter().rev().filter(|(_, artifact)| artifact.project == project);
    let rows = rows.map(|(id, artifact)| Listed(id, artifact));
    call.listed(&filter, "-push_time", rows, |Listed(id, artifact)| show(call, id, artifact))
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    check_flags(call)?;
    let (_, id) = call.artifact("artifact", "read")?;
    let artifact = call.data.artifacts.get(id).ok_or_else(Failure::internal)?;
    Ok(Reply::json(show(call, id, artifact)))
}

fn show(call: &Call<'_>, id: Id<Artifact>, artifact: &Artifact) -> Value {
    let repository = call.data.repositories.get(artifact.repository);
    let name = repository.map(|repository| repository.name.as_str()).unwrap_or_default();
    let labels: Vec<Value> = artifact
        .labels
        .iter()
        .filter_map(|label| call.data.labels.get(*label).map(|row| row.show(*label)))
        .collect();
    let or_null = |rows: Vec<Value>| if rows.is_empty() { Value::Null } else { Value::Array(rows) };
    let mut shown = Shown::new()
        .with("id", id.number())
        .with("type", "IMAGE")
        .with("digest", artifact.digest.as_str())
        .with("size", artifact.size)
        .with("media_type", CONFIG)
        .with("manifest_media_type", MANIFEST)
        .when(call.has(Change::ListsArtifactsOfProjects), "artifact_type", CONFIG)
        .with("project_id", artifact.project.number())
        .with("repository_id", artifact.repository.number())
        .when(call.has(Change::ListsArtifactsOfProjects), "repository_name", name)
        .with("icon", ICON)
        .with("push_time", date_time(artifact.pushed))
        .with("pull_time", date_time(artifact.pulled))
        .with("references", Value::Null)
        .with("accessories", Value::Null)
        .with("labels", or_null(if asks(call, "with_label") { labels } else { Vec::new() }))
        .with("tags", or_null(if asks(call, "with_tag") { tags(call, id) } else { Vec::new() }))
        .with("addition_links", links(call, artifact, name))
        .with(
            "extra_attrs",
            json!({
                "architecture": "amd64", "author": "", "config": {}, "created": "2024-01-01T00:00:00Z", "os": "linux",
            }),
        );
    if asks(call, "with_scan_overview")
        && let Some(overview) = super::scan::overview(call, artifact)
    {
        shown = shown.with("scan_overview", overview);
    }
    shown.into()
}

fn tags(call: &Call<'_>, id: Id<Artifact>) -> Vec<Value> {
    let mut tags: Vec<_> = call
        .data
        .tags
        .iter()
        .rev()
        .filter(|(_, tag)| tag.artifact == id)
        .map(|(id, tag)| ListedTag(id, tag))
        .collect();
    Sort::of(call.request, "-push_time").apply(&mut tags);
    let immutable = |tag: &super::Tag| {
        let repository = call.data.repositories.get(tag.repository);
        asks(call, "with_immutable_status")
            && repository.is_some_and(|repository| call.data.is_immutable(repository, tag))
    };
    tags.iter().map(|ListedTag(id, tag)| tag.show(*id, call.version(), immutable(tag))).collect()
}

/// Links to what else Harbor knows of an artifact. The digest is missing in one of them.
fn links(call: &Call<'_>, artifact: &Artifact, repository: &str) -> Value {
    let (project, name) = repository.split_once('/').unwrap_or(("", repository));
    let name = name.replace('/', "%252F");
    let link = |digest: &str, addition: &str| {
        let artifact = format!("/api/v2.0/projects/{project}/repositories/{name}/artifacts/{digest}");
        json!({ "absolute": false, "href": format!("{artifact}/additions/{addition}") })
    };
    let mut links = Map::from_iter([("build_history".to_owned(), link(&artifact.digest, "build_history"))]);
    let chosen = call.data.projects.get(artifact.project).and_then(|project| project.scanner);
    if chosen.is_some() || call.data.default_scanner().is_some() {
        links.insert("vulnerabilities".to_owned(), link(&artifact.digest, "vulnerabilities"));
        if call.has(Change::Sbom) {
            links.insert("sboms".to_owned(), link("", "sbom"));
        }
    }
    Value::Object(links)
}
