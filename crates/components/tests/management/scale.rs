//! What many objects cost when nothing changes: 150 projects, or as many as `HARBOR_OPERATOR_LOAD` says.

use crate::world::{INTERVAL, World, settled};
use api::v1beta1::HarborProject;
use serde_json::json;

/// The most requests in an interval.
const LIMIT: usize = 60;
const INTERVALS: u32 = 10;

#[tokio::test(start_paused = true)]
async fn the_requests_of_an_idle_operator_do_not_grow_with_the_number_of_projects() {
    let projects: usize = std::env::var("HARBOR_OPERATOR_LOAD").map_or(150, |number| number.parse().unwrap());
    let world = World::new().await;
    for user in 0..5 {
        let user = json!({
            "username": format!("user{user}"), "email": format!("user{user}@example.com"), "realname": "User",
            "password": "Harbor12345",
        });
        world.ask("POST", "/users", user).await;
    }
    for project in 0..projects {
        let name = format!("p{project:04}");
        let members: Vec<_> = (0..5)
            .map(|user| json!({"name": format!("user{user}"), "type": "user", "role": "developer"}))
            .collect();
        let spec = json!({"projectName": name, "harborServerConfig": "acme", "memberships": members});
        world.create(json!({"kind": "HarborProject", "metadata": {"name": name}, "spec": spec})).await;
    }
    for project in 0..projects {
        world.until_reason::<HarborProject>(&format!("p{project:04}"), "Ready").await;
    }
    tokio::time::sleep(INTERVAL * INTERVALS).await;
    settled().await;
    world.take_calls();
    world.take_requests();
    tokio::time::sleep(INTERVAL * INTERVALS).await;
    let calls = world.take_calls();
    println!("{projects} projects: {} requests in {INTERVALS} intervals", calls.len());
    // A page has a hundred projects or quotas, and 25 projects have their members listed.
    let (pages, intervals) = (projects.div_ceil(100), usize::try_from(INTERVALS).unwrap());
    let expected = (2 * pages + 36).min(LIMIT);
    assert!(calls.len() <= intervals * expected, "{} requests in {INTERVALS} intervals", calls.len());
    let writes: Vec<_> =
        calls.iter().filter(|it| !it.starts_with("GET") && !it.starts_with("HEAD")).collect();
    assert_eq!(writes, Vec::<&String>::new());
    let sent: Vec<_> = world.take_requests().into_iter().filter(|it| !it.starts_with("GET")).collect();
    assert_eq!(sent, Vec::<String>::new());
}
