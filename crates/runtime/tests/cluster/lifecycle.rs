//! Operators come and go, and so do their objects.

use crate::support::{
    World, true_condition,
    widget::{Widget, WidgetSpec},
};
use envtest::{Assets, ControlPlane};
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube::{
    ResourceExt as _,
    api::{ListParams, PostParams},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};

fn widget() -> WidgetSpec {
    WidgetSpec {
        message: "one".into(),
        extras: (0..12).map(|i| format!("extra-{i:02}")).collect(),
        ..WidgetSpec::default()
    }
}

/// Everything the operator made, without what the server makes up.
async fn children(world: &World) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for config in world.api::<ConfigMap>().list(&ListParams::default()).await.unwrap() {
        if config.name_any() != "kube-root-ca.crt" {
            all.insert(format!("ConfigMap {}", config.name_any()), json!([config.labels(), config.data]));
        }
    }
    for deployment in world.api::<Deployment>().list(&ListParams::default()).await.unwrap() {
        all.insert(
            format!("Deployment {}", deployment.name_any()),
            json!([deployment.labels(), deployment.spec.as_ref().unwrap().template.spec]),
        );
    }
    for secret in world.api::<Secret>().list(&ListParams::default()).await.unwrap() {
        let keys: Vec<_> = secret.data.iter().flatten().map(|(key, _)| key).collect();
        all.insert(format!("Secret {}", secret.name_any()), json!([secret.labels(), keys]));
    }
    all
}

#[tokio::test]
async fn an_operator_killed_at_any_moment_converges_to_the_same_objects() {
    let mut reference = World::with_operator().await;
    reference.ready_widget("w", widget()).await;
    let expected = children(&reference).await;
    reference.stop_operator().await;

    // Deterministic enough to be repeated, spread enough to hit any phase of a bring-up that takes about 100 ms.
    for delay in [0, 5, 10, 20, 35, 60, 90] {
        println!("killed after {delay} ms");
        let mut world = World::with_operator().await;
        world.create_widget("w", widget()).await;
        tokio::time::sleep(Duration::from_millis(delay)).await;
        world.kill_operator().await;
        world.start_operator();
        world.make_available("w-widget").await;
        world.until_condition("w", "Ready", "True").await;
        assert_eq!(children(&world).await, expected);
        world.stop_operator().await;
    }
}

#[tokio::test]
async fn deletion_leaves_nothing_behind() {
    if !Assets::find().unwrap().has_controller_manager() {
        println!("skipped: there is no kube-controller-manager among the Kubernetes binaries");
        return;
    }
    let world = {
        let plane = ControlPlane::with_controller_manager().shared().await.unwrap();
        let mut world = World::on(plane).await;
        world.start_operator();
        world
    };
    world.ready_widget("w", widget()).await;
    world.delete::<Widget>("w").await;
    world.until_gone::<Deployment>("w-widget").await;
    world.until_gone::<ConfigMap>("w-widget").await;
    world.until_gone::<Secret>("w-widget-token").await;
    for extra in widget().extras {
        world.until_gone::<ConfigMap>(&extra).await;
    }
    assert_eq!(children(&world).await.keys().collect::<Vec<_>>(), Vec::<&str>::new());
}

