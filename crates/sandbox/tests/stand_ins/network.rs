//! Services, Ingresses and routes get addresses.

use crate::world::World;
use serde_json::{Value, json};

fn service(kind: &str) -> Value {
    json!({"spec": {"type": kind, "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]}})
}

#[tokio::test]
async fn a_load_balancer_gets_an_address_and_loses_it_when_annotated_to_fail() {
    let world = World::new().await;
    world.create("Service", "front", service("LoadBalancer")).await;
    world.create("Service", "other", service("LoadBalancer")).await;
    let address = |service: &Value| service["status"]["loadBalancer"]["ingress"][0]["ip"].clone();

    let front = world.until("Service", "front", |service| address(service).is_string()).await;
    let other = world.until("Service", "other", |service| address(service).is_string()).await;
    assert_ne!(address(&front), address(&other));

    world.fail("Service", "front", "no more addresses").await;
    world.until("Service", "front", |service| address(service).is_null()).await;
    world.mend("Service", "front").await;
    world.until("Service", "front", |service| address(service).is_string()).await;
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_service_knows_the_pods_that_serve() {
    let world = World::new().await;
    if !world.plane.version().at_least(1, 21) {
        return;
    }
    world.create("Service", "web", service("ClusterIP")).await;
    let deployment = json!({"spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [
                {"name": "web", "image": "web", "ports": [{"name": "http", "containerPort": 8080}]},
            ]},
        },
    }});
    world.create("Deployment", "web", deployment).await;

    let slice = world
        .until("EndpointSlice", "web-sandbox", |slice| {
            let endpoints = slice["endpoints"].as_array().map_or(&[][..], Vec::as_slice);
            endpoints.len() == 2 && endpoints.iter().all(|endpoint| endpoint["conditions"]["ready"] == true)
        })
        .await;

    assert_eq!(slice["ports"], json!([{"name": "", "protocol": "TCP", "port": 8080}]));
    assert_eq!(slice["metadata"]["labels"]["kubernetes.io/service-name"], "web");
    world.assert_quiet().await;
}

#[tokio::test]
async fn an_ingress_gets_an_address() {
    let world = World::new().await;
    let backend = json!({"service": {"name": "web", "port": {"number": 80}}});
    world.create("Ingress", "web", json!({"spec": {"defaultBackend": backend}})).await;

    world
        .until("Ingress", "web", |ingress| ingress["status"]["loadBalancer"]["ingress"][0]["ip"].is_string())
        .await;
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_route_is_accepted_and_its_backends_are_looked_up() {
    let world = World::with_definitions().await;
    let route = json!({"spec": {
        "parentRefs": [{"name": "gateway"}],
        "rules": [{"backendRefs": [{"name": "web", "port": 80}]}],
    }});
    world.create("HTTPRoute", "web", route).await;
    let condition = |route: &Value, kind: &str| {
        let conditions = route["status"]["parents"][0]["conditions"].as_array().cloned().unwrap_or_default();
        conditions.into_iter().find(|condition| condition["type"] == kind).unwrap_or_default()
    };

    let lost =
        world.until("HTTPRoute", "web", |route| condition(route, "Accepted")["status"] == "True").await;
    assert_eq!(condition(&lost, "ResolvedRefs")["reason"], "BackendNotFound");
    world.create("Service", "web", service("ClusterIP")).await;
    world.until("HTTPRoute", "web", |route| condition(route, "ResolvedRefs")["status"] == "True").await;

    world.fail("HTTPRoute", "web", "not on this listener").await;
    world.until("HTTPRoute", "web", |route| condition(route, "Accepted")["status"] == "False").await;
    world.mend("HTTPRoute", "web").await;
    world.until("HTTPRoute", "web", |route| condition(route, "Accepted")["status"] == "True").await;
    world.assert_quiet().await;
}
