//! Audit logs: who did what.

use crate::{
    call::Call,
    clock::date_time,
    failure::Failure,
    projects::Project,
    rest::{Column, Filter, Page, Reply, Route, Row, Shown},
    state::{Data, Id},
    version::Change,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// The endpoints of audit logs.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/audit-logs", list),
    Route::get("/projects/{project_name}/logs", list_of_project),
    Route::get("/auditlog-exts", list_ext).since(13),
    Route::get("/auditlog-exts/events", events).since(13),
    Route::get("/projects/{project_name}/auditlog-exts", list_ext_of_project).since(13),
];

const EVENTS: [&str; 14] = [
    "create_artifact",
    "delete_artifact",
    "pull_artifact",
    "create_project",
    "delete_project",
    "delete_repository",
    "login_user",
    "logout_user",
    "create_user",
    "delete_user",
    "update_user",
    "create_robot",
    "delete_robot",
    "update_configuration",
];

/// An operation on a resource.
#[derive(Clone)]
pub(crate) struct AuditEntry {
    user: String,
    operation: &'static str,
    resource_type: &'static str,
    resource: String,
    /// Whether the old or the new log holds it.
    log: Log,
    time: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Log {
    Old,
    New,
}

struct Listed<'a>(Id<AuditEntry>, &'a AuditEntry);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "username" => Some(Column::Text(self.1.user.clone())),
            "operation" => Some(Column::Text(self.1.operation.to_owned())),
            "resourcetype" => Some(Column::Text(self.1.resource_type.to_owned())),
            "resource" => Some(Column::Text(self.1.resource.clone())),
            "optime" => Some(Column::Time(Some(self.1.time))),
            _ => None,
        }
    }
}

impl Listed<'_> {
    fn show(&self) -> Value {
        let Self(id, entry) = self;
        let shown = Shown::new()
            .with("id", id.number())
            .with("username", entry.user.as_str())
            .with("operation", entry.operation)
            .with("resource_type", entry.resource_type)
            .nonzero("resource", entry.resource.as_str())
            .with("op_time", date_time(entry.time));
        match entry.log {
            Log::Old => shown.into(),
            Log::New => {
                let description = format!("{} {}: {}", entry.operation, entry.resource_type, entry.resource);
                shown.with("operation_description", description).with("operation_result", true).into()
            }
        }
    }
}

impl Data {
    /// Writes an entry. Since 2.13 the new log gets it, which knows other events.
    pub fn log(
        &mut self,
        user: &str,
        operation: &'static str,
        resource_type: &'static str,
        resource: &str,
        now: Timestamp,
    ) {
        let log = if self.version.has(Change::AuditLogExt) { Log::New } else { Log::Old };
        let event = format!("{operation}_{resource_type}");
        let old = ["project", "repository", "artifact", "tag"].contains(&resource_type);
        let disabled = self.configuration.text("disabled_audit_log_event_types", now);
        let wanted = match log {
            Log::Old => old,
            Log::New => {
                EVENTS.contains(&event.as_str())
                    && disabled.split(',').all(|disabled| disabled.trim() != event)
            }
        };
        if wanted && !self.configuration.flag("skip_audit_log_database", now) {
            let (user, resource) = (user.to_owned(), resource.to_owned());
            self.audit.insert(AuditEntry { user, operation, resource_type, resource, log, time: now });
        }
    }
}

fn entries(
    call: &Call<'_>,
    log: Log,
    filter: &Filter,
    project: Option<Id<Project>>,
) -> Result<Reply, Failure> {
    let name = project.and_then(|id| call.data.projects.get(id)).map(|project| project.name.as_str());
    let own = |entry: &AuditEntry| name.is_none_or(|name| entry.resource.split('/').next() == Some(name));
    let rows = call.data.audit.iter().rev().filter(|(_, entry)| entry.log == log && own(entry));
    call.listed(filter, "-op_time", rows.map(|(id, entry)| Listed(id, entry)), |entry| entry.show())
}

fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    Page::of(call.request)?;
    call.on_system("audit-log", "list")?;
    entries(call, Log::Old, &filter, None)
}

fn list_of_project(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    let project = call.project("project_name", "log", "list")?;
    entries(call, Log::Old, &filter, Some(project))
}

fn list_ext(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    Page::of(call.request)?;
    call.on_system("audit-log", "list")?;
    entries(call, Log::New, &filter, None)
}

fn list_ext_of_project(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    let project = call.project("project_name", "log", "list")?;
    entries(call, Log::New, &filter, Some(project))
}

fn events(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.authenticated()?;
    Ok(Reply::json(EVENTS.iter().map(|event| json!({ "event_type": event })).collect::<Vec<Value>>()))
}