#[tokio::test]
async fn what_the_old_operator_left_is_adopted_in_place() {
    let mut world = World::new().await;
    let owner = world.create_widget("w", widget()).await;
    let left_behind: ConfigMap = serde_json::from_value(json!({
        "metadata": {
            "name": "w-widget",
            "labels": {"goharbor.io/operator-controller": "widget", "goharbor.io/operator-version": "v1.3.0"},
            "ownerReferences": [{
                "apiVersion": "engine.test/v1", "kind": "Widget", "name": "w", "uid": owner.uid().unwrap(),
                "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "binaryData": {"message": "b2xk"},
        "data": {"stale": "old"},
    }))
    .unwrap();
    let as_old_operator =
        PostParams { field_manager: Some("harbor-operator".into()), ..PostParams::default() };
    let old = world.api::<ConfigMap>().create(&as_old_operator, &left_behind).await.unwrap();
    world.merge::<ConfigMap>("w-widget", json!({"data": {"users": "own"}})).await;

    world.options.predecessors = ["harbor-operator".to_owned()].into();
    world.start_operator();
    world.make_available("w-widget").await;
    world.until_condition("w", "Ready", "True").await;

    let adopted = world.get::<ConfigMap>("w-widget").await;
    assert_eq!(adopted.uid(), old.uid(), "not recreated");
    assert_eq!(adopted.binary_data, None, "what the old operator wrote and we do not want is gone");
    assert_eq!(
        adopted.data.as_ref().unwrap().iter().map(|(k, v)| (k.as_str(), v.as_str())).collect::<Vec<_>>(),
        [("message", "one"), ("users", "own"), ("word", "")],
        "what users wrote is not"
    );
    assert!(!adopted.labels().contains_key("goharbor.io/operator-version"));
}

#[tokio::test]
async fn a_forbidden_write_shows_up_where_users_look() {
    let mut world = World::new().await;
    let user = format!("operator-{}", world.name);
    world.allow(&user, "get,list,watch,create,patch", "configmaps,secrets").await;
    world.allow(&user, "list,watch", "deployments").await;
    world.allow(&user, "get,list,watch,patch", "widgets.engine.test,widgets.engine.test/status").await;
    world.allow(&user, "update", "widgets.engine.test/finalizers").await;
    world.allow(&user, "list,watch", "gadgets.engine.test").await;
    world.allow(&user, "create,patch", "events.events.k8s.io").await;
    let config = world.plane.user(&user, &[]);
    world.start_operator_as(config);
    world.create_widget("w", widget()).await;

    let widget = world.until_condition("w", "Stalled", "True").await;
    let (reason, words) = true_condition(&widget, "Stalled");
    assert_eq!(reason, "Forbidden");
    assert!(words.starts_with(&format!("cannot apply Deployment {}/w-widget: ", world.name)), "{words}");

    world.until_event("w", "Forbidden").await;
    let described = world.kubectl(&["describe", "widget", "w"]).await;
    assert!(described.contains("Forbidden") && described.contains("cannot patch resource"), "{described}");
}

#[tokio::test]
async fn permissions_that_come_back_are_noticed_by_all_who_wait_for_them() {
    let mut world = World::new().await;
    let user = format!("operator-{}", world.name);
    world.allow(&user, "get,list,watch,create,patch", "configmaps,secrets").await;
    world.allow(&user, "list,watch", "deployments").await;
    world.allow(&user, "get,list,watch,patch", "widgets.engine.test,widgets.engine.test/status").await;
    world.allow(&user, "update", "widgets.engine.test/finalizers").await;
    world.allow(&user, "list,watch", "gadgets.engine.test").await;
    let config = world.plane.user(&user, &[]);
    world.start_operator_as(config);
    let names = ["a", "b", "c"];
    for name in names {
        world.create_widget(name, widget()).await;
    }
    for name in names {
        world.until_condition(name, "Stalled", "True").await;
    }

    world.allow(&user, "create,patch", "deployments.apps").await;
    for name in names {
        world.until::<Deployment>(&format!("{name}-widget"), |_| true).await;
    }
}

#[tokio::test]
async fn every_kind_is_watched_once_however_many_objects_there_are() {
    let world = World::with_operator().await;
    for name in ["a", "b", "c"] {
        world.ready_widget(name, WidgetSpec { message: "one".into(), ..WidgetSpec::default() }).await;
    }
    let mut watched = world.requests.watches();
    watched.sort();
    // The children among Secrets and ConfigMaps are listed whole before that, which is a watch where lists are streamed.
    let is_input = |path: &str| path.ends_with("/configmaps") || path.ends_with("/secrets");
    watched.dedup_by(|a, b| a == b && is_input(a));
    let expected = [
        format!("/api/v1/namespaces/{}/configmaps", world.name),
        format!("/api/v1/namespaces/{}/secrets", world.name),
        format!("/apis/apps/v1/namespaces/{}/deployments", world.name),
        format!("/apis/engine.test/v1/namespaces/{}/gadgets", world.name),
        format!("/apis/engine.test/v1/namespaces/{}/widgets", world.name),
    ];
    assert_eq!(watched, expected);
}
