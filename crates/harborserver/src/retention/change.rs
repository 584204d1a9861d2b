//! Changes of retention policies.

use super::{RetentionPolicy, read::found, request::PolicyRequest};
use crate::{
    call::Call, cron::Cron, failure::Failure, jobs::Vendor, projects::Project, rest::Reply, state::Id,
    version::Change,
};
use serde_json::Value;

const MOST_RULES: usize = 15;

/// The policy of a body. Template, action, selectors, parameters and algorithm are not checked.
fn checked(call: &Call<'_>, wanted: PolicyRequest) -> Result<RetentionPolicy, Failure> {
    let trigger = wanted.trigger.unwrap_or_default();
    let cron = trigger.settings.get("cron").and_then(Value::as_str).map(str::to_owned);
    if let Some(text) = cron.as_deref().filter(|text| !text.is_empty() && call.has(Change::ChecksCron)) {
        Cron::checked(text, call.version()).map_err(|problem| {
            Failure::bad_request(format!(
                "invalid cron string for scheduled tag retention: {text}, error: {problem}"
            ))
        })?;
    }
    if wanted.rules.len() > MOST_RULES {
        return Err(Failure::bad_request(format!(
            "bad request: only {MOST_RULES} rules are allowed at most"
        )));
    }
    for (index, rule) in wanted.rules.iter().enumerate() {
        if let Some(other) = wanted.rules.iter().take(index).position(|other| other.equals(rule)) {
            return Err(Failure::conflict(format!(
                "resource conflict: rule {index} is conflict with rule {other}"
            )));
        }
    }
    let project = Id::new(wanted.scope.map_or(0, |scope| scope.reference));
    Ok(RetentionPolicy {
        project,
        algorithm: wanted.algorithm,
        rules: wanted.rules,
        trigger: trigger.kind,
        cron,
    })
}

pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: PolicyRequest = call.body("policy")?;
    call.authenticated()?;
    let policy = checked(call, wanted)?;
    let project: Id<Project> = policy.project;
    if call.data.projects.get(project).is_none() {
        return Err(call.missing_project(&project.to_string()));
    }
    call.in_project(project, "tag-retention", "create")?;
    if let Some((known, _)) = call.data.retention_policies.find(|known| known.project == project) {
        return Err(Failure::bad_request(format!(
            "bad request: project {project} already has retention policy {known}"
        )));
    }
    let id = call.data.insert_retention(policy, call.now);
    Ok(Reply::created(call.location(&id.to_string())))
}

/// Replaces a policy. The schedule stays as long as its time does.
pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<RetentionPolicy> = call.id("id")?;
    let wanted: PolicyRequest = call.body("policy")?;
    let project = found(call, id, "update")?.project;
    let policy = checked(call, wanted)?;
    if policy.project != project {
        return Err(Failure::not_found(format!(
            "resource not found: the retention policy id {id} does not match"
        )));
    }
    let cron = policy.cron().map(str::to_owned);
    let scheduled = call.data.jobs.schedule_of(Vendor::Retention, id.number());
    if scheduled.map(|(_, schedule)| schedule.cron.clone()) != cron {
        call.data.jobs.unschedule(Vendor::Retention, id.number());
        if let Some(cron) = cron {
            call.data.jobs.schedule(Vendor::Retention, id.number(), &cron, call.now);
        }
    }
    if let Some(stored) = call.data.retention_policies.get_mut(id) {
        *stored = policy;
    }
    Ok(Reply::done())
}

/// Harbor crashes where a policy never had a cron text, not even an empty one.
pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<RetentionPolicy> = call.id("id")?;
    let policy = found(call, id, "delete")?;
    if policy.trigger == "Schedule" && policy.cron.is_none() {
        return Err(Failure::panic());
    }
    call.data.delete_retention(id);
    Ok(Reply::done())
}
