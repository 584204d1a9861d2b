//! Whether a hop may begin: everything else has the version before, and is ready.

use super::super::{part::Part, rotation, validated::Validated};
use crate::{core::Record, versions::Hop};
use api::{
    names::{STOPPED_ANNOTATION, VERSION_ANNOTATION},
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
/// A hop waits for the rotation that is under way, and for credentials that are being encrypted with another key. Otherwise a hop
/// that does not change the schema begins at once. So does one while the pods of Core are not ready: the others may need a Core
/// that works, and the new version may be the remedy. For the same reason a hop does not wait for a rotation while no pod of Core
/// serves, unless the operator has stopped Core to encrypt credentials. The status of Core itself is older than its record for a
/// moment, when the hop before has just ended.
pub(super) fn unsettled(
    harbor: &Validated<'_>,
    hop: &Hop,
    world: &World<'_>,
) -> Result<Vec<String>, PlanError> {
    let (rotation, record) = (rotation::under_way(harbor, world), Record::read(&harbor.name, world)).all()?;
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
    let works = pods.as_ref().is_some_and(|pods| pods.readiness() == Readiness::Ready);
    let parts = all.into_iter().flatten().filter(|_| hop.migrates() && works);
    let is_encrypted = record.is_some_and(|record| record.next_key.is_some());
    let is_waited_for = is_encrypted || pods.is_some_and(|pods| serves(&pods) || is_stopped(&pods));
    Ok(parts.chain(rotation.filter(|_| is_waited_for)).collect())
}

/// Whether a pod of Core serves.
fn serves(pods: &Deployment) -> bool {
    let available = pods.status.as_ref().and_then(|status| status.available_replicas);
    available.is_some_and(|available| available > 0)
}

/// Whether the operator has stopped Core.
fn is_stopped(pods: &Deployment) -> bool {
    pods.metadata.annotations.as_ref().is_some_and(|annotations| annotations.contains_key(STOPPED_ANNOTATION))
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
