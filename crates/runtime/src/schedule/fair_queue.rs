//! A queue that prefers seniors without starving others.

use crate::cluster::Seniority;
use std::collections::BTreeMap;

/// Every so many turns, the oldest item is next.
///
/// Otherwise seniors that are added again and again would starve all others. A senior loses little by this: at most one
/// younger item is served before it.
const ROUND: u64 = 4;

/// A queue in order of seniority, and of arrival among equals. No item starves: an item that is added to `n` items is
/// next within `4 * (n + 1)` turns, whatever is added later.
#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    /// Items by seniority, then by arrival.
    waiting: BTreeMap<(Seniority, u64), T>,
    /// The seniority of each item, by arrival.
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
    pub(crate) fn push(&mut self, seniority: Seniority, item: T) {
        self.arrivals += 1;
        self.arrived.insert(self.arrivals, seniority);
        self.waiting.insert((seniority, self.arrivals), item);
    }

    /// The item that was added first.
    pub(crate) fn oldest(&self) -> Option<&T> {
        let (&arrival, &seniority) = self.arrived.iter().next()?;
        self.waiting.get(&(seniority, arrival))
    }

    /// Removes and returns the next item.
    pub(crate) fn pop(&mut self) -> Option<T> {
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

    fn drain<T>(queue: &mut FairQueue<T>) -> Vec<T> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    #[test]
    fn items_are_in_order_of_seniority_and_arrival() {
        let mut queue = FairQueue::default();
        for (rank, item) in [(2, "d"), (1, "b"), (1, "c")] {
            queue.push(Seniority::nth(rank), item);
        }
        assert_eq!(queue.pop(), Some("b"));
        queue.push(Seniority::nth(0), "a");
        assert_eq!(drain(&mut queue), ["a", "c", "d"]);
    }

    #[test]
    fn every_fourth_turn_is_for_the_oldest_item() {
        let mut queue = FairQueue::default();
        for rank in (0..8).rev() {
            queue.push(Seniority::nth(rank), rank);
        }
        assert_eq!(drain(&mut queue), [0, 1, 2, 7, 3, 4, 5, 6]);
    }

    #[test]
    fn an_empty_queue_counts_no_turns() {
        let mut queue = FairQueue::default();
        for _ in 0..10 {
            assert_eq!(queue.pop(), None);
        }
        for rank in [3, 2, 1] {
            queue.push(Seniority::nth(rank), rank);
        }
        assert_eq!(drain(&mut queue), [1, 2, 3]);
    }

    /// An item of the model.
    struct Waiting {
        number: u64,
        rank: u64,
        comes_back: bool,
        /// Within how many turns it must be next.
        turns: usize,
    }

    #[derive(Default)]
    struct Model {
        queue: FairQueue<u64>,
        waiting: Vec<Waiting>,
        count: u64,
    }

    impl Model {
        fn join(&mut self, rank: u64, comes_back: bool) {
            let (number, turns) = (self.count, 4 * (self.waiting.len() + 1));
            self.count += 1;
            self.queue.push(Seniority::nth(rank), number);
            self.waiting.push(Waiting { number, rank, comes_back, turns });
        }

        fn most_senior(&self) -> Option<u64> {
            self.waiting.iter().min_by_key(|it| (it.rank, it.number)).map(|it| it.number)
        }

        /// The item that was next.
        fn turn(&mut self) -> Option<Waiting> {
            let next = self.queue.pop()?;
            self.waiting.iter_mut().for_each(|it| it.turns -= 1);
            let place = self.waiting.iter().position(|it| it.number == next)?;
            Some(self.waiting.remove(place))
        }
    }

    proptest! {
        /// Some items are added again after each turn, as an object that changes all the time.
        #[test]
        fn no_item_starves_and_the_most_senior_waits_for_one_other_at_most(
            steps in prop::collection::vec((0_u64..5, any::<bool>(), 0_usize..3), 1..200),
        ) {
            let mut model = Model::default();
            let mut passed_over = None;
            for (rank, comes_back, turns) in steps {
                model.join(rank, comes_back);
                for _ in 0..turns {
                    let most_senior = model.most_senior();
                    let Some(served) = model.turn() else { break };
                    prop_assert!(model.waiting.iter().all(|it| it.turns > 0), "an item starves");
                    let just = most_senior.filter(|it| *it != served.number);
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
