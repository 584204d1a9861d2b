//! Whether a hop may begin: everything else has the version before, and is ready.

use super::super::{part::Part, rotation, validated::Validated};
use crate::versions::Hop;
use api::{
    names::VERSION_ANNOTATION,
    v1beta1::{
        ChartMuseum, Core, Exporter, JobService, NotaryServer, NotarySigner, Portal, Registry,
        RegistryController, Trivy,
    },
};
use k8s_openapi::api::apps::v1::Deployment;
use plan::{All, Manifest, ObjectKey, PlanError, Readiness, World};

/// Whether the hop has begun: Core gets the version afterwards.
pub(super) fn has_begun(harbor: &Validated<'_>, hop: &Hop, world: &World<'_>) -> Result<bool, PlanError> {
    // With its status, which matters to who asks later whether Core serves.
    let core = world.with_status::<Core>(&harbor.name)?;
    Ok(core.is_some_and(|core| version_of(&core) == Some(hop.to.to_string())))
}

/// What a hop that has not begun waits for; empty if it may begin.
///
/// A hop waits for the rotation that is under way. Otherwise a hop that does not change the schema begins at once. So does one
/// while the pods of Core are not ready: the others may need a Core that works, and the new version may be the remedy. The
/// status of Core itself is older than its record for a moment, when the hop before has just ended.
pub(super) fn unsettled(
    harbor: &Validated<'_>,
    hop: &Hop,
    world: &World<'_>,
) -> Result<Vec<String>, PlanError> {
    let rotation = rotation::under_way(harbor, world)?;
    if !hop.migrates() && rotation.is_none() {
        return Ok(Vec::new());
    }
    let (pods, parts) = (
        world.with_status::<Deployment>(&harbor.child(Part::Core.name())),
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
    let all = [registry, controller, jobservice, portal, trivy, exporter, charts, server, signer];
    let works = pods.is_some_and(|pods| pods.readiness() == Readiness::Ready);
    let parts = all.into_iter().flatten().filter(|_| hop.migrates());
    Ok(parts.chain(rotation).filter(|_| works).collect())
}

/// What the hop waits for about a part: that it has the version before, and is ready. Nothing if it does not exist.
fn settled<K: Manifest>(
    harbor: &Validated<'_>,
    hop: &Hop,
    world: &World<'_>,
) -> Result<Option<String>, PlanError> {
    let Some(part) = world.with_status::<K>(&harbor.name)? else { return Ok(None) };
    let key = ObjectKey::of::<K>(harbor.namespace, &harbor.name);
    let kind = &key.kind;
    Ok(match (version_of(&part), part.readiness()) {
        (version, _) if version != Some(hop.from.to_string()) => {
            Some(format!("{kind} does not have version {} yet", hop.from))
        }
        (_, Readiness::Ready) => None,
        (_, Readiness::Progressing(_) | Readiness::Failed(_)) => Some(format!("{kind} is not ready")),
    })
}

fn version_of(object: &impl Manifest) -> Option<String> {
    object.meta().annotations.as_ref()?.get(VERSION_ANNOTATION).cloned()
}
