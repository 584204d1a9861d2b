//! Passwords of servers outside of a Harbor, which users change.

use crate::{
    clients::{Clients, Pods, Server},
    cluster::{Cluster, NAMESPACE},
    served,
};
use api::names::{RESTARTED_LABEL, SANDBOX_DELAY_ANNOTATION};
use jiff::Timestamp;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Pod, Secret},
};
use kube::{Api, ResourceExt as _, api::ListParams};
use serde_json::{Value, json};
use std::time::Duration;

/// The components that log in to Redis, in the order in which they restart for another password.
const REDIS: [&str; 5] = ["registry", "core", "jobservice", "trivy", "exporter"];

/// The components that use the database, in the order in which they restart for another password.
const DATABASE: [&str; 5] = ["core", "jobservice", "exporter", "notaryserver", "notarysigner"];

/// How long a pod takes to start, in seconds.
const START: i64 = 20;

/// JobService gets the password from Core, and only when it starts.
#[tokio::test(start_paused = true)]
async fn jobservice_restarts_for_another_password_of_the_database_when_all_pods_of_core_have_it() {
    let cluster = served::a_cluster("2.15.2").await;
    let _operator = cluster.operator(None);
    let before = [created(&cluster, "core").await, created(&cluster, "jobservice").await];
    let clients = Clients::of(&cluster, "acme-harbor").await;
    clients.serve(Server::postgres().accepting("another"));
    change_database(&cluster, "another").await;
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

#[tokio::test(start_paused = true)]
async fn no_request_fails_while_components_get_another_password_of_a_redis_that_accepts_both() {
    let cluster = a_cluster().await;
    let _operator = cluster.operator(None);
    tokio::time::sleep(Duration::from_mins(1)).await;
    let before = all_created(&cluster).await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    let redis = [Server::redis(), Server::redis_of_the_registry()];
    for server in &redis {
        clients.serve(server.clone().accepting("another"));
    }
    change_redis(&cluster, "another").await;
    tokio::time::sleep(Duration::from_mins(10)).await;

    let after = all_created(&cluster).await;
    assert!(before.iter().max() < after.iter().min(), "all of them restart");
    assert_later(&REDIS, &after);
    for server in &redis {
        clients.serve(server.clone().accepting("another").refusing("example-only-redis"));
    }
    tokio::time::sleep(Duration::from_mins(1)).await;
    clients.assert_served();
    assert_eq!(all_created(&cluster).await, after, "each restarts once");
}

/// What a user notices where Redis has one password, such as the `requirepass` of the operators that HarborCluster uses. The
/// clients count every request as one with a new connection; real connections that are open stay so.
#[tokio::test(start_paused = true)]
async fn a_redis_with_one_password_refuses_new_connections_of_a_component_until_that_has_restarted() {
    let cluster = a_cluster().await;
    let _operator = cluster.operator(None);
    tokio::time::sleep(Duration::from_mins(1)).await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    let mut redis = [Server::redis(), Server::redis_of_the_registry()];
    redis = redis.map(|server| server.accepting("another").refusing("example-only-redis"));
    for server in &redis {
        clients.serve(server.clone());
    }
    change_redis(&cluster, "another").await;
    tokio::time::sleep(Duration::from_mins(10)).await;

    let failures = clients.failures();
    let gap = |component: &str| {
        let whose = format!("acme-harbor-{component}-");
        let of: Vec<_> = failures.iter().filter(|failure| failure.what.contains(&whose)).collect();
        of[of.len() - 1].at.duration_since(of[0].at).as_secs()
    };
    // The start of a pod of the registry, and then the start of a pod of Core.
    assert!((START..START + 5).contains(&gap("registry")), "{} seconds", gap("registry"));
    assert!((2 * START..2 * START + 8).contains(&gap("core")), "{} seconds", gap("core"));
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_at_each_of_its_writes_keeps_the_order_of_restarts_for_redis() {
    let cluster = a_cluster().await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    for server in [Server::redis(), Server::redis_of_the_registry()] {
        clients.serve(server.accepting("another"));
    }
    change_redis(&cluster, "another").await;
    assert_kept_order(&cluster, &clients, &REDIS).await;
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_at_each_of_its_writes_keeps_the_order_of_restarts_for_the_database() {
    let cluster = a_cluster().await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    clients.serve(Server::postgres().accepting("another"));
    change_database(&cluster, "another").await;
    assert_kept_order(&cluster, &clients, &DATABASE[..3]).await;
}

/// Asserts that components restart in this order, although each operator is killed at its first write.
async fn assert_kept_order(cluster: &Cluster, clients: &Clients, components: &[&str]) {
    let before = revisions_of(cluster, components).await;
    let mut lives = 0;
    loop {
        let mut doomed = cluster.operator(Some(1));
        tokio::select! {
            () = doomed.killed() => lives += 1,
            // It has nothing left to send.
            () = tokio::time::sleep(Duration::from_mins(5)) => break,
        }
        assert!(lives < 500, "the restarts do not end");
    }
    assert!(lives >= 10, "{lives} lives");
    assert_later(components, &created_of(cluster, components).await);
    let once: Vec<_> = before.iter().map(|before| before + 1).collect();
    assert_eq!(revisions_of(cluster, components).await, once);
    clients.assert_served();
}

#[tokio::test(start_paused = true)]
async fn passwords_that_change_together_restart_each_component_once() {
    let cluster = a_cluster().await;
    let operator = cluster.operator(None);
    tokio::time::sleep(Duration::from_mins(1)).await;
    drop(operator);
    let before = revisions(&cluster).await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    clients.serve(Server::postgres().accepting("another"));
    let redis = [Server::redis(), Server::redis_of_the_registry()];
    for server in &redis {
        clients.serve(server.clone().accepting("another"));
    }
    change_database(&cluster, "another").await;
    change_redis(&cluster, "another").await;
    // It finds both at once.
    let _operator = cluster.operator(None);
    tokio::time::sleep(Duration::from_mins(10)).await;
    clients.assert_served();
    let expected: Vec<_> = before.iter().map(|before| before + 1).collect();
    assert_eq!(revisions(&cluster).await, expected);
    let order = all_created(&cluster).await;
    assert!(order.is_sorted(), "{order:?}");
}

/// Harbor 2.8 is the last one with Notary.
#[tokio::test(start_paused = true)]
async fn all_that_log_in_to_the_database_restart_one_after_the_other_and_once() {
    let mut harbor = served::harbor("2.8.4");
    harbor["spec"]["exporter"] = json!({});
    harbor["spec"]["notary"] = json!({});
    harbor["spec"]["expose"]["notary"] = json!({"ingress": {"host": "notary.example.com"}});
    let cluster = served::with(&harbor).await;
    let _operator = cluster.operator(None);
    tokio::time::sleep(Duration::from_mins(1)).await;
    let before = revisions_of(&cluster, &DATABASE).await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    clients.serve(Server::postgres().accepting("another"));
    change_database(&cluster, "another").await;
    tokio::time::sleep(Duration::from_mins(10)).await;

    assert_later(&DATABASE, &created_of(&cluster, &DATABASE).await);
    let once: Vec<_> = before.iter().map(|before| before + 1).collect();
    assert_eq!(revisions_of(&cluster, &DATABASE).await, once);
    clients.serve(Server::postgres().accepting("another").refusing("example-only-postgres"));
    tokio::time::sleep(Duration::from_mins(1)).await;
    clients.assert_served();
}

#[tokio::test(start_paused = true)]
async fn a_core_that_does_not_start_with_another_password_of_the_database_keeps_jobservice_as_it_is_for_passwords_only()
 {
    let cluster = a_cluster().await;
    let _operator = cluster.operator(None);
    tokio::time::sleep(Duration::from_mins(1)).await;
    let before = revisions_of(&cluster, &["jobservice", "exporter"]).await;
    let slow = json!({"metadata": {"annotations": {SANDBOX_DELAY_ANNOTATION: "9m"}}});
    served::patch::<Deployment>(&cluster, "acme-harbor-core", slow).await;
    change_database(&cluster, "another").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(revisions_of(&cluster, &["jobservice", "exporter"]).await, before);

    let secret = json!({"stringData": {"secret": "another-secret16"}});
    served::patch::<Secret>(&cluster, "acme-harbor-jobservice-secret", secret).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    let restarted = [before[0] + 1, before[1]];
    assert_eq!(revisions_of(&cluster, &["jobservice", "exporter"]).await, restarted);
    change_redis(&cluster, "another").await;
    tokio::time::sleep(Duration::from_mins(3)).await;
    assert_eq!(revisions_of(&cluster, &["jobservice", "exporter"]).await, restarted);

    tokio::time::sleep(Duration::from_mins(30)).await;
    let after = [before[0] + 2, before[1] + 1];
    assert_eq!(revisions_of(&cluster, &["jobservice", "exporter"]).await, after);
}

/// As docs/rotation.md recommends for PostgreSQL: both roles are valid meanwhile.
#[tokio::test(start_paused = true)]
async fn another_user_and_another_password_of_the_database_together_restart_jobservice_once() {
    let cluster = a_cluster().await;
    let _operator = cluster.operator(None);
    tokio::time::sleep(Duration::from_mins(1)).await;
    let before = revisions_of(&cluster, &["core", "jobservice"]).await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    clients.serve(Server::postgres().accepting("another"));
    change_database(&cluster, "another").await;
    change_user(&cluster).await;
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_end(&cluster, &clients).await;
    let after = revisions_of(&cluster, &["core", "jobservice"]).await;
    assert_eq!(after[1], before[1] + 1);
}

#[tokio::test(start_paused = true)]
async fn whichever_of_user_and_password_of_the_database_changes_first_all_pods_have_both_in_the_end() {
    for is_user_first in [false, true] {
        let cluster = a_cluster().await;
        let _operator = cluster.operator(None);
        tokio::time::sleep(Duration::from_mins(1)).await;
        let clients = Clients::of(&cluster, "acme-harbor").await;
        clients.serve(Server::postgres().accepting("another"));
        if is_user_first {
            change_user(&cluster).await;
        } else {
            change_database(&cluster, "another").await;
        }
        // In the middle of the restart of Core.
        tokio::time::sleep(Duration::from_secs(10)).await;
        if is_user_first {
            change_database(&cluster, "another").await;
        } else {
            change_user(&cluster).await;
        }
        tokio::time::sleep(Duration::from_mins(10)).await;
        println!("the user is first: {is_user_first}");
        assert_end(&cluster, &clients).await;
    }
}

/// Asserts that all pods have the second user of the database and its password, and that no request has failed.
async fn assert_end(cluster: &Cluster, clients: &Clients) {
    let [core, jobservice] = [created(cluster, "core").await, created(cluster, "jobservice").await];
    let later = jobservice.duration_since(core).as_secs();
    assert!(later >= START, "JobService asked a Core without both: it started {later} seconds after");
    clients.serve(Server::postgres().accepting("another").refusing("example-only-postgres"));
    tokio::time::sleep(Duration::from_mins(1)).await;
    clients.assert_served();
    let pods = Pods::of(cluster).await;
    for (component, of) in [("core", "POSTGRESQL"), ("exporter", "HARBOR_DATABASE")] {
        let ready = pods.ready(&format!("acme-harbor-{component}"));
        assert_eq!(ready.len(), 1, "{component}");
        let has = |what: &str| pods.variable(&ready[0], component, &format!("{of}_{what}")).unwrap();
        assert_eq!((has("USERNAME"), has("PASSWORD")), ("second".into(), "another".into()), "{component}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_operator_from_before_the_order_is_followed_by_one_that_restarts_no_pod() {
    let cluster = a_cluster().await;
    let before = all_created(&cluster).await;
    for component in REDIS {
        let labels = json!({RESTARTED_LABEL: null});
        let patch = json!({"metadata": {"labels": labels}});
        served::patch::<Deployment>(&cluster, &format!("acme-harbor-{component}"), patch).await;
    }
    let revisions_before = revisions(&cluster).await;
    let _operator = cluster.operator(None);
    tokio::time::sleep(Duration::from_mins(5)).await;
    assert_eq!(all_created(&cluster).await, before);
    assert_eq!(revisions(&cluster).await, revisions_before);
    let deployments: Api<Deployment> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    for component in REDIS {
        let deployment = deployments.get(&format!("acme-harbor-{component}")).await.unwrap();
        assert!(deployment.labels().contains_key(RESTARTED_LABEL), "{component}");
    }
}

/// A Harbor with all components that log in to Redis.
fn harbor() -> Value {
    let mut harbor = served::harbor("2.15.2");
    harbor["spec"]["trivy"] = json!({"storage": {}, "skipUpdate": true});
    harbor["spec"]["exporter"] = json!({});
    harbor
}

async fn a_cluster() -> Cluster {
    served::with(&harbor()).await
}

async fn change_redis(cluster: &Cluster, password: &str) {
    let password = json!({"stringData": {"redis-password": password}});
    served::patch::<Secret>(cluster, "redis", password).await;
}

async fn change_database(cluster: &Cluster, password: &str) {
    let password = json!({"stringData": {"postgres-password": password}});
    served::patch::<Secret>(cluster, "postgres", password).await;
}

async fn change_user(cluster: &Cluster) {
    let mut harbor = harbor();
    harbor["spec"]["database"]["username"] = "second".into();
    cluster.apply_object(&harbor).await;
}

/// Asserts that the pods of each component were created when those of the one before were ready.
fn assert_later(components: &[&str], created: &[Timestamp]) {
    for (pair, names) in created.windows(2).zip(components.windows(2)) {
        let later = pair[1].duration_since(pair[0]).as_secs();
        assert!(later >= START, "{} restarted {later} seconds after {}", names[1], names[0]);
    }
}

async fn all_created(cluster: &Cluster) -> Vec<Timestamp> {
    created_of(cluster, &REDIS).await
}

/// When the newest pods of components were created.
async fn created_of(cluster: &Cluster, components: &[&str]) -> Vec<Timestamp> {
    let mut all = Vec::new();
    for component in components {
        all.push(created(cluster, component).await);
    }
    all
}

async fn revisions(cluster: &Cluster) -> Vec<i64> {
    revisions_of(cluster, &REDIS).await
}

/// How often the templates of components have changed.
async fn revisions_of(cluster: &Cluster, components: &[&str]) -> Vec<i64> {
    let api: Api<Deployment> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let mut all = Vec::new();
    for component in components {
        let deployment = api.get(&format!("acme-harbor-{component}")).await.unwrap();
        all.push(deployment.annotations()["deployment.kubernetes.io/revision"].parse().unwrap());
    }
    all
}

/// When the newest pod of a component was created.
async fn created(cluster: &Cluster, component: &str) -> Timestamp {
    let api: Api<Pod> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let label = api::names::pod_name_label(component);
    let pods = api.list(&ListParams::default().labels(&label)).await.unwrap().items;
    pods.iter().filter_map(|pod| Some(pod.creation_timestamp()?.0)).max().unwrap()
}
