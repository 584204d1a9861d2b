//! Collections that a system lists in parts.

use super::*;

/// A shelf with one box in each of these rows.
fn rows(rows: std::ops::Range<usize>) -> ShelfSpec {
    let boxes = rows.map(|row| (format!("r{row:03}/a"), "tea".to_owned())).collect();
    ShelfSpec { depot: "acme".into(), boxes, ..ShelfSpec::default() }
}

#[tokio::test(start_paused = true)]
async fn objects_of_one_part_are_listed_together_and_repaired_within_the_interval() {
    let world = World::new().await;
    world.ready("s", boxes([("r1/a", "tea"), ("r1/b", "salt"), ("r2/a", "soap"), ("c", "nuts")])).await;
    world.depots.put("acme", "r1/b", json!({"label": "COFFEE"}));
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(1)).await;
    let calls = world.depots.take_calls();
    for expected in ["list acme", "list acme row r1", "list acme row r2", "update r1/b"] {
        assert_eq!(calls.iter().filter(|call| *call == expected).count(), 1, "{expected}: {calls:?}");
    }
    assert_eq!(world.label("r1/b"), "SALT");
}

#[tokio::test(start_paused = true)]
async fn the_parts_of_a_small_system_are_all_listed_in_each_interval() {
    let world = World::new().await;
    world.ready("s", rows(0..54)).await;
    tokio::time::sleep(INTERVAL * 2).await;
    world.depots.take_calls();
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(1)).await;
    let asked: std::collections::BTreeSet<_> = world.depots.take_calls().into_iter().collect();
    assert_eq!(asked.len(), 54, "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn many_parts_take_turns_so_that_their_number_does_not_decide_the_load_of_a_system() {
    let world = World::new().await;
    world.cluster.create(&Shelf::new("s", rows(0..200))).await;
    world.cluster.until_reason::<Shelf>("s", "Ready").await;
    tokio::time::sleep(INTERVAL * 10).await;
    world.depots.take_calls();
    tokio::time::sleep(INTERVAL * 10).await;
    let calls = world.depots.take_calls();
    assert!((400..=600).contains(&calls.len()), "{} lists in ten intervals", calls.len());
    let asked: std::collections::BTreeSet<_> = calls.iter().collect();
    assert_eq!(asked.len(), 200, "every part has its turn");
}
