//! Objects of v1alpha3 become ready: the samples of the old operator, installations with the fields of its first samples, and
//! installations and components as users wrote them for its first versions.

use crate::cluster::{Cluster, NAMESPACE};
use api::conversion::{Version, convert, kinds};
use kube::{
    Api,
    api::{ApiResource, DynamicObject, GroupVersionKind, ListParams},
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    time::Duration,
};

/// The objects of a file below the root of the repository; none if it is not there.
fn objects(path: &str) -> Option<Vec<Value>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let Ok(text) = fs::read_to_string(&path) else {
        eprintln!("not tested: {} is not there", path.display());
        return None;
    };
    Some(serde_saphyr::from_multiple(&text).unwrap())
}

/// The objects of a fixture.
fn fixture(name: &str) -> Vec<Value> {
    objects(&format!("crates/cli/tests/fixtures/{name}")).unwrap()
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
async fn ready(objects: Vec<Value>, namespace: &str) -> BTreeMap<&'static str, usize> {
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
    counted
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
    let counted = ready(fixture("v1alpha3.yaml"), NAMESPACE).await;
    let clusters = (counted["HarborCluster"], counted["Harbor"]);
    assert_eq!(clusters, (2, 3), "two HarborClusters with their Harbors, and a Harbor alone");
    assert_eq!(counted["Exporter"], 2, "of the Harbors that ask for one");
}

#[tokio::test(start_paused = true)]
async fn components_of_the_first_versions_become_ready_without_a_harbor() {
    let counted = ready(fixture("v1alpha3-components.yaml"), NAMESPACE).await;
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
    let objects = objects(&format!("../shared/data/upstream-samples/{name}"))?;
    Some(ready(objects, "cluster-sample-ns").await)
}

/// The kinds that every Harbor of v1alpha3 has.
const MINIMAL: [&str; 7] =
    ["Core", "Harbor", "HarborCluster", "JobService", "Portal", "Registry", "RegistryController"];

/// Waits until an installation with the fields of one of the first samples is ready. Returns the kinds that it has.
async fn like_the_first_samples(name: &str) -> BTreeSet<&'static str> {
    let mut objects = fixture("v1alpha3-samples.yaml");
    objects.retain(|object| object["kind"] != "HarborCluster" || object["metadata"]["name"] == name);
    ready(objects, NAMESPACE).await.into_keys().collect()
}

#[tokio::test(start_paused = true)]
async fn an_installation_like_the_first_full_sample_becomes_ready_with_every_kind() {
    assert_eq!(like_the_first_samples("full").await, kinds().collect());
}

#[tokio::test(start_paused = true)]
async fn installations_like_the_first_minimal_samples_become_ready() {
    for name in ["minimal", "minimal-on-volumes"] {
        assert_eq!(like_the_first_samples(name).await, MINIMAL.into(), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_installation_like_the_first_standard_sample_becomes_ready_with_services_that_exist() {
    let optional = ["ChartMuseum", "NotaryServer", "NotarySigner", "Trivy"];
    let expected = MINIMAL.into_iter().chain(optional).collect();
    assert_eq!(like_the_first_samples("standard").await, expected);
}

#[tokio::test(start_paused = true)]
async fn an_installation_like_the_first_standard_sample_on_volumes_becomes_ready_with_every_kind() {
    assert_eq!(like_the_first_samples("standard-on-volumes").await, kinds().collect());
}

#[test]
fn installations_like_the_first_samples_are_converted_and_back_without_an_annotation() {
    let clusters = fixture("v1alpha3-samples.yaml").into_iter().filter(|it| it["kind"] == "HarborCluster");
    let clusters: Vec<_> = clusters.collect();
    assert_eq!(clusters.len(), 5);
    for cluster in clusters {
        let raised = convert(cluster.clone(), Version::V1beta1).unwrap();
        assert_eq!(convert(raised, Version::V1alpha3).unwrap(), cluster);
    }
}
