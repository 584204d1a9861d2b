//! Volumes that the operator claims for a Harbor.

use super::{Cluster, minimal, with};
use envtest::Requests;
use k8s_openapi::api::{core::v1::PersistentVolumeClaim, storage::v1::StorageClass};
use kube::{Api, ResourceExt as _, api::PostParams};
use serde_json::{Value, json};

const VOLUME: &str = "/spec/imageChartStorage/filesystem/registryPersistentVolume";

/// A Harbor whose images are on a claim of this size.
fn claiming(size: &str) -> Value {
    with(minimal(), VOLUME, json!({"claimName": "acme-images", "create": {"size": size}}))
}

/// A class of volumes that grow: API servers let no others.
async fn growing(cluster: &Cluster) -> String {
    let class = json!({
        "metadata": {"name": format!("growing-{}", cluster.name)},
        "provisioner": "example.com/volumes", "allowVolumeExpansion": true,
    });
    let class: StorageClass = serde_json::from_value(class).unwrap();
    let api: Api<StorageClass> = Api::all(cluster.plane.client());
    api.create(&PostParams::default(), &class).await.unwrap().name_any()
}

fn size(claim: &PersistentVolumeClaim) -> &str {
    &claim.spec.as_ref().unwrap().resources.as_ref().unwrap().requests.as_ref().unwrap()["storage"].0
}

#[tokio::test]
async fn a_claim_is_created_and_grows_and_outlives_its_spec_and_its_harbor() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let class = growing(&cluster).await;
    let claiming =
        |size: &str| with(claiming(size), &format!("{VOLUME}/create/storageClassName"), json!(class));
    let _operator = cluster.ready(&requests, claiming("10Gi")).await;
    let created = cluster.get::<PersistentVolumeClaim>("acme-images").await;
    assert_eq!((size(&created), created.owner_references()), ("10Gi", &[][..]));

    cluster.apply(vec![claiming("20Gi")]).await;
    cluster.until::<PersistentVolumeClaim>("acme-images", |claim| size(claim) == "20Gi").await;

    let smaller = claiming("5Gi");
    cluster.apply(vec![smaller]).await;
    let message = cluster.until_event("acme", "InvalidSpec").await;
    assert!(message.contains("has 20Gi, and volumes do not shrink"), "{message}");

    let left = with(minimal(), VOLUME, json!({"claimName": "acme-images"}));
    cluster.apply(vec![with(left, "/spec/deletionPolicy", json!("Delete"))]).await;
    cluster.until_ready("acme").await;
    requests.until_quiet().await;
    let tied = cluster.get::<PersistentVolumeClaim>("acme-images").await;
    assert_eq!((tied.uid(), size(&tied)), (created.uid(), "20Gi"), "not wanted any more, and still there");
    assert_eq!(tied.owner_references().len(), 1, "it goes with its Harbor now");

    cluster.apply(vec![with(minimal(), VOLUME, json!({"claimName": "acme-images"}))]).await;
    cluster.until::<PersistentVolumeClaim>("acme-images", |claim| claim.owner_references().is_empty()).await;
    cluster.delete::<api::v1beta1::Harbor>("acme").await;
    cluster.until_gone::<api::v1beta1::Core>("acme-harbor").await;
    requests.until_quiet().await;
    assert!(cluster.has::<PersistentVolumeClaim>("acme-images").await);
}

#[tokio::test]
async fn a_claim_that_is_no_longer_named_stays_until_its_harbor_goes() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let harbor = with(minimal(), "/spec/deletionPolicy", json!("Delete"));
    let logs = json!({"jobLogsPersistentVolume": {"claimName": "acme-logs", "create": {"size": "1Gi"}}});
    let _operator =
        cluster.ready(&requests, with(harbor.clone(), "/spec/jobservice", json!({"storage": logs}))).await;
    let created = cluster.get::<PersistentVolumeClaim>("acme-logs").await;
    assert_eq!(created.owner_references().len(), 1, "it goes with its Harbor");

    cluster.apply(vec![harbor]).await;
    cluster.until_ready("acme").await;
    requests.until_quiet().await;
    let left = cluster.get::<PersistentVolumeClaim>("acme-logs").await;
    assert_eq!((left.uid(), left.metadata.deletion_timestamp), (created.uid(), None));
    assert_eq!(left.metadata.owner_references, created.metadata.owner_references);
}

#[tokio::test]
async fn a_claim_of_a_user_is_used_and_never_written_to() {
    let cluster = Cluster::new().await;
    let theirs = json!({
        "metadata": {"name": "acme-images"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    });
    let theirs = cluster.post_json::<PersistentVolumeClaim>(theirs).await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster.apply(vec![claiming("10Gi")]).await;
    let message = cluster.until_event("acme", "InvalidSpec").await;
    assert!(
        message.contains("the claim acme-images exists and was not created for this Harbor"),
        "{message}"
    );

    cluster.apply(vec![with(minimal(), VOLUME, json!({"claimName": "acme-images"}))]).await;
    cluster.until_ready("acme").await;
    let now = cluster.get::<PersistentVolumeClaim>("acme-images").await;
    assert_eq!((now.labels(), now.owner_references()), (theirs.labels(), theirs.owner_references()));
    let managers = now.managed_fields().iter().filter_map(|entry| entry.manager.as_deref());
    let ours: Vec<_> = managers.filter(|manager| manager.starts_with("harbor-operator")).collect();
    assert_eq!(ours, [""; 0]);
}
