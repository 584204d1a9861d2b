//! The end of repositories, artifacts and tags. Immutable tags hold all three.

use super::{Artifact, Repository};
use crate::{
    call::Call,
    failure::Failure,
    rest::Reply,
    state::Id,
    webhooks::{Event, Occurrence},
};

/// Refuses where a tag of the artifact is immutable.
fn check(call: &Call<'_>, repository: Id<Repository>, artifact: Id<Artifact>) -> Result<(), Failure> {
    let row = call.data.repositories.get(repository).ok_or_else(Failure::internal)?;
    let mut tags = call.data.tags.iter().filter(|(_, tag)| tag.artifact == artifact);
    match tags.find(|(_, tag)| call.data.is_immutable(row, tag)) {
        Some((_, tag)) => Err(held(&tag.name)),
        None => Ok(()),
    }
}

fn held(tag: &str) -> Failure {
    Failure::precondition(format!("the tag {tag} configured as immutable, cannot be deleted"))
}

pub(super) fn repository(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.repository("repository", "delete")?;
    let rows = call.data.artifacts.iter().rev().filter(|(_, artifact)| artifact.repository == id);
    let artifacts: Vec<_> = rows.map(|(id, _)| id).collect();
    for artifact in &artifacts {
        check(call, id, *artifact)?;
    }
    for artifact in artifacts {
        delete(call, id, artifact);
    }
    let repository = call.data.repositories.remove(id).ok_or_else(Failure::internal)?;
    let operator = call.identity.name().to_owned();
    call.data.log(&operator, "delete", "repository", &repository.name, call.now);
    Ok(Reply::done())
}

pub(super) fn artifact(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let (repository, id) = call.artifact("artifact", "delete")?;
    check(call, repository, id)?;
    let name = delete(call, repository, id);
    let operator = call.identity.name().to_owned();
    call.data.log(&operator, "delete", "artifact", &name, call.now);
    Ok(Reply::done())
}

/// Deletes an artifact with its tags, triggers webhooks, and returns the name of the artifact.
fn delete(call: &mut Call<'_>, repository: Id<Repository>, id: Id<Artifact>) -> String {
    let tag =
        call.data.tags.find(|tag| tag.artifact == id).map(|(_, tag)| tag.name.clone()).unwrap_or_default();
    call.data.tags.retain(|_, tag| tag.artifact != id);
    let Some(artifact) = call.data.artifacts.remove(id) else { return String::new() };
    let now = call.now;
    let Some(row) = call.data.repositories.get_mut(repository) else { return String::new() };
    row.updated = now;
    let (name, created) = (row.name.clone(), row.created);
    let occurrence = Occurrence {
        event: Event::Delete,
        project: artifact.project,
        operator: call.identity.name(),
        repository: &name,
        repository_created: created,
        tag: &tag,
        digest: &artifact.digest,
        host: call.runtime.installation.registry_host(),
    };
    call.data.trigger_webhooks(&occurrence, &mut *call.runtime.entropy, now);
    format!("{name}:{tag}")
}

pub(super) fn tag(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let (repository, artifact) = call.artifact("tag", "delete")?;
    let name = call.parameter("tag_name").to_owned();
    let found = call.data.tags.find(|tag| tag.artifact == artifact && tag.name == name);
    let (id, tag) = found.ok_or_else(|| Failure::not_found(format!("tag {name} not found")))?;
    let row = call.data.repositories.get(repository).ok_or_else(Failure::internal)?;
    if call.data.is_immutable(row, tag) {
        return Err(held(&name));
    }
    let full = format!("{}:{name}", row.name);
    call.data.tags.remove(id);
    let operator = call.identity.name().to_owned();
    call.data.log(&operator, "delete", "tag", &full, call.now);
    Ok(Reply::done())
}
