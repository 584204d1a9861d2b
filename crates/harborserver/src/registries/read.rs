//! Reading registries.

use super::{Listed, Registry, health};
use crate::{call::Call, failure::Failure, rest::Reply, state::Id};

pub(super) fn missing(id: Id<Registry>) -> Failure {
    Failure::not_found(format!("registry {id} not found"))
}

pub(super) fn list(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let filter = call.filter()?.and_part_of_name(call.request.parameter("name"));
    call.on_system("registry", "list")?;
    let registries = call.data.registries.iter().map(|(id, registry)| Listed(id, registry));
    call.listed(&filter, "id", registries, |Listed(id, registry)| {
        registry.show_with(id, health::status(call, registry))
    })
}

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id = call.id("id")?;
    call.on_system("registry", "read")?;
    let registry = call.data.registries.get(id).ok_or_else(|| missing(id))?;
    Ok(Reply::json(registry.show_with(id, health::status(call, registry))))
}
