//! The migration of the database by a pod of its own, when the schema changes.
//!
//! A Core that migrates when it starts may be killed by a probe, and several may start at once. So one pod migrates, with
//! the image of the new version, no probes and no time limit, and Core gets the new version afterwards. Where Core of the
//! version before cannot work on the new schema, it is stopped first.
//!
//! It is a pod and not a Job: a Job may start a second pod, and tells neither that an image cannot be pulled nor what a
//! failed pod said last. A failed pod stays as it is, because a second attempt may do harm.

use super::{deployment, environment, validated::Validated};
use crate::{
    pods::{Strategy, Workload},
    versions::{HarborVersion, Hop},
};
use api::names::{REMEDY_ANNOTATION, TASK_DIGEST_ANNOTATION, TASK_LABEL, VERSION_ANNOTATION};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Container, Pod},
};
use kube::core::ObjectMeta;
use plan::{Desired, Digest, PlanError, Policy, World};

/// The migration of the database to the version of a Core, while no Core of that version has become available.
pub(super) struct Migration {
    hop: Hop,
    phase: Phase,
    pod: Pod,
    origin: Origin,
}

/// Where the settings of the pod come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// There is no pod, or it was made from the settings of today.
    Current,
    /// The pod was made from other settings. The API server would refuse to change it.
    Earlier,
}

/// How far a migration has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Pods of Core still run, and the version before cannot work on the new schema.
    Stopping,
    /// There is a pod that was made from other settings and does not run. It is deleted first.
    Replacing,
    /// The pod does not exist, or has not started.
    Pending,
    /// The pod has started. It may have succeeded, and that is not recorded yet.
    Started,
    /// The pod has succeeded, and it is recorded that it has started.
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
        let pod = pod(core, schema)?;
        let existing = world.with_status::<Pod>(pod.metadata.name.as_deref().unwrap_or_default())?;
        let recorded = record.migrating.as_ref() == Some(version);
        let origin = match &existing {
            Some(existing) if digest(existing) != digest(&pod) => Origin::Earlier,
            Some(_) | None => Origin::Current,
        };
        let phase = match existing {
            None if hop.stops_core() && !is_stopped(core, world)? => Phase::Stopping,
            None => Phase::Pending,
            Some(existing) => phase(&existing, origin, recorded),
        };
        Ok(Some(Self { hop, phase, pod, origin }))
    }

    /// The pod, if it should exist now.
    pub fn pod(&self) -> Option<Desired> {
        match self.phase {
            Phase::Stopping | Phase::Replacing => None,
            Phase::Pending | Phase::Started | Phase::Succeeded => Some(match self.origin {
                Origin::Current => Desired::from(self.pod.clone()),
                Origin::Earlier => Desired::awaited(self.pod.clone(), "has other settings, and may have run"),
            }),
        }
    }

    /// Core's Deployment meanwhile.
    pub fn deployment(&self, core: &Validated<'_>) -> Desired {
        let spec = core.instance.spec;
        match (self.phase, self.hop.stops_core()) {
            (Phase::Succeeded, true) => {
                // An autoscaler does not start what has no replicas.
                let autoscaled = spec.autoscaling.as_ref().map(|it| it.min_replicas.unwrap_or(1).max(1));
                autoscaled
                    .map_or_else(|| deployment::deployment(core), |least| deployment::scaled(core, least))
            }
            (Phase::Succeeded, false) => deployment::deployment(core),
            (_, true) => deployment::scaled(core, 0),
            (_, false) => {
                let Hop { from, to } = &self.hop;
                let why = format!("stays at version {from} until the database is migrated to {to}");
                Desired { policy: Policy::Await { why }, ..deployment::deployment(core) }
            }
        }
    }

    /// Whether Core gets the new version.
    pub fn has_succeeded(&self) -> bool {
        self.phase == Phase::Succeeded
    }

    /// The version, if it has begun to use the database.
    pub fn started(&self) -> Option<&HarborVersion> {
        matches!(self.phase, Phase::Started | Phase::Succeeded).then_some(&self.hop.to)
    }
}

fn digest(pod: &Pod) -> Option<&String> {
    pod.metadata.annotations.as_ref()?.get(TASK_DIGEST_ANNOTATION)
}

fn phase(existing: &Pod, origin: Origin, recorded: bool) -> Phase {
    let same = origin == Origin::Current;
    match existing.status.as_ref().and_then(|status| status.phase.as_deref()) {
        Some("Succeeded") if recorded => Phase::Succeeded,
        Some("Failed") if !same && recorded => Phase::Replacing,
        Some("Succeeded" | "Failed" | "Running") => Phase::Started,
        _ if same => Phase::Pending,
        _ => Phase::Replacing,
    }
}

/// Whether no pod of Core runs, except for pods that are terminating and get no requests.
fn is_stopped(core: &Validated<'_>, world: &World<'_>) -> Result<bool, PlanError> {
    let Some(pods) = world.with_status::<Deployment>(&core.instance.name)? else { return Ok(true) };
    let status = pods.status.unwrap_or_default();
    let observed = status.observed_generation >= pods.metadata.generation;
    let wanted = pods.spec.and_then(|spec| spec.replicas);
    Ok(observed && wanted == Some(0) && status.replicas.unwrap_or(0) == 0)
}

fn pod(core: &Validated<'_>, schema: u32) -> Result<Pod, PlanError> {
    let instance = &core.instance;
    let name = format!("{}-migrate-{}", instance.name, instance.version.to_string().replace('.', "-"));
    let mut pod = Workload {
        instance,
        containers: vec![(container(core), &core.spec.component)],
        volumes: core.authorities.volumes(),
        strategy: Strategy::Unset,
        termination_grace_period_seconds: None,
    }
    .task(instance.metadata(&name));
    let digest = Digest::of(&pod.spec).map_err(|_| {
        PlanError::invalid("spec", "cannot be written as JSON", "compare it with `kubectl explain`")
    })?;
    let remedy = format!(
        "correct the cause and delete this Pod to try again: kubectl -n {} delete pod {name}; it migrates the database to \
         schema version {schema}",
        instance.namespace
    );
    let requested = instance.spec.template_annotations.clone();
    let annotations = [
        (TASK_DIGEST_ANNOTATION, digest.to_string()),
        (REMEDY_ANNOTATION, remedy),
        (VERSION_ANNOTATION, instance.version.to_string()),
    ];
    let labels = [(TASK_LABEL, "migrate")];
    let text = |(key, value): (&str, String)| (key.to_owned(), value);
    pod.metadata = ObjectMeta {
        annotations: Some(requested.into_iter().chain(annotations.map(text)).collect()),
        labels: Some(labels.map(|(key, value)| text((key, value.to_owned()))).into()),
        ..pod.metadata
    };
    Ok(pod)
}

/// Core's image drops arguments, so the command also does what its entry point does.
fn container(core: &Validated<'_>) -> Container {
    let script = "set -e; /harbor/install_cert.sh; exec /harbor/harbor_core -mode=migrate";
    Container {
        name: "migrate".into(),
        image: Some(core.instance.image("harbor-core")),
        command: Some(["/bin/sh", "-c", script].map(str::to_owned).into()),
        env: Some(environment::of_migration(core).into()),
        volume_mounts: Some(core.authorities.mounts()).filter(|mounts| !mounts.is_empty()),
        ..Container::default()
    }
}
