//! Whatever happens to candidates and their links, they write one after the other.

use super::{Candidate, Site};
use proptest::prelude::*;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const CANDIDATES: usize = 3;

/// Something that happens to one of the candidates.
#[derive(Clone, Copy, Debug)]
enum Mishap {
    /// Its link is cut.
    Cut,
    /// Its link is mended.
    Mend,
    /// Requests and answers take this long each; two of them less than is left of a lease after the renew deadline.
    Slow(Duration),
    /// It is killed, and another takes its place.
    Kill,
    /// It is told to stop, and another takes its place.
    Stop,
}

fn mishaps() -> impl Strategy<Value = Vec<(usize, Mishap, Duration)>> {
    let mishap = prop_oneof![
        3 => Just(Mishap::Cut),
        4 => Just(Mishap::Mend),
        3 => (0_u64..4_500).prop_map(|millis| Mishap::Slow(Duration::from_millis(millis))),
        1 => Just(Mishap::Kill),
        1 => Just(Mishap::Stop),
    ];
    let pause = (0_u64..20_000).prop_map(Duration::from_millis);
    prop::collection::vec((0..CANDIDATES, mishap, pause), 1..20)
}

async fn story(mishaps: Vec<(usize, Mishap, Duration)>) {
    let site = Site::new();
    let mut born = 0..;
    let mut next = || site.candidate(&format!("{:?}", born.next()));
    let mut candidates: Vec<Candidate> = (0..CANDIDATES).map(|_| next()).collect();
    for (whom, mishap, pause) in mishaps {
        match mishap {
            Mishap::Cut => candidates[whom].link.cut(),
            Mishap::Mend => candidates[whom].link.mend(),
            Mishap::Slow(latency) => candidates[whom].link.slow(latency),
            Mishap::Kill => candidates[whom] = next(),
            Mishap::Stop => std::mem::replace(&mut candidates[whom], next()).stop().await,
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
    fn two_never_write_at_once_and_in_the_end_one_leads(mishaps in mishaps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.unwrap().block_on(story(mishaps));
    }
}
