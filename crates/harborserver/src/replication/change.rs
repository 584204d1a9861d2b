//! Changes of replication policies: a body replaces all of a policy.

use super::{
    Remote, ReplicationPolicy,
    check::check,
    read::missing,
    request::{PolicyRequest, TriggerRequest},
};
use crate::{call::Call, failure::Failure, jobs::Vendor, rest::Reply, state::Id};
use jiff::Timestamp;

impl ReplicationPolicy {
    fn new(mut wanted: PolicyRequest, remote: Remote, created: Timestamp, now: Timestamp) -> Self {
        wanted.trigger = wanted.trigger.filter(|trigger| !trigger.kind.is_empty());
        Self { wanted, remote, created, updated: now }
    }
}

pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: PolicyRequest = call.body("policy")?;
    call.on_system("replication-policy", "create")?;
    let remote = check(call, &wanted)?;
    if call.data.replication_policies.find(|policy| policy.wanted.name == wanted.name).is_some() {
        call.data.replication_policies.burn();
        return Err(taken(&wanted.name));
    }
    let policy = ReplicationPolicy::new(wanted, remote, call.now, call.now);
    let trigger = policy.wanted.trigger.clone();
    let id = call.data.replication_policies.insert(policy);
    schedule(call, id, trigger.as_ref());
    Ok(Reply::created(call.location(&id.to_string())))
}

fn taken(name: &str) -> Failure {
    Failure::conflict(format!("replication policy {name} already exists"))
}

fn schedule(call: &mut Call<'_>, id: Id<ReplicationPolicy>, trigger: Option<&TriggerRequest>) {
    call.data.jobs.unschedule(Vendor::Replication, id.number());
    if let Some(cron) = trigger.and_then(TriggerRequest::cron) {
        call.data.jobs.schedule(Vendor::Replication, id.number(), cron, call.now);
    }
}

pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<ReplicationPolicy> = call.id("id")?;
    let wanted: PolicyRequest = call.body("policy")?;
    call.on_system("replication-policy", "update")?;
    let created = call.data.replication_policies.get(id).ok_or_else(|| missing(id))?.created;
    let remote = check(call, &wanted)?;
    if call
        .data
        .replication_policies
        .iter()
        .any(|(other, policy)| other != id && policy.wanted.name == wanted.name)
    {
        return Err(taken(&wanted.name));
    }
    let policy = ReplicationPolicy::new(wanted, remote, created, call.now);
    let trigger = policy.wanted.trigger.clone();
    if let Some(stored) = call.data.replication_policies.get_mut(id) {
        *stored = policy;
    }
    schedule(call, id, trigger.as_ref());
    Ok(Reply::done())
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<ReplicationPolicy> = call.id("id")?;
    call.on_system("replication-policy", "delete")?;
    if call.data.replication_policies.get(id).is_none() {
        return Err(missing(id));
    }
    let mut executions = call.data.jobs.executions_of(Vendor::Replication, Some(id.number()));
    if executions.any(|(_, execution)| execution.is_running()) {
        return Err(Failure::precondition(
            "contains executions that aren't in final status, stop the execution first",
        ));
    }
    drop(executions);
    call.data.jobs.unschedule(Vendor::Replication, id.number());
    call.data.jobs.forget(Vendor::Replication, id.number());
    call.data.replication_policies.remove(id);
    Ok(Reply::done())
}
