//! The backup before a hop that migrates the database: a Job from the template of a CronJob of the user.
//!
//! The operator creates the Job when everything else permits the hop, and begins the hop when the Job is complete. The hop gives
//! the Job its name, so an operator that was killed finds the Job of the one before, and runs no second one. A Job that failed
//! stays until a user deletes it or changes the CronJob: then another one runs. Until the hop begins, nothing has changed.

use super::super::{Harbor, validated::Validated};
use crate::{values::whole_seconds, versions::Hop};
use api::{
    names::{PURPOSE_ANNOTATION, TASK_DIGEST_ANNOTATION},
    v1beta1::{installation::InstallationSpec, upgrade::BackupSpec},
};
use jiff::Timestamp;
use k8s_openapi::api::{
    batch::v1::{CronJob, Job, JobSpec},
    core::v1::{Container, Pod, PodTemplateSpec},
};
use kube::core::ObjectMeta;
use plan::{
    Builder, ChildName, Component, Desired, Digest, Manifest, ObjectKey, PlanError, Readiness, World,
};
use std::time::Duration;

/// The field with the limit of the Job.
const DEADLINE: &str = "spec.upgrade.backup.deadline";

/// How often the pods of a Job are read that has none which is ready.
const RECHECK: Duration = Duration::from_mins(1);

/// The backup before one hop.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Backup {
    job: Job,
    phase: Phase,
    /// Where it comes from.
    cron_job: ObjectKey,
}

/// How far the Job has come.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// It does not exist, and neither does the CronJob.
    Impossible,
    /// It does not exist.
    Absent,
    /// It has failed, and the CronJob has changed since. It is deleted first.
    Outdated,
    /// It runs, or waits for its pod to start.
    Running { since: Option<String>, failed: i32, not_started: Option<String> },
    /// It has failed; its last words.
    Failed(String),
    /// It is complete.
    Complete,
}

/// The backup that a spec asks for.
pub(super) fn requested(installation: &InstallationSpec) -> Option<&BackupSpec> {
    installation.upgrade.as_ref()?.backup.as_ref()
}

/// The CronJob of the backup that a spec asks for, if it exists.
pub(super) fn template(harbor: &Validated<'_>, world: &World<'_>) -> Result<Option<CronJob>, PlanError> {
    match requested(harbor.installation) {
        Some(requested) => world.read(&requested.cron_job_ref),
        None => Ok(None),
    }
}

/// Refuses a deadline that no Job can have.
pub(super) fn check(installation: &InstallationSpec) -> Result<(), PlanError> {
    requested(installation).map(deadline).transpose().map(drop)
}

fn deadline(backup: &BackupSpec) -> Result<Option<i64>, PlanError> {
    let Some(duration) = &backup.deadline else { return Ok(None) };
    match i64::try_from(whole_seconds(duration, DEADLINE)?) {
        Ok(seconds @ 1..) => Ok(Some(seconds)),
        Ok(_) | Err(_) => Err(PlanError::invalid(
            DEADLINE,
            "is no time in which a backup can end",
            "set it to 1h, for example",
        )),
    }
}

/// The Job of the backup before a hop.
pub(super) fn key(harbor: &Validated<'_>, hop: &Hop) -> ObjectKey {
    ObjectKey::of::<Job>(harbor.namespace, &harbor.child(&suffix(hop)))
}

fn suffix(hop: &Hop) -> String {
    format!("backup-{}", hop.to.to_string().replace('.', "-"))
}

