//! A whole stack in one process and in virtual time: the API server, the stand-ins for other controllers, and the operator,
//! which is killed repeatedly, misses kinds, or lacks permissions.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod authority;
mod backup;
mod clients;
mod cluster;
mod doomed;
mod drain;
mod features;
#[path = "../fixtures/harbor_of_pods.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod harbor_of_pods;
mod inside_harbor;
#[path = "../fixtures/keys.rs"]
mod keys;
mod newer;
mod objects;
mod page;
mod passwords;
mod permission;
mod permissions;
mod permissions_of_features;
mod rotation;
mod rotation_of_jobs;
mod served;
mod trusted;
mod upgrade;
mod v1alpha3;
mod verification;
mod way_back;
#[path = "../../src/operator/page.rs"]
#[allow(dead_code, reason = "the page is asked without a port")]
mod web;

use cluster::Cluster;
use objects::Objects;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often the operator is killed.
const KILLS: usize = 50;
/// Most writes that it sends before that.
const MOST: u64 = 4;

#[tokio::test(start_paused = true)]
async fn however_often_the_operator_is_killed_it_creates_the_same_objects_and_no_secret_changes() {
    let undisturbed = Cluster::new().await;
    let operator = undisturbed.operator(None);
    undisturbed.apply("in-cluster.yaml").await;
    undisturbed.until_ready().await;
    drop(operator);
    let expected = Objects::of(&undisturbed).await;
    assert!(expected.count() > 50, "{} objects", expected.count());

    for seed in seeds() {
        println!("seed {seed}");
        let cluster = Cluster::new().await;
        let mut moments = Moments(seed);
        let mut secrets = cluster.watch_secrets();
        cluster.apply("in-cluster.yaml").await;
        for _ in 0..KILLS {
            let mut doomed = cluster.operator(Some(moments.next()));
            tokio::select! {
                () = doomed.killed() => {}
                // Nothing left to send: the rest of its lives are short.
                () = tokio::time::sleep(Duration::from_mins(1)) => {}
            }
        }
        let _operator = cluster.operator(None);
        cluster.until_ready().await;

        expected.assert_same(&Objects::of(&cluster).await);
        secrets.assert_never_changed();
    }
}

#[tokio::test(start_paused = true)]
async fn a_missing_operator_is_named_in_the_condition_of_its_service_and_noticed_when_it_comes() {
    let provided = [
        ("acid.zalan.do", "DatabaseReady", "the Zalando postgres operator"),
        ("databases.spotahome.com", "CacheReady", "the Redis operator of Spotahome"),
        ("minio.min.io", "StorageReady", "the MinIO operator"),
    ];
    for (group, condition, provider) in provided {
        let cluster = Cluster::without(group).await;
        let _operator = cluster.operator(None);
        cluster.apply("in-cluster.yaml").await;

        let message = cluster.until_condition(condition, "KindMissing").await;
        assert!(message.ends_with(&format!("install {provider}")), "{message}");
        for (_, other, _) in provided.iter().filter(|(_, other, _)| *other != condition) {
            cluster.until_condition(other, "Ready").await;
        }

        cluster.install(group);
        cluster.until_ready().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_harbor_to_try_out_becomes_ready_where_cert_manager_is_not_installed() {
    let cluster = Cluster::without("cert-manager.io").await;
    let _operator = cluster.operator(None);
    cluster.apply("trial.yaml").await;
    cluster.until_ready().await;
}

#[tokio::test(start_paused = true)]
async fn a_stack_that_is_ready_causes_no_requests_for_an_hour() {
    let cluster = Cluster::new().await;
    let operator = cluster.operator(None);
    cluster.apply("in-cluster.yaml").await;
    cluster.until_ready().await;
    assert!(operator.take_requests().len() > 50);
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(operator.take_requests(), Vec::<String>::new());
}

/// `HARBOR_OPERATOR_SEEDS` sets how many; each is a story of its own.
fn seeds() -> std::ops::Range<u64> {
    let number = std::env::var("HARBOR_OPERATOR_SEEDS").ok().and_then(|number| number.parse().ok());
    0..number.unwrap_or(3)
}

/// After how many writes the operator is killed: small numbers that look random and are not.
struct Moments(u64);

impl Moments {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        1 + (mixed ^ (mixed >> 31)) % MOST
    }
}
