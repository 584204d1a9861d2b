//! Changes of webhooks: a body replaces all of a policy.

use super::{WebhookPolicy, read::found, request::PolicyRequest};
use crate::{call::Call, failure::Failure, jobs::Vendor, rest::Reply, state::Id};
use std::collections::BTreeMap;

fn taken(name: &str) -> Failure {
    Failure::conflict(format!("notification policy named {name} already exists"))
}

pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: PolicyRequest = call.body("policy")?;
    let project = call.project("project_name_or_id", "notification-policy", "create")?;
    let wanted = wanted.checked(call.version())?;
    if call.data.webhook_policies.find(|it| it.project == project && it.name == wanted.name).is_some() {
        call.data.webhook_policies.burn();
        return Err(taken(&wanted.name));
    }
    let id = call.data.webhook_policies.insert(WebhookPolicy {
        project,
        name: wanted.name,
        description: wanted.description,
        enabled: wanted.enabled,
        event_types: wanted.event_types,
        targets: wanted.targets,
        created: Some(call.now),
        updated: call.now,
        triggered: BTreeMap::new(),
    });
    Ok(Reply::created(call.location(&id.to_string())))
}

/// The time of creation is lost.
pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<WebhookPolicy> = call.id("webhook_policy_id")?;
    let wanted: PolicyRequest = call.body("policy")?;
    let project = call.project("project_name_or_id", "notification-policy", "update")?;
    found(call, project, id)?;
    let wanted = wanted.checked(call.version())?;
    let same_name = |(other, policy): (Id<WebhookPolicy>, &WebhookPolicy)| {
        other != id && policy.project == project && policy.name == wanted.name
    };
    if call.data.webhook_policies.iter().any(same_name) {
        return Err(taken(&wanted.name));
    }
    if let Some(policy) = call.data.webhook_policies.get_mut(id) {
        policy.name = wanted.name;
        policy.description = wanted.description;
        policy.enabled = wanted.enabled;
        policy.event_types = wanted.event_types;
        policy.targets = wanted.targets;
        policy.created = None;
    }
    Ok(Reply::done())
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<WebhookPolicy> = call.id("webhook_policy_id")?;
    let project = call.project("project_name_or_id", "notification-policy", "delete")?;
    found(call, project, id)?;
    call.data.webhook_policies.remove(id);
    for vendor in [Vendor::Webhook, Vendor::Slack] {
        call.data.jobs.forget(vendor, id.number());
    }
    Ok(Reply::done())
}
