//! Who comes next among those who wait.

use crate::cluster::Seniority;
use std::collections::BTreeMap;

/// Every so many turns are one for whoever has waited longest.
///
/// Seniors that come back all the time would else keep everybody younger from ever being served. The others cost a
/// senior little: before it at most one younger is served.
const ROUND: u64 = 4;

/// Those who wait. Served in order of seniority, and among equals as they came; but nobody waits for ever: who finds `n`
/// waiting is served in `4 * (n + 1)` turns, whoever comes meanwhile.
#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    /// By seniority, then by arrival.
    waiting: BTreeMap<(Seniority, u64), T>,
    /// The seniority of each, by arrival.
    arrived: BTreeMap<u64, Seniority>,
    arrivals: u64,
    turns: u64,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), arrived: BTreeMap::new(), arrivals: 0, turns: 0 }
    }
}

impl<T> FairQueue<T> {
    pub(crate) fn join(&mut self, seniority: Seniority, who: T) {
        self.arrivals += 1;
        self.arrived.insert(self.arrivals, seniority);
        self.waiting.insert((seniority, self.arrivals), who);
    }

    /// The one who has waited longest.
    pub(crate) fn longest_waiting(&self) -> Option<&T> {
        let (&arrival, &seniority) = self.arrived.iter().next()?;
        self.waiting.get(&(seniority, arrival))
    }

    /// The one whose turn it is, who waits no longer.
    pub(crate) fn next(&mut self) -> Option<T> {
        let most_senior = *self.waiting.keys().next()?;
        self.turns += 1;
        let place = match self.arrived.iter().next() {
            Some((&arrival, &seniority)) if self.turns.is_multiple_of(ROUND) => (seniority, arrival),
            _ => most_senior,
        };
        self.arrived.remove(&place.1);
        self.waiting.remove(&place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn served<T>(line: &mut FairQueue<T>) -> Vec<T> {
        std::iter::from_fn(|| line.next()).collect()
    }

    #[test]
    fn seniors_go_first_and_equals_as_they_came() {
        let mut line = FairQueue::default();
        for (rank, who) in [(2, "d"), (1, "b"), (1, "c")] {
            line.join(Seniority::nth(rank), who);
        }
        assert_eq!(line.next(), Some("b"));
        line.join(Seniority::nth(0), "a");
        assert_eq!(served(&mut line), ["a", "c", "d"]);
    }

    #[test]
    fn of_four_turns_one_is_for_who_has_waited_longest() {
        let mut line = FairQueue::default();
        for rank in (0..8).rev() {
            line.join(Seniority::nth(rank), rank);
        }
        assert_eq!(served(&mut line), [0, 1, 2, 7, 3, 4, 5, 6]);
    }

    #[test]
    fn nobody_is_served_when_nobody_waits_and_that_is_no_turn() {
        let mut line = FairQueue::default();
        for _ in 0..10 {
            assert_eq!(line.next(), None);
        }
        for rank in [3, 2, 1] {
            line.join(Seniority::nth(rank), rank);
        }
        assert_eq!(served(&mut line), [1, 2, 3]);
    }

    /// One who waits, as the law sees it.
    struct Waiting {
        who: u64,
        rank: u64,
        comes_back: bool,
        /// In how many turns it must be served.
        turns: usize,
    }

    #[derive(Default)]
    struct Model {
        line: FairQueue<u64>,
        waiting: Vec<Waiting>,
        count: u64,
    }

    impl Model {
        fn join(&mut self, rank: u64, comes_back: bool) {
            let (who, turns) = (self.count, 4 * (self.waiting.len() + 1));
            self.count += 1;
            self.line.join(Seniority::nth(rank), who);
            self.waiting.push(Waiting { who, rank, comes_back, turns });
        }

        fn most_senior(&self) -> Option<u64> {
            self.waiting.iter().min_by_key(|it| (it.rank, it.who)).map(|it| it.who)
        }

        /// Who was served.
        fn turn(&mut self) -> Option<Waiting> {
            let next = self.line.next()?;
            self.waiting.iter_mut().for_each(|it| it.turns -= 1);
            let place = self.waiting.iter().position(|it| it.who == next)?;
            Some(self.waiting.remove(place))
        }
    }

    proptest! {
        /// Some come back whenever they were served, as an object does that changes all the time.
        #[test]
        fn nobody_waits_for_ever_and_the_most_senior_for_one_at_most(
            steps in prop::collection::vec((0_u64..5, any::<bool>(), 0_usize..3), 1..200),
        ) {
            let mut model = Model::default();
            let mut passed_over = None;
            for (rank, comes_back, turns) in steps {
                model.join(rank, comes_back);
                for _ in 0..turns {
                    let most_senior = model.most_senior();
                    let Some(served) = model.turn() else { break };
                    prop_assert!(model.waiting.iter().all(|it| it.turns > 0), "somebody starves");
                    let just = most_senior.filter(|it| *it != served.who);
                    prop_assert!(just.is_none() || passed_over.is_none(), "passed over twice in a row");
                    passed_over = just;
                    if served.comes_back {
                        model.join(served.rank, true);
                    }
                }
            }
        }
    }
}