impl Backup {
    /// The backup before a hop, if the spec asks for one and the hop migrates the database. `template` is the CronJob.
    pub fn before(
        harbor: &Validated<'_>,
        hop: &Hop,
        template: Option<&CronJob>,
        world: &World<'_>,
    ) -> Result<Option<Self>, PlanError> {
        let Some(requested) = requested(harbor.installation).filter(|_| hop.migrates()) else {
            return Ok(None);
        };
        ChildName::of(harbor.owner, &format!("{}-{}", Harbor::NAME, suffix(hop)))?;
        let key = key(harbor, hop);
        let cron_job = ObjectKey::of::<CronJob>(harbor.namespace, &requested.cron_job_ref);
        let existing = world.with_status::<Job>(&key.name)?;
        let job = job(harbor.metadata(&key.name), hop, template, deadline(requested)?)?;
        let phase = match &existing {
            None if template.is_none() => Phase::Impossible,
            None => Phase::Absent,
            Some(existing) if has_ended(existing, "Complete") => Phase::Complete,
            Some(existing) => match existing.readiness() {
                Readiness::Failed(_) if template.is_some() && digest(existing) != digest(&job) => {
                    Phase::Outdated
                }
                Readiness::Failed(why) => Phase::Failed(last_words(world.pods_of_job(&key.name)?, why)),
                Readiness::Ready | Readiness::Progressing(_) => running(existing, world)?,
            },
        };
        Ok(Some(Self { job, phase, cron_job }))
    }

    /// Whether the Job exists, and belongs to the upgrade.
    pub fn exists(&self) -> bool {
        match self.phase {
            Phase::Running { .. } | Phase::Failed(_) | Phase::Complete => true,
            Phase::Impossible | Phase::Absent | Phase::Outdated => false,
        }
    }

    /// Adds the Job, if it should exist now, and the CronJob, as long as the Job is not made.
    pub fn add(&self, graph: &mut Builder<'_>) {
        if !self.exists() {
            let ObjectMeta { namespace, .. } = self.job.metadata.clone();
            let name = Some(self.cron_job.name.clone());
            let metadata = ObjectMeta { name, namespace, ..ObjectMeta::default() };
            let cron_job = CronJob { metadata, ..CronJob::default() };
            graph.add::<CronJob>(Desired::awaited(cron_job, "create it"), ());
        }
        let job = match self.phase {
            Phase::Impossible | Phase::Outdated => return,
            Phase::Absent => Desired::from(self.job.clone()),
            // Its template cannot change, so the operator does not apply it again.
            Phase::Running { .. } | Phase::Failed(_) | Phase::Complete => {
                Desired::awaited(self.job.clone(), "it is gone, and is created again")
            }
        };
        graph.add::<Job>(job, ());
    }

    /// What the hop waits for.
    pub fn waits(&self) -> Option<String> {
        let ObjectMeta { namespace, name, .. } = &self.job.metadata;
        let [namespace, name] = [namespace, name].map(|it| it.as_deref().unwrap_or_default());
        let job = ObjectKey::of::<Job>(namespace, name);
        let Self { cron_job, .. } = self;
        Some(match &self.phase {
            Phase::Complete => return None,
            Phase::Impossible => {
                format!(
                    "{cron_job} of spec.upgrade.backup does not exist: create it, or remove spec.upgrade.backup"
                )
            }
            Phase::Absent | Phase::Outdated => format!("{job} makes a backup first, as {cron_job} does"),
            Phase::Running { since, failed, not_started } => {
                let since = since.as_ref().map(|since| format!(" since {since}")).unwrap_or_default();
                let failed = match failed {
                    0 => String::new(),
                    1 => ", and 1 of its pods has failed".to_owned(),
                    failed => format!(", and {failed} of its pods have failed"),
                };
                let not_started = not_started.as_ref().map(|pod| format!("; {pod}")).unwrap_or_default();
                format!("{job} makes a backup{since}{failed}{not_started}")
            }
            Phase::Failed(words) => format!(
                "the backup by {job} has failed ({words}); nothing has been changed: correct the cause, and have another Job \
                 run: kubectl -n {namespace} delete job {name}"
            ),
        })
    }
}

