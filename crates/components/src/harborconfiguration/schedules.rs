//! When Harbor collects garbage, scans all images and purges the audit log.

use crate::{
    core::Record,
    management::{self, Server},
    secrets::{SecretKey, Secrets},
};
use api::v1beta1::{
    Core, HarborConfigurationSpec,
    harborconfiguration::schedules::{
        AuditPurgeSchedule, GarbageCollectionSchedule, Schedule, ScheduleType, SystemSchedules,
    },
};
use harbor::{Feature, Version};
use harborstate::schedule::{AuditPurge, GarbageCollection, SET_AGAIN, ScanAll, When};
use plan::{All as _, ChildName, External, PlanError, System, World};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The schedules of the spec.
pub(super) fn schedules(
    spec: &HarborConfigurationSpec,
    (system, namespace): (&System, &str),
    server: &Server,
    world: &World<'_>,
) -> Result<Vec<External>, PlanError> {
    let nothing = SystemSchedules::default();
    let wanted = spec.schedules.as_ref().unwrap_or(&nothing);
    let (garbage, scan, purge) = (
        wanted
            .garbage_collection
            .as_ref()
            .map(|it| garbage(it, (system, namespace), server, world))
            .transpose(),
        wanted
            .scan_all
            .as_ref()
            .map(|it| management::object(system, ScanAll::NAME, &ScanAll { when: when(&it.schedule) }))
            .transpose(),
        wanted.audit_purge.as_ref().map(|it| purge(it, system, server)).transpose(),
    )
        .all()?;
    let described = |external| External { described_by: Some("spec.schedules"), ..external };
    Ok([garbage, scan, purge].into_iter().flatten().map(described).collect())
}

/// Harbor wants a cron line for every type but `None`.
fn when(schedule: &Schedule) -> When {
    let default = match schedule.type_ {
        ScheduleType::Hourly => "0 0 * * * *",
        ScheduleType::Daily => "0 0 0 * * *",
        ScheduleType::Weekly => "0 0 0 * * 0",
        ScheduleType::Custom | ScheduleType::None => "",
    };
    let cron = schedule.cron.as_ref().map_or(default, |cron| cron.as_str());
    When { kind: schedule.type_.as_str().to_owned(), cron: cron.to_owned() }
}

fn is_removed(schedule: &Schedule) -> bool {
    schedule.type_ == ScheduleType::None
}

fn garbage(
    wanted: &GarbageCollectionSchedule,
    (system, namespace): (&System, &str),
    server: &Server,
    world: &World<'_>,
) -> Result<External, PlanError> {
    let when = when(&wanted.schedule);
    // A schedule that does not exist has no parameters.
    if is_removed(&wanted.schedule) {
        let removed = GarbageCollection { when, ..GarbageCollection::default() };
        return management::object(system, GarbageCollection::NAME, &removed);
    }
    let parameters = &wanted.parameters;
    let (workers, delete_tag, write_only) = (
        workers(parameters.workers, server),
        delete_tag(parameters.delete_tag, server),
        frozen(system, namespace, world),
    )
        .all()?;
    let state = GarbageCollection {
        when,
        delete_untagged: Some(parameters.delete_untagged.unwrap_or_default()),
        workers,
        delete_tag,
    };
    Ok(External { write_only, ..management::object(system, GarbageCollection::NAME, &state)? })
}

fn workers(wanted: Option<i32>, server: &Server) -> Result<Option<u8>, PlanError> {
    const FIELD: &str = "spec.schedules.garbageCollection.workers";
    if wanted.is_some() {
        server.supports(FIELD, |version| version.has(Feature::GarbageCollectionWorkers))?;
    }
    let most = match server.version() {
        // Without workers, nothing is sent.
        Some(version) if version.gc_workers().is_none() => return Ok(None),
        version => version.and_then(Version::gc_workers).unwrap_or(u8::MAX),
    };
    let workers = u8::try_from(wanted.unwrap_or(1)).ok().filter(|workers| (1..=most).contains(workers));
    let version = server.version().map(|version| format!("Harbor {version} accepts ")).unwrap_or_default();
    workers.map(Some).ok_or_else(|| {
        PlanError::invalid(FIELD, format!("{version}1 to {most}"), "lower it, or upgrade the Harbor")
    })
}

