//! Owners that want the same object, and systems that accept no changes.

use super::*;

#[tokio::test(start_paused = true)]
async fn of_two_owners_the_older_has_an_object_and_the_younger_gets_it_when_that_is_gone() {
    let world = World::new().await;
    world.ready("one", ShelfSpec { adopts: true, keeps: true, ..boxes([("a", "tea")]) }).await;
    world.cluster.create(&Shelf::new("two", ShelfSpec { adopts: true, ..boxes([("a", "salt")]) })).await;
    let message = world.cluster.until_reason::<Shelf>("two", "Conflict").await;
    let expected = "box acme/a already belongs to Shelf default/one, which is older; delete one of the two, or let them \
                    differ in what they manage";
    assert_eq!(message, expected);
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!((world.label("a"), world.writes()), (json!("TEA"), vec![]));
    assert_eq!(world.record("two").await, None);

    world.cluster.delete::<Shelf>("one").await;
    world.cluster.until_reason::<Shelf>("two", "Ready").await;
    assert_eq!(world.label("a"), "SALT");
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_changes_its_mind_takes_an_object_from_a_younger_one() {
    let world = World::new().await;
    world.ready("one", boxes([("b", "tea")])).await;
    world.ready("two", boxes([("a", "salt")])).await;
    let spec = json!({"spec": {"adopts": true, "boxes": {"a": "tea"}}});
    world.cluster.merge::<Shelf>("one", spec).await;
    world.cluster.until_reason::<Shelf>("two", "Conflict").await;
    settled().await;
    assert_eq!(world.label("a"), "TEA");
}

#[tokio::test(start_paused = true)]
async fn owners_share_an_object_field_by_field_and_meet_only_where_they_differ() {
    let world = World::new().await;
    let shared = |spec| ShelfSpec { adopts: true, shares: true, ..spec };
    world.ready("one", shared(boxes([("a", "tea")]))).await;
    let on = [("a".to_owned(), "floor".to_owned())].into();
    world.ready("two", shared(ShelfSpec { on, ..boxes([("a", "tea")]) })).await;
    assert_eq!(world.depots.get("acme", "a"), Some(json!({"label": "TEA", "number": 0, "on": "floor"})));

    world.cluster.merge::<Shelf>("two", json!({"spec": {"boxes": {"a": "salt"}}})).await;
    let message = world.cluster.until_reason::<Shelf>("two", "Conflict").await;
    assert!(message.starts_with("label of box acme/a already belongs to Shelf default/one"), "{message}");
    assert_eq!(world.label("a"), "TEA");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_must_exist_is_named_until_it_does_and_is_then_adopted() {
    let world = World::new().await;
    let spec = ShelfSpec { adopts: true, requires: true, ..boxes([("a", "tea")]) };
    world.cluster.create(&Shelf::new("s", spec)).await;
    let message = world.cluster.until_reason::<Shelf>("s", "Missing").await;
    assert_eq!(message, "box acme/a does not exist; put it into the depot");
    assert_eq!((world.depots.names(), world.record("s").await), (vec![], None));
    world.depots.put("acme", "a", json!({"label": "THEIRS"}));
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(1)).await;
    assert_eq!(world.label("a"), "TEA");
}

#[tokio::test(start_paused = true)]
async fn a_system_that_accepts_no_changes_for_now_leaves_a_ready_owner_usable_and_gets_the_change_afterwards()
{
    let world = World::new().await;
    world.ready("s", boxes([("a", "tea")])).await;
    world
        .depots
        .set_mood(Mood::ReadOnly(SystemError::ReadOnly("the depot is closed for stocktaking".into())));
    world.cluster.merge::<Shelf>("s", json!({"spec": {"boxes": {"a": "salt"}}})).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let shelf = world.cluster.get::<Shelf>("s").await;
    let conditions = shelf.status.unwrap().conditions;
    let condition = |name: &str| conditions.iter().find(|it| it.type_ == name).unwrap();
    assert_eq!(condition("Stalled").status, "False");
    let message = condition("Reconciling").message.clone().unwrap_or_default();
    assert!(message.contains("the depot is closed for stocktaking"), "{message}");
    assert_eq!(world.label("a"), "TEA");
    world.depots.set_mood(Mood::Good);
    tokio::time::sleep(INTERVAL * 2).await;
    assert_eq!(world.label("a"), "SALT");
}

#[tokio::test(start_paused = true)]
async fn finalizers_of_the_old_operator_are_removed_when_an_owner_is_deleted() {
    let world = World::new().await;
    let mut shelf = Shelf::new("s", boxes([]));
    shelf.metadata.finalizers = Some(vec!["harborproject.goharbor.io/finalizer".into()]);
    world.cluster.create(&shelf).await;
    world.cluster.until_reason::<Shelf>("s", "Ready").await;
    world.cluster.delete::<Shelf>("s").await;
    world.cluster.until_gone::<Shelf>("s").await;
}

#[tokio::test(start_paused = true)]
async fn a_system_that_was_replaced_by_another_of_the_same_name_is_left_alone() {
    let world = World::new().await;
    let identity = |identity: &str| json!({"stringData": {"identity": identity}});
    world.cluster.merge::<Secret>("acme", identity("first")).await;
    world.ready("s", boxes([("a", "tea")])).await;
    world.cluster.merge::<Secret>("acme", identity("second")).await;
    world.cluster.merge::<Shelf>("s", json!({"spec": {"boxes": {"a": "salt"}}})).await;
    let message = world.cluster.until_reason::<Shelf>("s", "ExternalReplaced").await;
    assert!(
        message.starts_with("the depot acme is not the one for which this object was created"),
        "{message}"
    );
    world.cluster.delete::<Shelf>("s").await;
    world.cluster.until_gone::<Shelf>("s").await;
    assert_eq!(world.label("a"), "TEA", "it belongs to another depot");
}
