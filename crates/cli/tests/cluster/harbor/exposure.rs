//! How users reach a Harbor, over its life.

use super::{Cluster, minimal, with};
use api::v1beta1::{Core, Harbor};
use envtest::Requests;
use k8s_openapi::api::{core::v1::Secret, networking::v1::Ingress};
use serde_json::json;

/// The message of the condition `Ready`.
fn message(harbor: &Harbor) -> Option<&str> {
    let conditions = harbor.status.iter().flat_map(|status| &status.common.conditions);
    conditions.into_iter().find(|condition| condition.type_ == "Ready")?.message.as_deref()
}

#[tokio::test]
async fn a_harbor_exposed_under_another_name_than_its_own_is_ready_and_says_so() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let odd = with(minimal(), "/spec/expose/core/ingress/host", json!("harbor.internal"));
    let _operator = cluster.ready(&requests, odd).await;
    let reported = message(&cluster.get::<Harbor>("acme").await).map(str::to_owned);
    assert_eq!(
        reported.as_deref(),
        Some(
            "spec.externalURL: its host is harbor.example.com, but Harbor is exposed under harbor.internal; use one name \
             for both, unless a proxy in front changes the host of requests"
        )
    );

    cluster.apply(vec![minimal()]).await;
    cluster.until::<Harbor>("acme", |harbor| message(harbor).is_none()).await;
}

/// cert-manager's ingress-shim makes a Certificate of an annotated Ingress, so the Ingress must not wait for what waits
/// for the certificate.
#[tokio::test]
async fn a_certificate_that_is_made_for_the_ingress_comes_after_it() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster
        .apply(vec![with(minimal(), "/spec/expose/core/tls", json!({"certificateRef": "by-the-shim"}))])
        .await;
    cluster.until::<Ingress>("acme-harbor", |_| true).await;
    cluster
        .until::<Core>("acme-harbor", |core| {
            let conditions = core.status.iter().flat_map(|status| &status.conditions);
            conditions.into_iter().any(|c| c.reason.as_deref() == Some("DependencyMissing"))
        })
        .await;

    let mut secret = serde_json::to_value(cluster.get::<Secret>("harbor-public").await).unwrap();
    secret["apiVersion"] = json!("v1");
    secret["kind"] = json!("Secret");
    secret["metadata"] = json!({"name": "by-the-shim"});
    cluster.apply(vec![secret]).await;
    cluster.until_ready("acme").await;
}
