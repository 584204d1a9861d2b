//! Who is served first, through all kinds, in virtual time.

use crate::gadget::{Gadget, GadgetComponent, GadgetSpec};
use crate::memory::Cluster;
use crate::widget::{Widget, WidgetComponent};
use envtest::clock;
use futures::StreamExt as _;
use kube::{
    CustomResourceExt as _, ResourceExt as _,
    runtime::{WatchStreamExt as _, watcher},
};
use plan::ComponentKind;
use runtime::Options;
use std::{pin::pin, time::Duration};

/// Gadgets in the order in which they become ready. Each waits for its widget, and that for its Deployment.
async fn ready_in_order(cluster: &Cluster, count: usize) -> Vec<String> {
    let events = watcher(cluster.api::<Gadget>(), watcher::Config::default()).applied_objects();
    let mut events = pin!(events);
    let mut order: Vec<String> = Vec::new();
    while order.len() < count {
        let gadget = events.next().await.unwrap().unwrap();
        let conditions = gadget.status.iter().flat_map(|status| &status.conditions);
        let ready = conditions.into_iter().any(|c| c.type_ == "Ready" && c.status == "True");
        if ready && !order.contains(&gadget.name_any()) {
            order.push(gadget.name_any());
        }
    }
    order
}

/// One reconcile at a time for each kind, so that the order of reconciles is the order of all requests.
async fn cluster() -> Cluster {
    let options = Options { clock, concurrency: 1, ..Options::default() };
    let mut cluster = Cluster::new::<GadgetComponent>(options).await;
    cluster.install(Widget::crd()).await;
    cluster.latency = Duration::from_millis(5);
    cluster
}

/// Names of which every list shows the last one first.
fn names() -> Vec<String> {
    (10..30).rev().map(|i| format!("g{i}")).collect()
}

async fn create(cluster: &Cluster, pause: Duration) {
    for name in names() {
        cluster
            .create(&Gadget::new(&name, GadgetSpec { message: "hello".into(), ..GadgetSpec::default() }))
            .await;
        tokio::time::sleep(pause).await;
    }
}

fn start(cluster: &mut Cluster) {
    cluster.start_all(vec![ComponentKind::of::<GadgetComponent>(), ComponentKind::of::<WidgetComponent>()]);
}

#[tokio::test(start_paused = true)]
async fn what_was_created_first_is_ready_first_whatever_its_name() {
    let mut cluster = cluster().await;
    create(&cluster, Duration::from_secs(1)).await;
    start(&mut cluster);
    let mut order = ready_in_order(&cluster, names().len()).await;
    assert_eq!(order.first(), names().first());
    // Every fourth turn is for the gadget that waits longest, and these are the youngest, which are listed first. Each
    // gadget takes two turns, so half as many get such a turn.
    let mut seniors = names();
    seniors.truncate(seniors.len() / 2);
    order.retain(|name| seniors.contains(name));
    assert_eq!(order, seniors);
}

#[tokio::test(start_paused = true)]
async fn of_what_is_created_in_one_second_the_first_is_ready_first() {
    let mut cluster = cluster().await;
    start(&mut cluster);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (order, ()) = tokio::join!(ready_in_order(&cluster, names().len()), create(&cluster, Duration::ZERO));
    assert_eq!(order, names());
}
