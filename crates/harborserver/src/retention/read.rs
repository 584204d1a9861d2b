//! Reading retention policies.

use super::RetentionPolicy;
use crate::{call::Call, failure::Failure, rest::Reply, state::Id};

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("id")?;
    let policy = found(call, id, "read")?;
    Ok(Reply::json(policy.show(id, call.version(), call.now)))
}

/// Returns a policy after a check of permissions in its project. Harbor answers 500 for a policy that does not exist.
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
