//! The pod of one attempt to migrate the database. It first repairs the schema, if a user asks for that.

use super::{
    attempt::Attempt,
    environment,
    gated_pod::{Image, Step, Task},
    repair,
    validated::Validated,
};
use crate::versions::Hop;
use api::names::{REPAIR_SCHEMA_ANNOTATION, RETRY_MIGRATION_ANNOTATION};
use k8s_openapi::api::core::v1::{Container, Pod};
use plan::PlanError;

/// The name of the pod of an attempt.
pub(super) fn name(core: &Validated<'_>, Attempt { version, number }: &Attempt) -> String {
    let first = format!("{}-migrate-{}", core.instance.name, version.to_string().replace('.', "-"));
    if *number <= 1 { first } else { format!("{first}-{number}") }
}

/// What a user does to have the database migrated again after this attempt.
///
/// A repair of a schema that is not dirty does nothing, so it is part of the next attempt wherever the operator can run it.
pub(super) fn again(core: &Validated<'_>, attempt: &Attempt) -> String {
    let (namespace, owner, next) = (core.instance.namespace, core.instance.owner, attempt.next());
    let (what, annotation) = match core.operator_image {
        Some(_) => ("have the schema repaired and the database migrated again", REPAIR_SCHEMA_ANNOTATION),
        None => ("ask for another attempt", RETRY_MIGRATION_ANNOTATION),
    };
    format!("{what}: kubectl -n {namespace} annotate --overwrite core {owner} {annotation}={next}")
}

/// The pod of an attempt to migrate the database in this hop. `schema` is the version of the schema afterwards.
pub(super) fn pod(core: &Validated<'_>, hop: &Hop, attempt: &Attempt, schema: u32) -> Result<Pod, PlanError> {
    let Hop { from, to } = hop;
    let meanwhile = if hop.stops_core() { "is stopped" } else { "goes on serving" };
    let repair = repair::is_requested(core, attempt).then(|| repair::step(core)).transpose()?;
    let first = if repair.is_some() { "repairs the schema, and " } else { "" };
    let look = match core.operator_image {
        Some(_) => "correct the cause, and",
        None => "look at the database, correct the cause, and",
    };
    let again = again(core, attempt);
    Task {
        name: name(core, attempt),
        label: "migrate",
        entry: attempt.entry(),
        volumes: Vec::new(),
        checks: Vec::new(),
        steps: repair.into_iter().chain([Step { image: Image::Core, container: container(core) }]).collect(),
        purpose: format!("{first}migrates the database from {from} to {to}; Core {from} {meanwhile}"),
        remedy: format!(
            "{look} {again}; it migrates to schema version {schema}, and Core {from} {meanwhile} until then"
        ),
    }
    .pod(core)
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
