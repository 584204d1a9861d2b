//! What a Harbor holds.

use crate::{
    call::Call,
    failure::Failure,
    projects::is_visible,
    rest::{Reply, Shown},
};
use serde_json::{Value, json};

/// Projects and repositories of which the name holds a text.
pub(super) fn search(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let text = call.request.required("q")?.to_lowercase();
    let projects: Vec<_> =
        call.data.projects.iter().filter(|(id, project)| is_visible(call, *id, project)).collect();
    let found: Vec<Value> = projects
        .iter()
        .filter(|(_, project)| project.name.contains(&text))
        .map(|(id, project)| call.show_bare_project(*id, project).into())
        .collect();
    let mut repositories = Vec::new();
    for (project_id, project) in &projects {
        let rows = call.data.repositories.iter().filter(|(_, row)| row.project == *project_id);
        for (id, row) in rows.filter(|(_, row)| row.name.contains(&text)) {
            let count = call.data.artifacts.iter().filter(|(_, artifact)| artifact.repository == id).count();
            repositories.push(json!({
                "artifact_count": count,
                "project_id": project_id.number(),
                "project_name": project.name,
                "project_public": project.is_public(),
                "repository_name": row.name,
            }));
        }
    }
    Ok(Reply::json(json!({ "project": found, "repository": repositories })))
}

/// Administrators learn the totals.
pub(super) fn statistics(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.authenticated()?;
    let projects = |public: bool| {
        let visible = call.data.projects.iter().filter(|(id, project)| is_visible(call, *id, project));
        visible.filter(|(_, project)| project.is_public() == public).map(|(id, _)| id).collect::<Vec<_>>()
    };
    let repositories =
        |of: &[_]| call.data.repositories.iter().filter(|(_, row)| of.contains(&row.project)).count();
    let (public, private) = (projects(true), projects(false));
    let mut shown = Shown::new()
        .with("public_project_count", public.len())
        .with("public_repo_count", repositories(&public))
        .with("private_project_count", private.len())
        .with("private_repo_count", repositories(&private));
    if call.identity.is_administrator() {
        shown = shown
            .with("total_project_count", call.data.projects.len())
            .with("total_repo_count", call.data.repositories.len())
            .with("total_storage_consumption", call.data.stored_bytes);
    }
    Ok(Reply::json(shown))
}