/// The Job. Without a template, it is only a name.
fn job(
    metadata: ObjectMeta,
    hop: &Hop,
    template: Option<&CronJob>,
    deadline: Option<i64>,
) -> Result<Job, PlanError> {
    let template = template.and_then(|cron_job| cron_job.spec.as_ref()).map(|spec| &spec.job_template);
    let spec = template.and_then(|template| template.spec.clone()).map(|spec| JobSpec {
        active_deadline_seconds: deadline.or(spec.active_deadline_seconds),
        suspend: None,
        // The operator has to see how it ended, and deletes it when the hop is over.
        ttl_seconds_after_finished: None,
        template: talkative(spec.template),
        ..spec
    });
    let theirs = template.and_then(|template| template.metadata.clone()).unwrap_or_default();
    let made_from = Digest::of(&(&theirs.labels, &theirs.annotations, &spec)).map_err(|_| {
        PlanError::invalid("spec.upgrade.backup", "names a CronJob that cannot be read", "create it anew")
    })?;
    let Hop { from, to } = hop;
    let own = [
        (PURPOSE_ANNOTATION, format!("makes a backup before the upgrade from {from} to {to}")),
        (TASK_DIGEST_ANNOTATION, made_from.to_string()),
    ];
    let own = own.map(|(key, value)| (key.to_owned(), value));
    let annotations = theirs.annotations.into_iter().flatten().chain(own).collect();
    let metadata = ObjectMeta { annotations: Some(annotations), labels: theirs.labels, ..metadata };
    Ok(Job { metadata, spec, status: None })
}

/// Has containers that fail report the end of their logs.
fn talkative(mut template: PodTemplateSpec) -> PodTemplateSpec {
    let containers = template.spec.iter_mut().flat_map(|spec| {
        let init = spec.init_containers.iter_mut().flatten();
        init.chain(&mut spec.containers)
    });
    containers.for_each(|container: &mut Container| {
        container.termination_message_policy = Some("FallbackToLogsOnError".into());
    });
    template
}

fn digest(job: &Job) -> Option<&String> {
    job.metadata.annotations.as_ref()?.get(TASK_DIGEST_ANNOTATION)
}

fn has_ended(job: &Job, how: &str) -> bool {
    let conditions = job.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.into_iter().any(|condition| condition.type_ == how && condition.status == "True")
}

fn running(job: &Job, world: &World<'_>) -> Result<Phase, PlanError> {
    let status = job.status.clone().unwrap_or_default();
    let not_started = if status.ready.unwrap_or(0) == 0 {
        // A Job does not change when its pod cannot start: the Harbor is planned again every minute.
        world.clock().periods_since(Timestamp::UNIX_EPOCH, RECHECK);
        let pods = world.pods_of_job(job.metadata.name.as_deref().unwrap_or_default())?;
        pods.iter().rev().find_map(not_started)
    } else {
        None
    };
    let since = status.start_time.map(|since| since.0.to_string());
    Ok(Phase::Running { since, failed: status.failed.unwrap_or(0), not_started })
}

/// Why a pod has not started yet, if it has not.
fn not_started(pod: &Pod) -> Option<String> {
    let is_pending = pod.status.as_ref()?.phase.as_deref() == Some("Pending");
    match pod.readiness() {
        Readiness::Progressing(why) if is_pending => {
            Some(format!("pod {} {why}", pod.metadata.name.as_deref().unwrap_or_default()))
        }
        Readiness::Progressing(_) | Readiness::Ready | Readiness::Failed(_) => None,
    }
}

/// What the newest of a Job's failed pods said, or else why the Job has failed.
fn last_words(pods: Vec<Pod>, why: String) -> String {
    let failed = pods.iter().rev().find_map(|pod| match pod.readiness() {
        Readiness::Failed(words) => Some((pod.metadata.name.as_deref().unwrap_or_default(), words)),
        Readiness::Ready | Readiness::Progressing(_) => None,
    });
    match failed {
        Some((pod, words)) if why.is_empty() => format!("pod {pod}: {words}"),
        Some((pod, words)) => format!("{why}; pod {pod}: {words}"),
        None => why,
    }
}
