//! The authority of TLS between components is replaced, and no pod ever meets one whose certificate it does not trust, whenever
//! the operator is killed.

use crate::{
    Moments,
    clients::Clients,
    cluster::{Cluster, NAMESPACE},
    objects::Objects,
    rotation::{is_done, is_ready, rotations, until},
    verification::{questions, said},
};
use api::{names::ROTATE_ANNOTATION, v1beta1::Harbor};
use envtest::clock;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use kube::{
    Api, ResourceExt as _,
    api::{DeleteParams, ListParams},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, path::Path, time::Duration};

/// How long each pod takes to start.
const DELAY: Duration = Duration::from_secs(20);
/// More lives of an operator than a rotation takes.
const MOST_LIVES: usize = 1000;
pub const PREFIX: &str = "acme-harbor-internal-tls-";

#[tokio::test(start_paused = true)]
async fn no_request_fails_while_the_authority_between_components_is_replaced_twice() {
    let cluster = a_harbor().await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    let before = restarts(&cluster).await;
    let _operator = cluster.operator(None);
    assert_eq!(restarts(&cluster).await, before, "no pod restarts without a request");
    rotate(&cluster, "internalTLSAuthority@1").await;
    assert_eq!(secrets(&cluster).await, of_turn("authority-1", "-1"));
    let said = said(&cluster).await;
    assert!(said.iter().all(|(.., message)| message.is_empty()), "Harbor was asked over TLS: {said:?}");
    // A token, and the entrance with it.
    assert_eq!(questions(&cluster), 2, "Harbor is asked once, and not after each turn");
    let after = restarts(&cluster).await;
    for (name, revision) in &before {
        // The certificates of the registry and of its controller come one after the other.
        let most = if name == "acme-harbor-registry" { 6 } else { 3 };
        let times = after[name] - revision;
        assert!((3..=most).contains(&times), "{name} was changed {times} times");
    }
    rotate(&cluster, "internalTLSAuthority@2,internalTLS@2").await;
    assert_eq!(secrets(&cluster).await, of_turn("authority-2", "-2"));
    rotate(&cluster, "internalTLSAuthority@2,internalTLS@3").await;
    assert_eq!(secrets(&cluster).await, of_turn("authority-2", "-1"));
    clients.assert_served();
}

#[tokio::test(start_paused = true)]
async fn an_authority_during_whose_rotation_every_operator_is_killed_at_its_first_write_is_replaced_as_without()
 {
    let expected = without_kills().await;
    let lives = with_kills(&expected, || 1).await;
    assert!(lives >= 40, "the rotation took {lives} lives");
}

#[tokio::test(start_paused = true)]
async fn an_authority_during_whose_rotation_the_operator_is_killed_now_and_then_is_replaced_as_without() {
    let expected = without_kills().await;
    let mut moments = Moments(1);
    with_kills(&expected, || 3 * moments.next()).await;
}

#[tokio::test(start_paused = true)]
async fn clients_notice_an_authority_that_is_replaced_at_once() {
    let cluster = a_harbor().await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    let _operator = cluster.operator(None);
    let api: Api<Secret> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    api.delete(&format!("{PREFIX}authority"), &DeleteParams::default()).await.unwrap();
    tokio::time::sleep(Duration::from_mins(10)).await;
    let failures = clients.failures();
    let is_it = |what: &str| {
        what.starts_with("acme-harbor-core-")
            && what.contains(" does not trust the certificate of acme-harbor-registry-")
    };
    assert!(failures.iter().any(|failure| is_it(&failure.what)), "{failures:#?}");
    let last = failures.last().unwrap().at;
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(clients.failures().last().unwrap().at, last, "all have the new one in the end");
}

async fn without_kills() -> Objects {
    let cluster = a_harbor().await;
    let _operator = cluster.operator(None);
    rotate(&cluster, "internalTLSAuthority@1").await;
    Objects::of(&cluster).await.without_revisions()
}

