//! Reading retention policies.

use super::RetentionPolicy;
use crate::{call::Call, failure::Failure, rest::Reply, state::Id};

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("id")?;
    let policy = found(call, id, "read")?;
    Ok(Reply::json(policy.show(id, call.version(), call.now)))
}

/// A policy, after refusing whoever may not do this in its project. One that is missing is an error of Harbor's own.
pub(super) fn found<'a>(
    call: &'a Call<'_>,
    id: Id<RetentionPolicy>,
    action: &str,
) -> Result<&'a RetentionPolicy, Failure> {
    call.authenticated()?;
    let policy = call.data.retention_policies.get(id).ok_or_else(Failure::internal)?;
    call.in_project(policy.project, "tag-retention", action)?;
    Ok(policy)
}