fn delete_tag(wanted: Option<bool>, server: &Server) -> Result<Option<bool>, PlanError> {
    let has = |version: Version| version.has(Feature::GarbageCollectionTags);
    if wanted.is_some() {
        server.supports("spec.schedules.garbageCollection.deleteTag", has)?;
    }
    Ok(server.version().is_none_or(has).then(|| wanted.unwrap_or_default()))
}

/// What Harbor freezes into the schedule of a garbage collection and does not show: the Redis of the
/// registry, as the Core has it that takes the request. When it changes, the schedule is set again, and once more when all
/// pods of Core have the new one. What this Redis is, is known only of a Harbor that this operator runs.
fn frozen(system: &System, namespace: &str, world: &World<'_>) -> Result<Map<String, Value>, PlanError> {
    if system.namespace.is_empty() {
        return Ok(Map::new());
    }
    let name = ChildName::of(&system.name, "harbor")?;
    let (core, record) = (world.read::<Core>(&name), Record::read(&name, world)).all()?;
    let Some(redis) = core.and_then(|core| core.spec.components.registry.redis) else {
        return Ok(Map::new());
    };
    let password = match &redis.server.password_ref {
        Some(secret) => {
            let key = redis.server.password_key.as_deref().unwrap_or("redis-password");
            let password = Secrets::new(world, namespace).value(&SecretKey::new(secret, key))?;
            Some(String::from_utf8_lossy(password.bytes()).into_owned())
        }
        None => None,
    };
    let mut frozen = json!({"redis": redis, "password": password});
    if let Some(changes) = record.and_then(|record| record.redis_changes) {
        frozen["changes"] = changes.into();
    }
    Ok(Map::from_iter([(SET_AGAIN.to_owned(), frozen)]))
}

fn purge(wanted: &AuditPurgeSchedule, system: &System, server: &Server) -> Result<External, PlanError> {
    server.supports("spec.schedules.auditPurge", |version| version.has(Feature::PurgeAudit))?;
    let when = when(&wanted.schedule);
    if is_removed(&wanted.schedule) {
        let removed = AuditPurge { when, ..AuditPurge::default() };
        return management::object(system, AuditPurge::NAME, &removed);
    }
    let parameters = &wanted.parameters;
    let state = AuditPurge {
        when,
        // The schema allows 0 to 240 000.
        audit_retention_hour: u32::try_from(parameters.retention_hours).ok(),
        include: Some(purged(wanted, server)?),
        dry_run: Some(false),
    };
    management::object(system, AuditPurge::NAME, &state)
}

/// The entries to delete: Harbor 2.13 and later has events, older versions have operations.
fn purged(wanted: &AuditPurgeSchedule, server: &Server) -> Result<BTreeSet<String>, PlanError> {
    let operations = wanted.parameters.operations.as_ref();
    let operations = operations.map(|it| it.iter().map(|it| it.as_str().to_owned()).collect::<BTreeSet<_>>());
    let events = wanted.parameters.event_types.as_ref();
    let events = events.map(|it| it.iter().map(|it| it.as_str().to_owned()).collect::<BTreeSet<_>>());
    let needed = |entries: Option<BTreeSet<String>>, field: &str, version: Version, example: &str| {
        entries.ok_or_else(|| {
            PlanError::invalid(
                format_args!("spec.schedules.auditPurge.{field}"),
                format!("Harbor {version} needs it"),
                format!("add it, such as [{example}]"),
            )
        })
    };
    match server.version() {
        Some(version) if version.has(Feature::AuditEventTypes) => {
            needed(events, "eventTypes", version, "pull_artifact")
        }
        Some(version) => needed(operations, "operations", version, "pull"),
        None => Ok(events.or(operations).unwrap_or_default()),
    }
}
