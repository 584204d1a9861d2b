//! A pod that does one task with the database, and waits until the record allows it.
//!
//! Its first steps do nothing, or only check: when they have ended, the node has the images. The steps after them, and the
//! container, refer to an entry of the record, without which the kubelet does not start them.
//!
//! It is a pod and not a Job: a Job may start a second pod, and tells neither that an image cannot be pulled nor what a
//! failed pod said last.

use super::{Record, validated::Validated};
use crate::pods::{Strategy, Workload};
use api::names::{
    PURPOSE_ANNOTATION, REMEDY_ANNOTATION, TASK_DIGEST_ANNOTATION, TASK_LABEL, VERSION_ANNOTATION,
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Container, EnvVar, EnvVarSource, Pod, SecretKeySelector, Volume};
use kube::core::ObjectMeta;
use plan::{Digest, PlanError, World};

/// The variable that refers to the entry of the record. No program reads it.
const ENTRY: &str = "MIGRATION_ATTEMPT";

/// How the variables with the settings of the database begin.
const DATABASE: &str = "POSTGRESQL_";

/// Whose image a step has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Image {
    /// Core's.
    Core,
    /// The operator's own, which has no shell.
    Operator,
}

/// A step of the task.
pub(super) struct Step {
    /// Whose image it has.
    pub image: Image,
    /// Its container, without the restrictions of pods.
    pub container: Container,
}

/// A task with the database.
pub(super) struct Task {
    /// The name of the pod.
    pub name: String,
    /// What it does, for its label.
    pub label: &'static str,
    /// The entry of the record that it waits for.
    pub entry: String,
    /// Volumes beside those with authorities.
    pub volumes: Vec<Volume>,
    /// What it does before the record allows anything. It changes nothing.
    pub checks: Vec<Step>,
    /// What it does, one step after the other.
    pub steps: Vec<Step>,
    /// What it does, for the status.
    pub purpose: String,
    /// What a user can do when it fails.
    pub remedy: String,
}

impl Image {
    /// The step that ends when the node has the image.
    const fn pull(self) -> &'static str {
        match self {
            Self::Core => "pull-core",
            Self::Operator => "pull-operator",
        }
    }

    /// A step with the image of a container, and its restrictions, that does nothing.
    fn pulled(self, container: &Container) -> Container {
        let (command, args) = match self {
            Self::Core => (Some(vec!["/bin/sh".into(), "-c".into(), "exit 0".into()]), None),
            Self::Operator => (None, Some(vec!["version".into()])),
        };
        Container {
            name: self.pull().into(),
            command,
            args,
            env: None,
            volume_mounts: None,
            ..container.clone()
        }
    }
}

impl Task {
    /// The pod.
    pub fn pod(self, core: &Validated<'_>) -> Result<Pod, PlanError> {
        let instance = &core.instance;
        let checks = self.checks.len();
        let steps = self.checks.into_iter().chain(self.steps);
        let (images, containers): (Vec<_>, Vec<_>) =
            steps.map(|step| (step.image, (step.container, &core.spec.component))).unzip();
        let mut pod = Workload {
            instance,
            containers,
            volumes: core.authorities.volumes().into_iter().chain(self.volumes).collect(),
            strategy: Strategy::Unset,
            termination_grace_period_seconds: None,
        }
        .task(instance.metadata(self.name));
        if let Some(spec) = &mut pod.spec {
            let mut pulls: Vec<Container> = Vec::new();
            for (place, (image, container)) in images.iter().zip(&mut spec.containers).enumerate() {
                if *image == Image::Operator {
                    // Users set the other variables for Core.
                    container.env.iter_mut().for_each(|it| it.retain(|it| it.name.starts_with(DATABASE)));
                }
                if place < checks {
                    continue;
                }
                // A check has pulled its image.
                if !images[..checks].contains(image) && pulls.iter().all(|pull| pull.name != image.pull()) {
                    pulls.push(image.pulled(container));
                }
                wait_for_record(container, core, &self.entry);
            }
            let last = spec.containers.len().saturating_sub(1);
            let steps = spec.containers.drain(..last);
            // The steps of users come first, so that a failure of theirs stops nothing either.
            spec.init_containers.get_or_insert_default().extend(pulls.into_iter().chain(steps));
        }
        let digest = Digest::of(&pod.spec).map_err(|_| {
            PlanError::invalid("spec", "cannot be written as JSON", "compare it with `kubectl explain`")
        })?;
        let requested = instance.spec.template_annotations.clone();
        let annotations = [
            (PURPOSE_ANNOTATION, self.purpose),
            (TASK_DIGEST_ANNOTATION, digest.to_string()),
            (REMEDY_ANNOTATION, self.remedy),
            (VERSION_ANNOTATION, instance.version.to_string()),
        ];
        let text = |(key, value): (&str, String)| (key.to_owned(), value);
        pod.metadata = ObjectMeta {
            annotations: Some(requested.into_iter().chain(annotations.map(text)).collect()),
            labels: Some([(TASK_LABEL.to_owned(), self.label.to_owned())].into()),
            ..pod.metadata
        };
        Ok(pod)
    }
}

