//! Upgrades that migrate the database: over many versions, and with failures in the middle.

use super::{Cluster, minimal, with};
use crate::world::Running;
use api::v1beta1::{ComponentStatus, Core, Harbor, Portal};
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
pub(super) fn slow(harbor: Value) -> Value {
    let mut harbor = harbor;
    harbor["spec"]["core"]["templateAnnotations"] = json!({"sandbox.goharbor.io/delay": "2h"});
    harbor
}

/// An entry of the record of Core's database.
pub(super) fn entry(record: &Secret, key: &str) -> Option<String> {
    let data = record.data.as_ref()?.get(key)?;
    Some(String::from_utf8_lossy(&data.0).into_owned())
}

fn image(deployment: &Deployment) -> String {
    let pod = deployment.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    pod.and_then(|pod| pod.containers[0].image.clone()).unwrap_or_default()
}

/// The message of the condition `Available`, while it says that a workload is stopped.
fn stopped(status: Option<&ComponentStatus>) -> Option<String> {
    let available = status?.conditions.iter().find(|it| it.type_ == "Available" && it.status == "False")?;
    available.message.clone().filter(|_| available.reason.as_deref() == Some("Stopped"))
}

impl Cluster {
    /// Waits until the status of Core, and that of the Harbor, says that Core is stopped for a migration to 2.11.2.
    async fn until_stopped(&self) {
        let core = format!(
            "Deployment {}/acme-harbor-core: is stopped until the database is migrated from 2.10.3 to 2.11.2, whose schema \
             Core 2.10.3 cannot use",
            self.name
        );
        self.until::<Core>("acme-harbor", |it| stopped(it.status.as_ref()).as_ref() == Some(&core)).await;
        let harbor = format!("Core {}/acme-harbor: {core}", self.name);
        self.until::<Harbor>("acme", |it| {
            stopped(it.status.as_ref().map(|status| &status.common)).as_ref() == Some(&harbor)
        })
        .await;
    }

    async fn until_recorded(&self, key: &str, version: &str) {
        self.until::<Secret>("acme-harbor-core-database", |record| {
            entry(record, key).as_deref() == Some(version)
        })
        .await;
    }

