//! Tags of artifacts.

use super::{ListedTag, Tag};
use crate::{
    call::Call,
    failure::Failure,
    rest::{Content, Reply, go_struct},
};
use http::StatusCode;

go_struct! { TagRequest = "Tag" { name: String } }

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let (filter, asked) = (call.filter()?, call.request.flag("with_immutable_status")?.unwrap_or(false));
    let (repository, artifact) = call.artifact("tag", "list")?;
    let rows = call.data.tags.iter().rev().filter(|(_, tag)| tag.artifact == artifact);
    let rows = rows.map(|(id, tag)| ListedTag(id, tag));
    call.listed(&filter, "-push_time", rows, |ListedTag(id, tag)| {
        let row = call.data.repositories.get(repository);
        let immutable = asked && row.is_some_and(|repository| call.data.is_immutable(repository, tag));
        tag.show(id, call.version(), immutable)
    })
}

/// The answer does not tell where the tag is.
pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: TagRequest = call.body("tag")?;
    let (repository, artifact) = call.artifact("tag", "create")?;
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if wanted.name.is_empty() || wanted.name.len() > 128 || !wanted.name.bytes().all(legal) {
        return Err(Failure::bad_request("the tag name is not legal"));
    }
    if call.data.tags.find(|tag| tag.repository == repository && tag.name == wanted.name).is_some() {
        return Err(Failure::conflict(format!("tag {} already exists", wanted.name)));
    }
    let name = wanted.name.clone();
    call.data.tags.insert(Tag { repository, artifact, name: wanted.name, pushed: call.now, pulled: None });
    let repository = call.data.repositories.get(repository).map(|it| it.name.clone()).unwrap_or_default();
    let operator = call.identity.name().to_owned();
    call.data.log(&operator, "create", "tag", &format!("{repository}:{name}"), call.now);
    Ok(Reply::new(StatusCode::CREATED, Content::Nothing))
}
