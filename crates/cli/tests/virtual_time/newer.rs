//! The operator goes back by a version: what a newer one left behind keeps it from nothing.

use crate::{
    cluster::{Cluster, NAMESPACE},
    upgrade::{BEFORE, a_harbor_in, apply_with, until_ready},
};
use api::v1beta1::{Core, Harbor};
use k8s_openapi::{
    NamespaceResourceScope,
    api::{
        apps::v1::Deployment,
        core::v1::{Pod, Secret},
    },
};
use kube::{
    Api, Resource, ResourceExt as _,
    api::{ListParams, Patch, PatchParams, PostParams},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{collections::BTreeSet, fmt::Debug};

fn api<K>(cluster: &Cluster) -> Api<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
{
    Api::namespaced(cluster.client.clone(), NAMESPACE)
}

async fn merge<K>(cluster: &Cluster, name: &str, patch: Value)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + DeserializeOwned + Debug,
{
    let params =
        PatchParams { field_manager: Some("harbor-operator/harbor".into()), ..PatchParams::default() };
    api::<K>(cluster).patch(name, &params, &Patch::Merge(patch)).await.unwrap();
}

/// The names of all pods, which new ones do not have.
async fn pods(cluster: &Cluster) -> BTreeSet<String> {
    let pods = api::<Pod>(cluster).list(&ListParams::default()).await.unwrap().items;
    pods.into_iter().map(|pod| pod.name_any()).collect()
}

/// A child of the Harbor that this operator does not know, as a newer operator would have applied it.
async fn apply_unknown_child(cluster: &Cluster) {
    let known = api::<Secret>(cluster).get("acme-harbor-core-csrf").await.unwrap().metadata;
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "name": "acme-harbor-of-a-newer-operator", "namespace": NAMESPACE,
            "labels": known.labels, "ownerReferences": known.owner_references,
        },
    });
    let params = PatchParams::apply("harbor-operator/harbor");
    api::<Secret>(cluster)
        .patch("acme-harbor-of-a-newer-operator", &params, &Patch::Apply(secret))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_a_newer_operator_left_behind_restarts_no_pod_and_keeps_this_one_from_nothing() {
    let cluster = a_harbor_in(Cluster::new().await).await;
    let before = pods(&cluster).await;
    assert!(before.len() >= 4, "{before:?}");

    let annotated = json!({"metadata": {"annotations": {"goharbor.io/of-a-newer-operator": "yes"}}});
    merge::<Harbor>(&cluster, "acme", annotated.clone()).await;
    merge::<Core>(&cluster, "acme-harbor", annotated.clone()).await;
    merge::<Deployment>(&cluster, "acme-harbor-core", annotated).await;
    merge::<Secret>(
        &cluster,
        "acme-harbor-core-database",
        json!({"stringData": {"of-a-newer-operator": "yes"}}),
    )
    .await;
    let condition = json!({
        "type": "OfANewerOperator", "status": "True", "reason": "Yes", "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    let mut harbor = api::<Harbor>(&cluster).get("acme").await.unwrap();
    let conditions = &mut harbor.status.as_mut().unwrap().common.conditions;
    conditions.push(serde_json::from_value(condition).unwrap());
    api::<Harbor>(&cluster).replace_status("acme", &PostParams::default(), &harbor).await.unwrap();
    apply_unknown_child(&cluster).await;

    let _operator = cluster.operator(None);
    until_ready(&cluster).await;
    assert_eq!(pods(&cluster).await, before);
    let child = api::<Secret>(&cluster).get_opt("acme-harbor-of-a-newer-operator").await.unwrap();
    assert_eq!(child, None, "it is no longer wanted");

    apply_with(&cluster, BEFORE, json!({"portal": {"replicas": 2}})).await;
    until_ready(&cluster).await;
    let added: Vec<_> = pods(&cluster).await.difference(&before).cloned().collect();
    assert!(matches!(&added[..], [portal] if portal.starts_with("acme-harbor-portal-")), "{added:?}");
}