    /// Waits until the message of a Harbor's `Ready` condition contains all of these.
    pub(super) async fn until_said(&self, parts: &[&str]) {
        self.until::<Harbor>("acme", |harbor| {
            let conditions = harbor.status.iter().flat_map(|status| &status.common.conditions);
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

const STOPPING_MIGRATION: &str = "acme-harbor-core-migrate-2-11-2";

/// A Harbor of 2.10.3 on the way to 2.11.2, whose Core is stopped, with a pod that migrates the database and runs.
async fn stopped_for_migration(cluster: &Cluster, requests: &Requests) -> Running {
    let operator = cluster.ready(requests, at("2.10.3")).await;
    cluster.apply(vec![slow(at("2.11.2"))]).await;
    cluster.until_recorded("migration-2.11.2-1", "allowed").await;
    cluster.until_said(&["Pod", &format!("{STOPPING_MIGRATION}: is running since")]).await;
    cluster.until_stopped().await;
    operator
}

/// Asks for the second attempt. Its pod takes no time.
async fn retry(cluster: &Cluster) {
    cluster.apply(vec![at("2.15.0")]).await;
    let annotation = json!({"metadata": {"annotations": {"goharbor.io/retry-migration": "2.15.0-2"}}});
    cluster.merge::<Harbor>("acme", annotation).await;
}

const REMEDY: &str = "have the schema repaired and the database migrated again: kubectl -n ";

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
async fn a_failed_migration_goes_on_after_the_repair_that_its_status_offers() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = migrating(&cluster, &requests).await;
    let fail =
        json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": "Dirty database version 180"}}});
    cluster.merge::<Pod>(MIGRATION, fail).await;
    cluster.until_said(&[REMEDY, "goharbor.io/repair-schema=2.15.0-2"]).await;
    let repair = json!({"metadata": {"annotations": {"goharbor.io/repair-schema": "2.15.0-2"}}});
    cluster.merge::<Harbor>("acme", repair).await;
    cluster.until_recorded("migration-2.15.0-2", "allowed").await;
    let second = format!("{MIGRATION}-2");
    cluster.until_said(&[&second, "is running", "repairs the schema, and migrates the database"]).await;
    let steps = cluster.get::<Pod>(&second).await.spec.unwrap().init_containers.unwrap();
    let steps: Vec<_> = steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(steps, ["pull-operator", "pull-core", "repair-schema"]);

    cluster.apply(vec![at("2.15.0")]).await;
    let at_once = json!({"metadata": {"annotations": {"sandbox.goharbor.io/delay": "0s"}}});
    cluster.merge::<Pod>(&second, at_once).await;
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
async fn a_pod_that_is_being_deleted_may_still_run_so_another_attempt_waits_until_it_is_gone() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = migrating(&cluster, &requests).await;
    // As of a node that does not answer: the pod stays.
    let stays = json!({"metadata": {"finalizers": ["example.com/no-answer"]}});
    cluster.merge::<Pod>(MIGRATION, stays).await;
    cluster.delete::<Pod>(MIGRATION).await;
    let remedy = format!("is off, and then: kubectl -n {} delete pod {MIGRATION} --force", cluster.name);
    cluster.until_said(&["is being deleted", "its node does not answer", &remedy]).await;
    retry(&cluster).await;
    requests.until_quiet().await;
    assert_eq!(cluster.migrating().await, [MIGRATION]);

    cluster.merge::<Pod>(MIGRATION, json!({"metadata": {"finalizers": null}})).await;
    cluster.until_ready("acme").await;
    cluster.until_recorded("completed", "2.15.0").await;
}

#[tokio::test]
async fn a_database_that_is_away_leaves_core_stopped_until_another_attempt_leads_on() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = stopped_for_migration(&cluster, &requests).await;
    let away = "dial tcp 10.0.0.1:5432: connect: connection refused";
    let fail = json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": away}}});
    cluster.merge::<Pod>(STOPPING_MIGRATION, fail).await;
    cluster.until_said(&[away, REMEDY, "Core 2.10.3 is stopped until then"]).await;
    requests.until_quiet().await;
    cluster.until_stopped().await;
    assert_eq!(cluster.migrating().await, [STOPPING_MIGRATION]);

    cluster.apply(vec![at("2.11.2")]).await;
    let annotation = json!({"metadata": {"annotations": {"goharbor.io/retry-migration": "2.11.2-2"}}});
    cluster.merge::<Harbor>("acme", annotation).await;
    cluster.until_ready("acme").await;
    cluster.until_recorded("completed", "2.11.2").await;
    requests.until_quiet().await;
    assert_eq!(cluster.migrating().await, [""; 0]);
}

#[tokio::test]
async fn a_core_that_crashes_after_its_migration_is_quoted_holds_the_others_and_is_not_migrated_again() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = stopped_for_migration(&cluster, &requests).await;
    let crash = json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": "panic: no such key"}}});
    cluster.merge::<Deployment>("acme-harbor-core", crash).await;
    cluster.apply(vec![at("2.11.2")]).await;
    let at_once = json!({"metadata": {"annotations": {"sandbox.goharbor.io/delay": "0s"}}});
    let pod = cluster.merge::<Pod>(STOPPING_MIGRATION, at_once).await;
    cluster.until_recorded("migration-2.11.2-1", "succeeded").await;
    cluster.until_said(&["Deployment", "acme-harbor-core", "panic: no such key"]).await;
    requests.until_quiet().await;
    let portal = cluster.get::<Deployment>("acme-harbor-portal").await;
    assert!(image(&portal).ends_with(":v2.10.3"), "{}", image(&portal));
    let record = cluster.get::<Secret>("acme-harbor-core-database").await;
    let versions = ["migrated-by", "completed", "migrating-to"].map(|key| entry(&record, key));
    assert_eq!(versions, ["2.10.3", "2.10.3", "2.11.2"].map(|version| Some(version.to_owned())));

    cluster.apply(vec![at("2.10.3")]).await;
    cluster.until_said(&["Harbor 2.11.2 cannot go back to 2.10.3"]).await;

    cluster.apply(vec![at("2.11.2")]).await;
    let mended = json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": null}}});
    let before = cluster.get::<Pod>(STOPPING_MIGRATION).await;
    assert_eq!(before.metadata.uid, pod.metadata.uid, "it has migrated once");
    cluster.merge::<Deployment>("acme-harbor-core", mended).await;
    cluster.until_ready("acme").await;
    cluster.until_recorded("completed", "2.11.2").await;
    requests.until_quiet().await;
    assert_eq!(cluster.migrating().await, [""; 0]);
}

#[tokio::test]
async fn a_core_that_does_not_start_after_a_migration_leaves_the_one_before_serving() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let _operator = migrating(&cluster, &requests).await;
    let broken = json!({"sandbox.goharbor.io/fail": "no such image"});
    cluster.apply(vec![with(at("2.15.0"), "/spec/core/templateAnnotations", broken)]).await;
    let at_once = json!({"metadata": {"annotations": {"sandbox.goharbor.io/delay": "0s"}}});
    cluster.merge::<Pod>(MIGRATION, at_once).await;
    cluster.until_recorded("migration-2.15.0-1", "succeeded").await;
    cluster.until_said(&["Deployment", "acme-harbor-core", "held at version 2.14.2"]).await;
    requests.until_quiet().await;
    let harbor = cluster.get::<Harbor>("acme").await;
    let conditions = harbor.status.iter().flat_map(|status| &status.common.conditions);
    let available: Vec<_> = conditions.filter(|it| it.type_ == "Available").map(|it| &*it.status).collect();
    assert_eq!(available, ["True"]);
    let record = cluster.get::<Secret>("acme-harbor-core-database").await;
    assert_eq!(entry(&record, "migrated-by").as_deref(), Some("2.14.2"));

    cluster.apply(vec![at("2.15.0")]).await;
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
    cluster.until_said(&[&format!("{STOPPING_MIGRATION}: has not started yet: ImagePullBackOff")]).await;
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
    let runs = format!("{STOPPING_MIGRATION}: is running since ");
    cluster.until_said(&[&runs, "migrates the database from 2.10.3 to 2.11.2; Core 2.10.3 is stopped"]).await;
    cluster.until_stopped().await;

    cluster.apply(vec![three("2.11.2")]).await;
    let at_once = json!({"metadata": {"annotations": {"sandbox.goharbor.io/delay": "0s"}}});
    cluster.merge::<Pod>(STOPPING_MIGRATION, at_once).await;
    let harbor = cluster.until_ready("acme").await;
    assert_eq!(stopped(harbor.status.as_ref().map(|status| &status.common)), None);
    let core = cluster.get::<Deployment>("acme-harbor-core").await;
    assert_eq!(core.spec.as_ref().unwrap().replicas, Some(3));
    assert!(core.meta().annotations.as_ref().unwrap()["harbor.goharbor.io/version"] == "2.11.2");
}
