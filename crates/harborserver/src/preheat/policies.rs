//! Which images are preheated.

use super::{PreheatInstance, is_name};
use crate::{
    call::Call,
    clock::date_time,
    failure::Failure,
    projects::Project,
    rest::{Column, Reply, Row, Shown, go_struct},
    state::{Data, Id},
};
use jiff::Timestamp;
use serde_json::Value;

const RESOURCE: &str = "preheat-policy";

/// Which images of a project are preheated. Filters and trigger are JSON texts.
#[derive(Clone)]
pub(crate) struct PreheatPolicy {
    pub project: Id<Project>,
    pub provider: Id<PreheatInstance>,
    name: String,
    description: String,
    filters: String,
    trigger: String,
    extra_attrs: String,
    enabled: bool,
    created: Timestamp,
    updated: Timestamp,
}

go_struct! {
    PolicyRequest = "PreheatPolicy" {
        id: i64,
        name: String,
        description: String,
        provider_id: i64,
        filters: String,
        trigger: String,
        extra_attrs: String,
        enabled: bool,
    }
}

impl PreheatPolicy {
    fn new(wanted: PolicyRequest, project: Id<Project>, created: Timestamp, now: Timestamp) -> Self {
        Self {
            project,
            provider: Id::new(wanted.provider_id),
            name: wanted.name,
            description: wanted.description,
            filters: wanted.filters,
            trigger: wanted.trigger,
            extra_attrs: wanted.extra_attrs,
            enabled: wanted.enabled,
            created,
            updated: now,
        }
    }

    fn show(&self, id: Id<Self>, data: &Data) -> Value {
        let provider =
            data.preheat_instances.get(self.provider).map(|it| it.name.as_str()).unwrap_or_default();
        Shown::new()
            .with("id", id.number())
            .with("project_id", self.project.number())
            .with("provider_id", self.provider.number())
            .nonzero("provider_name", provider)
            .with("name", self.name.as_str())
            .nonzero("description", self.description.as_str())
            .nonzero("filters", self.filters.as_str())
            .nonzero("trigger", self.trigger.as_str())
            .nonzero("extra_attrs", self.extra_attrs.as_str())
            .with("enabled", self.enabled)
            .with("creation_time", date_time(self.created))
            .with("update_time", date_time(self.updated))
            .into()
    }
}

struct Listed<'a>(Id<PreheatPolicy>, &'a PreheatPolicy);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "name" => Some(Column::Text(self.1.name.clone())),
            "enabled" => Some(Column::Flag(self.1.enabled)),
            _ => None,
        }
    }
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    let project = call.project("project_name", RESOURCE, "list")?;
    let policies = call.data.preheat_policies.iter().filter(|(_, policy)| policy.project == project);
    call.listed(&filter, "-id", policies.map(|(id, policy)| Listed(id, policy)), |Listed(id, policy)| {
        policy.show(id, call.data)
    })
}

/// Refuses texts that are not JSON, and providers that do not exist.
fn check(call: &Call<'_>, wanted: &PolicyRequest) -> Result<(), Failure> {
    if !is_name(&wanted.name) {
        return Err(Failure::bad_request("policy name is not legal"));
    }
    for (name, text) in [("filters", &wanted.filters), ("trigger", &wanted.trigger)] {
        if !text.is_empty() && serde_json::from_str::<Value>(text).is_err() {
            return Err(Failure::bad_request(format!("invalid {name}")));
        }
    }
    let provider: Id<PreheatInstance> = Id::new(wanted.provider_id);
    if call.data.preheat_instances.get(provider).is_none() {
        return Err(Failure::not_found(format!("provider {provider} not found")));
    }
    Ok(())
}

pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: PolicyRequest = call.body("policy")?;
    let project = call.project("project_name", RESOURCE, "create")?;
    check(call, &wanted)?;
    if call.data.preheat_policies.find(|it| it.project == project && it.name == wanted.name).is_some() {
        call.data.preheat_policies.burn();
        return Err(Failure::conflict(format!("preheat policy {} already exists", wanted.name)));
    }
    let location = call.location(&wanted.name);
    call.data.preheat_policies.insert(PreheatPolicy::new(wanted, project, call.now, call.now));
    Ok(Reply::created(location))
}

/// The policy that the path names.
fn found<'a>(
    call: &'a Call<'_>,
    project: Id<Project>,
) -> Result<(Id<PreheatPolicy>, &'a PreheatPolicy), Failure> {
    let name = call.parameter("preheat_policy_name");
    let found = call.data.preheat_policies.find(|policy| policy.project == project && policy.name == name);
    found.ok_or_else(|| Failure::not_found(format!("preheat policy {name} not found")))
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let project = call.project("project_name", RESOURCE, "read")?;
    let (id, policy) = found(call, project)?;
    Ok(Reply::json(policy.show(id, call.data)))
}

pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: PolicyRequest = call.body("policy")?;
    let project = call.project("project_name", RESOURCE, "update")?;
    let (id, policy) = found(call, project)?;
    let created = policy.created;
    if wanted.id != id.number() {
        return Err(Failure::not_found(format!("preheat policy {} not found", wanted.id)));
    }
    check(call, &wanted)?;
    let now = call.now;
    if let Some(policy) = call.data.preheat_policies.get_mut(id) {
        *policy = PreheatPolicy::new(wanted, project, created, now);
    }
    Ok(Reply::done())
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let project = call.project("project_name", RESOURCE, "delete")?;
    let (id, _) = found(call, project)?;
    call.data.preheat_policies.remove(id);
    Ok(Reply::done())
}
