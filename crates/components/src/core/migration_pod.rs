//! The pod of one attempt to migrate the database.
//!
//! Its first step does nothing: when it has ended, the node has the image. The container that migrates refers to the entry of
//! the attempt in the record, without which the kubelet does not start it.
//!
//! It is a pod and not a Job: a Job may start a second pod, and tells neither that an image cannot be pulled nor what a
//! failed pod said last.

use super::{Record, attempt::Attempt, environment, validated::Validated};
use crate::{
    pods::{Strategy, Workload},
    versions::Hop,
};
use api::names::{
    PURPOSE_ANNOTATION, REMEDY_ANNOTATION, RETRY_MIGRATION_ANNOTATION, TASK_DIGEST_ANNOTATION, TASK_LABEL,
    VERSION_ANNOTATION,
};
use k8s_openapi::api::core::v1::{Container, EnvVar, EnvVarSource, Pod, SecretKeySelector};
use kube::core::ObjectMeta;
use plan::{Digest, PlanError};

/// The step that ends when the node has the image.
const PULL: &str = "pull-core";

/// The variable that refers to the entry of the attempt. Harbor does not read it.
const ATTEMPT: &str = "MIGRATION_ATTEMPT";

/// The name of the pod of an attempt.
pub(super) fn name(core: &Validated<'_>, Attempt { version, number }: &Attempt) -> String {
    let first = format!("{}-migrate-{}", core.instance.name, version.to_string().replace('.', "-"));
    if *number <= 1 { first } else { format!("{first}-{number}") }
}

/// The phase that a kubelet reports.
pub(super) fn phase(pod: &Pod) -> Option<&str> {
    pod.status.as_ref()?.phase.as_deref()
}

/// Whether a pod waits for nothing but the record.
pub(super) fn is_prepared(pod: &Pod) -> bool {
    let steps = pod.status.iter().flat_map(|status| status.init_container_statuses.iter().flatten());
    let mut ended =
        steps.filter(|step| step.name == PULL).filter_map(|step| step.state.as_ref()?.terminated.as_ref());
    let is_going = pod.metadata.deletion_timestamp.is_some();
    phase(pod) == Some("Pending") && !is_going && ended.any(|ended| ended.exit_code == 0)
}

/// What a user does to have the database migrated again after this attempt.
pub(super) fn again(core: &Validated<'_>, attempt: &Attempt) -> String {
    let (namespace, owner) = (core.instance.namespace, core.instance.owner);
    format!(
        "ask for another attempt: kubectl -n {namespace} annotate --overwrite core {owner} \
         {RETRY_MIGRATION_ANNOTATION}={}",
        attempt.next()
    )
}

/// The pod of an attempt to migrate the database in this hop. `schema` is the version of the schema afterwards.
pub(super) fn pod(core: &Validated<'_>, hop: &Hop, attempt: &Attempt, schema: u32) -> Result<Pod, PlanError> {
    let instance = &core.instance;
    let mut pod = Workload {
        instance,
        containers: vec![(container(core), &core.spec.component)],
        volumes: core.authorities.volumes(),
        strategy: Strategy::Unset,
        termination_grace_period_seconds: None,
    }
    .task(instance.metadata(name(core, attempt)));
    if let Some(spec) = &mut pod.spec {
        let pulls: Vec<_> = spec.containers.iter().map(pull).collect();
        // The steps of users come first, so that a failure of theirs stops nothing either.
        spec.init_containers.get_or_insert_default().extend(pulls);
        for container in &mut spec.containers {
            wait_for_record(container, core, attempt);
        }
    }
    let digest = Digest::of(&pod.spec).map_err(|_| {
        PlanError::invalid("spec", "cannot be written as JSON", "compare it with `kubectl explain`")
    })?;
    let again = again(core, attempt);
    let Hop { from, to } = hop;
    let meanwhile = if hop.stops_core() { "is stopped" } else { "goes on serving" };
    let purpose = format!("migrates the database from {from} to {to}; Core {from} {meanwhile}");
    let remedy = format!(
        "look at the database, correct the cause, and {again}; it migrates to schema version {schema}, and Core {from} \
         {meanwhile} until then"
    );
    let requested = instance.spec.template_annotations.clone();
    let annotations = [
        (PURPOSE_ANNOTATION, purpose),
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
        command: Some(shell(script)),
        env: Some(environment::of_migration(core).into()),
        volume_mounts: Some(core.authorities.mounts()).filter(|mounts| !mounts.is_empty()),
        ..Container::default()
    }
}

/// A step with the image of a container, and its restrictions, that does nothing.
fn pull(container: &Container) -> Container {
    Container {
        name: PULL.into(),
        command: Some(shell("exit 0")),
        env: None,
        volume_mounts: None,
        ..container.clone()
    }
}

/// A kubelet does not start a container with a variable whose Secret lacks the entry. It tries again every few seconds.
fn wait_for_record(container: &mut Container, core: &Validated<'_>, attempt: &Attempt) {
    let reference =
        SecretKeySelector { name: Record::secret(core.instance.owner), key: attempt.entry(), optional: None };
    let from = EnvVarSource { secret_key_ref: Some(reference), ..EnvVarSource::default() };
    let variables = container.env.get_or_insert_default();
    // Nothing that a user sets may replace it.
    variables.retain(|variable| variable.name != ATTEMPT);
    variables.push(EnvVar { name: ATTEMPT.into(), value: None, value_from: Some(from) });
}

fn shell(script: &str) -> Vec<String> {
    ["/bin/sh", "-c", script].map(str::to_owned).into()
}
