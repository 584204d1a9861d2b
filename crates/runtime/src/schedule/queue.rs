//! Whose turn it is.
//!
//! kube's own scheduler keeps what is due in a hash set: fifty objects created at once would all become ready at the
//! end, in any order, because the second look at the first one waits among the first looks at all others.

use super::fair_queue::FairQueue;
use crate::cluster::Seniority;
use plan::ObjectKey;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Duration,
};
use tokio::time::Instant;

/// Objects that are due, each once and never while it is being reconciled.
///
/// Parts of what was created first are served first, also when they come again, so that it is complete first. One that
/// fails is no exception and no burden: it is due when its time has come, and not before.
///
/// Once there are objects in more than one namespace, none of these has more than three quarters of the reconciles that
/// run at once. What is due in one that has its share stands aside, however much it is, so that an object of another
/// namespace finds a place.
#[derive(Debug)]
pub(crate) struct Queue {
    line: FairQueue<Waiting>,
    concurrency: usize,
    namespaces: HashSet<String>,
    /// What is due in namespaces that have their share.
    aside: HashMap<String, FairQueue<Waiting>>,
    /// How many objects of each namespace are being reconciled.
    under_way: HashMap<String, usize>,
    /// Those in line.
    queued: HashSet<ObjectKey>,
    running: HashMap<ObjectKey, Running>,
    /// Those due at some time, in the order they were put here where that is the same.
    later: BTreeMap<(Instant, u64), (ObjectKey, Seniority)>,
    due: HashMap<ObjectKey, (Instant, u64)>,
    count: u64,
}

/// One in line.
#[derive(Debug)]
struct Waiting {
    key: ObjectKey,
    seniority: Seniority,
    since: Instant,
}

/// A look that is under way.
#[derive(Debug)]
struct Running {
    seniority: Seniority,
    /// Whether the object must be looked at again.
    again: bool,
}

impl Queue {
    /// For so many reconciles at once.
    pub(crate) fn new(concurrency: u16) -> Self {
        Self {
            line: FairQueue::default(),
            concurrency: concurrency.into(),
            namespaces: HashSet::new(),
            aside: HashMap::new(),
            under_way: HashMap::new(),
            queued: HashSet::new(),
            running: HashMap::new(),
            later: BTreeMap::new(),
            due: HashMap::new(),
            count: 0,
        }
    }

    /// An object is due now.
    pub(crate) fn wake(&mut self, key: ObjectKey, seniority: Seniority) {
        if let Some(look) = self.running.get_mut(&key) {
            *look = Running { seniority, again: true };
            return;
        }
        if let Some(due) = self.due.remove(&key) {
            self.later.remove(&due);
        }
        if !self.namespaces.contains(&key.namespace) {
            self.namespaces.insert(key.namespace.clone());
        }
        if self.queued.insert(key.clone()) {
            self.line.join(seniority, Waiting { key, seniority, since: Instant::now() });
        }
    }

    /// The next one whose turn it is; it must be [`Queue::done`] some time.
    pub(crate) fn next(&mut self, now: Instant) -> Option<ObjectKey> {
        while let Some(entry) = self.later.first_entry().filter(|entry| entry.key().0 <= now) {
            let (key, seniority) = entry.remove();
            self.wake(key, seniority);
        }
        let Waiting { key, seniority, .. } = self.next_in_line()?;
        self.queued.remove(&key);
        *self.under_way.entry(key.namespace.clone()).or_default() += 1;
        self.running.insert(key.clone(), Running { seniority, again: false });
        Some(key)
    }

    /// How many objects of one namespace are reconciled at once.
    fn share(&self) -> usize {
        match self.namespaces.len() {
            0 | 1 => self.concurrency,
            _ => self.concurrency.saturating_sub((self.concurrency / 4).max(1)).max(1),
        }
    }

    /// The next one of a namespace that has less than its share.
    fn next_in_line(&mut self) -> Option<Waiting> {
        let share = self.share();
        loop {
            let waiting = self.line.next()?;
            let namespace = &waiting.key.namespace;
            if self.under_way.get(namespace).is_none_or(|count| *count < share) {
                return Some(waiting);
            }
            self.aside.entry(namespace.clone()).or_default().join(waiting.seniority, waiting);
        }
    }

    /// A reconcile in this namespace has ended: one of those that stand aside may line up again.
    fn give_back(&mut self, namespace: &str) {
        if let Some(count) = self.under_way.get_mut(namespace) {
            *count -= 1;
            if *count == 0 {
                self.under_way.remove(namespace);
            }
        }
        let Some(aside) = self.aside.get_mut(namespace) else { return };
        match aside.next() {
            Some(waiting) => self.line.join(waiting.seniority, waiting),
            None => drop(self.aside.remove(namespace)),
        }
    }

    /// A look has ended; without an event the next one is due after `wait`, if ever.
    pub(crate) fn done(&mut self, key: ObjectKey, wait: Option<Duration>, now: Instant) {
        let Some(Running { seniority, again }) = self.running.remove(&key) else { return };
        self.give_back(&key.namespace);
        if again {
            self.wake(key, seniority);
        } else if let Some(at) = wait.and_then(|wait| now.checked_add(wait)) {
            self.count += 1;
            self.due.insert(key.clone(), (at, self.count));
            self.later.insert((at, self.count), (key, seniority));
        }
    }

    /// How many are in line, and since when the one is that came first.
    pub(crate) fn in_line(&self) -> (usize, Option<Instant>) {
        let lines = std::iter::once(&self.line).chain(self.aside.values());
        (self.queued.len(), lines.filter_map(FairQueue::longest_waiting).map(|first| first.since).min())
    }

    /// When the next one is due that is not due yet.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.later.keys().next().map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::Secret;
    use std::collections::BTreeSet;

