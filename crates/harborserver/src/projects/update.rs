//! Changes of projects: what is not sent stays.

use super::{Project, allowlist, request::ProjectRequest};
use crate::{call::Call, failure::Failure, rest::Reply, state::Id, version::Change};

/// Reads metadata and the allow list only. Name, registry and storage limit are ignored.
pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: ProjectRequest = call.body("project")?;
    let id = call.project("project_name_or_id", "project", "update")?;
    check_retention(call, id, &wanted)?;
    if let Some(list) = &wanted.cve_allowlist {
        allowlist::check(list, call.version())?;
        call.data.set_allowlist(Some(id), list, call.now);
    }
    let version = call.version();
    if let (Some(metadata), Some(project)) = (&wanted.metadata, call.data.projects.get_mut(id)) {
        project.metadata.extend(metadata.kept(version, project.registry.is_some()));
    }
    Ok(Reply::done())
}

fn check_retention(call: &Call<'_>, id: Id<Project>, wanted: &ProjectRequest) -> Result<(), Failure> {
    let project = call.data.projects.get(id);
    let known = project.and_then(|project| project.metadata.get("retention_id")).map(String::as_str);
    let sent = wanted.metadata.as_ref().and_then(|metadata| metadata.get("retention_id"));
    if sent.is_none() || sent == known {
        return Ok(());
    }
    let prefix = if call.has(Change::PlainRetentionRefusal) { "" } else { "bad request: " };
    Err(Failure::bad_request(format!(
        "{prefix}the retention_id in the request's payload when updating a project should be omitted, \
         alternatively passing the one that has already been associated to this project"
    )))
}
