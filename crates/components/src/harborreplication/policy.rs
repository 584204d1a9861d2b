//! The replication policy itself.

use crate::management::{Registry, Server};
use api::v1beta1::{
    HarborReplicationSpec,
    harborreplication::{ReplicationFilters, ReplicationResource},
};
use harbor::{Feature, Version};
use harborstate::replication::{Direction, Filter, Replication, Trigger};
use plan::{All as _, PlanError};
use std::collections::BTreeSet;

/// Where artifacts are copied, and the registry on the other side.
pub(super) fn other_side(spec: &HarborReplicationSpec) -> Result<(Direction, Registry<'_>), PlanError> {
    let source = spec.source_registry_name.as_deref();
    let source = source.map(|name| Registry::Named { name, field: "spec.sourceRegistryName" });
    let destination = spec.destination_registry_name.as_deref();
    let destination = destination.map(|name| Registry::Named { name, field: "spec.destinationRegistryName" });
    let sides = [
        (Direction::Pull, spec.source_registry_ref.as_deref().map(Registry::Described)),
        (Direction::Pull, source),
        (Direction::Push, spec.destination_registry_ref.as_deref().map(Registry::Described)),
        (Direction::Push, destination),
    ];
    let mut set = sides.into_iter().filter_map(|(direction, registry)| Some((direction, registry?)));
    match (set.next(), set.next()) {
        (Some(side), None) => Ok(side),
        _ => Err(PlanError::invalid(
            "spec.sourceRegistryRef",
            "exactly one of sourceRegistryRef, sourceRegistryName, destinationRegistryRef and \
             destinationRegistryName is required",
            "keep one",
        )),
    }
}

/// The policy as the spec says. What the spec does not have gets the default that the spec documents.
pub(super) fn replication(
    spec: &HarborReplicationSpec,
    direction: Direction,
    registry: Result<String, PlanError>,
    server: &Server,
) -> Result<Replication, PlanError> {
    let feature = |field, feature| move |it| flag(field, feature, it, server);
    let (registry, copy_by_chunk, single_active_replication, filters) = (
        registry,
        feature("spec.copyByChunk", Feature::CopyByChunk)(spec.copy_by_chunk),
        feature("spec.singleActive", Feature::SingleActiveReplication)(spec.single_active),
        spec.filters.as_ref().map_or_else(|| Ok(BTreeSet::new()), |it| filters(it, server)),
    )
        .all()?;
    let trigger = spec.trigger.clone().unwrap_or_default();
    Ok(Replication {
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
        filters: Some(filters),
        deletion: Some(spec.deletion.unwrap_or_default()),
        r#override: Some(spec.override_.unwrap_or(true)),
        enabled: Some(spec.enabled.unwrap_or(true)),
        speed: Some(spec.speed_kb.unwrap_or_default()),
        copy_by_chunk,
        single_active_replication,
    })
}

/// A flag that not every version has. One that is set is refused by a version without it; otherwise it is
/// left out there.
fn flag(
    field: &str,
    feature: Feature,
    flag: Option<bool>,
    server: &Server,
) -> Result<Option<bool>, PlanError> {
    let has = |version: Version| version.has(feature);
    if flag.is_some() {
        server.supports(field, has)?;
    }
    let has_it = server.version().is_none_or(has);
    Ok(has_it.then(|| flag.unwrap_or_default()))
}

fn filters(filters: &ReplicationFilters, server: &Server) -> Result<BTreeSet<Filter>, PlanError> {
    let without_charts = server.version().filter(|version| !version.has(Feature::Charts));
    if let (Some(ReplicationResource::Chart), Some(version)) = (filters.resource, without_charts) {
        return Err(PlanError::invalid(
            "spec.filters.resource",
            format!("Harbor {version} has no charts of ChartMuseum"),
            "use artifact for charts in OCI format, or remove it",
        ));
    }
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
    Ok([name, tag, label, resource].into_iter().flatten().collect())
}