/// Rotates with operators that are killed after so many writes, and returns how many there were.
async fn with_kills(expected: &Objects, mut writes: impl FnMut() -> u64) -> usize {
    let cluster = a_harbor().await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    cluster.apply_object(&harbor("internalTLSAuthority@1")).await;
    let mut lives = 0;
    loop {
        assert!(lives < MOST_LIVES, "the rotation does not go on");
        let mut doomed = cluster.operator(Some(writes()));
        tokio::select! {
            () = doomed.killed() => lives += 1,
            // It has nothing left to send.
            () = tokio::time::sleep(Duration::from_mins(10)) => break,
        }
    }
    let _operator = cluster.operator(None);
    until(&cluster, has_rotated("1")).await;
    clients.assert_served();
    assert_eq!(secrets(&cluster).await, of_turn("authority-1", "-1"));
    expected.assert_same(&Objects::of(&cluster).await.without_revisions());
    lives
}

fn example(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)).unwrap()
}

/// A Harbor with TLS between components, whose certificates the operator issues, and with a reverse proxy.
pub fn harbor(request: &str) -> Value {
    let mut harbor: Value = serde_saphyr::from_str(&example("harbor.yaml")).unwrap();
    harbor["metadata"]["annotations"] = json!({ROTATE_ANNOTATION: request});
    let spec = &mut harbor["spec"];
    spec["internalTLS"] = json!({"enabled": true});
    spec["core"] = json!({"replicas": 2});
    spec["registry"] = json!({"replicas": 2});
    spec["expose"] = json!({"core": {"tls": {}, "service": {"type": "ClusterIP"}}});
    spec["imageChartStorage"] = json!({
        "s3": {"region": "eu-central-1", "bucket": "images", "accesskey": "harbor", "secretkeyRef": "storage"},
    });
    harbor
}

/// A cluster without cert-manager and with such a Harbor, which is ready, and no operator.
pub async fn a_harbor() -> Cluster {
    let cluster = Cluster::slow_without("cert-manager.io", DELAY).await;
    // Certificates are valid from five minutes before, and programs know no time before 1970.
    while clock().as_second() < 600 {
        tokio::time::sleep(Duration::from_mins(1)).await;
    }
    cluster.apply("namespace.yaml").await;
    let inputs: Vec<Value> = serde_saphyr::from_multiple(&example("harbor-inputs.yaml")).unwrap();
    for input in inputs.iter().filter(|input| input["apiVersion"] == "v1") {
        cluster.apply_object(input).await;
    }
    cluster.apply_object(&harbor("")).await;
    let _operator = cluster.operator(None);
    until(&cluster, is_ready).await;
    assert_eq!(secrets(&cluster).await, of_turn("authority", ""));
    cluster
}

/// Asks for a rotation, and waits for its end.
async fn rotate(cluster: &Cluster, request: &str) {
    cluster.apply_object(&harbor(request)).await;
    let (_, word) = request.rsplit_once('@').unwrap();
    until(cluster, has_rotated(word)).await;
}

pub fn has_rotated(word: &str) -> impl Fn(&Harbor) -> bool + use<'_> {
    move |harbor| {
        let asked = rotations(harbor).iter().any(|rotation| rotation.request.as_deref() == Some(word));
        asked && rotations(harbor).iter().all(is_done) && is_ready(harbor)
    }
}

/// The Secrets of TLS between components, without what their names have in common.
pub async fn secrets(cluster: &Cluster) -> Vec<String> {
    let api: Api<Secret> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let all = api.list(&ListParams::default()).await.unwrap().items;
    let names = all.iter().map(kube::ResourceExt::name_any);
    let mut names: Vec<_> = names.filter_map(|name| Some(name.strip_prefix(PREFIX)?.to_owned())).collect();
    names.sort();
    names
}

pub fn of_turn(authority: &str, suffix: &str) -> Vec<String> {
    let parts = ["core", "jobservice", "portal", "registry", "registryctl"];
    [authority.to_owned()].into_iter().chain(parts.map(|part| format!("{part}{suffix}"))).collect()
}

/// The revision of each Deployment, which counts the changes of its template.
async fn restarts(cluster: &Cluster) -> BTreeMap<String, i64> {
    let api: Api<Deployment> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let all = api.list(&ListParams::default()).await.unwrap().items;
    let revision = |it: &Deployment| it.annotations()["deployment.kubernetes.io/revision"].parse().unwrap();
    all.iter().map(|it| (it.name_any(), revision(it))).collect()
}
