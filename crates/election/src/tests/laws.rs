//! No two candidates write at the same time, whatever faults occur.

use super::{Candidate, Site};
use proptest::prelude::*;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const CANDIDATES: usize = 3;

/// A fault of one of the candidates.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Its connection is interrupted.
    Cut,
    /// Its connection works again.
    Mend,
    /// Requests and answers take this long each. Two of them take less than the time between renew deadline and expiry.
    Slow(Duration),
    /// It is killed, and another takes its place.
    Kill,
    /// It is stopped, and another takes its place.
    Stop,
}

fn faults() -> impl Strategy<Value = Vec<(usize, Fault, Duration)>> {
    let fault = prop_oneof![
        3 => Just(Fault::Cut),
        4 => Just(Fault::Mend),
        3 => (0_u64..4_500).prop_map(|millis| Fault::Slow(Duration::from_millis(millis))),
        1 => Just(Fault::Kill),
        1 => Just(Fault::Stop),
    ];
    let pause = (0_u64..20_000).prop_map(Duration::from_millis);
    prop::collection::vec((0..CANDIDATES, fault, pause), 1..20)
}

async fn play(faults: Vec<(usize, Fault, Duration)>) {
    let site = Site::new();
    let mut numbers = 0..;
    let mut next = || site.candidate(&format!("{:?}", numbers.next()));
    let mut candidates: Vec<Candidate> = (0..CANDIDATES).map(|_| next()).collect();
    for (which, fault, pause) in faults {
        match fault {
            Fault::Cut => candidates[which].link.cut(),
            Fault::Mend => candidates[which].link.mend(),
            Fault::Slow(latency) => candidates[which].link.slow(latency),
            Fault::Kill => candidates[which] = next(),
            Fault::Stop => std::mem::replace(&mut candidates[which], next()).stop().await,
        }
        // A process that lost the lease ends, and another takes its place.
        for candidate in &mut candidates {
            if candidate.is_over() {
                *candidate = next();
            }
        }
        let end = Instant::now() + pause;
        while Instant::now() < end {
            assert!(candidates.iter().filter(|candidate| candidate.leadership.leads()).count() <= 1);
            sleep(Duration::from_millis(100)).await;
        }
    }
    for candidate in &candidates {
        candidate.link.mend();
        candidate.link.slow(Duration::ZERO);
    }
    sleep(Duration::from_mins(1)).await;
    for candidate in &mut candidates {
        if candidate.is_over() {
            *candidate = next();
        }
    }
    sleep(Duration::from_mins(1)).await;
    assert_eq!(candidates.iter().filter(|candidate| candidate.leadership.leads()).count(), 1);
    site.assert_one_after_another();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn two_never_write_at_once_and_in_the_end_one_leads(faults in faults()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.unwrap().block_on(play(faults));
    }
}
