//! Candidates on an in-memory server, in virtual time, with connections that can be slow or interrupted.

mod laws;
mod site;

use super::*;
use envtest::clock;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams},
};
use serde_json::json;
use site::{Candidate, Site};
use tokio::time::{Instant, sleep};

fn seconds(seconds: f32) -> Duration {
    Duration::from_secs_f32(seconds)
}

/// A first operator that is the leader, and a second that stands by.
async fn two() -> (Site, Candidate, Candidate) {
    let site = Site::new();
    let first = site.candidate("first");
    first.until_leading().await;
    let second = site.candidate("second");
    sleep(seconds(5.5)).await;
    (site, first, second)
}

#[tokio::test(start_paused = true)]
async fn a_lease_reads_as_client_go_writes_it() {
    let (site, first, second) = two().await;
    let spec = site.lease().await.spec.unwrap();
    assert_eq!(spec.holder_identity.as_deref(), Some("first"));
    assert_eq!((spec.lease_duration_seconds, spec.lease_transitions), (Some(15), Some(0)));
    let (acquired, renewed) = (spec.acquire_time.unwrap().0, spec.renew_time.unwrap().0);
    assert_eq!(acquired.to_string(), "1970-01-01T00:00:00Z");
    assert_eq!(renewed.to_string(), "1970-01-01T00:00:04Z");

    drop(second);
    first.stop().await;
    let spec = site.lease().await.spec.unwrap();
    assert_eq!((spec.holder_identity.as_deref(), spec.lease_duration_seconds), (Some(""), Some(1)));
}

#[tokio::test(start_paused = true)]
async fn after_a_kill_another_takes_over_once_the_lease_has_expired() {
    let (site, first, second) = two().await;
    let killed = Instant::now();
    first.kill();
    second.until_leading().await;
    let took = killed.elapsed();
    assert!(took > seconds(13.0) && took < seconds(15.1), "{took:?}");
    let spec = site.lease().await.spec.unwrap();
    assert_eq!((spec.holder_identity.as_deref(), spec.lease_transitions), (Some("second"), Some(1)));
}

