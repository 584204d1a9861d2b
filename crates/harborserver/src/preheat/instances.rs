//! Peer-to-peer networks.

use super::is_name;
use crate::{
    call::Call,
    failure::Failure,
    network::Answer,
    rest::{Column, Reply, Row, Shown, go_struct},
    state::Id,
    version::Version,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const RESOURCE: &str = "preheat-instance";

/// A peer-to-peer network.
#[derive(Clone)]
pub(crate) struct PreheatInstance {
    pub name: String,
    description: String,
    vendor: String,
    endpoint: String,
    auth_mode: String,
    auth_info: BTreeMap<String, String>,
    enabled: bool,
    is_default: bool,
    insecure: bool,
    created: Timestamp,
}

go_struct! {
    InstanceRequest = "Instance" {
        id: i64,
        name: String,
        description: String,
        vendor: String,
        endpoint: String,
        auth_mode: String,
        auth_info: BTreeMap<String, String>,
        enabled: bool,
        is_default = "default": bool,
        insecure: bool,
    }
}

impl PreheatInstance {
    fn show(&self, id: Id<Self>, version: Version) -> Value {
        let hidden = version.hides_credentials();
        let auth: Map<String, Value> =
            self.auth_info.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
        Shown::new()
            .with("id", id.number())
            .with("name", self.name.as_str())
            .nonzero("description", self.description.as_str())
            .with("vendor", self.vendor.as_str())
            .with("endpoint", self.endpoint.as_str())
            .with("auth_mode", self.auth_mode.as_str())
            .nonzero("auth_info", Value::Object(if hidden { Map::new() } else { auth }))
            .with("enabled", self.enabled)
            .with("default", self.is_default)
            .with("insecure", self.insecure)
            .with("setup_timestamp", self.created.as_second())
            .with("status", "Unknown")
            .into()
    }
}

struct Listed<'a>(Id<PreheatInstance>, &'a PreheatInstance);

impl Row for Listed<'_> {
    fn column(&self, name: &str) -> Option<Column> {
        match name {
            "id" => Some(Column::Number(self.0.number())),
            "name" => Some(Column::Text(self.1.name.clone())),
            "vendor" => Some(Column::Text(self.1.vendor.clone())),
            "endpoint" => Some(Column::Text(self.1.endpoint.clone())),
            "enabled" => Some(Column::Flag(self.1.enabled)),
            _ => None,
        }
    }
}

pub(super) fn providers(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "list")?;
    let provider =
        |id: &str, name: &str| json!({ "id": id, "name": name, "authMode": ["NONE", "BASIC", "OAUTH"] });
    Ok(Reply::json(json!([provider("dragonfly", "Dragonfly"), provider("kraken", "Kraken")])))
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?;
    call.on_system(RESOURCE, "list")?;
    let instances = call.data.preheat_instances.iter().map(|(id, instance)| Listed(id, instance));
    let version = call.version();
    call.listed(&filter, "-id", instances, |Listed(id, instance)| instance.show(id, version))
}

/// Vendors are not checked, and nothing is called. A taken name is an error of Harbor's own.
pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: InstanceRequest = call.body("instance")?;
    call.on_system(RESOURCE, "create")?;
    if !is_name(&wanted.name) {
        return Err(Failure::bad_request("instance name is not legal"));
    }
    if wanted.endpoint.is_empty() {
        return Err(Failure::bad_request("endpoint cannot be empty"));
    }
    if call.data.preheat_instances.find(|instance| instance.name == wanted.name).is_some() {
        call.data.preheat_instances.burn();
        return Err(Failure::internal());
    }
    if call.data.preheat_instances.find(|instance| instance.endpoint == wanted.endpoint).is_some() {
        return Err(Failure::conflict("endpoint already exists"));
    }
    let location = call.location(&wanted.name);
    call.data.preheat_instances.insert(PreheatInstance {
        name: wanted.name,
        description: wanted.description,
        vendor: wanted.vendor,
        endpoint: wanted.endpoint,
        auth_mode: wanted.auth_mode,
        auth_info: wanted.auth_info,
        enabled: wanted.enabled,
        is_default: wanted.is_default,
        insecure: wanted.insecure,
        created: call.now,
    });
    Ok(Reply::created(location))
}

pub(super) fn ping(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: InstanceRequest = call.body("instance")?;
    call.on_system(RESOURCE, "read")?;
    match call.runtime.network.call(&wanted.endpoint, None) {
        Answer::Healthy => Ok(Reply::done()),
        Answer::Refused | Answer::Silent => Err(Failure::internal()),
    }
}

/// The instance that the path names.
fn found<'a>(call: &'a Call<'_>) -> Result<(Id<PreheatInstance>, &'a PreheatInstance), Failure> {
    let name = call.parameter("preheat_instance_name");
    let found = call.data.preheat_instances.find(|instance| instance.name == name);
    found.ok_or_else(|| Failure::not_found(format!("instance {name} not found")))
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "read")?;
    let (id, instance) = found(call)?;
    Ok(Reply::json(instance.show(id, call.version())))
}

/// Replaces everything; the body names the number. Where credentials are write-only, empty ones stay.
pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: InstanceRequest = call.body("instance")?;
    call.on_system(RESOURCE, "update")?;
    let (id, instance) = found(call)?;
    if wanted.id != id.number() {
        return Err(Failure::not_found(format!("instance {} not found", wanted.id)));
    }
    if wanted.vendor != instance.vendor {
        return Err(Failure::internal());
    }
    if !wanted.enabled && uses(call, id) {
        return Err(in_use(&instance.name, "disabled"));
    }
    let keeps = wanted.auth_info.is_empty() && call.version().hides_credentials();
    if let Some(instance) = call.data.preheat_instances.get_mut(id) {
        instance.name = wanted.name;
        instance.description = wanted.description;
        instance.endpoint = wanted.endpoint;
        instance.auth_mode = wanted.auth_mode;
        if !keeps {
            instance.auth_info = wanted.auth_info;
        }
        instance.enabled = wanted.enabled;
        instance.is_default = wanted.is_default;
        instance.insecure = wanted.insecure;
    }
    Ok(Reply::done())
}

fn uses(call: &Call<'_>, id: Id<PreheatInstance>) -> bool {
    call.data.preheat_policies.find(|policy| policy.provider == id).is_some()
}

fn in_use(name: &str, done: &str) -> Failure {
    Failure::precondition(format!("Provider [{name}] cannot be {done} as some preheat policies are using it"))
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system(RESOURCE, "delete")?;
    let (id, instance) = found(call)?;
    if uses(call, id) {
        return Err(in_use(&instance.name, "deleted"));
    }
    call.data.preheat_instances.remove(id);
    Ok(Reply::done())
}
