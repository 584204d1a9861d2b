//! The executions of webhooks: what Harbor has sent.

use super::{WebhookPolicy, read::found};
use crate::{
    call::Call,
    clock::seconds,
    failure::Failure,
    jobs::{Listed, Status, Vendor},
    rest::{Reply, Shown},
    state::Id,
};
use serde_json::{Value, json};

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<WebhookPolicy> = call.id("webhook_policy_id")?;
    let filter = call.filter()?;
    let project = call.project("project_name_or_id", "notification-policy", "read")?;
    found(call, project, id)?;
    let number = Some(id.number());
    let http = call.data.jobs.executions_of(Vendor::Webhook, number);
    let slack = call.data.jobs.executions_of(Vendor::Slack, number);
    let rows = http.chain(slack).map(|(id, execution)| Listed(id, execution));
    call.listed(&filter, "-id", rows, |Listed(id, execution)| {
        let tasks = call.data.jobs.tasks_of(id).count();
        let succeeded = if execution.status == Status::Success { tasks } else { 0 };
        let metrics: Value =
            Shown::new().nonzero("task_count", tasks).nonzero("success_task_count", succeeded).into();
        json!({
            "id": id.number(),
            "vendor_type": execution.vendor.name(),
            "vendor_id": execution.vendor_id,
            "status": execution.status.name(),
            "trigger": execution.trigger.name(),
            "metrics": metrics,
            "extra_attrs": Value::Object(execution.parameters.clone()),
            "start_time": seconds(execution.started),
            "end_time": execution.ended.map(seconds),
        })
    })
}
