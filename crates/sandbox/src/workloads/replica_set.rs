//! ReplicaSet: the wanted number of pods of one template.

use super::template::{self, is_ready, suffix};
use crate::{
    kind::Kind,
    reconcile::Next,
    world::World,
    write::{ReconcileError, staying},
};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::json;

pub(crate) async fn reconcile(world: &World, set: &DynamicObject) -> Result<Next, ReconcileError> {
    let spec = &set.data["spec"];
    let wanted = spec["replicas"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(1);
    let mut pods = staying(world.children(set, Kind::Pod));
    pods.retain(|pod| pod.data["status"]["phase"] != "Failed" && pod.data["status"]["phase"] != "Succeeded");

    for _ in pods.len()..wanted {
        let name = format!("{}-{}", set.name_any(), suffix());
        let pod = template::pod(Kind::ReplicaSet, set, &name, &spec["template"], json!({}));
        world.create(Kind::Pod, pod).await?;
    }
    // Deletes pods that are not ready first, then the youngest.
    pods.sort_by_key(|pod| (!is_ready(pod), pod.metadata.creation_timestamp.clone().map(|time| time.0)));
    for surplus in pods.iter().skip(wanted) {
        world.delete(Kind::Pod, surplus, false).await?;
    }

    let pods = staying(world.children(set, Kind::Pod));
    let ready = pods.iter().filter(|pod| is_ready(pod)).count();
    let status = json!({
        "observedGeneration": set.metadata.generation,
        "replicas": pods.len(),
        "fullyLabeledReplicas": pods.len(),
        "readyReplicas": ready,
        "availableReplicas": ready,
    });
    world.set_status(Kind::ReplicaSet, set, status).await?;
    Ok(Next::Change)
}
