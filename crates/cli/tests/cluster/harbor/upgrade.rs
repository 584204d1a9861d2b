//! Upgrades that migrate the database: over many versions, and with failures in the middle.

use super::{Cluster, minimal, with};
use crate::world::Running;
use api::v1beta1::{Harbor, Portal};
use envtest::Requests;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Pod, Secret},
};
use kube::{Resource, ResourceExt as _};
use serde_json::{Value, json};

fn at(version: &str) -> Value {
    with(minimal(), "/spec/version", json!(version))
}

/// The same, with a migration that takes as long as no test does.
fn slow(harbor: Value) -> Value {
    let mut harbor = harbor;
    harbor["spec"]["core"]["templateAnnotations"] = json!({"sandbox.goharbor.io/delay": "2h"});
    harbor
}

/// An entry of the record of Core's database.
fn entry(record: &Secret, key: &str) -> Option<String> {
    let data = record.data.as_ref()?.get(key)?;
    Some(String::from_utf8_lossy(&data.0).into_owned())
}

fn image(deployment: &Deployment) -> String {
    let pod = deployment.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    pod.and_then(|pod| pod.containers[0].image.clone()).unwrap_or_default()
}

impl Cluster {
    async fn until_recorded(&self, key: &str, version: &str) {
        self.until::<Secret>("acme-harbor-core-database", |record| {
            entry(record, key).as_deref() == Some(version)
        })
        .await;
    }

    /// Waits until the message of a Harbor's `Ready` condition contains all of these.
    async fn until_said(&self, parts: &[&str]) {
        self.until::<Harbor>("acme", |harbor| {
            let conditions = harbor.status.iter().flat_map(|status| &status.conditions);
            conditions.into_iter().filter(|it| it.type_ == "Ready").any(|it| {
                let message = it.message.clone().unwrap_or_default();
                parts.iter().all(|part| message.contains(part))
            })
        })
        .await;
    }

    /// Names of the pods that migrate.
    async fn migrating(&self) -> Vec<String> {
        let names = self.names::<Pod>().await;
        names.into_iter().filter(|name| name.contains("-migrate-")).collect()
    }
}

#[tokio::test]
async fn one_edit_leads_from_the_oldest_to_the_newest_version() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, at("2.5.3")).await;

    cluster.apply(vec![at("2.15.2")]).await;
    for version in ["2.7.4", "2.9.5", "2.11.2", "2.13.2", "2.15.2"] {
        cluster
            .until::<Portal>("acme-harbor", |portal| {
                // A hop may be over before this test looks.
                let annotation = &portal.annotations()["harbor.goharbor.io/version"];
                let number = |text: &str| text.split('.').nth(1).unwrap().parse::<u32>().unwrap();
                number(annotation) >= number(version)
            })
            .await;
    }
    cluster.until_ready("acme").await;
    requests.until_quiet().await;
    cluster.until_recorded("completed", "2.15.2").await;
    let record = cluster.get::<Secret>("acme-harbor-core-database").await;
    assert_eq!(
        (entry(&record, "migrated-by").as_deref(), entry(&record, "migrating-to")),
        (Some("2.15.2"), None)
    );
    for component in ["core", "portal", "registry", "jobservice"] {
        let deployment = cluster.get::<Deployment>(&format!("acme-harbor-{component}")).await;
        assert!(image(&deployment).ends_with(":v2.15.2"), "{}", image(&deployment));
    }
    assert_eq!(cluster.migrating().await, [""; 0]);
}

#[tokio::test]
async fn one_edit_for_each_hop_leads_there_too() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, at("2.5.3")).await;
    for version in
        ["2.6.4", "2.7.4", "2.8.6", "2.9.5", "2.10.3", "2.11.2", "2.12.4", "2.13.2", "2.14.3", "2.15.2"]
    {
        cluster.apply(vec![at(version)]).await;
        cluster.until_ready("acme").await;
        cluster.until_recorded("completed", version).await;
        let core = cluster.get::<Deployment>("acme-harbor-core").await;
        assert!(image(&core).ends_with(&format!(":v{version}")), "{}", image(&core));
        assert_eq!(core.status.unwrap().available_replicas, Some(1), "{version}");
    }
}

#[tokio::test]
async fn a_hop_that_waits_for_a_component_is_named_with_it_and_with_the_hops_after_it() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, at("2.9.5")).await;
    let broken = json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": "out of memory"}}});
    cluster.merge::<Deployment>("acme-harbor-portal", broken).await;
    cluster.until_said(&["Portal"]).await;
    cluster.apply(vec![at("2.13.2")]).await;
    cluster
        .until_said(&["the upgrade from 2.9.5 to 2.11.2 waits: Portal is not ready; 2.13.2 follows after it"])
        .await;
    assert_eq!(cluster.migrating().await, [""; 0]);

    let mended = json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": null}}});
    cluster.merge::<Deployment>("acme-harbor-portal", mended).await;
    cluster.until_ready("acme").await;
    cluster.until_recorded("completed", "2.13.2").await;
}

const MIGRATION: &str = "acme-harbor-core-migrate-2-15-0";

