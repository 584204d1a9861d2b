//! What the old operator stored, taken over.

use crate::world::{World, root};
use api::v1beta1::Core;
use envtest::{Kind, Requests};
use k8s_openapi::{
    ByteString,
    api::{
        apps::v1::Deployment,
        core::v1::{ConfigMap, Secret, Service},
    },
};
use kube::{ResourceExt as _, api::PostParams};
use serde_json::{Value, json};
use std::fs;

/// Every object of a Harbor as the old operator left it, moved to another namespace.
pub fn left_behind(namespace: &str) -> Option<Vec<Value>> {
    let file = root().join("../shared/data/upstream-objects/harbor-minimal.json");
    let text = fs::read_to_string(file).ok()?.replace("hb-000", namespace);
    let mut list: Value = serde_json::from_str(&text).unwrap();
    Some(list["items"].as_array_mut().unwrap().iter_mut().map(|object| as_created(object.take())).collect())
}

/// The object as it was sent: without what the server adds.
fn as_created(mut object: Value) -> Value {
    let metadata = object["metadata"].as_object_mut().unwrap();
    for field in ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"] {
        metadata.remove(field);
    }
    object.as_object_mut().unwrap().remove("status");
    if let Some(spec) = object["spec"].as_object_mut() {
        spec.retain(|field, _| !field.starts_with("clusterIP"));
    }
    object
}

/// Stores an object as the old operator did: with a plain create, under its name.
pub async fn store<K: Kind>(world: &World, object: &Value) -> K {
    let as_old_operator =
        PostParams { field_manager: Some("harbor-operator".into()), ..PostParams::default() };
    let object: K = serde_json::from_value(object.clone()).unwrap();
    world.api::<K>().create(&as_old_operator, &object).await.unwrap()
}

fn environment(deployment: &Deployment) -> Vec<&str> {
    let pod = deployment.spec.as_ref().unwrap().template.spec.as_ref().unwrap();
    pod.containers[0].env.iter().flatten().map(|variable| variable.name.as_str()).collect()
}

#[tokio::test]
async fn a_core_of_the_old_operator_is_adopted_in_place() {
    let world = World::new().await;
    let Some(objects) = left_behind(&world.name) else {
        eprintln!("skipped: ../shared is not here");
        return;
    };
    let find = |kind: &str, name: &str| {
        let mut objects = objects.iter();
        objects.find(|object| object["kind"] == kind && object["metadata"]["name"] == name).unwrap().clone()
    };
    // Without its Harbor, which would write it anew first.
    let mut core = find("Core", "h-harbor");
    core["metadata"].as_object_mut().unwrap().remove("ownerReferences");
    let core: Core = store(&world, &core).await;
    let owned = |kind: &str| {
        let mut object = find(kind, "h-harbor-core");
        object["metadata"]["ownerReferences"][0]["uid"] = json!(core.uid());
        object
    };
    let deployment: Deployment = store(&world, &owned("Deployment")).await;
    let service: Service = store(&world, &owned("Service")).await;
    let config: ConfigMap = store(&world, &owned("ConfigMap")).await;
    let secret: Secret = store(&world, &owned("Secret")).await;
    assert!(environment(&deployment).contains(&"AUTH_MODE"), "there is something to get rid of");
    for mut input in objects.iter().filter(|object| object["kind"] == "Secret").cloned() {
        let token =
            World::inputs().into_iter().find(|input| input["metadata"]["name"] == "harbor-token").unwrap();
        match input["metadata"]["name"].as_str().unwrap() {
            "h-harbor-core" => continue,
            // There were no issued certificates and no database when this was recorded.
            "h-harbor-core-tokencert" => {
                input["stringData"] = json!({"tls.key": token["stringData"]["tls.key"]});
            }
            "pg-pass" => input["stringData"] = json!({"postgres-password": "x"}),
            _ => {}
        }
        input["metadata"].as_object_mut().unwrap().remove("ownerReferences");
        store::<Secret>(&world, &input).await;
    }

    let requests = Requests::default();
    let _operator = world.operator(&requests);
    let adopted = world
        .until::<Deployment>("h-harbor-core", |deployment| !environment(deployment).contains(&"AUTH_MODE"))
        .await;
    world.make_available("h-harbor-core").await;
    let is_ready = |core: &Core| {
        let conditions = core.status.iter().flat_map(|status| &status.conditions);
        conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
    };
    world.until::<Core>("h-harbor", is_ready).await;

    assert_eq!(adopted.uid(), deployment.uid(), "not recreated");
    assert_eq!(adopted.spec.as_ref().unwrap().selector, deployment.spec.as_ref().unwrap().selector);
    let old_annotation =
        |key: &String| key.contains("checksum.goharbor.io/h-harbor") || key.ends_with("/warning");
    assert_eq!(adopted.annotations().keys().find(|key| old_annotation(key)), None);
    let now = world.get::<Service>("h-harbor-core").await;
    assert_eq!((now.uid(), now.spec.unwrap().cluster_ip), (service.uid(), service.spec.unwrap().cluster_ip));
    let now = world.get::<ConfigMap>("h-harbor-core").await;
    assert_eq!((now.uid(), now.binary_data), (config.uid(), None));
    assert!(now.data.unwrap().contains_key("app.conf"));
    let now = world.get::<Secret>("h-harbor-core").await;
    let mut data = secret.data.clone().unwrap();
    data.insert("HARBOR_ADMIN_PASSWORD".into(), ByteString(b"Harbor12345".into()));
    assert_eq!((now.uid(), now.data), (secret.uid(), Some(data)), "sessions and caches stay where they are");
    let generation = world.get::<Deployment>("h-harbor-core").await.metadata.generation;
    assert_eq!(generation, Some(2), "one rollout, not two");
}
