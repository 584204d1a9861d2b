//! Reading webhooks.

use super::{Listed, WebhookPolicy};
use crate::{
    call::Call,
    clock::date_time,
    failure::Failure,
    projects::Project,
    rest::{Reply, Shown, Sort},
    state::{Data, Id},
};
use serde_json::Value;

fn of_project(data: &Data, project: Id<Project>) -> impl Iterator<Item = Listed<'_>> {
    let policies = data.webhook_policies.iter().rev().filter(move |(_, policy)| policy.project == project);
    policies.map(|(id, policy)| Listed(id, policy))
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    let project = call.project("project_name_or_id", "notification-policy", "list")?;
    let version = call.version();
    call.listed(&filter, "-creation_time", of_project(call.data, project), |Listed(id, policy)| {
        policy.show(id, version)
    })
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<WebhookPolicy> = call.id("webhook_policy_id")?;
    let project = call.project("project_name_or_id", "notification-policy", "read")?;
    Ok(Reply::json(found(call, project, id)?.show(id, call.version())))
}

/// A policy of this project.
pub(super) fn found<'a>(
    call: &'a Call<'_>,
    project: Id<Project>,
    id: Id<WebhookPolicy>,
) -> Result<&'a WebhookPolicy, Failure> {
    let policy = call.data.webhook_policies.get(id).filter(|policy| policy.project == project);
    policy.ok_or_else(|| Failure::not_found(format!("notification policy {id} not found")))
}

/// When each policy was last triggered, by event.
pub(super) fn last_triggers(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let project = call.project("project_name_or_id", "notification-policy", "read")?;
    let mut policies: Vec<_> = of_project(call.data, project).collect();
    Sort::of(call.request, "-creation_time").apply(&mut policies);
    let show = |policy: &WebhookPolicy, event: &String| -> Value {
        Shown::new()
            .with("policy_name", policy.name.as_str())
            .with("event_type", event.as_str())
            .nonzero("enabled", policy.enabled)
            .with("creation_time", date_time(policy.created))
            .with("last_trigger_time", date_time(policy.triggered.get(event).copied()))
            .into()
    };
    let rows = policies
        .iter()
        .flat_map(|Listed(_, policy)| policy.event_types.iter().map(|event| show(policy, event)));
    Ok(Reply::json(rows.collect::<Vec<Value>>()))
}
