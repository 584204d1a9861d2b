//! A stack of the old operator, taken over with what it had given owners to.

use super::{in_cluster, with, with_garbage_collector};
use crate::harbor::Cluster;
use api::{
    thirdparty::minio::Tenant,
    v1beta1::{Harbor, HarborCluster},
};
use envtest::{Kind, Requests};
use k8s_openapi::{
    api::{core::v1::Secret, networking::v1::Ingress},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, ResourceExt as _,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

/// The name under which the old operator wrote.
const OLD: &str = "harbor-operator";

impl Cluster {
    /// Creates an object as another program.
    async fn posted_by<K: Kind>(&self, manager: &str, object: Value) -> K {
        let params = PostParams { field_manager: Some(manager.into()), ..PostParams::default() };
        let object: K = serde_json::from_value(object).unwrap();
        self.api::<K>().create(&params, &object).await.unwrap()
    }

    /// Makes an object the controller of another, as some program.
    async fn owned_by(&self, manager: &str, secret: &str, owner: &HarborCluster) {
        let params = PatchParams { field_manager: Some(manager.into()), ..PatchParams::default() };
        let owner = json!({
            "apiVersion": "goharbor.io/v1beta1", "kind": "HarborCluster", "controller": true,
            "name": owner.name_any(), "uid": owner.uid(),
        });
        let patch = json!({"metadata": {"ownerReferences": [owner]}});
        self.api::<Secret>().patch(secret, &params, &Patch::Merge(&patch)).await.unwrap();
    }
}

#[tokio::test]
async fn secrets_that_the_database_operator_made_are_freed_from_the_owner_the_old_operator_gave_them() {
    let cluster = with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster.apply(in_cluster()).await;
    let owner = cluster.until_healthy("acme").await;
    requests.until_quiet().await;

    let secret = |name: &str| json!({"metadata": {"name": name}, "stringData": {"password": "x"}});
    let system = format!("postgres.postgresql-{}-acme.credentials", cluster.name);
    let taken = cluster.posted_by::<Secret>("postgres-operator", secret(&system)).await;
    let other = cluster.posted_by::<Secret>("other", secret("of-another-program")).await;
    cluster.owned_by(OLD, &system, &owner).await;
    cluster.owned_by("other", "of-another-program", &owner).await;

    cluster.until::<Secret>(&system, |secret| secret.owner_references().is_empty()).await;
    requests.until_quiet().await;
    assert_eq!(cluster.get::<Secret>(&system).await.uid(), taken.uid());
    let left = cluster.get::<Secret>("of-another-program").await;
    assert_eq!(
        (left.uid(), left.owner_references().len()),
        (other.uid(), 1),
        "it is that program's business"
    );

    cluster.deleted("acme").await;
    cluster.until_gone::<Secret>("of-another-program").await;
    assert!(cluster.has::<Secret>(&system).await, "the database stays, and so do its credentials");
}

#[tokio::test]
async fn a_child_of_the_old_operator_that_has_another_controller_is_taken_over() {
    let cluster = with_garbage_collector().await;
    let redirect = json!({"enable": true, "expose": {"ingress": {"host": "minio.example.com"}}});
    cluster.apply(with("/spec/storage/spec/redirect", redirect)).await;
    let owner = cluster.get::<HarborCluster>("acme").await;
    // The old operator made the Ingress of MinIO a child of the Tenant.
    let tenant = json!({
        "metadata": {"name": "minio-acme", "ownerReferences": [{
            "apiVersion": "goharbor.io/v1beta1", "kind": "HarborCluster", "name": "acme", "uid": owner.uid(),
            "controller": true,
        }]},
        "spec": {
            "credsSecret": {"name": "minio-acme-creds"},
            "pools": [{
                "name": "zone-harbor", "servers": 2, "volumesPerServer": 2,
                "volumeClaimTemplate": {
                    "spec": {
                        "accessModes": ["ReadWriteOnce"],
                        "resources": {"requests": {"storage": "10Gi"}},
                    },
                },
            }],
        },
    });
    let tenant = cluster.posted_by::<Tenant>(OLD, tenant).await;
    let definitions: Api<CustomResourceDefinition> = Api::all(cluster.plane.client());
    let definition = definitions.get("tenants.minio.min.io").await.unwrap();
    cluster.plane.until_owners(|| vec![definition]).await;
    let backend = json!({"service": {"name": "minio", "port": {"number": 80}}});
    let ingress = json!({
        "metadata": {"name": "minio-acme", "ownerReferences": [{
            "apiVersion": "minio.min.io/v2", "kind": "Tenant", "name": "minio-acme", "uid": tenant.uid(),
            "controller": true, "blockOwnerDeletion": true,
        }]},
        "spec": {"rules": [{
            "host": "minio.example.com",
            "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]},
        }]},
    });
    let ingress = cluster.posted_by::<Ingress>(OLD, ingress).await;

    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster.until_healthy("acme").await;
    let now = cluster.get::<Ingress>("minio-acme").await;
    assert_eq!(now.uid(), ingress.uid());
    let controllers: Vec<_> = now.owner_references().iter().map(|owner| owner.kind.as_str()).collect();
    assert_eq!(controllers, ["HarborCluster"]);
    assert_eq!(cluster.get::<Tenant>("minio-acme").await.uid(), tenant.uid());
}

#[tokio::test]
async fn a_harbor_that_a_user_made_is_not_seized_by_a_stack_with_a_fitting_name() {
    let cluster = with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster.apply(crate::harbor::inputs()).await;
    cluster.apply(vec![crate::harbor::called(crate::harbor::minimal(), "acme-harbor")]).await;
    let users = cluster.until_ready("acme-harbor").await;

    let moved = json!({"goharbor.io/data-moved": "cache, database, storage"});
    cluster.apply(with("/metadata/annotations", moved)).await;
    let message = cluster.until_condition("acme", "Ready", "AlreadyExists").await;
    assert!(
        message.contains("/acme-harbor already exists and was not created by this operator"),
        "{message}"
    );
    cluster.deleted("acme").await;
    let now = cluster.until_ready("acme-harbor").await;
    assert_eq!((now.spec, now.metadata.uid), (users.spec, users.metadata.uid));
    assert!(cluster.has::<Harbor>("acme-harbor").await);
}
