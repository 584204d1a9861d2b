//! The repair of a dirty schema by the operator's own program, which reads the tables and decides. It is the first step of an
//! attempt to migrate the database, if a user asks for that.

use super::{
    attempt::Attempt,
    environment,
    gated_pod::{Image, Step},
    validated::Validated,
};
use api::names::REPAIR_SCHEMA_ANNOTATION;
use k8s_openapi::api::core::v1::Container;
use plan::PlanError;

/// Whether a user asks for a repair before this attempt.
pub(super) fn is_requested(core: &Validated<'_>, attempt: &Attempt) -> bool {
    let requested = core.instance.annotation(REPAIR_SCHEMA_ANNOTATION);
    Attempt::requested(&attempt.version, requested) == Some(attempt.number)
}

/// The step. Fails if the operator does not know its image.
pub(super) fn step(core: &Validated<'_>) -> Result<Step, PlanError> {
    let image = operator_image(core, REPAIR_SCHEMA_ANNOTATION)?;
    let container = Container {
        name: "repair-schema".into(),
        image: Some(image.to_owned()),
        args: Some(["database", "repair-schema"].map(str::to_owned).into()),
        env: Some(environment::of_database(core).into()),
        volume_mounts: Some(core.authorities.mounts()).filter(|mounts| !mounts.is_empty()),
        ..Container::default()
    };
    Ok(Step { image: Image::Operator, container })
}

/// The operator's image, for which a user asks with an annotation. Fails if the operator does not know it.
pub(super) fn operator_image<'a>(core: &Validated<'a>, annotation: &str) -> Result<&'a str, PlanError> {
    core.operator_image.ok_or_else(|| {
        PlanError::invalid(
            format!("metadata.annotations[{annotation}]"),
            "asks for a pod with the operator's image, which the operator does not know",
            "start the operator with --operator-image",
        )
    })
}
