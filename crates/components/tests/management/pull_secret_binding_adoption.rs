//! PullSecretBindings of the old operator.

use crate::{
    pull_secret_binding::{Robot, binding, logs_in, pull_secrets, with_robot},
    world::{OLD_OPERATOR, World, settled},
};
use api::v1beta1::PullSecretBinding;
use harborserver::Version;
use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};

const FINALIZER: &str = "psb.finalizers.resource.goharbor.io";

/// What the old operator left behind: a binding with its finalizer, a Secret without a password, and an entry.
async fn left_behind(world: &World, robot: &Robot, annotations: Value) {
    let mut annotations = annotations;
    annotations["goharbor.io/robot-secret"] = "regsecret-x7k2p9".into();
    let metadata = json!({"annotations": annotations, "finalizers": [FINALIZER]});
    world.create(binding(robot, json!({"metadata": metadata}))).await;
    let owner = world.get::<PullSecretBinding>("team").await;
    let config =
        json!({"auths": {"https://harbor.example.com": {"username": "robot$alpha+ci", "password": ""}}});
    let secret: Secret = serde_json::from_value(json!({
        "metadata": {
            "name": "regsecret-x7k2p9", "annotations": {"goharbor.io/owner": "harbor-operator-ns"},
            "ownerReferences": [{
                "apiVersion": "goharbor.io/v1beta1", "kind": "PullSecretBinding", "name": "team",
                "uid": owner["metadata"]["uid"],
            }],
        },
        "type": "kubernetes.io/dockerconfigjson", "stringData": {".dockerconfigjson": config.to_string()},
    }))
    .unwrap();
    let by_old = PostParams { field_manager: Some(OLD_OPERATOR.into()), ..PostParams::default() };
    world.api::<Secret>().create(&by_old, &secret).await.unwrap();
    let entries = json!({"imagePullSecrets": [{"name": "of-others"}, {"name": "regsecret-x7k2p9"}]});
    let by_old = PatchParams { field_manager: Some(OLD_OPERATOR.into()), ..PatchParams::default() };
    let accounts = world.api::<ServiceAccount>();
    accounts.patch("builder", &by_old, &Patch::Merge(entries)).await.unwrap();
}

async fn taken_over(annotations: Value) -> World {
    let mut world = World::without_operator(Version::new(15, 2)).await;
    let robot = with_robot(&world).await;
    left_behind(&world, &robot, annotations).await;
    world.start();
    world
}

fn permission() -> Value {
    json!({"goharbor.io/rotate-robot": "true"})
}

#[tokio::test(start_paused = true)]
async fn b21_the_secret_of_the_old_operator_gets_a_password_in_place() {
    let world = taken_over(permission()).await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    assert!(logs_in(&world, "regsecret-x7k2p9").await);
    assert_eq!(pull_secrets(&world).await, ["of-others", "regsecret-x7k2p9"]);
    assert_eq!(world.secret_names().await, ["regsecret-x7k2p9", "team-pull-password"]);
}

#[tokio::test(start_paused = true)]
async fn without_permission_the_secret_of_the_old_operator_stays_as_it_is() {
    let world = taken_over(json!({})).await;
    let before = world.secret_values("regsecret-x7k2p9").await;
    world.until_reason::<PullSecretBinding>("team", "InvalidSpec").await;
    settled().await;
    assert_eq!(world.secret_values("regsecret-x7k2p9").await, before);
    assert_eq!(pull_secrets(&world).await, ["of-others", "regsecret-x7k2p9"]);
}

#[tokio::test(start_paused = true)]
async fn a_secret_of_the_old_operator_that_is_deleted_is_replaced_by_one_with_a_fixed_name() {
    let world = taken_over(permission()).await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    settled().await;
    world.delete::<Secret>("regsecret-x7k2p9").await;
    settled().await;
    assert!(logs_in(&world, "team-pull").await);
    assert_eq!(pull_secrets(&world).await, ["of-others", "team-pull"]);
}

#[tokio::test(start_paused = true)]
async fn b20_the_finalizer_of_the_old_operator_goes_with_the_entry_that_it_added() {
    for annotations in [permission(), json!({})] {
        let world = taken_over(annotations).await;
        settled().await;
        world.delete::<PullSecretBinding>("team").await;
        world.until_gone::<PullSecretBinding>("team").await;
        assert_eq!(pull_secrets(&world).await, ["of-others"]);
    }
}

#[tokio::test(start_paused = true)]
async fn b20_a_binding_whose_deletion_is_stuck_since_the_old_operator_is_deleted() {
    let mut world = World::without_operator(Version::new(15, 2)).await;
    let robot = with_robot(&world).await;
    left_behind(&world, &robot, json!({"goharbor.io/project": "alpha"})).await;
    world.delete::<PullSecretBinding>("team").await;
    world.delete::<Secret>("acme-credentials").await;
    world.take_calls();
    world.start();
    world.until_gone::<PullSecretBinding>("team").await;
    assert_eq!(pull_secrets(&world).await, ["of-others"]);
    assert_eq!(world.take_calls(), Vec::<String>::new());
}
