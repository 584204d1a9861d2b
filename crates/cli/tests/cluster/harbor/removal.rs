//! Kinds of others that are removed while the operator runs.

use super::{Cluster, minimal, with};
use crate::world::World;
use envtest::{ControlPlane, Requests};
use k8s_openapi::{
    api::core::v1::Secret, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, ResourceExt as _,
    api::{DeleteParams, ListParams},
};
use serde_json::json;

#[tokio::test]
async fn a_cert_manager_that_is_removed_is_done_without_at_once() {
    // Its own: others use the definitions.
    let plane = ControlPlane::start().await.unwrap();
    let cluster = Cluster::with_inputs(World::on(plane).await).await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;

    let definitions: Api<CustomResourceDefinition> = Api::all(cluster.plane.client());
    for definition in definitions.list(&ListParams::default()).await.unwrap() {
        if definition.spec.group == "cert-manager.io" {
            definitions.delete(&definition.name_any(), &DeleteParams::default()).await.unwrap();
        }
    }
    cluster.apply(vec![with(minimal(), "/spec/internalTLS", json!({"enabled": true}))]).await;
    cluster.until_ready("acme").await;
    let issued: Secret = cluster.get("acme-harbor-internal-tls-core").await;
    assert_eq!(issued.labels()["app.kubernetes.io/managed-by"], "harbor-operator");
}
