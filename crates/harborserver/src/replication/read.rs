//! Reading replication policies.

use super::{Listed, ReplicationPolicy};
use crate::{call::Call, failure::Failure, rest::Reply, state::Id};

pub(super) fn missing(id: Id<ReplicationPolicy>) -> Failure {
    Failure::not_found(format!("replication policy {id} not found"))
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?.and_part_of_name(call.request.parameter("name"));
    call.on_system("replication-policy", "list")?;
    let policies = call.data.replication_policies.iter().rev().map(|(id, policy)| Listed(id, policy));
    let core_url = &call.runtime.installation.core_url;
    call.listed(&filter, "-creation_time", policies, |Listed(id, policy)| {
        policy.show(id, call.data, core_url, call.version())
    })
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("id")?;
    call.on_system("replication-policy", "read")?;
    let policy = call.data.replication_policies.get(id).ok_or_else(|| missing(id))?;
    Ok(Reply::json(policy.show(id, call.data, &call.runtime.installation.core_url, call.version())))
}
