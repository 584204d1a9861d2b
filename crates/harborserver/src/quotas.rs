//! Limits of what projects store.

use crate::{
    call::Call,
    clock::date_time,
    configurations::quota_problem,
    failure::Failure,
    projects::Project,
    rest::{Column, Filter, Reply, Route, Row, Term, go_struct},
    state::{Data, Id},
};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The endpoints of quotas.
pub(crate) const ROUTES: &[Route] =
    &[Route::get("/quotas", list), Route::get("/quotas/{id}", read), Route::put("/quotas/{id}", update)];

/// A limit of what a project stores.
#[derive(Clone)]
pub(crate) struct Quota {
    pub project: Id<Project>,
    /// Bytes; -1 is no limit.
    pub hard: i64,
    pub created: Timestamp,
    /// Unset by an update: Harbor writes the zero time.
    pub updated: Option<Timestamp>,
}

go_struct! { QuotaRequest = "QuotaUpdateReq" { hard: BTreeMap<String, i64> } }

struct Listed<'a> {
    id: Id<Quota>,
    quota: &'a Quota,
    project: &'a Project,
    used: i64,
}

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.id.number())),
            "reference" => Some(Column::Text("project".to_owned())),
            "referenceid" => Some(Column::Text(self.quota.project.to_string())),
            // No limit is the largest one.
            "hard.storage" => {
                Some(Column::Number(if self.quota.hard < 0 { i64::MAX } else { self.quota.hard }))
            }
            "used.storage" => Some(Column::Number(self.used)),
            "creationtime" => Some(Column::Time(Some(self.quota.created))),
            "updatetime" => Some(Column::Time(self.quota.updated)),
            _ => None,
        }
    }
}

impl Listed<'_> {
    fn show(&self) -> Value {
        json!({
            "id": self.id.number(),
            "ref": { "id": self.quota.project.number(), "name": self.project.name, "owner_name": "" },
            "hard": { "storage": self.quota.hard },
            "used": { "storage": self.used },
            "creation_time": date_time(self.quota.created),
            "update_time": date_time(self.quota.updated),
        })
    }
}

impl Data {
    fn listed_quotas(&self) -> impl Iterator<Item = Listed<'_>> {
        self.quotas.iter().rev().filter_map(|(id, quota)| {
            let project = self.projects.get(quota.project)?;
            Some(Listed { id, quota, project, used: self.used_storage(quota.project) })
        })
    }

    /// The quota of a project, if it has one.
    pub fn quota_of(&self, project: Id<Project>) -> Option<&Quota> {
        self.quotas.find(|quota| quota.project == project).map(|(_, quota)| quota)
    }

    /// What the artifacts of a project take.
    pub fn used_storage(&self, project: Id<Project>) -> i64 {
        self.artifacts.iter().filter(|(_, artifact)| artifact.project == project).map(|(_, it)| it.size).sum()
    }
}

fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system("quota", "list")?;
    let mut filter = Filter::default();
    for name in ["reference", "reference_id"] {
        if let Some(value) = call.request.parameter(name) {
            filter = filter.and(name, Term::Exact(value.to_owned()));
        }
    }
    call.listed(&filter, "-creation_time", call.data.listed_quotas(), |quota| quota.show())
}

fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Quota> = call.id("id")?;
    call.on_system("quota", "read")?;
    let found = call.data.listed_quotas().find(|quota| quota.id == id);
    Ok(Reply::json(found.ok_or_else(|| Failure::not_found(format!("quota {id} not found")))?.show()))
}

fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Quota> = call.id("id")?;
    let wanted: QuotaRequest = call.body("hard")?;
    call.on_system("quota", "update")?;
    if wanted.hard.is_empty() {
        return Err(Failure::bad_request("hard required in body"));
    }
    let version = call.version();
    let quota =
        call.data.quotas.get_mut(id).ok_or_else(|| Failure::not_found(format!("quota {id} not found")))?;
    if let Some(other) = wanted.hard.keys().find(|name| *name != "storage") {
        return Err(Failure::bad_request(format!("resource {other} not support")));
    }
    let hard = wanted.hard.get("storage").copied().unwrap_or(-1);
    if let Some(problem) = quota_problem(hard, version, "invalid value for resource storage") {
        return Err(Failure::bad_request(problem));
    }
    quota.hard = hard;
    quota.updated = None;
    Ok(Reply::done())
}
