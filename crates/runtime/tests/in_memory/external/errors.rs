//! Systems that fail, and owners that disagree.

use super::*;

#[tokio::test(start_paused = true)]
async fn errors_of_a_system_reach_the_status_with_reason_and_remedy() {
    let words = || ("the box is too large".to_owned(), "choose a smaller one".to_owned());
    let errors = [
        (SystemError::Unreachable("connection refused".into()), "ExternalUnreachable", "connection refused"),
        (
            SystemError::Rejected { problem: words().0, remedy: words().1 },
            "ExternalRejected",
            "the box is too large; choose a smaller one",
        ),
        (
            SystemError::Forbidden { problem: words().0, remedy: words().1 },
            "ExternalForbidden",
            "the box is too large; choose a smaller one",
        ),
        (
            SystemError::NotEmpty { problem: words().0, remedy: words().1 },
            "NotEmpty",
            "the box is too large; choose a smaller one",
        ),
        (
            SystemError::InUse { problem: words().0, remedy: words().1 },
            "ExternalInUse",
            "the box is too large; choose a smaller one",
        ),
    ];
    for (error, reason, words) in errors {
        let world = World::new().await;
        world.depots.set_mood(Mood::ReadOnly(error.clone()));
        world.cluster.create(&Shelf::new("s", boxes([("a", "tea")]))).await;
        let message = world.cluster.until_reason::<Shelf>("s", reason).await;
        assert_eq!(message, format!("cannot create box acme/a in the depot acme: {words}"));
        settled().await;
        // Only where it is unknown whether the object was created does it stay recorded.
        let is_recorded = world.record("s").await.is_some();
        assert_eq!(is_recorded, reason == "ExternalUnreachable", "{reason}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_system_that_fails_is_asked_ever_more_rarely_for_all_owners_together_and_all_go_on_when_it_works() {
    let world = World::new().await;
    world.depots.set_mood(Mood::Failing(SystemError::Unreachable("connection refused".into())));
    for name in ["a", "b", "c", "d"] {
        world.cluster.create(&Shelf::new(name, boxes([(name, "tea")]))).await;
    }
    let message = world.cluster.until_reason::<Shelf>("d", "ExternalUnreachable").await;
    assert_eq!(message, "cannot read box acme/d in the depot acme: connection refused");
    tokio::time::sleep(Duration::from_mins(30)).await;
    let calls = world.depots.take_calls().len();
    assert!((10..=30).contains(&calls), "{calls} lists in half an hour");

    world.depots.set_mood(Mood::Good);
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(1)).await;
    assert_eq!(world.depots.names(), ["a", "b", "c", "d"]);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_a_system_does_not_take_is_reported_and_not_repeated_at_once() {
    let world = World::new().await;
    world.ready("s", boxes([("a", "tea")])).await;
    world.depots.set_mood(Mood::Deaf);
    world.cluster.merge::<Shelf>("s", json!({"spec": {"boxes": {"a": "salt"}}})).await;
    let message = world.cluster.until_reason::<Shelf>("s", "ChildrenNotReady").await;
    assert_eq!(message, "box acme/a: was written, and the depot acme does not show it yet: label");
    tokio::time::sleep(INTERVAL).await;
    assert_eq!(world.writes(), ["update a"]);
}
