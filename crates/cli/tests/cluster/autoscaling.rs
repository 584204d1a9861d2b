//! The number of pods changes hands between a user and an autoscaler, and no pod is lost on the way.

use crate::world::{World, documents, root};
use api::v1beta1::Portal;
use envtest::{Requests, writes};
use futures::StreamExt as _;
use k8s_openapi::api::{apps::v1::Deployment, autoscaling::v2::HorizontalPodAutoscaler};
use kube::{
    api::{Patch, PatchParams},
    runtime::{WatchStreamExt as _, watcher},
};
use serde_json::{Value, json};
use std::{
    pin::pin,
    sync::{Arc, Mutex},
};

const NAME: &str = "harbor-portal";

fn portal(spec: Value) -> Value {
    let mut portal =
        documents(&root().join("crates/components/tests/golden/portal/minimal/in.yaml")).remove(0);
    portal["spec"] = spec;
    portal["spec"]["resources"] = json!({"requests": {"cpu": "100m"}});
    portal
}

fn scaled() -> Value {
    portal(json!({"autoscaling": {"minReplicas": 3, "maxReplicas": 9}}))
}

/// Every number of pods that was ever wanted, from now on.
fn numbers(world: &World) -> Arc<Mutex<Vec<i32>>> {
    let (seen, deployments) = (Arc::default(), world.api::<Deployment>());
    let numbers: Arc<Mutex<Vec<i32>>> = Arc::clone(&seen);
    tokio::spawn(async move {
        let mut stream = pin!(watcher(deployments, watcher::Config::default()).applied_objects());
        while let Some(Ok(deployment)) = stream.next().await {
            let number = deployment.spec.and_then(|spec| spec.replicas).unwrap_or_default();
            let mut numbers = numbers.lock().unwrap();
            if numbers.last() != Some(&number) {
                numbers.push(number);
            }
        }
    });
    seen
}

/// What the controller of autoscalers does.
async fn scale(world: &World, number: i32) {
    let scale = json!({"spec": {"replicas": number}});
    let params =
        PatchParams { field_manager: Some("kube-controller-manager".into()), ..PatchParams::default() };
    world.api::<Deployment>().patch_scale(NAME, &params, &Patch::Merge(scale)).await.unwrap();
}

async fn until_wanted(world: &World, number: i32) -> Deployment {
    let wanted = |it: &Deployment| it.spec.as_ref().unwrap().replicas == Some(number);
    world.until::<Deployment>(NAME, wanted).await
}

#[tokio::test]
async fn an_autoscaler_begins_with_as_many_pods_as_there_are_and_is_left_alone() {
    let world = World::new().await;
    if !world.plane.version().at_least(1, 23) {
        println!("skipped: autoscaling/v2 is not served");
        return;
    }
    let requests = Requests::default();
    let _operator = world.operator(&requests);
    world.apply(vec![portal(json!({"replicas": 3}))]).await;
    until_wanted(&world, 3).await;
    let numbers = numbers(&world);

    world.apply(vec![scaled()]).await;
    world.until::<HorizontalPodAutoscaler>(NAME, |_| true).await;
    requests.until_quiet().await;
    until_wanted(&world, 3).await;

    scale(&world, 5).await;
    until_wanted(&world, 5).await;
    requests.until_quiet().await;
    let mut edited = scaled();
    edited["spec"]["templateLabels"] = json!({"edited": "true"});
    world.apply(vec![edited]).await;
    world
        .until::<Deployment>(NAME, |it| {
            let template = it.spec.as_ref().unwrap().template.metadata.clone().unwrap_or_default();
            template.labels.is_some_and(|labels| labels.contains_key("edited"))
        })
        .await;
    requests.until_quiet().await;
    assert_eq!(*numbers.lock().unwrap(), [3, 5], "no pod was taken away");

    scale(&world, 4).await;
    until_wanted(&world, 4).await;
    let sent = requests.until_quiet().await;
    assert_eq!(writes(&sent), [""; 0], "the number is none of the operator's business");
}

#[tokio::test]
async fn a_user_may_take_the_number_of_pods_back_and_give_it_away_again() {
    let world = World::new().await;
    if !world.plane.version().at_least(1, 23) {
        println!("skipped: autoscaling/v2 is not served");
        return;
    }
    let requests = Requests::default();
    let _operator = world.operator(&requests);
    world.apply(vec![scaled()]).await;
    until_wanted(&world, 1).await;
    scale(&world, 6).await;
    until_wanted(&world, 6).await;
    let numbers = numbers(&world);

    world.apply(vec![portal(json!({"replicas": 2}))]).await;
    until_wanted(&world, 2).await;
    world.until_gone::<HorizontalPodAutoscaler>(NAME).await;
    world.apply(vec![scaled()]).await;
    world.until::<HorizontalPodAutoscaler>(NAME, |_| true).await;
    requests.until_quiet().await;
    until_wanted(&world, 2).await;
    let portal = world.get::<Portal>("harbor").await;
    assert_eq!(portal.spec.component.replicas, None);
    assert_eq!(*numbers.lock().unwrap(), [6, 2]);
}
