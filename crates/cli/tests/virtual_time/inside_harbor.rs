//! Objects inside a Harbor that the operator runs.

use crate::cluster::{Cluster, NAMESPACE};
use api::v1beta1::HarborProject;
use kube::{Api, runtime::wait::await_condition};
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

fn is_ready(project: Option<&HarborProject>) -> bool {
    let status = project.and_then(|project| project.status.as_ref());
    let mut conditions = status.into_iter().flat_map(|status| &status.observation.conditions);
    conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

#[tokio::test(start_paused = true)]
async fn a_project_that_is_applied_with_its_harbor_becomes_ready_with_it_and_waits_for_no_retry() {
    let cluster = Cluster::new().await;
    let _operator = cluster.operator(None);
    cluster.apply("in-cluster.yaml").await;
    let project = json!({
        "apiVersion": "goharbor.io/v1beta1", "kind": "HarborProject",
        "metadata": {"name": "alpha", "namespace": NAMESPACE},
        "spec": {"harborRef": {"name": "acme"}, "projectName": "alpha"},
    });
    cluster.apply_object(&project).await;
    cluster.until_healthy("acme").await;

    let projects: Api<HarborProject> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let ready = await_condition(projects.clone(), "alpha", is_ready);
    let in_time = timeout(Duration::from_secs(1), ready).await.is_ok();
    let status = json!(projects.get("alpha").await.unwrap().status);
    assert!(in_time, "{status:#}");
    assert_eq!(status["resolvedHarbor"]["name"], "acme-harbor");
    assert_eq!(status["created"], true);
}
