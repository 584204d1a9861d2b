//! Replication policies.

use crate::{
    client::Client,
    failure::{rejected, system_error},
    manage::{Manage, Objects, desired, found, shown},
};
use harbor::{
    Feature, ReplicationId,
    replication::{self as api, FilterDecoration, NewReplication, ReplicationPolicy},
};
use harborstate::replication::{Direction, Facts, Filter, Replication, Trigger};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `replication`.
pub(crate) struct Replications;

impl Manage for Replications {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let policies = client.harbor.replications().list().await.map_err(system_error)?;
        let mut objects = Objects::new();
        for policy in &policies {
            objects.insert(policy.name.clone(), state(client, policy).await?);
        }
        Ok(objects)
    }

    async fn find(client: &Client, _: &str, name: &str) -> Result<Option<Value>, SystemError> {
        let Some(policy) = client.harbor.replications().find(name).await.map_err(system_error)? else {
            return Ok(None);
        };
        state(client, &policy).await.map(Some)
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let new = sent(client, &wanted.name, desired(wanted)?).await?;
        client.harbor.replications().create(&new).await.map(drop).map_err(system_error)
    }

    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        let policy: Replication = desired(wanted)?;
        let actual = found::<Replication>(actual)?;
        let stored = actual.state;
        let both = Replication {
            description: policy.description.or(stored.description),
            direction: policy.direction.or(stored.direction),
            registry: policy.registry.or(stored.registry),
            dest_namespace: policy.dest_namespace.or(stored.dest_namespace),
            dest_namespace_replace_count: policy
                .dest_namespace_replace_count
                .or(stored.dest_namespace_replace_count),
            trigger: policy.trigger.or(stored.trigger),
            filters: policy.filters.or(stored.filters),
            deletion: policy.deletion.or(stored.deletion),
            r#override: policy.r#override.or(stored.r#override),
            enabled: policy.enabled.or(stored.enabled),
            speed: policy.speed.or(stored.speed),
            copy_by_chunk: policy.copy_by_chunk.or(stored.copy_by_chunk),
            single_active_replication: policy.single_active_replication.or(stored.single_active_replication),
        };
        let new = sent(client, &wanted.name, both).await?;
        let id = ReplicationId(actual.facts.id);
        client.harbor.replications().replace(id, &new).await.map_err(system_error)
    }

    async fn delete(client: &Client, _: &str, actual: &Value) -> Result<(), SystemError> {
        let id = ReplicationId(found::<Replication>(actual)?.facts.id);
        client.harbor.replications().delete(id).await.map(drop).map_err(system_error)
    }
}

/// The state of a policy. One with a filter or trigger that the client does not know differs from every
/// desired one.
async fn state(client: &Client, policy: &ReplicationPolicy) -> Result<Value, SystemError> {
    let facts = Facts { id: policy.id.0 };
    let Some(policy) = policy.sent() else { return shown(Replication::default(), facts) };
    let (direction, id) = match policy.direction {
        api::Direction::Push(id) => (Direction::Push, id),
        api::Direction::Pull(id) => (Direction::Pull, id),
    };
    let state = Replication {
        description: Some(policy.description),
        direction: Some(direction),
        registry: Some(client.registry_name(id).await?),
        dest_namespace: Some(policy.dest_namespace),
        dest_namespace_replace_count: Some(policy.dest_namespace_replace_count),
        trigger: Some(trigger(policy.trigger)),
        filters: Some(policy.filters.into_iter().map(filter).collect()),
        deletion: Some(policy.deletion),
        r#override: Some(policy.r#override),
        enabled: Some(policy.enabled),
        speed: Some(policy.speed),
        copy_by_chunk: Some(policy.copy_by_chunk),
        single_active_replication: Some(policy.single_active_replication),
    };
    shown(state, facts)
}

fn trigger(trigger: api::Trigger) -> Trigger {
    let (kind, cron) = match trigger {
        api::Trigger::Manual => ("manual", String::new()),
        api::Trigger::EventBased => ("event_based", String::new()),
        api::Trigger::Scheduled(cron) => ("scheduled", cron),
    };
    Trigger { kind: kind.to_owned(), cron }
}

