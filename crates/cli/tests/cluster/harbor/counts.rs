//! What a Harbor costs, counted at the server.

use super::{Cluster, called, is_ready, minimal};
use api::v1beta1::Harbor;
use envtest::{Requests, writes};
use futures::StreamExt as _;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret, Service},
};
use kube::{
    api::ListParams,
    runtime::{WatchStreamExt as _, watcher},
};
use serde_json::json;
use std::{collections::BTreeMap, pin::pin};

/// How many requests of each sort, for people.
fn summary(sent: &[String]) -> String {
    let mut counts = BTreeMap::<String, usize>::new();
    for request in sent {
        let (verb, path) = request.split_once(' ').unwrap();
        let mut segments = path.split('/').skip_while(|segment| *segment != "namespaces").skip(2);
        let kind = segments.next().unwrap_or_default();
        let subresource = segments.nth(1).map(|sub| format!("/{sub}")).unwrap_or_default();
        *counts.entry(format!("{verb} {kind}{subresource}")).or_default() += 1;
    }
    counts.iter().map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn a_minimal_harbor_is_ready_and_quiet_after_forty_five_requests() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    requests.until_quiet().await;

    cluster.apply(vec![minimal()]).await;
    cluster.until_ready("acme").await;
    let sent = requests.until_quiet().await;

    println!("{} requests, {} of them writes: {}", sent.len(), writes(&sent).len(), summary(&sent));
    assert!(sent.len() <= 45 + again(&cluster).await, "{sent:#?}");
}

#[tokio::test]
async fn a_full_harbor_costs_at_most_a_fifth_more_writes_than_it_has_children() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.operator(&requests);
    requests.until_quiet().await;

    cluster.apply(vec![cluster.full()]).await;
    cluster.until_ready("acme").await;
    let sent = requests.until_quiet().await;

    // Statuses are about owners; what is counted per child is what is written to children.
    let to_children: Vec<_> =
        writes(&sent).into_iter().filter(|it| !it.ends_with("/status") && !it.contains("/events")).collect();
    let children: std::collections::BTreeSet<_> = to_children.iter().map(|it| target(it)).collect();
    println!(
        "{} children, {} writes to them, {} requests: {}",
        children.len(),
        to_children.len(),
        sent.len(),
        summary(&sent)
    );
    let again = again(&cluster).await / 2;
    assert!((to_children.len() - again) * 10 <= children.len() * 12, "{to_children:#?}");
}

/// How many requests more this API server takes: a read and a second apply of each Service, see
/// [`World::creates_services_at_once`](crate::world::World::creates_services_at_once).
async fn again(cluster: &Cluster) -> usize {
    if cluster.creates_services_at_once() {
        return 0;
    }
    2 * cluster.api::<Service>().list(&ListParams::default()).await.unwrap().items.len()
}

/// The object a write is about; a creation names only its kind, and is about an object of its own.
fn target(request: &str) -> String {
    request.split_once(' ').map(|(_, path)| path.split('?').next().unwrap_or(path).to_owned()).unwrap()
}

/// How many Harbors at once; `HARBOR_OPERATOR_LOAD` sets another number.
fn number() -> usize {
    std::env::var("HARBOR_OPERATOR_LOAD").ok().and_then(|number| number.parse().ok()).unwrap_or(20)
}

#[tokio::test]
async fn many_harbors_come_in_order_cost_as_much_each_as_one_and_a_restart_writes_nothing() {
    let count = number();
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let operator = cluster.operator(&requests);
    requests.until_quiet().await;

    let harbors = (0..count).map(|index| called(minimal(), &format!("acme-{index:03}"))).collect();
    let order = ready_in_order(&cluster, count);
    let (order, ()) = tokio::join!(order, cluster.apply(harbors));
    let sent = requests.until_quiet().await;

    let each = sent.len().div_ceil(count);
    let astray = astray(&order);
    println!("{count} Harbors: {} requests, {each} each; {astray} places astray: {order:?}", sent.len());
    // Whose turn it is, the operator decides (`runtime`, tests/order.rs); requests and pods under way have their races.
    // Without an order, the count is more than three times as far off.
    assert!(astray * 10 <= count * count, "{astray} places astray: {order:?}");
    // The slower the cluster, the more often a waiting Harbor says what it waits for now.
    assert!(sent.len() <= count * 45 + again(&cluster).await, "{} requests", sent.len());

    drop(operator);
    let sent = restarted(&cluster).await;
    assert_eq!(writes(&sent), Vec::<&str>::new(), "nothing to do");
    let read: Vec<_> =
        sent.iter().filter(|request| request.starts_with("GET ") && is_of_child(request)).collect();
    assert!(read.is_empty(), "lists are enough, yet {read:#?}");
}

/// Names of Harbors as they become ready.
async fn ready_in_order(cluster: &Cluster, count: usize) -> Vec<String> {
    let events = watcher(cluster.api::<Harbor>(), watcher::Config::default()).applied_objects();
    let mut events = pin!(events);
    let mut order: Vec<String> = Vec::new();
    while order.len() < count {
        let harbor = events.next().await.unwrap().unwrap();
        let name = harbor.metadata.name.clone().unwrap();
        if is_ready(harbor.metadata.generation, harbor.status.as_ref().map(|status| &status.common))
            && !order.contains(&name)
        {
            order.push(name);
        }
    }
    order
}

/// How many places lie between when each became ready and when it was created, in all. Names are in order of creation.
fn astray(order: &[String]) -> usize {
    let mut created = order.to_vec();
    created.sort();
    let place = |name: &String| created.iter().position(|it| it == name).unwrap();
    order.iter().enumerate().map(|(at, name)| at.abs_diff(place(name))).sum()
}

/// Whether a request is for one child of a Harbor, and not for a list or for what users have created.
fn is_of_child(request: &str) -> bool {
    let mut segments = request.split('/').skip_while(|segment| *segment != "namespaces").skip(3);
    segments.next().is_some_and(|name| name.starts_with("acme-"))
}

/// What a new operator sends until it has come to rest.
pub(super) async fn restarted(cluster: &Cluster) -> Vec<String> {
    let requests = Requests::default();
    let operator = cluster.operator(&requests);
    let mut sent = Vec::new();
    loop {
        sent.extend(requests.until_quiet().await);
        if operator.has_listed() {
            break;
        }
    }
    println!("after a restart: {} requests: {}", sent.len(), summary(&sent));
    sent
}

#[tokio::test]
async fn drift_while_the_operator_was_away_is_repaired_when_it_is_back() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    drop(cluster.ready(&requests, minimal()).await);
    requests.until_quiet().await;

    cluster.merge::<ConfigMap>("acme-harbor-core", json!({"data": {"app.conf": "DRIFT"}})).await;
    cluster
        .merge::<Service>(
            "acme-harbor-portal",
            json!({"spec": {"selector": {"portal.goharbor.io/name": "x"}}}),
        )
        .await;
    cluster.delete::<Deployment>("acme-harbor-registry").await;
    let csrf = cluster.get::<Secret>("acme-harbor-core-csrf").await.data;

    restarted(&cluster).await;
    let config = cluster.get::<ConfigMap>("acme-harbor-core").await.data.unwrap();
    assert_ne!(config["app.conf"], "DRIFT");
    let selector = cluster.get::<Service>("acme-harbor-portal").await.spec.unwrap().selector.unwrap();
    assert_eq!(selector["portal.goharbor.io/name"], "acme-harbor-portal");
    assert!(cluster.has::<Deployment>("acme-harbor-registry").await);
    assert_eq!(cluster.get::<Secret>("acme-harbor-core-csrf").await.data, csrf);
}
