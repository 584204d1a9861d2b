//! Passwords of servers outside of a Harbor, which users change.

use crate::{
    clients::{Clients, Server},
    cluster::{Cluster, NAMESPACE},
    served,
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Pod, Secret};
use kube::{Api, ResourceExt as _, api::ListParams};
use serde_json::json;
use std::time::Duration;

/// JobService gets the password from Core, and only when it starts.
#[tokio::test(start_paused = true)]
async fn jobservice_restarts_for_another_password_of_the_database_when_all_pods_of_core_have_it() {
    let cluster = served::a_cluster("2.15.2").await;
    let _operator = cluster.operator(None);
    let before = [created(&cluster, "core").await, created(&cluster, "jobservice").await];
    let clients = Clients::of(&cluster, "acme-harbor").await;
    clients.serve(Server::postgres().accepting("another"));
    let password = json!({"stringData": {"postgres-password": "another"}});
    served::patch::<Secret>(&cluster, "postgres", password).await;
    tokio::time::sleep(Duration::from_mins(5)).await;

    let [core, jobservice] = [created(&cluster, "core").await, created(&cluster, "jobservice").await];
    assert!(before.iter().all(|before| *before < core), "the pods of Core are replaced");
    let later = jobservice.duration_since(core).as_secs();
    assert!(
        later >= 20,
        "JobService asked a Core with the password before: it started {later} seconds after"
    );
    clients.serve(Server::postgres().accepting("another").refusing("example-only-postgres"));
    tokio::time::sleep(Duration::from_mins(1)).await;
    clients.assert_served();
    assert_eq!(created(&cluster, "jobservice").await, jobservice, "it restarts once");
}

/// When the newest pod of a component was created.
async fn created(cluster: &Cluster, component: &str) -> Timestamp {
    let api: Api<Pod> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let label = api::names::pod_name_label(component);
    let pods = api.list(&ListParams::default().labels(&label)).await.unwrap().items;
    pods.iter().filter_map(|pod| Some(pod.creation_timestamp()?.0)).max().unwrap()
}
