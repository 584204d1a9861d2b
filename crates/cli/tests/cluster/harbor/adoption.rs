//! A whole Harbor of the old operator, taken over in place.

use super::Cluster;
use crate::{adoption::left_behind, world::World};
use envtest::Requests;
use futures::StreamExt as _;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use kube::{
    Api, ResourceExt as _,
    api::{ApiResource, DynamicObject, PostParams},
    core::GroupVersionKind,
    discovery::pinned_kind,
    runtime::{WatchStreamExt as _, watcher},
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

/// Stores everything as the old operator did, owners before what they own.
async fn store(cluster: &Cluster, objects: Vec<Value>) -> BTreeMap<(String, String), DynamicObject> {
    let as_old_operator =
        PostParams { field_manager: Some("harbor-operator".into()), ..PostParams::default() };
    let mut stored = BTreeMap::<(String, String), DynamicObject>::new();
    let mut waiting = objects;
    while !waiting.is_empty() {
        let mut later = Vec::new();
        for mut object in waiting {
            let owner = object["metadata"]["ownerReferences"][0].clone();
            if let (Some(kind), Some(name)) = (owner["kind"].as_str(), owner["name"].as_str()) {
                let Some(owner) = stored.get(&(kind.to_owned(), name.to_owned())) else {
                    later.push(object);
                    continue;
                };
                object["metadata"]["ownerReferences"][0]["uid"] = json!(owner.uid());
            }
            let object: DynamicObject = serde_json::from_value(object).unwrap();
            let types = object.types.clone().unwrap();
            let kind: GroupVersionKind = (&types).try_into().unwrap();
            let (resource, _): (ApiResource, _) = pinned_kind(&cluster.plane.client(), &kind).await.unwrap();
            let api: Api<DynamicObject> =
                Api::namespaced_with(cluster.plane.client(), &cluster.name, &resource);
            let created = api.create(&as_old_operator, &object).await.unwrap();
            stored.insert((types.kind, created.name_any()), created);
        }
        waiting = later;
    }
    stored
}

/// Every pod template a Deployment has had.
#[derive(Clone, Default)]
struct Templates(Arc<Mutex<BTreeMap<String, BTreeSet<String>>>>);

impl Templates {
    fn follow(cluster: &Cluster) -> Self {
        let (templates, api) = (Self::default(), cluster.api::<Deployment>());
        let follower = templates.clone();
        tokio::spawn(async move {
            let events = watcher(api, watcher::Config::default()).applied_objects();
            let mut events = Box::pin(events);
            while let Some(Ok(deployment)) = events.next().await {
                let template = serde_json::to_string(&deployment.spec.as_ref().unwrap().template).unwrap();
                follower.0.lock().unwrap().entry(deployment.name_any()).or_default().insert(template);
            }
        });
        templates
    }

    fn of(&self, name: &str) -> usize {
        self.0.lock().unwrap()[name].len()
    }
}

/// Everything the old operator left behind, where that is at hand, and what it needs to become ready here.
async fn recorded(cluster: &Cluster) -> Option<Vec<Value>> {
    let Some(mut objects) = left_behind(&cluster.name) else {
        eprintln!("skipped: ../shared is not here");
        return None;
    };
    for object in &mut objects {
        // There was no database when this was recorded.
        if object["kind"] == "Secret" && object["metadata"]["name"] == "pg-pass" {
            object["stringData"] = json!({"postgres-password": "x"});
        }
    }
    // cert-manager makes it again, as it does here, with a real key.
    objects.retain(|object| {
        object["metadata"]["name"] != "h-harbor-core-tokencert" || object["kind"] != "Secret"
    });
    cluster
        .apply(vec![json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "reg"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        })])
        .await;
    Some(objects)
}

#[tokio::test]
async fn a_harbor_of_the_old_operator_is_adopted_without_a_deployment_deleted_or_a_secret_changed() {
    let cluster = Cluster::on(World::new().await).await;
    let Some(objects) = recorded(&cluster).await else { return };
    let before = store(&cluster, objects).await;

    let requests = Requests::default();
    let templates = Templates::follow(&cluster);
    let _operator = cluster.operator(&requests);
    cluster.until_ready("h").await;
    let sent = requests.until_quiet().await;

    let uid = |name: &str| before[&("Deployment".to_owned(), name.to_owned())].uid();
    for part in ["core", "jobservice", "portal", "registry"] {
        let name = format!("h-harbor-{part}");
        let now = cluster.get::<Deployment>(&name).await;
        assert_eq!(now.uid(), uid(&name), "{name} was not recreated");
        assert_eq!(templates.of(&name), 2, "{name}: the old pods, and new ones once");
        let old = now.annotations().keys().find(|key| key.contains("checksum.goharbor.io/h-harbor"));
        assert_eq!(old, None, "{name}");
    }
    for name in [
        "core-csrf",
        "core-encryptionkey",
        "core-secret",
        "jobservice-secret",
        "registry-basicauth",
        "registry-http",
    ] {
        let name = format!("h-harbor-{name}");
        let mut now = serde_json::to_value(cluster.get::<Secret>(&name).await.data).unwrap();
        let mut then = before[&("Secret".to_owned(), name.clone())].data["data"].clone();
        // Its line may have a cheaper hash of the same password, see `htpasswd`.
        for data in [&mut now, &mut then] {
            data.as_object_mut().unwrap().remove("htpasswd");
        }
        assert_eq!(now, then, "{name}");
    }
    let users = cluster.get::<Secret>("h-harbor-registry-basicauth").await.data.unwrap();
    let text = |key: &str| String::from_utf8(users[key].0.clone()).unwrap();
    let line = text("htpasswd");
    let hash = line.strip_prefix("harbor_registry_user:").unwrap();
    assert!(hash.starts_with("$2b$04$") && bcrypt::verify(text("secret"), hash).unwrap(), "{hash}");
    let deleted: Vec<_> = sent.iter().filter(|request| request.starts_with("DELETE")).collect();
    assert!(deleted.is_empty(), "{deleted:#?}");
}

/// As the old operator made the Ingress of MinIO a child of the Tenant.
#[tokio::test]
async fn a_child_of_any_kind_is_adopted_whatever_the_old_operator_made_its_controller() {
    let cluster = Cluster::on(World::new().await).await;
    let Some(mut objects) = recorded(&cluster).await else { return };
    let stranger = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "stranger", "namespace": cluster.name},
    });
    for object in &mut objects {
        if let Some(owner) = object["metadata"]["ownerReferences"].get_mut(0) {
            owner["apiVersion"] = json!("v1");
            owner["kind"] = json!("ConfigMap");
            owner["name"] = json!("stranger");
        }
    }
    objects.push(stranger);
    let before = store(&cluster, objects).await;

    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster.until_ready("h").await;
    requests.until_quiet().await;
    for ((kind, name), before) in before.iter().filter(|(_, it)| !it.owner_references().is_empty()) {
        // Generated Secrets, and what the predecessor only wanted itself, stay as they are.
        let now = cluster.kubectl(&["get", kind, name, "-o", "json", "--ignore-not-found"]).await;
        let Ok(now) = serde_json::from_str::<DynamicObject>(&now) else { continue };
        assert_eq!(now.uid(), before.uid(), "{kind} {name}");
        let controllers =
            now.owner_references().iter().filter(|owner| owner.controller == Some(true)).count();
        assert_eq!(controllers, 1, "{kind} {name}: {:?}", now.owner_references());
    }
}