/// The phase that a kubelet reports.
pub(super) fn phase(pod: &Pod) -> Option<&str> {
    pod.status.as_ref()?.phase.as_deref()
}

/// Whether a pod was made for the same task, with the same settings.
pub(super) fn digest(pod: &Pod) -> Option<&String> {
    pod.metadata.annotations.as_ref()?.get(TASK_DIGEST_ANNOTATION)
}

/// Whether a pod waits for nothing but the record: all steps have ended that do not refer to it.
pub(super) fn is_prepared(pod: &Pod) -> bool {
    let waits = |step: &&Container| step.env.iter().flatten().any(|variable| variable.name == ENTRY);
    let has_ended = |step: &Container| {
        let steps = pod.status.iter().flat_map(|status| status.init_container_statuses.iter().flatten());
        let mut ended =
            steps.filter(|it| it.name == step.name).filter_map(|it| it.state.as_ref()?.terminated.as_ref());
        ended.any(|ended| ended.exit_code == 0)
    };
    // A step of users that keeps running beside the others never ends.
    let ends = |step: &&Container| step.restart_policy.is_none();
    let mut steps = pod.spec.iter().flat_map(|spec| spec.init_containers.iter().flatten());
    let is_going = pod.metadata.deletion_timestamp.is_some();
    phase(pod) == Some("Pending")
        && !is_going
        && steps.by_ref().take_while(|step| !waits(step)).filter(ends).all(has_ended)
}

/// Since when a pod that is prepared waits for nothing but the record. Where the clock of its node is ahead, since it exists:
/// a time that is still to come would have others wait longer.
pub(super) fn prepared_since(pod: &Pod, world: &World<'_>) -> Timestamp {
    let steps = pod.status.iter().flat_map(|status| status.init_container_statuses.iter().flatten());
    let ends = steps.filter_map(|step| step.state.as_ref()?.terminated.as_ref()?.finished_at.as_ref());
    let ended = ends.map(|time| time.0).max().filter(|ended| world.clock().is_past(*ended));
    let created = pod.metadata.creation_timestamp.as_ref().map(|time| time.0);
    ended.or(created).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// A kubelet does not start a container with a variable whose Secret lacks the entry. It tries again every few seconds.
fn wait_for_record(container: &mut Container, core: &Validated<'_>, entry: &str) {
    let name = Record::secret(core.instance.owner);
    let reference = SecretKeySelector { name, key: entry.to_owned(), optional: None };
    let from = EnvVarSource { secret_key_ref: Some(reference), ..EnvVarSource::default() };
    let variables = container.env.get_or_insert_default();
    // Nothing that a user sets may replace it.
    variables.retain(|variable| variable.name != ENTRY);
    variables.push(EnvVar { name: ENTRY.into(), value: None, value_from: Some(from) });
}
