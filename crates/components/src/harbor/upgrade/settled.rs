//! Whether a hop may begin: everything else has the version before, and is ready.

use super::super::validated::Validated;
use crate::versions::{HarborVersion, Hop};
use api::{
    names::VERSION_ANNOTATION,
    v1beta1::{
        ChartMuseum, Core, Exporter, JobService, NotaryServer, NotarySigner, Portal, Registry,
        RegistryController, Trivy,
    },
};
use plan::{All, Manifest, PlanError, Readiness, World};

/// The version that everything keeps until the hop may begin; `None` if it may, or has begun.
///
/// A hop that does not change the schema begins at once. So does one while Core is not ready: the others may need a
/// Core that works, and the new version may be the remedy.
pub(super) fn unsettled(
    harbor: &Validated<'_>,
    hop: &Hop,
    world: &World<'_>,
) -> Result<Option<HarborVersion>, PlanError> {
    if !hop.migrates() {
        return Ok(None);
    }
    let (core, parts) = (
        world.with_status::<Core>(&harbor.name),
        (
            settled::<Registry>(harbor, hop, world),
            settled::<RegistryController>(harbor, hop, world),
            settled::<JobService>(harbor, hop, world),
            settled::<Portal>(harbor, hop, world),
            settled::<Trivy>(harbor, hop, world),
            settled::<Exporter>(harbor, hop, world),
            settled::<ChartMuseum>(harbor, hop, world),
            settled::<NotaryServer>(harbor, hop, world),
            settled::<NotarySigner>(harbor, hop, world),
        )
            .all(),
    )
        .all()?;
    let (registry, controller, jobservice, portal, trivy, exporter, charts, server, signer) = parts;
    let all = [registry, controller, jobservice, portal, trivy, exporter, charts, server, signer]
        .iter()
        .all(|settled| *settled);
    let begun = core.as_ref().is_some_and(|core| version_of(core) == Some(hop.to.to_string()));
    let works = core.is_some_and(|core| core.readiness() == Readiness::Ready);
    Ok((works && !begun && !all).then(|| hop.from.clone()))
}

/// Whether a part has the version before the hop, and is ready. A part that does not exist is.
fn settled<K: Manifest>(harbor: &Validated<'_>, hop: &Hop, world: &World<'_>) -> Result<bool, PlanError> {
    let part = world.with_status::<K>(&harbor.name)?;
    Ok(part.is_none_or(|part| {
        version_of(&part) == Some(hop.from.to_string()) && part.readiness() == Readiness::Ready
    }))
}

fn version_of(object: &impl Manifest) -> Option<String> {
    object.meta().annotations.as_ref()?.get(VERSION_ANNOTATION).cloned()
}
