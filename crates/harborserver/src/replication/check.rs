//! Which replication policies are refused.

use super::{
    Remote,
    request::{FilterRequest, PolicyRequest, RegistryReference},
};
use crate::{call::Call, cron::Cron, failure::Failure, registries::Registry, state::Id, version::Change};
use serde_json::Value;

/// The registry on the other side, if everything is as it should be. Names and the count of replaced parts of a
/// namespace are not checked.
pub(super) fn check(call: &Call<'_>, wanted: &PolicyRequest) -> Result<Remote, Failure> {
    if wanted.name.is_empty() {
        return Err(Failure::bad_request("empty name"));
    }
    let remote = remote(wanted)?;
    wanted.filters.iter().try_for_each(filter)?;
    trigger(call, wanted)?;
    let events = wanted.trigger.as_ref().is_some_and(|trigger| trigger.kind == "event_based");
    if call.has(Change::SingleActiveReplication) && wanted.single_active_replication && events {
        return Err(Failure::internal());
    }
    let registry: Id<Registry> = remote.registry();
    if call.data.registries.get(registry).is_none() {
        return Err(Failure::not_found(format!("registry {registry} not found")));
    }
    Ok(remote)
}

fn remote(wanted: &PolicyRequest) -> Result<Remote, Failure> {
    let set = |reference: &Option<RegistryReference>| {
        reference.as_ref().map(|registry| registry.id).filter(|id| *id != 0).map(Id::new)
    };
    match (set(&wanted.src_registry), set(&wanted.dest_registry)) {
        (Some(source), None) => Ok(Remote::Source(source)),
        (None, Some(destination)) => Ok(Remote::Destination(destination)),
        (None, None) | (Some(_), Some(_)) => Err(Failure::bad_request(
            "either src_registry or dest_registry should be empty and the other one shouldn't be empty",
        )),
    }
}

fn filter(filter: &FilterRequest) -> Result<(), Failure> {
    let decorated = !filter.decoration.is_empty();
    let problem = match filter.kind.as_str() {
        "name" | "resource" if decorated => "only tag and label filter support decoration".to_owned(),
        "name" | "tag" | "resource" if !filter.value.is_string() => {
            "the type of filter value isn't string".to_owned()
        }
        "resource" if !["image", "artifact", "chart"].iter().any(|kind| filter.value == *kind) => {
            format!("invalid resource filter: {}", filter.value.as_str().unwrap_or_default())
        }
        "label" if !filter.value.as_array().is_some_and(|labels| labels.iter().all(Value::is_string)) => {
            "the type of label filter value isn't string slice".to_owned()
        }
        "tag" | "label" if decorated && !["matches", "excludes"].contains(&filter.decoration.as_str()) => {
            "invalid filter decoration".to_owned()
        }
        "name" | "tag" | "resource" | "label" => return Ok(()),
        _ => "invalid filter type".to_owned(),
    };
    Err(Failure::bad_request(problem))
}

fn trigger(call: &Call<'_>, wanted: &PolicyRequest) -> Result<(), Failure> {
    let Some(trigger) = &wanted.trigger else { return Ok(()) };
    match trigger.kind.as_str() {
        "" | "manual" | "event_based" => Ok(()),
        "scheduled" => {
            let cron = trigger.cron().unwrap_or_default();
            if cron.is_empty() {
                return Err(Failure::bad_request(
                    "the cron string cannot be empty when the trigger type is scheduled",
                ));
            }
            if Cron::checked(cron, call.version()).is_err() {
                return Err(Failure::bad_request(format!(
                    "invalid cron string for scheduled trigger: {cron}"
                )));
            }
            if call.has(Change::ChecksCron) && cron.split_whitespace().nth(1) == Some("*") {
                return Err(Failure::bad_request(
                    "* is not allowed for the Minutes field of the cron setting of replication policy",
                ));
            }
            Ok(())
        }
        _ => Err(Failure::bad_request("invalid trigger type")),
    }
}
