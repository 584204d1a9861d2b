//! The operator between a cluster and a Harbor that fails as often as a bad network does.
//!
//! The same layer that fails requests to the API server fails those to Harbor. Besides, Harbor has outages. A seed
//! decides about both and repeats a run exactly.

use crate::{
    case::Case,
    cases::{cases, owned, prepare},
    contents::contents,
    log::Log,
    steps::{change, create, delete, things, until_gone, until_reason},
    world::{INTERVAL, PASSWORD, World},
};
use apiserver::{Faults, Mishap, Plan};
use harborserver::Version;
use k8s_openapi::api::events::v1::Event;
use kube::{Api, api::ListParams};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::atomic::Ordering, time::Duration};

const SEEDS: std::ops::Range<u64> = 0..3;

/// Longer than the client waits for an answer, so that some requests time out.
const LONGEST_DELAY: Duration = Duration::from_secs(45);

/// The faults that a request to a Harbor can meet.
const MISHAPS: [Mishap; 7] = [
    Mishap::DropBefore,
    Mishap::DropAfter,
    Mishap::Delay,
    Mishap::TooManyRequests,
    Mishap::InternalError,
    Mishap::Unavailable,
    Mishap::Timeout,
];

/// What can be wrong with a Harbor for a while.
#[derive(Clone, Copy, Debug)]
enum Outage {
    /// It cannot be reached.
    Down,
    /// It refuses writes.
    ReadOnly,
    /// Its database cannot be reached: it answers valid credentials with 401.
    NoDatabase,
    /// It is restored from a backup of just now, in which everything has another id.
    Restored,
}

impl Outage {
    /// Every outage once, in an order that the seed decides.
    fn all(seed: u64) -> [Self; 4] {
        let mut all = [Self::Down, Self::ReadOnly, Self::NoDatabase, Self::Restored];
        all.rotate_left(usize::try_from(seed % 4).unwrap());
        if seed % 8 >= 4 {
            all.reverse();
        }
        all
    }

    async fn happens(self, world: &World) {
        let set = |on: bool| match self {
            Self::Down => world.is_down.store(on, Ordering::SeqCst),
            Self::ReadOnly => world.harbor.set_read_only(on),
            Self::NoDatabase => world.harbor.set_database_up(!on),
            Self::Restored if on => world.harbor.restore(&world.harbor.backup()),
            Self::Restored => {}
        };
        set(true);
        tokio::time::sleep(Duration::from_mins(2)).await;
        set(false);
    }
}

/// What happened in a run, for messages.
fn log(world: &World) -> String {
    let incidents = world.faults.log().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    format!("seed {}\n{incidents}", world.faults.seed())
}

/// Objects of each kind are created, changed, changed in Harbor, and deleted while requests fail; then no request fails
/// any more.
async fn survive(seed: u64, plan: Plan, outages: &[Outage]) -> World {
    println!("seed {seed}, outages {outages:?}");
    let mut world = World::without_operator(Version::new(15, 2)).await;
    world.faults = Faults::new(seed, plan);
    prepare(&world).await;
    world.start();
    let mut outages = outages.iter();
    let mut outage = async || match outages.next() {
        Some(outage) => outage.happens(&world).await,
        None => tokio::time::sleep(Duration::from_mins(2)).await,
    };
    let (it, gone) = (cases("it"), owned("gone"));
    create(&world, &it, json!({})).await;
    create(&world, &gone, json!({"deletionPolicy": "Delete"})).await;
    outage().await;
    change(&world, &it).await;
    outage().await;
    for (_, thing) in things(&it) {
        // The operator may not have been able to create it.
        if thing.shown(&world).await.is_some() {
            thing.drift(&world).await;
        }
    }
    outage().await;
    delete(&world, &gone).await;
    outage().await;

    world.faults.switch_off();
    // Longer than any backoff, and than the time for which credentials count as rejected.
    tokio::time::sleep(INTERVAL * 4).await;
    let (tasks, others): (Vec<_>, Vec<_>) = it.into_iter().partition(|case| case.kind == "HarborTask");
    until_reason(&world, &others, "Ready").await;
    until_gone(&world, &gone).await;
    for task in &tasks {
        assert_ran_at_most_once(&world, task).await;
    }
    world
}

/// A task is not repeated if it is unknown whether Harbor has run it.
async fn assert_ran_at_most_once(world: &World, task: &Case) {
    let ran = world.ask("GET", "/system/gc", Value::Null).await.as_array().map_or(0, Vec::len);
    let status = json!(task.api(world).get(&task.name).await.unwrap())["status"].take();
    let is_ready = |it: &Value| it["type"] == "Ready" && it["reason"] == "Ready";
    let is_missing = |it: &Value| it["type"] == "Ready" && it["reason"] == "Missing";
    let mut conditions = status["conditions"].as_array().into_iter().flatten();
    let is_as_reported = match ran {
        0 => conditions.any(is_missing),
        1 => conditions.any(is_ready),
        _ => false,
    };
    assert!(is_as_reported, "it ran {ran} times, {status:#}, {}", log(world));
}

/// Everything that users without access to Secrets can read in the cluster.
async fn readable(world: &World, cases: &[Case]) -> String {
    let mut all = Vec::new();
    for case in cases {
        all.extend(
            case.api(world).list(&ListParams::default()).await.unwrap().items.iter().map(|it| json!(it)),
        );
    }
    let events: Api<Event> = Api::all(world.client.clone());
    all.extend(events.list(&ListParams::default()).await.unwrap().items.iter().map(|it| json!(it)));
    json!(all).to_string()
}

/// The credentials of the robot and of the user work.
async fn assert_logs_in(world: &World) {
    assert!(world.logs_in_as_robot("it-pull").await, "{}", log(world));
    assert_eq!(world.status_for("it", "Anna12345", "/users/current").await, 200, "{}", log(world));
}

async fn undisturbed() -> BTreeSet<String> {
    contents(&survive(0, Plan::none(), &[]).await).await
}

#[tokio::test(start_paused = true)]
async fn once_faults_end_harbor_is_as_without_any() {
    let expected = undisturbed().await;
    for seed in SEEDS {
        let logged = Log::start();
        let plan = MISHAPS.into_iter().fold(Plan::none(), |plan, mishap| plan.with(mishap, 0.08));
        let world = survive(seed, plan.longest_delay(LONGEST_DELAY), &Outage::all(seed)).await;
        assert!(!world.faults.log().is_empty(), "seed {seed}: nothing went wrong");
        assert_eq!(contents(&world).await, expected, "{}", log(&world));
        assert_logs_in(&world).await;

        let seen = readable(&world, &cases("it")).await + &logged.text();
        assert!(seen.contains("reconcile"), "there is a log");
        let robot = world.secret_values("it-pull").await;
        for secret in [PASSWORD, "Anna12345", &robot["password"]] {
            assert!(!seen.contains(secret), "{secret} can be read, {}", log(&world));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn lost_requests_and_lost_answers_are_survived_even_if_they_are_common() {
    let expected = undisturbed().await;
    // Those that differ in what Harbor has done and the operator knows: the rest is in the test above.
    for mishap in [Mishap::DropBefore, Mishap::DropAfter, Mishap::Timeout] {
        let plan = Plan::none().with(mishap, 0.4).longest_delay(LONGEST_DELAY);
        let world = survive(7, plan, &[]).await;
        assert_eq!(contents(&world).await, expected, "{mishap}, {}", log(&world));
        assert_logs_in(&world).await;
    }
}
