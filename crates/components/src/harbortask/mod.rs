//! HarborTask: one execution of something that Harbor runs in the background. It is never repeated.
//!
//! Until the number of the execution is in the status, it is the first one that was started by hand since the object was
//! created; afterwards it is known by its number. When it has ended, Harbor is not asked again.
//!
//! Uses: management.

mod status;

use crate::management::{self, ProjectNames, Server};
use api::v1beta1::{
    self, HarborProject, HarborReplication, HarborTaskSpec,
    harborconfiguration::schedules::{AuditPurgeParameters, GarbageCollectionParameters},
    project_reference::ProjectReference,
};
use harborstate::execution::{Execution, Facts, Job, Name, Progress, Which};
use kube::ResourceExt as _;
use plan::{
    Builder, Children, Component, Conclusion, Connect, DeletionBehavior, Desired, External, IfAbsent,
    IfExists, PlanError, Readiness, World,
};
use serde::Deserialize as _;
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::HarborTask`].
pub struct HarborTask;

impl Component for HarborTask {
    type Owner = v1beta1::HarborTask;

    const NAME: &'static str = "harbortask";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and_external()
    }

    fn details(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        status::fields(conclusion)
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, status) = (&owner.spec, owner.status.as_ref());
        if let Some(state) =
            status.filter(|status| status.end_time.is_some()).and_then(|it| it.state.as_deref())
        {
            let failed = || {
                PlanError::invalid(
                    "the execution",
                    format!("ended with {state}"),
                    "look at its log in Harbor, and create another HarborTask to run it again",
                )
            };
            return if status::is_success(state) { Ok(()) } else { Err(failed()) };
        }
        let namespace = owner.namespace().unwrap_or_default();
        let system = management::system(owner, &spec.target, world)?;
        let server = Server::read(&system, world)?;
        let (job, execution) = task(spec, &server, world)?;
        if let Job::Retention(project) = &job {
            ProjectNames::read(&system, &namespace, world)?.check(project, "spec.retention")?;
        }
        let created = owner.metadata.creation_timestamp.as_ref();
        let since = created.map(|time| time.0.as_second()).unwrap_or_default();
        let number = status.and_then(|status| status.execution_id);
        let which = number.map_or(Which::Since(since), Which::Number);
        let described_by = Some(field(&job));
        let external = management::object(&system, &Name { job, which }.to_string(), &execution)?;
        let unknown = "it is unknown whether Harbor has run it; look for it in Harbor, and create another HarborTask if not";
        let external = External {
            if_exists: IfExists::Adopt,
            if_absent: IfAbsent::CreateOnce { remedy: unknown.into() },
            readiness,
            described_by,
            ..external
        };
        graph.add::<External>(Desired::external(external).on_deletion(DeletionBehavior::Kept), ());
        Ok(())
    }
}

/// An execution is ready when it has ended with success.
fn readiness(actual: &Value) -> Readiness {
    let Ok(facts) = Facts::deserialize(actual) else { return Readiness::Progressing("is unknown".into()) };
    match facts.progress {
        Progress::Running => Readiness::Progressing("is running".into()),
        Progress::Succeeded => Readiness::Ready,
        Progress::Failed => Readiness::Failed(format!("ended with {}", facts.status)),
    }
}

/// The field that says what is executed.
fn field(job: &Job) -> &'static str {
    match job {
        Job::GarbageCollection => "spec.garbageCollection",
        Job::ScanAll => "spec.scanAll",
        Job::Replication(_) => "spec.replication",
        Job::Retention(_) => "spec.retention",
        Job::AuditPurge => "spec.auditPurge",
    }
}

/// What is executed.
fn task(spec: &HarborTaskSpec, server: &Server, world: &World<'_>) -> Result<(Job, Execution), PlanError> {
    let nothing = Execution::default();
    if let Some(task) = &spec.garbage_collection {
        let GarbageCollectionParameters { delete_untagged, workers, delete_tag } = task.parameters;
        let workers = workers.map(|workers| u8::try_from(workers).unwrap_or(u8::MAX));
        if let Some(workers) = workers {
            let most = |version: harbor::Version| version.gc_workers().is_some_and(|most| workers <= most);
            server.supports("spec.garbageCollection.workers", most)?;
        }
        let execution = Execution { dry_run: task.dry_run, delete_untagged, workers, delete_tag, ..nothing };
        return Ok((Job::GarbageCollection, execution));
    }
    if let Some(task) = &spec.replication {
        let policy = match (&task.policy_name, &task.replication_ref) {
            (Some(policy), _) => policy.clone(),
            (None, Some(reference)) => world.require::<HarborReplication>(reference)?.spec.policy_name,
            (None, None) => return Err(undecided()),
        };
        return Ok((Job::Replication(policy), nothing));
    }
    if let Some(task) = &spec.retention {
        let project = project(&task.project, world)?;
        return Ok((Job::Retention(project), Execution { dry_run: task.dry_run, ..nothing }));
    }
    if let Some(task) = &spec.audit_purge {
        server.supports("spec.auditPurge", |version| version.has(harbor::Feature::PurgeAudit))?;
        let AuditPurgeParameters { retention_hours, operations, event_types } = &task.parameters;
        let has_events = server.version().is_none_or(|version| version.has(harbor::Feature::AuditEventTypes));
        let selected = if has_events {
            event_types.iter().flatten().map(|event| event.as_str().to_owned()).collect()
        } else {
            operations.iter().flatten().map(|operation| operation.as_str().to_owned()).collect()
        };
        let execution = Execution {
            dry_run: task.dry_run,
            retention_hours: Some(u32::try_from(*retention_hours).unwrap_or(u32::MAX)),
            selected: Some(selected),
            ..nothing
        };
        return Ok((Job::AuditPurge, execution));
    }
    spec.scan_all.as_ref().map(|_| (Job::ScanAll, nothing)).ok_or_else(undecided)
}

fn project(reference: &ProjectReference, world: &World<'_>) -> Result<String, PlanError> {
    match (&reference.project_name, &reference.project_ref) {
        (Some(name), _) => Ok(name.clone()),
        (None, Some(reference)) => Ok(world.require::<HarborProject>(reference)?.spec.project_name),
        (None, None) => Err(undecided()),
    }
}

fn undecided() -> PlanError {
    PlanError::invalid("spec", "does not say what to run", "see `kubectl explain harbortask.spec`")
}
