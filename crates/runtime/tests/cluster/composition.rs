//! Components as children of components.

use crate::support::{
    World,
    gadget::{Gadget, GadgetSpec},
    widget::Widget,
};
use kube::ResourceExt as _;
use serde_json::json;

/// Reason and message of the gadget's `Ready` condition, once it has this status.
async fn until_ready(world: &World, status: &str) -> (String, String) {
    let find = |gadget: &Gadget| {
        let conditions = gadget.status.iter().flat_map(|status| &status.conditions);
        conditions
            .filter(|c| c.type_ == "Ready" && c.status == status)
            .find(|c| c.observed_generation == gadget.metadata.generation)
            .map(|c| (c.reason.clone().unwrap_or_default(), c.message.clone().unwrap_or_default()))
    };
    find(&world.until::<Gadget>("g", |gadget| find(gadget).is_some()).await).unwrap()
}

#[tokio::test]
async fn b07_a_child_that_is_a_component_is_awaited_and_restored_like_any_other() {
    let world = World::with_operator().await;
    world.post(&Gadget::new("g", GadgetSpec { message: "one".into(), ..GadgetSpec::default() })).await;
    let waiting =
        format!("Deployment {}/g-gadget-widget: the newest spec has not been observed yet", world.name);
    world.until::<Widget>("g-gadget", |widget| widget.status.is_some()).await;
    let reported = world
        .until::<Gadget>("g", |gadget| {
            let conditions = gadget.status.iter().flat_map(|status| &status.conditions);
            conditions.into_iter().any(|c| c.message.as_ref().is_some_and(|words| words.ends_with(&waiting)))
        })
        .await;
    assert!(reported.metadata.uid.is_some(), "what the grandchild waits for is reported by the grandparent");

    world.make_available("g-gadget-widget").await;
    assert_eq!(until_ready(&world, "True").await.0, "Ready");
    world.until_quiet().await;

    world.merge::<Widget>("g-gadget", json!({"spec": {"message": "edited"}})).await;
    world.until::<Widget>("g-gadget", |widget| widget.spec.message == "one").await;
    let before = world.get::<Widget>("g-gadget").await.uid();
    world.delete::<Widget>("g-gadget").await;
    world.until::<Widget>("g-gadget", |widget| widget.uid() != before).await;
}
