//! The migration of the database by a pod of its own, when the schema changes.
//!
//! A Core that migrates when it starts may be killed by a probe, and several may start at once. So one pod migrates, with
//! the image of the new version, no probes and no time limit, and Core gets the new version afterwards.
//!
//! The pod is prepared while Core of the version before goes on serving: its node pulls the image. The record says so, and the
//! Harbor that the Core belongs to may let the migration wait from then on. Where Core of the version before cannot work on the
//! new schema, it is stopped next. Then the record allows the [attempt](super::attempt), for which the pod
//! waits. A pod that has failed, or is gone, is not replaced, because a second attempt may do harm.

use super::{
    attempt::{Attempt, Begun, Progress},
    deployment,
    gated_pod::{self, digest, is_prepared},
    migration_pod,
    record::Prepared,
    validated::Validated,
};
use crate::{
    pods::is_stopped,
    versions::{HarborVersion, Hop},
};
use api::names::{MIGRATION_WAITS_ANNOTATION, REPAIR_SCHEMA_ANNOTATION, RETRY_MIGRATION_ANNOTATION};
use k8s_openapi::api::core::v1::Pod;
use plan::{Absence, Desired, PlanError, Policy, World};

/// The migration of the database to the version of a Core, while no Core of that version has become available.
pub(super) struct Migration {
    hop: Hop,
    phase: Phase,
    attempt: Attempt,
    /// Whether an attempt has begun, this one or an earlier one.
    begun: bool,
    pod: Pod,
    /// Since when the pod that exists needs nothing more.
    prepared: Option<Prepared>,
    /// What a user does to have the database migrated again.
    again: String,
    /// Whether that repairs the schema.
    repairs: bool,
    exists: bool,
}

/// How far an attempt has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// There is a pod that was made from other settings, and that the record does not allow. It is deleted first.
    Replacing,
    /// The pod does not exist, or its node pulls the image, or it has failed before it was allowed anything.
    Preparing,
    /// The pod is prepared, and the Harbor that the Core belongs to is not.
    Waiting,
    /// The pod is prepared, pods of Core still run, and the version before cannot work on the new schema.
    Stopping,
    /// The pod may migrate the database.
    Allowed,
    /// The pod was allowed to migrate the database, and does not exist.
    Lost,
    /// The pod has succeeded, and that is not recorded yet.
    Ended,
    /// It is recorded that the pod has succeeded.
    Succeeded,
}

impl Migration {
    /// The migration, if the schema changes. A database without a record is new, or not known: Core itself migrates it.
    pub fn of(core: &Validated<'_>, world: &World<'_>) -> Result<Option<Self>, PlanError> {
        let (record, version) = (core.memory.before(), &core.instance.version);
        let Some(completed) = &record.completed else { return Ok(None) };
        let hop = Hop { from: completed.clone(), to: version.clone() };
        let Some(schema) = hop.schema().filter(|_| record.migrated.as_ref() != Some(version)) else {
            return Ok(None);
        };
        let last = record.attempt.as_ref().filter(|begun| begun.attempt.version == *version);
        let attempt = attempt(core, world, version, last)?;
        let pod = migration_pod::pod(core, &hop, &attempt, schema)?;
        let existing = world.with_status::<Pod>(pod.metadata.name.as_deref().unwrap_or_default())?;
        let allowed = last.filter(|begun| begun.attempt == attempt).map(|begun| begun.progress);
        let next = || -> Result<Phase, PlanError> {
            Ok(if core.instance.annotation(MIGRATION_WAITS_ANNOTATION).is_some() {
                Phase::Waiting
            } else if hop.stops_core() && !is_stopped(&core.instance.name, world)? {
                Phase::Stopping
            } else {
                Phase::Allowed
            })
        };
        let phase = phase(&pod, existing.as_ref(), allowed, next)?;
        let prepared = existing
            .as_ref()
            .map(|pod| Prepared { version: version.clone(), since: gated_pod::prepared_since(pod, world) });
        let (again, begun, exists) =
            (migration_pod::again(core, &attempt), last.is_some(), existing.is_some());
        let repairs = core.operator_image.is_some();
        Ok(Some(Self { hop, phase, attempt, begun, pod, prepared, again, repairs, exists }))
    }

    /// The pod, if it should exist now.
    ///
    /// Once the record allows the attempt, the operator does not apply the pod any more: if the pod were gone by then, the
    /// apply would start the attempt again.
    pub fn pod(&self) -> Option<Desired> {
        match self.phase {
            Phase::Replacing => None,
            Phase::Preparing | Phase::Waiting | Phase::Stopping => Some(Desired::from(self.pod.clone())),
            Phase::Allowed | Phase::Ended => Some(Desired::awaited(self.pod.clone(), "it is gone")),
            Phase::Lost => Some(Desired::lost(self.pod.clone(), self.lost())),
            Phase::Succeeded => {
                self.exists.then(|| Desired::awaited(self.pod.clone(), "it has succeeded, and is gone"))
            }
        }
    }