    fn key(name: &str) -> ObjectKey {
        ObjectKey::of::<Secret>("ns", name)
    }

    /// All whose turn it is, without anybody being done.
    fn turns(queue: &mut Queue, now: Instant) -> Vec<String> {
        std::iter::from_fn(|| queue.next(now)).map(|key| key.name.clone()).collect()
    }

    /// Objects of decreasing seniority, all due.
    fn queue_of(names: &[&str]) -> Queue {
        let mut queue = Queue::new(100);
        for (rank, name) in (0..).zip(names) {
            queue.wake(key(name), Seniority::nth(rank));
        }
        queue
    }

    #[test]
    fn the_oldest_is_served_first_and_nobody_twice() {
        let mut queue = queue_of(&["b", "a", "c", "a", "b"]);
        assert_eq!(turns(&mut queue, Instant::now()), ["b", "a", "c"]);
    }

    #[test]
    fn one_whose_child_became_ready_does_not_wait_for_all_that_are_new() {
        let now = Instant::now();
        let mut queue = queue_of(&["a", "b", "c", "d"]);
        let first = queue.next(now).unwrap();
        queue.done(first, None, now);
        queue.wake(key("a"), Seniority::nth(0));
        assert_eq!(turns(&mut queue, now), ["a", "b", "c", "d"]);
    }

    #[test]
    fn those_that_are_woken_all_the_time_leave_every_fourth_turn() {
        let now = Instant::now();
        let mut queue = Queue::new(100);
        queue.wake(key("new"), Seniority::nth(8));
        queue.wake(key("newer"), Seniority::nth(9));
        let mut served = Vec::new();
        for _ in 0..8 {
            for (rank, name) in (0..).zip(["x", "y", "z"]) {
                queue.wake(key(name), Seniority::nth(rank));
            }
            let next = queue.next(now).unwrap();
            served.push(next.name.clone());
            queue.done(next, None, now);
        }
        assert_eq!(served, ["x", "x", "x", "new", "x", "x", "x", "newer"]);
    }

    #[test]
    fn a_namespace_with_a_long_line_leaves_a_place_to_its_neighbour() {
        let now = Instant::now();
        let mut queue = Queue::new(4);
        queue.wake(ObjectKey::of::<Secret>("neighbour", "n"), Seniority::nth(0));
        let earlier = queue.next(now).unwrap();
        queue.done(earlier, None, now);
        for rank in 0..10_000 {
            queue.wake(ObjectKey::of::<Secret>("crowd", &format!("c{rank}")), Seniority::nth(rank));
        }
        assert_eq!(turns(&mut queue, now), ["c0", "c1", "c2"], "the fourth place stays free");
        queue.wake(ObjectKey::of::<Secret>("neighbour", "n"), Seniority::nth(20_000));
        assert_eq!(turns(&mut queue, now), ["n"]);
        assert_eq!(queue.in_line().0, 9_997);

        queue.done(ObjectKey::of::<Secret>("crowd", "c1"), None, now);
        assert_eq!(turns(&mut queue, now), ["c3"], "in the order of seniority again");
        queue.done(ObjectKey::of::<Secret>("neighbour", "n"), None, now);
        assert_eq!(turns(&mut queue, now), Vec::<String>::new());
    }

    #[test]
    fn everything_that_stood_aside_is_served_in_the_end() {
        let now = Instant::now();
        let mut queue = Queue::new(2);
        for rank in 0..100 {
            queue.wake(
                ObjectKey::of::<Secret>(&format!("ns{}", rank % 3), &format!("{rank}")),
                Seniority::nth(rank),
            );
        }
        let mut served = BTreeSet::new();
        let mut running = Vec::new();
        loop {
            running.extend(std::iter::from_fn(|| queue.next(now)).take(2));
            let Some(done) = running.pop() else { break };
            assert!(served.insert(done.clone()), "{done} twice");
            queue.done(done, None, now);
        }
        assert_eq!((served.len(), queue.in_line().0), (100, 0));
        assert!(queue.aside.is_empty() && queue.under_way.is_empty(), "nothing is left behind");
    }

    #[test]
    fn an_old_one_that_fails_takes_a_turn_when_its_time_has_come_and_none_before() {
        let now = Instant::now();
        let second = Duration::from_secs(1);
        let mut queue = queue_of(&["old", "young"]);
        let old = queue.next(now).unwrap();
        queue.done(old, Some(second), now);
        assert_eq!(turns(&mut queue, now), ["young"]);
        queue.wake(key("younger"), Seniority::nth(9));
        assert_eq!(turns(&mut queue, now + second), ["old", "younger"]);
    }

    #[test]
    fn one_that_is_woken_while_looked_at_is_looked_at_again_afterwards() {
        let now = Instant::now();
        let mut queue = queue_of(&["a"]);
        let a = queue.next(now).unwrap();
        queue.wake(key("a"), Seniority::nth(0));
        assert_eq!(queue.next(now), None, "not by two at once");
        queue.done(a, Some(Duration::from_hours(1)), now);
        assert_eq!(turns(&mut queue, now), ["a"]);
        assert_eq!(queue.next_due(), None, "and not later as well");
    }

    #[test]
    fn who_is_due_later_is_served_later_or_when_woken() {
        let now = Instant::now();
        let minute = Duration::from_mins(1);
        let mut queue = queue_of(&["a", "b"]);
        while let Some(next) = queue.next(now) {
            queue.done(next, Some(minute), now);
        }
        assert_eq!(queue.next_due(), Some(now + minute));
        queue.wake(key("b"), Seniority::nth(1));
        assert_eq!(turns(&mut queue, now), ["b"]);
        assert_eq!(turns(&mut queue, now + minute), ["a"]);
        assert_eq!(queue.next_due(), None);
    }
}
