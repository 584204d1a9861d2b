//! The end of projects.

use super::Project;
use crate::{call::Call, failure::Failure, rest::Reply, state::Id, version::Change};
use serde_json::json;

const FULL: &str = "the project contains repositories, can not be deleted";

pub(super) fn deletable(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.project("project_name_or_id", "project", "delete")?;
    Ok(Reply::json(match call.data.repository_count(id) {
        0 => json!({ "deletable": true }),
        _ => json!({ "message": FULL }),
    }))
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.project("project_name_or_id", "project", "delete")?;
    if call.data.repository_count(id) > 0 {
        return Err(Failure::precondition(format!("precondition failed: {FULL}")));
    }
    let project = call.data.projects.remove(id).ok_or_else(Failure::internal)?;
    delete_belongings(call, id);
    let name = call.identity.name().to_owned();
    call.data.log(&name, "delete", "project", &project.name, call.now);
    Ok(Reply::done())
}

/// Harbor does some of this after the answer.
fn delete_belongings(call: &mut Call<'_>, id: Id<Project>) {
    call.data.allowlists.retain(|_, list| list.project != Some(id));
    call.data.quotas.retain(|_, quota| quota.project != id);
    call.data.members.retain(|_, member| member.project != id);
    call.data.robots.retain(|_, robot| robot.project != Some(id));
    call.data.immutable_rules.retain(|_, rule| rule.project != id);
    call.data.webhook_policies.retain(|_, policy| policy.project != id);
    call.data.preheat_policies.retain(|_, policy| policy.project != id);
    if call.has(Change::DeletesRetentionWithProject) {
        let own = call.data.retention_policies.iter().filter(|(_, policy)| policy.project == id);
        let policies: Vec<_> = own.map(|(id, _)| id).collect();
        for policy in policies {
            call.data.delete_retention(policy);
        }
    }
}
