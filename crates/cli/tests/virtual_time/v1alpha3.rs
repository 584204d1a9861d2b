//! Objects of v1alpha3 become ready: the samples of the old operator, and installations and components as users wrote them for
//! its first versions.

use crate::cluster::Cluster;
use api::conversion::{Version, convert, kinds};
use kube::{
    Api,
    api::{ApiResource, DynamicObject, GroupVersionKind, ListParams},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, path::Path, time::Duration};

/// The objects of a file below the root of the repository; none if it is not there.
fn objects(path: &str) -> Option<Vec<Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let Ok(text) = fs::read_to_string(&path) else {
        eprintln!("not tested: {} is not there", path.display());
        return None;
    };
    Some(serde_saphyr::from_multiple(&text).unwrap())
}

fn object(kind: &str, api_version: &str, namespace: &str, name: &str, fields: Value) -> Value {
    let mut object = json!({ "apiVersion": api_version, "kind": kind,
        "metadata": { "name": name, "namespace": namespace } });
    for (field, value) in fields.as_object().unwrap() {
        object[field] = value.clone();
    }
    object
}

/// What users have beside their Harbor: the Secrets, the issuer and the claim that the files name.
fn surroundings(namespace: &str) -> Vec<Value> {
    let secret = |name: &str, key: &str| {
        object("Secret", "v1", namespace, name, json!({ "stringData": { key: "example-only" } }))
    };
    let issuer = json!({ "spec": { "selfSigned": {} } });
    let claim = json!({ "spec": { "accessModes": ["ReadWriteMany"],
        "resources": { "requests": { "storage": "1Gi" } } } });
    vec![
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } }),
        secret("harbor-redis", "redis-password"),
        secret("harbor-database-password", "postgres-password"),
        object("Issuer", "cert-manager.io/v1", namespace, "self-signed", issuer),
        object("PersistentVolumeClaim", "v1", namespace, "images", claim),
    ]
}

/// Applies our objects as v1alpha3, and waits until all that follow from them are ready. Returns how many objects each kind
/// has.
async fn ready(path: &str, namespace: &str) -> Option<BTreeMap<&'static str, usize>> {
    let objects = objects(path)?;
    let cluster = Cluster::with_v1alpha3().await;
    let _operator = cluster.operator(None);
    for object in surroundings(namespace) {
        cluster.apply_object(&object).await;
    }
    let mut owners = Vec::new();
    for mut object in objects {
        if object["kind"] != "Namespace" {
            object["metadata"]["namespace"] = namespace.into();
        }
        let is_ours =
            object["apiVersion"].as_str().is_some_and(|version| version.starts_with("goharbor.io/"));
        let object = if is_ours { convert(object, Version::V1alpha3).unwrap() } else { object };
        cluster.apply_object(&object).await;
        if is_ours {
            owners.push((text(&object, "/kind"), text(&object, "/metadata/name")));
        }
    }
    assert!(!owners.is_empty());
    let waiting = async {
        for (kind, name) in &owners {
            let api = old(&cluster, kind, namespace);
            while !is_ready(&api.get(name).await.unwrap()) {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    };
    let waited = tokio::time::timeout(Duration::from_hours(1), waiting).await;
    assert!(waited.is_ok(), "{owners:?} do not become ready");

    let mut counted = BTreeMap::new();
    for kind in kinds() {
        let all = old(&cluster, kind, namespace).list(&ListParams::default()).await.unwrap().items;
        let unready: Vec<_> = all.iter().filter(|object| !is_ready(object)).collect();
        assert!(unready.is_empty(), "{unready:?}");
        if !all.is_empty() {
            counted.insert(kind, all.len());
        }
    }
    Some(counted)
}

/// Objects of a kind, as clients of v1alpha3 see them.
fn old(cluster: &Cluster, kind: &str, namespace: &str) -> Api<DynamicObject> {
    let plural = api::crds::of(kind).unwrap().spec.names.plural;
    let kind = GroupVersionKind::gvk("goharbor.io", Version::V1alpha3.name(), kind);
    let resource = ApiResource::from_gvk_with_plural(&kind, &plural);
    Api::namespaced_with(cluster.client.clone(), namespace, &resource)
}

fn text(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).and_then(Value::as_str).unwrap().to_owned()
}

fn is_ready(object: &DynamicObject) -> bool {
    let conditions = object.data["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|it| it["type"] == "Ready" && it["status"] == "True")
}

#[tokio::test(start_paused = true)]
async fn installations_of_the_first_versions_become_ready() {
    let counted = ready("crates/cli/tests/fixtures/v1alpha3.yaml", "registry").await.unwrap();
    let clusters = (counted["HarborCluster"], counted["Harbor"]);
    assert_eq!(clusters, (2, 3), "two HarborClusters with their Harbors, and a Harbor alone");
    assert_eq!(counted["Exporter"], 2, "of the Harbors that ask for one");
}

#[tokio::test(start_paused = true)]
async fn components_of_the_first_versions_become_ready_without_a_harbor() {
    let counted = ready("crates/cli/tests/fixtures/v1alpha3-components.yaml", "registry").await.unwrap();
    let components = kinds().filter(|kind| !["Exporter", "Harbor", "HarborCluster"].contains(kind));
    assert_eq!(counted, components.map(|kind| (kind, 1)).collect(), "one of each kind");
}

#[tokio::test(start_paused = true)]
async fn the_full_sample_becomes_ready_with_every_kind_of_v1alpha3() {
    let Some(counted) = sample("full_stack.yaml").await else { return };
    assert_eq!(counted.into_keys().collect::<Vec<_>>(), kinds().collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn the_minimal_sample_with_volumes_becomes_ready() {
    sample("minimal_stack_fs.yaml").await;
}

#[tokio::test(start_paused = true)]
async fn the_minimal_sample_with_everything_in_the_cluster_becomes_ready() {
    sample("minimal_stack_incluster.yaml").await;
}

#[tokio::test(start_paused = true)]
async fn the_standard_sample_becomes_ready() {
    sample("standard_stack.yaml").await;
}

#[tokio::test(start_paused = true)]
async fn the_standard_sample_with_volumes_becomes_ready() {
    sample("standard_stack_fs.yaml").await;
}

async fn sample(name: &str) -> Option<BTreeMap<&'static str, usize>> {
    ready(&format!("../shared/data/upstream-samples/{name}"), "cluster-sample-ns").await
}