    fn lost(&self) -> String {
        let Self { hop: Hop { from, to }, again, repairs, .. } = self;
        // A repair waits and looks by itself.
        let look = if *repairs {
            ""
        } else {
            "PostgreSQL may still execute its last file, so wait for the end of that, look at the database, and "
        };
        format!(
            "is gone, and nothing says how far it has migrated the database from {from} to {to}; {look}{again}"
        )
    }

    /// Core's Deployment meanwhile.
    pub fn deployment(&self, core: &Validated<'_>) -> Desired {
        let Hop { from, to } = &self.hop;
        let is_prepared = match self.phase {
            Phase::Replacing | Phase::Preparing | Phase::Waiting => self.begun,
            Phase::Stopping | Phase::Allowed | Phase::Lost | Phase::Ended | Phase::Succeeded => true,
        };
        match (self.phase, self.hop.stops_core()) {
            (Phase::Succeeded, true) => deployment::restarted(core),
            (Phase::Succeeded, false) => deployment::deployment(core),
            (_, true) if is_prepared => deployment::stopped(
                core,
                format!(
                    "is stopped until the database is migrated from {from} to {to}, whose schema Core {from} cannot use"
                ),
            ),
            _ => {
                let why = format!("stays at version {from} until the database is migrated to {to}");
                let policy = Policy::Await { why, absence: Absence::Passing };
                Desired { policy, ..deployment::deployment(core) }
            }
        }
    }

    /// Whether Core gets the new version.
    pub fn has_succeeded(&self) -> bool {
        self.phase == Phase::Succeeded
    }

    /// What the record says about the pod while the migration has not begun and needs nothing more of it.
    pub fn prepared(&self) -> Option<&Prepared> {
        self.prepared.as_ref().filter(|_| matches!(self.phase, Phase::Waiting | Phase::Stopping))
    }

    /// What the record says about this attempt, if it has begun or may begin now.
    pub fn begun(&self) -> Option<Begun> {
        let progress = match self.phase {
            Phase::Replacing | Phase::Preparing | Phase::Waiting | Phase::Stopping => return None,
            Phase::Allowed | Phase::Lost => Progress::Allowed,
            Phase::Ended | Phase::Succeeded => Progress::Succeeded,
        };
        Some(Begun { attempt: self.attempt.clone(), progress })
    }
}

/// The attempt that is under way, or is next: the last one until it has failed or is gone, and a user asks for another.
fn attempt(
    core: &Validated<'_>,
    world: &World<'_>,
    version: &HarborVersion,
    last: Option<&Begun>,
) -> Result<Attempt, PlanError> {
    let requests = [RETRY_MIGRATION_ANNOTATION, REPAIR_SCHEMA_ANNOTATION];
    let requests = requests.map(|name| Attempt::requested(version, core.instance.annotation(name)));
    let requested = requests.into_iter().flatten().max();
    let of = |number| Attempt { version: version.clone(), number };
    let Some(last) = last else { return Ok(of(requested.unwrap_or(1).max(1))) };
    match requested {
        Some(number) if number > last.attempt.number && last.progress == Progress::Allowed => {
            let pod = world.with_status::<Pod>(&migration_pod::name(core, &last.attempt))?;
            let is_over = pod.is_none_or(|pod| gated_pod::phase(&pod) == Some("Failed"));
            Ok(if is_over { of(number) } else { last.attempt.clone() })
        }
        _ => Ok(last.attempt.clone()),
    }
}

/// `allowed` is what the record says about the attempt of this pod, and `next` the phase of one that is prepared.
fn phase(
    pod: &Pod,
    existing: Option<&Pod>,
    allowed: Option<Progress>,
    next: impl FnOnce() -> Result<Phase, PlanError>,
) -> Result<Phase, PlanError> {
    let now = existing.and_then(gated_pod::phase);
    Ok(match (allowed, existing) {
        (Some(Progress::Succeeded), _) => Phase::Succeeded,
        (Some(Progress::Allowed), None) => Phase::Lost,
        (Some(Progress::Allowed), Some(_)) if now == Some("Succeeded") => Phase::Ended,
        (Some(Progress::Allowed), Some(_)) => Phase::Allowed,
        (None, None) => Phase::Preparing,
        // It does not wait for the record: a user has created or changed it.
        (None, Some(_)) if matches!(now, Some("Running" | "Succeeded")) => Phase::Allowed,
        (None, Some(existing)) if digest(existing) != digest(pod) => Phase::Replacing,
        (None, Some(existing)) if !is_prepared(existing) => Phase::Preparing,
        (None, Some(_)) => next()?,
    })
}
