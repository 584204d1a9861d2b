//! Schedules of the jobs of the system.

use super::singletons::exists;
use crate::{
    client::Client,
    failure::{rejected, system_error},
    manage::{Manage, Objects, desired, shown},
};
use harbor::{
    Dependency, Failure, Feature, Version, garbage_collection, purge,
    schedules::{Cron, Job, Schedule, ScheduleType, ShownSchedule},
};
use harborstate::{
    NoFacts, State,
    schedule::{AuditPurge, GarbageCollection, NONE, ScanAll, When},
};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `schedule`.
pub(crate) struct Schedules;

impl Manage for Schedules {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let mut objects = Objects::new();
        for name in [GarbageCollection::NAME, ScanAll::NAME, AuditPurge::NAME] {
            match Self::find(client, "", name).await {
                Ok(Some(value)) => drop(objects.insert(name.to_owned(), value)),
                // A robot may be allowed to see one of them only.
                Ok(None) | Err(SystemError::Forbidden { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(objects)
    }

    async fn find(client: &Client, _: &str, name: &str) -> Result<Option<Value>, SystemError> {
        let version = client.harbor.server_info().await.map_err(system_error)?.version;
        match name {
            GarbageCollection::NAME => {
                let job = client.harbor.garbage_collection().schedule().await.map_err(system_error)?;
                value(garbage(job.as_ref(), version)).map(Some)
            }
            ScanAll::NAME => {
                let schedule = match client.harbor.scan_all().schedule().await {
                    Ok(schedule) => schedule,
                    // Nothing can be scheduled without a scanner, and nothing be read.
                    Err(error) if is_without_scanner(&error) => None,
                    Err(error) => return Err(system_error(error)),
                };
                value(ScanAll { when: when(schedule.as_ref().map(|scan| &scan.schedule)) }).map(Some)
            }
            AuditPurge::NAME if version.has(Feature::PurgeAudit) => {
                let job = client.harbor.purge().schedule().await.map_err(system_error)?;
                value(purged(job.as_ref(), version)).map(Some)
            }
            _ => Ok(None),
        }
    }

    async fn create(_: &Client, wanted: &External) -> Result<(), SystemError> {
        Err(exists(&wanted.name))
    }

    async fn update(client: &Client, wanted: &External, _: &Value) -> Result<(), SystemError> {
        let version = client.harbor.server_info().await.map_err(system_error)?.version;
        match wanted.name.as_str() {
            GarbageCollection::NAME => set_garbage(client, desired(wanted)?, version).await,
            ScanAll::NAME => {
                let scan: ScanAll = desired(wanted)?;
                let calls = client.harbor.scan_all();
                match schedule(&scan.when)? {
                    Some(schedule) => calls.set_schedule(&schedule).await.map_err(system_error),
                    None => calls.remove_schedule().await.map_err(system_error),
                }
            }
            _ => set_purge(client, desired(wanted)?, version).await,
        }
    }

    /// The job is no longer scheduled.
    async fn delete(client: &Client, name: &str, _: &Value) -> Result<(), SystemError> {
        let removed = match name {
            GarbageCollection::NAME => client.harbor.garbage_collection().remove_schedule().await,
            ScanAll::NAME => client.harbor.scan_all().remove_schedule().await,
            _ => {
                let version = client.harbor.server_info().await.map_err(system_error)?.version;
                client.harbor.purge().remove_schedule(version).await
            }
        };
        match removed {
            Err(error) if is_without_scanner(&error) => Ok(()),
            removed => removed.map_err(system_error),
        }
    }
}

fn value<S: State<Facts = NoFacts>>(state: S) -> Result<Value, SystemError> {
    shown(state, NoFacts {})
}

fn is_without_scanner(error: &harbor::Error) -> bool {
    matches!(error.failure(), Failure::Dependency { on: Dependency::Scanner, .. })
}

fn when(schedule: Option<&ShownSchedule>) -> When {
    match schedule {
        Some(schedule) if !schedule.kind.is_unset() && schedule.kind != ScheduleType::None => {
            When { kind: schedule.kind.to_string(), cron: schedule.cron.clone() }
        }
        _ => When::default(),
    }
}

/// A schedule as Harbor takes it; `None` removes it.
fn schedule(when: &When) -> Result<Option<Schedule>, SystemError> {
    if when.kind == NONE {
        return Ok(None);
    }
    let cron: Cron = when.cron.parse().map_err(|problem: harbor::schedules::NotCron| {
        rejected(format!("{:?}: {problem}", when.cron), "correct the cron line")
    })?;
    Ok(Some(Schedule { kind: when.kind.as_str().into(), cron }))
}

fn garbage(job: Option<&Job>, version: Version) -> GarbageCollection {
    let shown = job.map(garbage_collection::Parameters::shown).unwrap_or_default();
    let workers = version.has(Feature::GarbageCollectionWorkers);
    let tags = version.has(Feature::GarbageCollectionTags);
    GarbageCollection {
        when: when(job.map(|job| &job.schedule)),
        delete_untagged: Some(shown.delete_untagged),
        workers: workers.then(|| shown.workers.unwrap_or_default()),
        delete_tag: tags.then_some(shown.delete_tag),
    }
}

async fn set_garbage(
    client: &Client,
    wanted: GarbageCollection,
    version: Version,
) -> Result<(), SystemError> {
    let calls = client.harbor.garbage_collection();
    let Some(schedule) = schedule(&wanted.when)? else {
        return calls.remove_schedule().await.map_err(system_error);
    };
    let asked = [
        (wanted.workers.is_some(), Feature::GarbageCollectionWorkers, "workers"),
        (wanted.delete_tag == Some(true), Feature::GarbageCollectionTags, "delete_tag"),
    ];
    if let Some((_, _, field)) = asked.into_iter().find(|(is, feature, _)| *is && !version.has(*feature)) {
        return Err(rejected(
            format!("the garbage collection of Harbor {version} has no {field}"),
            "upgrade Harbor, or leave it out",
        ));
    }
    let most = version.gc_workers().unwrap_or(u8::MAX);
    if wanted.workers.is_some_and(|workers| workers == 0 || workers > most) {
        return Err(rejected("the number of workers is out of range", format!("use 1 to {most}")));
    }
    let parameters = garbage_collection::Parameters {
        delete_untagged: wanted.delete_untagged.unwrap_or_default(),
        workers: wanted.workers,
        delete_tag: wanted.delete_tag.unwrap_or_default(),
        dry_run: false,
    };
    calls.set_schedule(&schedule, &parameters).await.map_err(system_error)
}

fn purged(job: Option<&Job>, version: Version) -> AuditPurge {
    let shown = job.map(purge::Parameters::shown).unwrap_or_default();
    AuditPurge {
        when: when(job.map(|job| &job.schedule)),
        audit_retention_hour: Some(shown.audit_retention_hour),
        include: Some(shown.selected(version)),
        dry_run: Some(shown.dry_run),
    }
}

async fn set_purge(client: &Client, wanted: AuditPurge, version: Version) -> Result<(), SystemError> {
    let Some(schedule) = schedule(&wanted.when)? else {
        return client.harbor.purge().remove_schedule(version).await.map_err(system_error);
    };
    let include = wanted.include.unwrap_or_default();
    let selected = include.iter().map(String::as_str);
    let hours = wanted.audit_retention_hour.unwrap_or_default();
    let mut parameters = purge::Parameters::new(version, hours, selected);
    parameters.dry_run = wanted.dry_run.unwrap_or_default();
    client.harbor.purge().set_schedule(&schedule, &parameters).await.map_err(system_error)
}