/// A Harbor of 2.14.2 on the way to 2.15.0, with a pod that is allowed to migrate the database and runs.
async fn migrating(cluster: &Cluster, requests: &Requests) -> Running {
    let operator = cluster.ready(requests, at("2.14.2")).await;
    cluster.apply(vec![slow(at("2.15.0"))]).await;
    cluster.until_recorded("migration-2.15.0-1", "allowed").await;
    cluster.until_said(&["Pod", &format!("{MIGRATION}: is running")]).await;
    operator
}

/// Asks for the second attempt. Its pod takes no time.
async fn retry(cluster: &Cluster) {
    cluster.apply(vec![at("2.15.0")]).await;
    let annotation = json!({"metadata": {"annotations": {"goharbor.io/retry-migration": "2.15.0-2"}}});
    cluster.merge::<Harbor>("acme", annotation).await;
}

const REMEDY: &str = "ask for another attempt: kubectl -n ";

#[tokio::test]
async fn a_failed_migration_is_quoted_keeps_core_serving_is_not_taken_back_and_is_repeated_on_request() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = migrating(&cluster, &requests).await;
    let fail =
        json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": "Dirty database version 180"}}});
    cluster.merge::<Pod>(MIGRATION, fail).await;
    cluster.until_said(&["ended with exit code 1: Dirty database version 180", REMEDY]).await;
    let core = cluster.get::<Deployment>("acme-harbor-core").await;
    assert!(image(&core).ends_with(":v2.14.2"), "{}", image(&core));
    assert_eq!(core.status.unwrap().available_replicas, Some(1));

    cluster.apply(vec![at("2.14.2")]).await;
    cluster.until_said(&["Harbor 2.15.0 cannot go back to 2.14.2"]).await;

    retry(&cluster).await;
    cluster.until_ready("acme").await;
    cluster.until_recorded("completed", "2.15.0").await;
    requests.until_quiet().await;
    assert_eq!(cluster.migrating().await, [""; 0]);
}

#[tokio::test]
async fn a_migration_whose_pod_is_gone_waits_for_a_request_and_is_not_repeated_by_itself() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = migrating(&cluster, &requests).await;
    cluster.delete::<Pod>(MIGRATION).await;
    cluster.until_said(&[&format!("{MIGRATION}: is gone"), REMEDY]).await;
    requests.until_quiet().await;
    assert_eq!(cluster.migrating().await, [""; 0]);
    let core = cluster.get::<Deployment>("acme-harbor-core").await;
    assert!(image(&core).ends_with(":v2.14.2"), "{}", image(&core));

    retry(&cluster).await;
    cluster.until_ready("acme").await;
    cluster.until_recorded("completed", "2.15.0").await;
}

#[tokio::test]
async fn core_goes_on_serving_while_the_new_image_cannot_be_pulled_and_the_version_is_taken_back() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, at("2.10.3")).await;
    let unpullable = json!({"sandbox.goharbor.io/fail": "no such image"});
    let harbor = with(at("2.11.2"), "/spec/core", json!({"templateAnnotations": unpullable}));
    cluster.apply(vec![harbor]).await;
    cluster.until_said(&["acme-harbor-core-migrate-2-11-2: has not started yet: ImagePullBackOff"]).await;
    requests.until_quiet().await;
    let core = cluster.get::<Deployment>("acme-harbor-core").await;
    assert!(image(&core).ends_with(":v2.10.3"), "{}", image(&core));
    assert_eq!(core.status.unwrap().available_replicas, Some(1), "although this hop stops Core");
    let record = cluster.get::<Secret>("acme-harbor-core-database").await;
    assert_eq!(entry(&record, "migrating-to"), None);

    cluster.apply(vec![at("2.10.3")]).await;
    cluster.until_ready("acme").await;
    requests.until_quiet().await;
    assert_eq!(cluster.migrating().await, [""; 0]);
}

#[tokio::test]
async fn core_is_stopped_where_the_schema_breaks_it_and_only_then_is_the_database_migrated() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let three = |version: &str| with(at(version), "/spec/core", json!({"replicas": 3}));
    let _operator = cluster.ready(&requests, three("2.10.3")).await;
    cluster.apply(vec![slow(three("2.11.2"))]).await;
    cluster.until_recorded("migrating-to", "2.11.2").await;
    let core = cluster.get::<Deployment>("acme-harbor-core").await;
    assert_eq!(core.spec.unwrap().replicas, Some(0));
    assert_eq!(core.status.unwrap().replicas.unwrap_or(0), 0);
    let registry = cluster.get::<Deployment>("acme-harbor-registry").await;
    assert!(image(&registry).ends_with(":v2.10.3"), "the registry goes on");

    cluster.apply(vec![three("2.11.2")]).await;
    let at_once = json!({"metadata": {"annotations": {"sandbox.goharbor.io/delay": "0s"}}});
    cluster.merge::<Pod>("acme-harbor-core-migrate-2-11-2", at_once).await;
    cluster.until_ready("acme").await;
    let core = cluster.get::<Deployment>("acme-harbor-core").await;
    assert_eq!(core.spec.as_ref().unwrap().replicas, Some(3));
    assert!(core.meta().annotations.as_ref().unwrap()["harbor.goharbor.io/version"] == "2.11.2");
}
