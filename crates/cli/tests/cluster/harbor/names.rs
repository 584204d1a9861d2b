//! What exists under the name of a child already.

use super::{Cluster, minimal, with};
use api::v1beta1::{Harbor, Portal};
use envtest::{Kind, Requests};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube::{
    ResourceExt,
    api::{DeleteParams, ListParams},
};
use serde_json::{Value, json};

impl Cluster {
    /// Waits until an object says in this condition why it stalls.
    async fn until_stalled<K: Kind>(&self, name: &str, reason: &str) -> String {
        let message = |object: &K| -> Option<String> {
            let object = serde_json::to_value(object).unwrap();
            let conditions = object["status"]["conditions"].as_array()?.clone();
            let is_stalled =
                |it: &&Value| it["type"] == "Stalled" && it["status"] == "True" && it["reason"] == reason;
            conditions.iter().find(is_stalled)?["message"].as_str().map(str::to_owned)
        };
        let object = self.until::<K>(name, |object| message(object).is_some()).await;
        message(&object).unwrap()
    }
}

fn users_config_map() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "acme-harbor-portal"},
        "data": {"mine": "1"},
    })
}

#[tokio::test]
async fn an_object_that_a_user_made_is_neither_changed_nor_deleted_until_the_user_hands_it_over() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    cluster.apply(vec![users_config_map()]).await;
    let before = cluster.get::<ConfigMap>("acme-harbor-portal").await;

    cluster.apply(vec![minimal()]).await;
    let message = cluster.until_stalled::<Portal>("acme-harbor", "AlreadyExists").await;
    let expected = format!(
        "ConfigMap {}/acme-harbor-portal already exists and was not created by this operator; delete it, or set the \
         annotation goharbor.io/adopt: \"true\" on it to let the operator take it over",
        cluster.name
    );
    assert_eq!(message, expected);
    assert_eq!(cluster.get::<ConfigMap>("acme-harbor-portal").await, before);
    cluster.delete::<Harbor>("acme").await;
    cluster.until_gone::<Portal>("acme-harbor").await;
    assert_eq!(cluster.get::<ConfigMap>("acme-harbor-portal").await, before);

    cluster.apply(vec![minimal()]).await;
    cluster.until_stalled::<Portal>("acme-harbor", "AlreadyExists").await;
    let adopt = json!({"metadata": {"annotations": {"goharbor.io/adopt": "true"}}});
    cluster.merge::<ConfigMap>("acme-harbor-portal", adopt).await;
    cluster.until_ready("acme").await;
    let after = cluster.get::<ConfigMap>("acme-harbor-portal").await;
    assert!(after.owner_references().iter().any(|owner| owner.kind == "Portal"), "{after:?}");
    assert_eq!(after.data.unwrap()["mine"], "1", "what others set stays");
}

/// Watches of Deployments see only those that carry our label.
#[tokio::test]
async fn an_object_without_our_label_is_noticed_too() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let users = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "acme-harbor-portal"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {"containers": [{"name": "mine", "image": "mine:1"}]},
            },
        },
    });
    cluster.apply(vec![users]).await;
    let before = cluster.get::<Deployment>("acme-harbor-portal").await.spec;
    let _operator = cluster.operator(&requests);
    cluster.apply(vec![minimal()]).await;
    cluster.until_stalled::<Portal>("acme-harbor", "AlreadyExists").await;
    assert_eq!(cluster.get::<Deployment>("acme-harbor-portal").await.spec, before);

    cluster.delete::<Deployment>("acme-harbor-portal").await;
    cluster.until_ready("acme").await;
}

#[tokio::test]
async fn a_harbor_deleted_without_its_children_and_made_anew_owns_all_of_them_again() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;
    let before = cluster.names::<Secret>().await;

    let orphan = DeleteParams::orphan();
    cluster.api::<Harbor>().delete("acme", &orphan).await.unwrap();
    cluster.until_gone::<Harbor>("acme").await;
    cluster.apply(vec![minimal()]).await;
    let harbor = cluster.until_ready("acme").await;
    requests.until_quiet().await;

    assert_eq!(cluster.names::<Secret>().await, before, "no secret was made anew");
    let secrets = cluster.api::<Secret>().list(&ListParams::default()).await.unwrap();
    let unowned: Vec<_> = secrets
        .items
        .iter()
        .filter(|secret| {
            secret.labels().get("goharbor.io/operator-controller").is_some_and(|it| it == "harbor")
        })
        .filter(|secret| !secret.annotations().contains_key("goharbor.io/kept-for"))
        .filter(|secret| {
            secret.owner_references().iter().all(|owner| Some(&owner.uid) != harbor.metadata.uid.as_ref())
        })
        .map(ResourceExt::name_any)
        .collect();
    assert_eq!(unowned, Vec::<String>::new());
}

#[tokio::test]
async fn two_owners_do_not_fight_over_one_child() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;
    // Both name the Service of the reverse proxy.
    let exposed = |name: &str| {
        let service = json!({"core": {"service": {"name": "shared"}}});
        with(with(minimal(), "/metadata/name", json!(name)), "/spec/expose", service)
    };
    cluster.apply(vec![exposed("acme")]).await;
    cluster.until_ready("acme").await;
    cluster.apply(vec![exposed("second")]).await;
    let message = cluster.until_stalled::<Harbor>("second", "AlreadyOwned").await;
    assert!(message.contains("already exists and belongs to Harbor"), "{message}");
    cluster.until_ready("acme").await;
}
