//! Replication policies: copies of repositories from and to other registries.

mod change;
mod check;
mod executions;
mod read;
mod request;

use crate::{
    clock::date_time,
    registries::Registry,
    rest::{Column, Route, Row, Shown},
    state::{Data, Id},
    version::{Change, Version},
};
use jiff::Timestamp;
use request::{FilterRequest, PolicyRequest, TriggerRequest};
use serde_json::Value;

/// The endpoints of replication.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/replication/policies", read::list),
    Route::post("/replication/policies", change::create),
    Route::get("/replication/policies/{id}", read::read),
    Route::put("/replication/policies/{id}", change::update),
    Route::delete("/replication/policies/{id}", change::delete),
    Route::get("/replication/executions", executions::list),
    Route::post("/replication/executions", executions::start),
    Route::get("/replication/executions/{id}", executions::read),
    Route::put("/replication/executions/{id}", executions::stop),
    Route::get("/replication/executions/{id}/tasks", executions::tasks),
    Route::get("/replication/executions/{id}/tasks/{task_id}/log", executions::log).text(),
];

/// What is copied, from where, whereto and when.
#[derive(Clone)]
pub(crate) struct ReplicationPolicy {
    wanted: PolicyRequest,
    remote: Remote,
    created: Timestamp,
    updated: Timestamp,
}

/// The registry on the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remote {
    Source(Id<Registry>),
    Destination(Id<Registry>),
}

impl Remote {
    pub const fn registry(self) -> Id<Registry> {
        match self {
            Self::Source(id) | Self::Destination(id) => id,
        }
    }
}

impl ReplicationPolicy {
    pub fn uses(&self, registry: Id<Registry>) -> bool {
        self.remote.registry() == registry
    }

    /// Changes the number of the registry on the other side.
    pub fn renumber(&mut self, renumbered: impl Fn(Id<Registry>) -> Id<Registry>) {
        self.remote = match self.remote {
            Remote::Source(id) => Remote::Source(renumbered(id)),
            Remote::Destination(id) => Remote::Destination(renumbered(id)),
        };
    }

    /// Both sides are shown in full, the local one included.
    fn show(&self, id: Id<Self>, data: &Data, core_url: &str, version: Version) -> Value {
        let local = Registry::show_local(core_url);
        let registry = self.remote.registry();
        let remote = data.registries.get(registry).map(|it| it.show(registry)).unwrap_or_default();
        let (source, destination) = match self.remote {
            Remote::Source(_) => (remote, local),
            Remote::Destination(_) => (local, remote),
        };
        let wanted = &self.wanted;
        let filters = if wanted.filters.is_empty() {
            Value::Null
        } else {
            wanted.filters.iter().map(FilterRequest::show).collect()
        };
        let single_active = wanted.single_active_replication;
        Shown::new()
            .with("id", id.number())
            .with("name", wanted.name.as_str())
            .nonzero("description", wanted.description.as_str())
            .with("src_registry", source)
            .with("dest_registry", destination)
            .nonzero("dest_namespace", wanted.dest_namespace.as_str())
            .with("dest_namespace_replace_count", wanted.replace_count())
            .nonzero("trigger", wanted.trigger.as_ref().map(TriggerRequest::show))
            .with("filters", filters)
            .nonzero("deletion", wanted.deletion)
            .nonzero("replicate_deletion", wanted.deletion)
            .nonzero("override", wanted.overrides)
            .nonzero("enabled", wanted.enabled)
            .with("speed", wanted.speed.max(0))
            .when(version.has(Change::CopiesByChunk), "copy_by_chunk", wanted.copy_by_chunk)
            .when(version.has(Change::SingleActiveReplication), "single_active_replication", single_active)
            .with("creation_time", date_time(self.created))
            .with("update_time", date_time(self.updated))
            .into()
    }
}

struct Listed<'a>(Id<ReplicationPolicy>, &'a ReplicationPolicy);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "name" => Some(Column::Text(self.1.wanted.name.clone())),
            "enabled" => Some(Column::Flag(self.1.wanted.enabled)),
            "creationtime" => Some(Column::Time(Some(self.1.created))),
            "updatetime" => Some(Column::Time(Some(self.1.updated))),
            _ => None,
        }
    }
}
