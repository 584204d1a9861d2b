//! An object outside the cluster, from its creation to its deletion with the owner.

use crate::support::{
    World,
    depot::{Depots, TOKEN},
    install,
    shelf::{Shelf, ShelfComponent, ShelfSpec},
};
use api::names::{EXTERNAL_ANNOTATION, EXTERNAL_FINALIZER};
use k8s_openapi::api::core::v1::Secret;
use kube::{CustomResourceExt as _, ResourceExt as _};
use plan::ComponentKind;
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test]
async fn an_object_outside_the_cluster_is_recorded_in_its_owner_and_deleted_with_it() {
    let mut world = World::new().await;
    install(&world.plane, &[Shelf::crd()]).await;
    let depots = Arc::<Depots>::default();
    world.components = vec![ComponentKind::of::<ShelfComponent>()];
    world.options.external_drivers = vec![depots.clone()];
    world.start_operator();
    world.post_json::<Secret>(json!({"metadata": {"name": "acme"}, "stringData": {"token": TOKEN}})).await;
    let boxes = [("a".to_owned(), "tea".to_owned())].into();
    world.post(&Shelf::new("s", ShelfSpec { depot: "acme".into(), boxes, ..ShelfSpec::default() })).await;

    let is_ready = |shelf: &Shelf| {
        let mut conditions = shelf.status.iter().flat_map(|status| &status.conditions);
        conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
    };
    let shelf = world.until::<Shelf>("s", is_ready).await;
    assert_eq!(depots.get("acme", "a"), Some(json!({"label": "TEA", "number": 0})));
    assert_eq!(shelf.finalizers(), [EXTERNAL_FINALIZER]);
    let record: Value = serde_json::from_str(&shelf.annotations()[EXTERNAL_ANNOTATION]).unwrap();
    let system = format!("depot:{}/acme", world.name);
    assert_eq!(record["objects"], json!({system: {"box": {"a": {}}}}));

    world.delete::<Shelf>("s").await;
    world.until_gone::<Shelf>("s").await;
    assert_eq!(depots.names(), Vec::<String>::new());
    world.stop_operator().await;
}
