//! HTTPRoute: the status for each of its gateways.

use crate::{
    condition::{Condition, with},
    kind::Kind,
    reconcile::Next,
    world::World,
    write::ReconcileError,
};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};

const CONTROLLER: &str = "sandbox.goharbor.io/gateway";

pub(crate) async fn reconcile(world: &World, route: &DynamicObject) -> Result<Next, ReconcileError> {
    let annotated = world.annotated(route);
    let generation = route.metadata.generation.unwrap_or_default();
    if let Some(left) = world.remaining(route, &format!("accept {generation}"), annotated.delay) {
        return Ok(Next::After(left));
    }
    let accepted = match &annotated.failure {
        Some(message) => Condition::new("Accepted", false, "NotAllowedByListeners", message),
        None => Condition::new("Accepted", true, "Accepted", "Route is accepted"),
    };
    let missing = missing_backend(world, route);
    let resolved = match &missing {
        Some(message) => Condition::new("ResolvedRefs", false, "BackendNotFound", message),
        None => Condition::new("ResolvedRefs", true, "ResolvedRefs", "All references are resolved"),
    };
    let now = world.now();
    let parents: Vec<Value> = list(&route.data["spec"]["parentRefs"])
        .map(|parent| {
            let mut before = list(&route.data["status"]["parents"]);
            let before = before.find(|each| each["parentRef"] == *parent).unwrap_or(&Value::Null);
            let conditions = [accepted, resolved].map(|condition| {
                with(condition.after(&before["conditions"], now), "observedGeneration", generation)
            });
            json!({"parentRef": parent, "controllerName": CONTROLLER, "conditions": conditions})
        })
        .collect();
    world.set_status(Kind::HttpRoute, route, json!({"parents": parents})).await?;
    Ok(Next::Change)
}

/// The message about a backend Service that does not exist.
fn missing_backend(world: &World, route: &DynamicObject) -> Option<String> {
    let own = route.namespace().unwrap_or_default();
    let mut backends = list(&route.data["spec"]["rules"]).flat_map(|rule| list(&rule["backendRefs"]));
    backends.find_map(|backend| {
        if backend["kind"].as_str().is_some_and(|kind| kind != "Service") {
            return None;
        }
        let name = backend["name"].as_str()?;
        let namespace = backend["namespace"].as_str().unwrap_or(&own);
        let absent = world.find(Kind::Service, namespace, name).is_none();
        absent.then(|| format!("service {namespace}/{name} not found"))
    })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
