//! A Registry and its RegistryController, which share pods.

use crate::world::{World, documents, root};
use api::v1beta1::{Registry, RegistryController};
use envtest::Requests;
use k8s_openapi::{
    api::{
        apps::v1::Deployment,
        core::v1::{ConfigMap, Service},
    },
    apimachinery::pkg::apis::meta::v1::OwnerReference,
};
use kube::ResourceExt as _;
use serde_json::{Value, json};

/// The smallest Registry there is, and what it reads.
fn minimal() -> (Value, Vec<Value>) {
    let case = root().join("crates/components/tests/golden/registry/minimal");
    (documents(&case.join("in.yaml")).remove(0), documents(&case.join("inputs/controller.yaml")))
}

fn image(deployment: &Deployment, container: usize) -> &str {
    let pod = deployment.spec.as_ref().unwrap().template.spec.as_ref().unwrap();
    pod.containers[container].image.as_deref().unwrap()
}

#[tokio::test]
async fn b08_a_changed_registry_controller_changes_the_pods_of_the_registry() {
    let world = World::new().await;
    let (registry, inputs) = minimal();
    world.apply(inputs).await;
    world.apply(vec![registry]).await;
    let _operator = world.operator(&Requests::default());
    world.until::<Deployment>("harbor-registry", |_| true).await;

    world.merge::<RegistryController>("harbor", json!({"spec": {"image": "example/registryctl:mine"}})).await;

    let changed = |deployment: &Deployment| image(deployment, 1) == "example/registryctl:mine";
    world.until::<Deployment>("harbor-registry", changed).await;
}

#[tokio::test]
async fn what_an_older_operator_made_for_the_registry_controller_gives_way() {
    const OLDER: &str = "harbor-operator/registryctl";
    let world = World::new().await;
    let (registry, inputs) = minimal();
    world.apply(inputs).await;
    let owner = world.get::<RegistryController>("harbor").await;
    let metadata = json!({
        "name": "harbor-registryctl",
        "namespace": world.name,
        "labels": {"goharbor.io/operator-controller": "registryctl"},
        "ownerReferences": [{
            "apiVersion": "goharbor.io/v1beta1",
            "kind": "RegistryController",
            "name": "harbor",
            "uid": owner.uid(),
            "controller": true,
            "blockOwnerDeletion": true,
        }],
    });
    let labels = json!({"registryctl.goharbor.io/name": "harbor-registryctl"});
    let container = json!({"name": "registryctl", "image": "example/registryctl:old"});
    let old: Deployment = world
        .post_json_as(
            OLDER,
            json!({"metadata": metadata, "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            }}),
        )
        .await;
    let ports = json!([{"name": "http", "port": 80}]);
    world
        .post_json_as::<Service>(
            OLDER,
            json!({"metadata": metadata, "spec": {"selector": labels, "ports": ports}}),
        )
        .await;
    world
        .post_json_as::<ConfigMap>(OLDER, json!({"metadata": metadata, "data": {"config.yml": "port: 8080"}}))
        .await;
    world.apply(vec![registry]).await;

    let _operator = world.operator(&Requests::default());

    world.until_gone::<Deployment>(&old.name_any()).await;
    let uid = world.get::<Registry>("harbor").await.uid();
    let of_the_registry =
        |owners: &[OwnerReference]| owners.len() == 1 && Some(&owners[0].uid) == uid.as_ref();
    let service =
        world.until::<Service>("harbor-registryctl", |it| of_the_registry(it.owner_references())).await;
    assert_eq!(service.spec.unwrap().selector.unwrap()["registry.goharbor.io/name"], "harbor-registry");
    world.until::<ConfigMap>("harbor-registryctl", |it| of_the_registry(it.owner_references())).await;
    world.until::<Deployment>("harbor-registry", |_| true).await;
}