#[tokio::test(start_paused = true)]
async fn after_a_release_another_takes_over_at_once() {
    let (_site, first, second) = two().await;
    let stopped = Instant::now();
    first.stop().await;
    second.until_leading().await;
    assert!(stopped.elapsed() < seconds(0.1), "{:?}", stopped.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_candidate_that_may_not_watch_the_lease_reads_it_once_per_period() {
    let site = Site::new();
    let first = site.candidate("first");
    first.until_leading().await;
    let second = site.candidate("second");
    second.link.forbid_lists();
    sleep(Duration::from_mins(1)).await;
    let reads = second.link.take_requests().into_iter().filter(|request| request == "GET operator").count();
    assert!((27..=34).contains(&reads), "{reads}");

    let killed = Instant::now();
    first.kill();
    second.until_leading().await;
    let took = killed.elapsed();
    assert!(took > seconds(13.0) && took <= seconds(17.3), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_cut_off_is_fenced_before_another_takes_over() {
    let (site, mut first, second) = two().await;
    let cut = Instant::now();
    first.link.cut();
    sleep(seconds(8.0)).await;
    assert!(first.leadership.leads());
    let lost = first.lost().await;
    let fenced = cut.elapsed();
    assert!(fenced <= seconds(10.0), "{fenced:?}");
    assert!(matches!(&lost, Lost::Unrenewed { lease, .. } if lease == "default/operator"), "{lost}");
    assert!(!second.leadership.leads());
    second.until_leading().await;
    assert!(cut.elapsed() > fenced + seconds(3.0), "{:?}", cut.elapsed());
    site.assert_one_after_another();
}

#[tokio::test(start_paused = true)]
async fn the_time_on_other_clocks_does_not_matter() {
    fn fast() -> Timestamp {
        clock() + SignedDuration::from_hours(1)
    }
    fn slow() -> Timestamp {
        clock() - SignedDuration::from_hours(1)
    }
    for (ours, theirs) in [(fast as fn() -> Timestamp, slow as fn() -> Timestamp), (slow, fast)] {
        let site = Site::new();
        let first = site.candidate_with("first", ours);
        first.until_leading().await;
        let second = site.candidate_with("second", theirs);
        sleep(Duration::from_mins(1)).await;
        assert!(first.leadership.leads() && !second.leadership.leads());
        let killed = Instant::now();
        first.kill();
        second.until_leading().await;
        assert!(killed.elapsed() > seconds(13.0), "{:?}", killed.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_whose_lease_was_taken_ends() {
    let (site, mut first, _second) = two().await;
    site.patch(json!({"spec": {"holderIdentity": "client-go"}})).await;
    let lost = first.lost().await;
    assert_eq!(lost, Lost::Taken { lease: "default/operator".into(), holder: "client-go".into() });
    assert!(!first.leadership.leads());
}

#[tokio::test(start_paused = true)]
async fn labelling_the_lease_does_not_change_the_leader() {
    let (site, first, second) = two().await;
    site.patch(json!({"metadata": {"labels": {"team": "registry"}}})).await;
    sleep(Duration::from_mins(1)).await;
    assert!(first.leadership.leads() && !second.leadership.leads());
    assert_eq!(site.lease().await.metadata.labels.unwrap()["team"], "registry");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_deleted_stays_with_its_holder() {
    let (site, first, second) = two().await;
    for _ in 0..20 {
        site.leases().delete("operator", &DeleteParams::default()).await.unwrap();
        sleep(seconds(7.1)).await;
        assert!(first.leadership.leads() && !second.leadership.leads());
    }
    site.assert_one_after_another();
}

#[tokio::test(start_paused = true)]
async fn a_lease_of_client_go_is_respected_until_it_has_expired_by_our_clock() {
    let site = Site::new();
    let held = LeaseSpec {
        holder_identity: Some("client-go".into()),
        lease_duration_seconds: Some(20),
        lease_transitions: Some(4),
        ..LeaseSpec::default()
    };
    let lease = Lease { metadata: Site::metadata(), spec: Some(held) };
    site.leases().create(&kube::api::PostParams::default(), &lease).await.unwrap();
    let began = Instant::now();
    let ours = site.candidate("ours");
    ours.until_leading().await;
    assert!(began.elapsed() >= seconds(20.0) && began.elapsed() < seconds(20.1), "{:?}", began.elapsed());
    assert_eq!(site.lease().await.spec.unwrap().lease_transitions, Some(5));
}

#[tokio::test(start_paused = true)]
async fn in_steady_state_the_leader_sends_one_put_per_period_and_a_standby_sends_nothing() {
    let (_site, first, second) = two().await;
    first.link.take_requests();
    second.link.take_requests();
    sleep(Duration::from_mins(1)).await;
    assert_eq!(first.link.take_requests(), vec!["PUT operator"; 30]);
    assert_eq!(second.link.take_requests(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_request_in_flight_is_abandoned_when_the_term_ends() {
    let site = Site::new();
    let leadership = Leadership::candidate();
    let (client, link) = site.linked("slow");
    let guarded: Api<Lease> = Api::namespaced(leadership.guard(client), "default");
    let write = || async {
        let patch = Patch::Merge(json!({}));
        guarded.patch("operator", &PatchParams::default(), &patch).await.unwrap_err().to_string()
    };

    assert!(write().await.contains("another operator is the leader"));
    assert_eq!(link.take_requests(), Vec::<String>::new());

    link.cut();
    leadership.prolong(Instant::now() + seconds(3.0));
    let began = Instant::now();
    let prolonged = async {
        sleep(seconds(2.0)).await;
        leadership.prolong(Instant::now() + seconds(3.0));
    };
    let (error, ()) = tokio::join!(write(), prolonged);
    assert!(error.contains("another operator is the leader"), "{error}");
    assert!(began.elapsed() >= seconds(5.0) && began.elapsed() < seconds(5.1), "{:?}", began.elapsed());
}

#[test]
fn a_timing_with_which_two_could_lead_is_refused() {
    assert_eq!(Timing::of_seconds(15, 10, 2), Ok(Timing::DEFAULT));
    let too_long = TimingError::DeadlineTooLong { duration: 10, deadline: 10 };
    assert_eq!(Timing::of_seconds(10, 10, 2), Err(too_long));
    for period in [0, 6] {
        let too_long = TimingError::PeriodTooLong { deadline: 10, period };
        assert_eq!(Timing::of_seconds(15, 10, period), Err(too_long));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_outside_the_cluster_is_changed_only_while_the_operator_leads() {
    assert_eq!(Leadership::permanent().while_leading(async { "done" }).await, Some("done"));
    let leadership = Leadership::candidate();
    assert_eq!(leadership.while_leading(async { "done" }).await, None);
    leadership.prolong(Instant::now() + seconds(5.0));
    assert_eq!(leadership.while_leading(async { "done" }).await, Some("done"));
    assert_eq!(leadership.while_leading(sleep(seconds(10.0))).await, None, "abandoned when its term ends");
}
