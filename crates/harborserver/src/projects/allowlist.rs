//! Vulnerabilities that are overlooked, by a project or by all of Harbor.

use super::{Project, request::AllowlistRequest};
use crate::{
    call::Call,
    clock::{NEVER, date_time},
    failure::Failure,
    rest::{Reply, Shown},
    state::{Data, Id},
    version::{Change, Version},
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// A list of vulnerabilities to overlook.
#[derive(Clone)]
pub(crate) struct Allowlist {
    /// None: that of the system.
    pub project: Option<Id<Project>>,
    items: Vec<String>,
    expires_at: Option<i64>,
    updated: Timestamp,
}

impl Allowlist {
    pub fn empty(project: Option<Id<Project>>, now: Timestamp) -> Self {
        Self { project, items: Vec::new(), expires_at: None, updated: now }
    }

    /// As projects show theirs: without times.
    pub fn show(&self, id: Id<Self>) -> Shown {
        let items: Vec<Value> = self.items.iter().map(|item| json!({ "cve_id": item })).collect();
        Shown::new()
            .with("id", id.number())
            .nonzero("project_id", self.project.map_or(0, Id::number))
            .nonzero("expires_at", self.expires_at)
            .with("items", items)
            .with("creation_time", NEVER)
            .with("update_time", NEVER)
    }
}

/// Refuses a list with doubles, as Harbor does: as an error of its own.
pub(super) fn check(wanted: &AllowlistRequest, version: Version) -> Result<(), Failure> {
    let mut ids: Vec<&str> = wanted.items.iter().map(|item| item.cve_id.as_str()).collect();
    if version.has(Change::RefusesBlankCves) && ids.iter().any(|id| id.trim().is_empty()) {
        return Err(Failure::internal());
    }
    ids.sort_unstable();
    if ids.windows(2).any(|pair| matches!(pair, [one, other] if one == other)) {
        return Err(Failure::internal());
    }
    Ok(())
}

impl Data {
    /// The list of a project or of the system.
    pub fn allowlist(&self, project: Option<Id<Project>>) -> Option<(Id<Allowlist>, &Allowlist)> {
        self.allowlists.find(|list| list.project == project)
    }

    /// Replaces a list. The row stays, yet a number is used up: Harbor inserts and, on conflict, updates.
    pub(super) fn set_allowlist(
        &mut self,
        project: Option<Id<Project>>,
        wanted: &AllowlistRequest,
        now: Timestamp,
    ) {
        let list = Allowlist {
            project,
            items: wanted.items.iter().map(|item| item.cve_id.clone()).collect(),
            expires_at: wanted.expires_at,
            updated: now,
        };
        match self.allowlist(project).map(|(id, _)| id) {
            Some(id) => {
                self.allowlists.burn();
                if let Some(stored) = self.allowlists.get_mut(id) {
                    *stored = list;
                }
            }
            None => {
                self.allowlists.insert(list);
            }
        }
    }
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.authenticated()?;
    let Some((id, list)) = call.data.allowlist(None) else {
        return Ok(Reply::json(json!({ "items": [], "creation_time": NEVER, "update_time": NEVER })));
    };
    let time = date_time(list.updated);
    Ok(Reply::json(list.show(id).with("creation_time", time.clone()).with("update_time", time)))
}

pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: AllowlistRequest = call.optional_body("allowlist")?.unwrap_or_default();
    call.on_system("configuration", "update")?;
    check(&wanted, call.version())?;
    call.data.set_allowlist(None, &wanted, call.now);
    Ok(Reply::done())
}
