//! Permissions that are missing for a while.
//!
//! In one process and in virtual time, as in `faults.rs`.

use crate::memory::Cluster;
use crate::widget::{Widget, WidgetComponent, WidgetSpec};
use envtest::clock;
use runtime::Options;
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn a_permission_that_was_missing_for_an_hour_is_noticed_within_seconds_by_all_who_wait() {
    let names = ["a", "b", "c", "d", "e"];
    let mut cluster = Cluster::new::<WidgetComponent>(Options { clock, ..Options::default() }).await;
    *cluster.forbidden.lock().unwrap() = Some("/deployments");
    cluster.start::<WidgetComponent>();
    for name in names {
        cluster.create(&Widget::new(name, WidgetSpec::default())).await;
        cluster.until_reason::<Widget>(name, "Forbidden").await;
    }
    tokio::time::sleep(Duration::from_mins(50)).await;
    cluster.take_requests();
    tokio::time::sleep(Duration::from_mins(10)).await;
    let tries = cluster.take_requests().iter().filter(|line| line.contains("/deployments/")).count();
    // One every 15 seconds, and each of the five every 5 minutes at least.
    assert!((40..=80).contains(&tries), "{tries} tries in ten minutes");

    *cluster.forbidden.lock().unwrap() = None;
    let granted = Instant::now();
    for name in names {
        cluster.until_reason::<Widget>(name, "Ready").await;
    }
    assert!(granted.elapsed() < Duration::from_secs(25), "{:?}", granted.elapsed());
}