fn filter(filter: api::Filter) -> Filter {
    let excludes = |decoration: FilterDecoration| decoration == FilterDecoration::Excludes;
    match filter {
        api::Filter::Name(pattern) => Filter::Name { pattern },
        api::Filter::Tag(decoration, pattern) => Filter::Tag { pattern, excludes: excludes(decoration) },
        api::Filter::Label(decoration, labels) => Filter::Label { labels, excludes: excludes(decoration) },
        api::Filter::Resource(resource) => Filter::Resource { resource },
    }
}

async fn sent(client: &Client, name: &str, policy: Replication) -> Result<NewReplication, SystemError> {
    check(client, &policy).await?;
    let registry = client.registry(policy.registry.as_deref().unwrap_or_default()).await?;
    Ok(NewReplication {
        name: name.to_owned(),
        description: policy.description.unwrap_or_default(),
        direction: match policy.direction {
            Some(Direction::Pull) => api::Direction::Pull(registry),
            Some(Direction::Push) | None => api::Direction::Push(registry),
        },
        dest_namespace: policy.dest_namespace.unwrap_or_default(),
        dest_namespace_replace_count: policy.dest_namespace_replace_count.unwrap_or(-1),
        trigger: sent_trigger(policy.trigger)?,
        filters: policy.filters.unwrap_or_default().into_iter().map(sent_filter).collect(),
        deletion: policy.deletion.unwrap_or_default(),
        r#override: policy.r#override.unwrap_or_default(),
        enabled: policy.enabled.unwrap_or(true),
        speed: policy.speed.unwrap_or_default(),
        copy_by_chunk: policy.copy_by_chunk.unwrap_or_default(),
        single_active_replication: policy.single_active_replication.unwrap_or_default(),
    })
}

/// Harbor drops what its version does not have, and fails with 500 for events with a single run.
async fn check(client: &Client, policy: &Replication) -> Result<(), SystemError> {
    let single = policy.single_active_replication == Some(true);
    if single && policy.trigger.as_ref().is_some_and(|trigger| trigger.kind == "event_based") {
        return Err(rejected(
            "a replication that events start cannot be limited to a single run",
            "use another trigger, or leave single_active_replication out",
        ));
    }
    let chunks = policy.copy_by_chunk == Some(true);
    let asked = [
        (single, Feature::SingleActiveReplication, "single_active_replication"),
        (chunks, Feature::CopyByChunk, "copy_by_chunk"),
    ];
    for (_, feature, field) in asked.into_iter().filter(|(is_asked, ..)| *is_asked) {
        let info = client.harbor.server_info().await.map_err(system_error)?;
        if !info.has(feature) {
            let problem = format!("Harbor {} has no {field} for replications", info.version);
            return Err(rejected(problem, "upgrade Harbor, or leave it out"));
        }
    }
    Ok(())
}

fn sent_trigger(trigger: Option<Trigger>) -> Result<api::Trigger, SystemError> {
    let Some(trigger) = trigger else { return Ok(api::Trigger::Manual) };
    match trigger.kind.as_str() {
        "" | "manual" => Ok(api::Trigger::Manual),
        "event_based" => Ok(api::Trigger::EventBased),
        "scheduled" => Ok(api::Trigger::Scheduled(trigger.cron)),
        word => {
            let problem = format!("{word} starts no replication");
            Err(rejected(problem, "use manual, event_based or scheduled"))
        }
    }
}

fn sent_filter(filter: Filter) -> api::Filter {
    let decoration = |excludes| if excludes { FilterDecoration::Excludes } else { FilterDecoration::Matches };
    match filter {
        Filter::Name { pattern } => api::Filter::Name(pattern),
        Filter::Tag { pattern, excludes } => api::Filter::Tag(decoration(excludes), pattern),
        Filter::Label { labels, excludes } => api::Filter::Label(decoration(excludes), labels),
        Filter::Resource { resource } => api::Filter::Resource(resource),
    }
}
