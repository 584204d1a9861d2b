//! Restarts of the stand-ins, and deletion of their objects and kinds.

use crate::world::{World, condition, install};
use envtest::{Assets, writes};
use jiff::Timestamp;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams},
    core::{ApiResource, DynamicObject, GroupVersionKind},
    runtime::wait::await_condition,
};
use serde_json::{Value, json};

fn deployment() -> Value {
    json!({"spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web"}]},
        },
    }})
}

#[tokio::test]
async fn stand_ins_that_start_again_change_nothing() {
    let world = World::with_definitions().await;
    world.create("Deployment", "web", deployment()).await;
    world.create("Issuer", "self", json!({"spec": {"selfSigned": {}}})).await;
    let certificate =
        json!({"spec": {"secretName": "tls", "dnsNames": ["a"], "issuerRef": {"name": "self"}}});
    world.create("Certificate", "tls", certificate).await;
    let store = json!({"spec": {"instances": 1, "storage": {"size": "1Gi"}}});
    world.create("Cluster", "pg", store).await;
    world.until_condition("Deployment", "web", "Available", "True").await;
    world.until_condition("Certificate", "tls", "Ready", "True").await;
    world.until_condition("Cluster", "pg", "Ready", "True").await;
    world.requests.until_quiet().await;

    let world = world.restarted();

    world
        .create("Service", "still", json!({"spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}}))
        .await;
    let balanced = |service: &Value| service["status"]["loadBalancer"]["ingress"].is_array();
    world.until("Service", "still", balanced).await;
    let mut sent = world.requests.until_quiet().await;
    while !world.requests.watches().iter().any(|path| path.ends_with("/certificates")) {
        sent.extend(world.requests.until_quiet().await);
    }
    let address = format!("PATCH /api/v1/namespaces/{}/services/still/status", world.namespace);
    // An older server does not store all fields of a current kubelet, so they are sent again.
    if world.plane.version().at_least(1, 28) {
        assert_eq!(writes(&sent), [address]);
    }
    world.assert_quiet().await;
}

#[tokio::test]
async fn created_objects_are_deleted_with_their_owner() {
    if !Assets::find().unwrap().has_controller_manager() {
        return;
    }
    let world = World::whole().await;
    world.create("Deployment", "web", deployment()).await;
    world.until_condition("Deployment", "web", "Available", "True").await;
    let pod = world.names("Pod").await.remove(0);
    world.delete("Pod", &pod).await;
    world.until_gone("Pod", &pod).await;
    world.until("Deployment", "web", |deployment| deployment["status"]["availableReplicas"] == 2).await;
    assert_eq!(world.names("Pod").await.len(), 2, "a deleted pod is replaced");
    let pods = world.names("Pod").await;

    world.api("Deployment").delete("web", &DeleteParams::foreground()).await.unwrap();

    world.until_gone("Deployment", "web").await;
    for pod in pods {
        world.until_gone("Pod", &pod).await;
    }
    world.assert_quiet().await;

    a_definition_comes_and_goes(&world).await;
}

/// Part of this test because it would affect all tests on a shared control plane.
async fn a_definition_comes_and_goes(world: &World) {
    install(&world.plane).await;
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("cert-manager.io", "v1", "ClusterIssuer"));
    let issuers: Api<DynamicObject> = Api::all_with(world.plane.client(), &kind);
    let issuer = json!({
        "apiVersion": "cert-manager.io/v1", "kind": "ClusterIssuer", "metadata": {"name": "everywhere"},
        "spec": {"selfSigned": {}},
    });
    let apply = async || {
        let params = PatchParams::apply("test").force();
        issuers.patch("everywhere", &params, &Patch::Apply(&issuer)).await.unwrap();
    };
    let is_ready = |issuer: Option<&DynamicObject>| {
        issuer.is_some_and(|issuer| condition(&issuer.data, "Ready")["status"] == "True")
    };
    apply().await;
    await_condition(issuers.clone(), "everywhere", is_ready).await.unwrap();
    let certificate = json!({"spec": {
        "secretName": "tls", "dnsNames": ["a"], "issuerRef": {"name": "everywhere", "kind": "ClusterIssuer"},
    }});
    world.create("Certificate", "tls", certificate).await;
    world.until_condition("Certificate", "tls", "Ready", "True").await;

    let definitions: Api<CustomResourceDefinition> = Api::all(world.plane.client());
    let name = "clusterissuers.cert-manager.io";
    definitions.delete(name, &DeleteParams::default()).await.unwrap();
    await_condition(definitions, name, |definition: Option<&CustomResourceDefinition>| definition.is_none())
        .await
        .unwrap();
    world.assert_quiet().await;
    install(&world.plane).await;
    apply().await;
    await_condition(issuers, "everywhere", is_ready).await.unwrap();
}

#[tokio::test]
async fn the_times_in_statuses_are_those_of_the_clock_that_a_test_gives() {
    let plane = envtest::ControlPlane::shared().await.unwrap();
    let namespace = plane.create_namespace("sandbox").await.unwrap();
    let world = World::start(plane, namespace.clone(), |stand_ins| {
        stand_ins.within(namespace).clock(|| Timestamp::UNIX_EPOCH)
    });
    world.create("Deployment", "web", deployment()).await;
    world.until_condition("Deployment", "web", "Available", "True").await;
    let deployment = world.get("Deployment", "web").await;
    let conditions = deployment["status"]["conditions"].as_array().unwrap();
    for time in conditions.iter().flat_map(|it| [&it["lastUpdateTime"], &it["lastTransitionTime"]]) {
        assert_eq!(time, "1970-01-01T00:00:00Z");
    }
}
