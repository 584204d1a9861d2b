//! The replication policy itself.

use crate::management::{Registries, Server};
use api::v1beta1::{
    HarborReplicationSpec,
    harborreplication::{ReplicationFilters, ReplicationResource},
    name::ObjectName,
};
use harbor::Feature;
use harborstate::replication::{Direction, Filter, Replication, Trigger};
use plan::{All as _, PlanError};
use std::collections::BTreeSet;

/// Where artifacts are copied, and the endpoint of the registry on the other side.
pub(super) fn other_side(
    spec: &HarborReplicationSpec,
    registries: &Registries<'_>,
) -> Result<(Direction, String), PlanError> {
    let named = |name: &Option<String>, field: &str| Some(registries.named(name.as_deref()?, field));
    let referenced =
        |name: &Option<ObjectName>, field: &str| Some(registries.referenced(name.as_deref()?, field));
    let sides = [
        (Direction::Pull, referenced(&spec.source_registry_ref, "spec.sourceRegistryRef")),
        (Direction::Pull, named(&spec.source_registry_name, "spec.sourceRegistryName")),
        (Direction::Push, referenced(&spec.destination_registry_ref, "spec.destinationRegistryRef")),
        (Direction::Push, named(&spec.destination_registry_name, "spec.destinationRegistryName")),
    ];
    let mut set = sides.into_iter().filter_map(|(direction, registry)| Some((direction, registry?)));
    match (set.next(), set.next()) {
        (Some((direction, registry)), None) => Ok((direction, registry?)),
        _ => Err(PlanError::invalid(
            "spec.sourceRegistryRef",
            "exactly one of sourceRegistryRef, sourceRegistryName, destinationRegistryRef and \
             destinationRegistryName is required",
            "keep one",
        )),
    }
}

/// Refuses what the version does not have.
pub(super) fn check(spec: &HarborReplicationSpec, server: &Server) -> Result<(), PlanError> {
    let flag = |flag: Option<bool>, field: &str, feature: Feature| match flag {
        Some(_) => server.supports(field, |version| version.has(feature)),
        None => Ok(()),
    };
    let resource = spec.filters.as_ref().and_then(|filters| filters.resource);
    let without_charts = server.version().filter(|version| !version.has(Feature::Charts));
    let charts = match (resource, without_charts) {
        (Some(ReplicationResource::Chart), Some(version)) => Err(PlanError::invalid(
            "spec.filters.resource",
            format!("Harbor {version} has no charts of ChartMuseum"),
            "use artifact for charts in OCI format, or remove it",
        )),
        _ => Ok(()),
    };
    let ((), (), ()) = (
        flag(spec.copy_by_chunk, "spec.copyByChunk", Feature::CopyByChunk),
        flag(spec.single_active, "spec.singleActive", Feature::SingleActiveReplication),
        charts,
    )
        .all()?;
    Ok(())
}

/// The policy as the spec says. What the spec does not have gets the default that the spec documents.
pub(super) fn replication(
    spec: &HarborReplicationSpec,
    (direction, registry): (Direction, String),
    server: &Server,
) -> Replication {
    let has = |feature| server.version().is_none_or(|version| version.has(feature));
    let trigger = spec.trigger.clone().unwrap_or_default();
    Replication {
        description: Some(spec.description.clone().unwrap_or_default()),
        direction: Some(direction),
        registry: Some(registry),
        dest_namespace: Some(spec.destination_namespace.clone().unwrap_or_default()),
        // The schema allows -1 to 3.
        dest_namespace_replace_count: Some(
            spec.flattening.and_then(|count| i8::try_from(count).ok()).unwrap_or(-1),
        ),
        trigger: Some(Trigger {
            kind: trigger.type_.as_str().to_owned(),
            cron: trigger.cron.map(|cron| cron.to_string()).unwrap_or_default(),
        }),
        filters: Some(spec.filters.as_ref().map(filters).unwrap_or_default()),
        deletion: Some(spec.deletion.unwrap_or_default()),
        r#override: Some(spec.override_.unwrap_or(true)),
        enabled: Some(spec.enabled.unwrap_or(true)),
        speed: Some(spec.speed_kb.unwrap_or_default()),
        copy_by_chunk: has(Feature::CopyByChunk).then(|| spec.copy_by_chunk.unwrap_or_default()),
        single_active_replication: has(Feature::SingleActiveReplication)
            .then(|| spec.single_active.unwrap_or_default()),
    }
}

fn filters(filters: &ReplicationFilters) -> BTreeSet<Filter> {
    let name = filters.name.clone().map(|pattern| Filter::Name { pattern });
    let tag = filters.tag.as_ref().and_then(|tag| {
        let excluded = tag.excludes.clone().map(|pattern| Filter::Tag { pattern, excludes: true });
        excluded.or_else(|| Some(Filter::Tag { pattern: tag.matches.clone()?, excludes: false }))
    });
    let label = filters.label.as_ref().and_then(|label| {
        let set = |labels: &Vec<String>| labels.iter().cloned().collect();
        let excluded = label.excludes.as_ref().map(|it| Filter::Label { labels: set(it), excludes: true });
        excluded.or_else(|| Some(Filter::Label { labels: set(label.matches.as_ref()?), excludes: false }))
    });
    let resource = filters.resource.map(|it| Filter::Resource { resource: it.as_str().to_owned() });
    [name, tag, label, resource].into_iter().flatten().collect()
}
