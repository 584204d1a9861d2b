//! When Harbor refuses what a rotation has generated, a user gives the values before to the Harbor, which gets ready with them, and
//! the next rotation begins.

use crate::{
    authority,
    clients::Clients,
    cluster::{Cluster, NAMESPACE},
    rotation::{a_harbor, harbor, is_ready, rotations, until},
    verification::{exists, said},
};
use api::v1beta1::{Harbor, rotation::RotationPhase};
use harborserver::{Broken, Component};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};
use kube::{
    Api,
    api::{ListParams, ObjectMeta, PostParams},
};
use serde_json::{Value, json};
use std::time::Duration;

/// What is rotated in one pass: the name, the Secret before without what names have in common, and the field for a Secret of the
/// user.
type Pass = &'static [(&'static str, &'static str, &'static str)];

/// In the order in which they are rotated.
const PASSES: [Pass; 4] = [
    &[("registryHttp", "registry-http", "/registry/httpSecretRef")],
    &[("registryCredentials", "registry-basicauth", "/registry/credentialsRef")],
    &[
        ("jobserviceSecret", "jobservice-secret", "/jobservice/secretRef"),
        ("coreSecret", "core-secret", "/core/secretRef"),
    ],
    &[("token", "core-tokencert", "/core/tokenCertificateRef"), ("csrf", "core-csrf", "/core/csrfKeyRef")],
];

/// Creates a Secret of the user with all keys of one of the operator, and returns its name.
async fn copy(cluster: &Cluster, secret: &str) -> String {
    let api: Api<Secret> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let name = secret.replacen("acme-harbor", "mine", 1);
    let metadata = ObjectMeta { name: Some(name.clone()), ..ObjectMeta::default() };
    let data = api.get(secret).await.unwrap().data;
    api.create(&PostParams::default(), &Secret { metadata, data, ..Secret::default() }).await.unwrap();
    name
}

/// Sets a field below another one, or of it.
fn set(value: &mut Value, path: &str, to: Value) {
    let fields = path.split('/').filter(|field| !field.is_empty());
    *fields.fold(value, |value, field| &mut value[field]) = to;
}

/// Waits until these rotations, and no others, are in their last step, which Harbor refuses because of this.
async fn until_refused(cluster: &Cluster, names: &[&str], why: &str) {
    until(cluster, |harbor| {
        let running = rotations(harbor).iter().filter(|it| it.phase == RotationPhase::Running);
        let is_refused = |message: &str| message.contains("which failed: ") && message.contains(why);
        let refused: Vec<_> =
            running.map(|it| (it.name.as_str(), it.message.as_deref().is_some_and(is_refused))).collect();
        refused == names.iter().map(|name| (*name, true)).collect::<Vec<_>>()
    })
    .await;
}

/// Whether the user's Secrets keep these rotations from being done.
fn are_left(names: &[&str]) -> impl Fn(&Harbor) -> bool {
    move |harbor| {
        let phase = |name: &str| rotations(harbor).iter().find(|it| it.name == name).map(|it| it.phase);
        names.iter().all(|name| phase(name) == Some(RotationPhase::Refused))
    }
}

/// Whether a pod template names a Secret.
async fn is_used(cluster: &Cluster, secret: &str) -> bool {
    let api: Api<Deployment> = Api::namespaced(cluster.client.clone(), NAMESPACE);
    let all = api.list(&ListParams::default()).await.unwrap().items;
    all.iter().any(|it| json!(it.spec).to_string().contains(&format!("\"{secret}\"")))
}

#[tokio::test(start_paused = true)]
async fn values_that_a_user_gives_back_end_the_rotations_that_harbor_refuses_and_the_next_ones_begin() {
    let cluster = a_harbor().await;
    cluster.harbor.set_broken(Broken::TokenKeys, true);
    let _operator = cluster.operator(None);
    let mut wanted = harbor("all@1");
    cluster.apply_object(&wanted).await;
    for pass in PASSES {
        let names: Vec<_> = pass.iter().map(|(name, ..)| *name).collect();
        until_refused(&cluster, &names, "status 401").await;
        for (_, before, field) in pass {
            let before = format!("acme-harbor-{before}");
            assert!(!is_used(&cluster, &before).await, "the pods have the new one");
            let mine = copy(&cluster, &before).await;
            set(&mut wanted["spec"], field, json!(mine));
        }
        cluster.apply_object(&wanted).await;
        until(&cluster, are_left(&names)).await;
    }
    until(&cluster, is_ready).await;
    for (name, before, _) in PASSES.into_iter().flatten() {
        assert!(is_used(&cluster, &format!("mine-{before}")).await, "{name}");
        let [first, refused] = ["", "-1"].map(|end| format!("acme-harbor-{before}{end}"));
        assert!(!is_used(&cluster, &first).await && !is_used(&cluster, &refused).await, "{name}");
        // cert-manager keeps its Secrets.
        assert_eq!(exists(&cluster, &refused).await, *name == "token", "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn certificates_that_harbor_does_not_accept_are_kept_beside_those_before_until_it_does() {
    let cluster = authority::a_harbor().await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    let _operator = cluster.operator(None);
    cluster.harbor.set_healthy(Component::Portal, false);
    cluster.apply_object(&authority::harbor("internalTLSAuthority@1")).await;
    let both = ["internalTLSAuthority", "internalTLS"];
    until_refused(&cluster, &both, "GET /api/v2.0/health: not healthy: portal").await;
    tokio::time::sleep(Duration::from_mins(5)).await;
    let mut kept = [authority::of_turn("authority", "-1"), authority::of_turn("authority-1", "-2")].concat();
    kept.sort();
    assert_eq!(authority::secrets(&cluster).await, kept);

    cluster.harbor.set_healthy(Component::Portal, true);
    until(&cluster, authority::has_rotated("1")).await;
    assert_eq!(authority::secrets(&cluster).await, authority::of_turn("authority-1", "-1"));
    assert!(said(&cluster).await.iter().all(|(.., message)| message.is_empty()));
    clients.assert_served();
}

#[tokio::test(start_paused = true)]
async fn certificates_that_a_user_gives_back_end_their_rotation_and_no_request_fails() {
    let cluster = authority::a_harbor().await;
    let clients = Clients::of(&cluster, "acme-harbor").await;
    let _operator = cluster.operator(None);
    cluster.harbor.set_broken(Broken::Workers, true);
    let mut wanted = authority::harbor("internalTLS@1");
    cluster.apply_object(&wanted).await;
    until_refused(&cluster, &["internalTLS"], "JobService has no workers").await;
    for part in ["core", "jobservice", "portal", "registry", "registryctl"] {
        let mine = copy(&cluster, &format!("{}{part}", authority::PREFIX)).await;
        set(&mut wanted["spec"], &format!("/internalTLS/certificates/{part}"), json!(mine));
    }
    cluster.apply_object(&wanted).await;
    until(&cluster, |harbor| are_left(&["internalTLS"])(harbor) && is_ready(harbor)).await;
    assert_eq!(authority::secrets(&cluster).await, [""; 0]);
    clients.assert_served();

    wanted["metadata"]["annotations"] =
        authority::harbor("internalTLS@1,csrf@1")["metadata"]["annotations"].take();
    cluster.apply_object(&wanted).await;
    let is_done = |harbor: &Harbor| {
        rotations(harbor).iter().any(|it| it.name == "csrf" && it.phase == RotationPhase::Done)
    };
    until(&cluster, |harbor| is_done(harbor) && is_ready(harbor)).await;
}
