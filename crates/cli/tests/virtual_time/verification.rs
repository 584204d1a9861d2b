//! A rotation ends when Harbor accepts the new values, and nothing is asked at any other time.

use crate::{
    cluster::{Cluster, NAMESPACE},
    rotation::{a_harbor, apply, is_done, is_ready, rotations, until},
    served,
};
use api::{
    names::ROTATE_ANNOTATION,
    v1beta1::{Harbor, rotation::RotationPhase},
};
use envtest::clock;
use harborserver::Broken;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Event, Secret},
};
use kube::{Api, api::ListParams, runtime::wait::await_condition};
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// The paths that only a verification asks for.
pub fn questions(cluster: &Cluster) -> usize {
    let asked = |path: &str| path.starts_with("/service/token") || path.starts_with("/v2");
    cluster.harbor.served().iter().filter(|served| asked(&served.path)).count()
}

pub async fn exists(cluster: &Cluster, secret: &str) -> bool {
    let api: Api<Secret> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    api.get_opt(secret).await.unwrap().is_some()
}

/// Name, phase and message of each rotation.
pub async fn said(cluster: &Cluster) -> Vec<(String, RotationPhase, String)> {
    let api: Api<Harbor> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let harbor = api.get("acme").await.unwrap();
    let said = rotations(&harbor).iter();
    said.map(|it| (it.name.clone(), it.phase, it.message.clone().unwrap_or_default())).collect()
}

fn has_ended(harbor: &Harbor, number: usize) -> bool {
    rotations(harbor).len() == number && rotations(harbor).iter().all(is_done) && is_ready(harbor)
}

#[tokio::test(start_paused = true)]
async fn a_rotation_that_harbor_does_not_accept_stays_open_and_the_next_one_waits_until_it_does() {
    let cluster = a_harbor().await;
    cluster.harbor.set_broken(Broken::TokenKeys, true);
    let _operator = cluster.operator(None);
    apply(&cluster, "registryHttp@1,csrf@1").await;
    tokio::time::sleep(Duration::from_mins(30)).await;
    let said_now = said(&cluster).await;
    let [(first, running, why), (second, waiting, waits)] = &said_now[..] else { panic!("{said_now:?}") };
    assert_eq!((first.as_str(), *running), ("registryHttp", RotationPhase::Running));
    assert!(why.contains("which failed: GET /v2/ with a token") && why.contains("status 401"), "{why}");
    assert_eq!((second.as_str(), *waiting), ("csrf", RotationPhase::Waiting));
    assert_eq!(waits, "waits for the end of the rotation of registryHttp");
    assert!(exists(&cluster, "acme-harbor-registry-http").await, "the value before is kept");
    assert!(!exists(&cluster, "acme-harbor-core-csrf-1").await);

    cluster.harbor.set_broken(Broken::TokenKeys, false);
    until(&cluster, |harbor| has_ended(harbor, 2)).await;
    assert!(!exists(&cluster, "acme-harbor-registry-http").await);
    let ended = said(&cluster).await.into_iter().map(|(_, phase, message)| (phase, message));
    assert!(
        ended.clone().all(|it| it == (RotationPhase::Done, String::new())),
        "{:?}",
        ended.collect::<Vec<_>>()
    );
}

#[tokio::test(start_paused = true)]
async fn harbor_is_asked_once_for_each_pass_and_never_when_no_rotation_is_under_way() {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(questions(&cluster), 0);
    apply(&cluster, "csrf@1").await;
    until(&cluster, |harbor| has_ended(harbor, 1)).await;
    // A token, and the entrance with it.
    assert_eq!(questions(&cluster), 2);
    tokio::time::sleep(Duration::from_hours(10)).await;
    assert_eq!(questions(&cluster), 2);
    drop(cluster.operator(None));
    let _next = cluster.operator(None);
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(questions(&cluster), 2, "an operator that starts asks nothing either");
}

#[tokio::test(start_paused = true)]
async fn a_harbor_that_the_operator_cannot_reach_ends_a_rotation_by_its_pods_and_the_status_says_so() {
    let cluster = a_harbor().await;
    cluster.way.cut_off(true);
    let _operator = cluster.operator(None);
    apply(&cluster, "csrf@1").await;
    until(&cluster, |harbor| has_ended(harbor, 1)).await;
    let said_now = said(&cluster).await;
    let message = &said_now[0].2;
    assert!(message.contains("Harbor was not asked") && message.contains("cannot be reached"), "{message}");
    assert!(!exists(&cluster, "acme-harbor-core-csrf").await);
    let events: Api<Event> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let events = events.list(&ListParams::default()).await.unwrap().items;
    let ended = events.iter().find(|event| event.reason.as_deref() == Some("Rotated")).unwrap();
    assert!(ended.message.as_deref().unwrap().contains("Harbor was not asked"), "{ended:?}");
    cluster.way.cut_off(false);
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(said(&cluster).await, said_now, "the status keeps it");
}

#[tokio::test(start_paused = true)]
async fn a_harbor_that_cannot_be_asked_keeps_a_rotation_open_until_two_minutes_after_its_pods_were_ready() {
    let cluster = served::a_cluster("2.15.2").await;
    cluster.way.cut_off(true);
    let _operator = cluster.operator(None);
    let begun = clock();
    let mut harbor = served::harbor("2.15.2");
    harbor["metadata"]["annotations"] = json!({ROTATE_ANNOTATION: "csrf@1"});
    cluster.apply_object(&harbor).await;

    let (_, open) = until_said(&cluster, RotationPhase::Running, "which cannot be asked yet: ").await;
    let (ended, message) = until_said(&cluster, RotationPhase::Done, "Harbor was not asked").await;
    let deployments: Api<Deployment> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let status = deployments.get("acme-harbor-core").await.unwrap().status.unwrap();
    let progressing = status.conditions.unwrap().into_iter().find(|it| it.type_ == "Progressing").unwrap();
    let ready = progressing.last_update_time.unwrap().0;
    assert!(ready.duration_since(begun).as_secs() >= 20, "a pod takes 20 seconds to start");
    let until = ready + SignedDuration::from_mins(2);
    assert!(open.ends_with(&format!("the rotation ends without an answer at {until}")), "{open}");
    let late = ended.duration_since(until).as_secs();
    assert!((0..=15).contains(&late), "{until} is over for {late} seconds");
    assert!(message.contains("cannot be reached"), "{message}");
}

/// Waits until the only rotation is in this phase with this text in its message, and returns when that was, and the message.
async fn until_said(cluster: &Cluster, phase: RotationPhase, text: &str) -> (Timestamp, String) {
    let message = |harbor: &Harbor| {
        let found = rotations(harbor).iter().find(|it| it.phase == phase)?;
        found.message.clone().filter(|message| message.contains(text))
    };
    let api: Api<Harbor> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let said = await_condition(api, "acme", |harbor: Option<&Harbor>| harbor.and_then(message).is_some());
    let harbor = timeout(Duration::from_hours(1), Box::pin(said)).await.expect("it is said").unwrap();
    (clock(), harbor.as_ref().and_then(message).unwrap())
}
