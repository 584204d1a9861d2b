//! The work queue of a controller.
//!
//! kube's own scheduler keeps objects that are due in a hash set. With it, fifty objects that are created together
//! would all become ready at the end, because the second reconcile of the first object waits among the first
//! reconciles of all others.

use super::fair_queue::FairQueue;
use crate::cluster::Seniority;
use plan::ObjectKey;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Duration,
};
use tokio::time::Instant;

/// Objects to reconcile, each once and never while it is being reconciled.
///
/// Parts of the oldest owner come first, also when they are added again, so that it is complete first. An object that
/// fails is retried after its backoff and not before.
///
/// With objects in more than one namespace, no namespace has more than three quarters of the concurrent reconciles.
/// Objects of a namespace that has its share are held back, so that an object of another namespace can start.
#[derive(Debug)]
pub(crate) struct Queue {
    ready: FairQueue<Queued>,
    concurrency: usize,
    namespaces: HashSet<String>,
    /// Objects of namespaces that have their share.
    held_back: HashMap<String, FairQueue<Queued>>,
    /// How many objects of each namespace are being reconciled.
    running_in: HashMap<String, usize>,
    /// The objects in `ready` and `held_back`.
    queued: HashSet<ObjectKey>,
    running: HashMap<ObjectKey, Running>,
    /// Objects that are due later, by time and then in the order in which they were added.
    delayed: BTreeMap<(Instant, u64), (ObjectKey, Seniority)>,
    due: HashMap<ObjectKey, (Instant, u64)>,
    count: u64,
}

/// An object in the queue.
#[derive(Debug)]
struct Queued {
    key: ObjectKey,
    seniority: Seniority,
    since: Instant,
}

/// A running reconcile.
#[derive(Debug)]
struct Running {
    seniority: Seniority,
    /// Whether the object was added again meanwhile.
    again: bool,
}

impl Queue {
    /// A queue for this many concurrent reconciles.
    pub(crate) fn new(concurrency: u16) -> Self {
        Self {
            ready: FairQueue::default(),
            concurrency: concurrency.into(),
            namespaces: HashSet::new(),
            held_back: HashMap::new(),
            running_in: HashMap::new(),
            queued: HashSet::new(),
            running: HashMap::new(),
            delayed: BTreeMap::new(),
            due: HashMap::new(),
            count: 0,
        }
    }

    /// Adds an object.
    pub(crate) fn add(&mut self, key: ObjectKey, seniority: Seniority) {
        if let Some(running) = self.running.get_mut(&key) {
            *running = Running { seniority, again: true };
            return;
        }
        if let Some(due) = self.due.remove(&key) {
            self.delayed.remove(&due);
        }
        if !self.namespaces.contains(&key.namespace) {
            self.namespaces.insert(key.namespace.clone());
        }
        if self.queued.insert(key.clone()) {
            self.ready.push(seniority, Queued { key, seniority, since: Instant::now() });
        }
    }

    /// Takes the next object. The caller must pass it to [`Queue::done`] later.
    pub(crate) fn next(&mut self, now: Instant) -> Option<ObjectKey> {
        while let Some(entry) = self.delayed.first_entry().filter(|entry| entry.key().0 <= now) {
            let (key, seniority) = entry.remove();
            self.add(key, seniority);
        }
        let Queued { key, seniority, .. } = self.next_within_share()?;
        self.queued.remove(&key);
        *self.running_in.entry(key.namespace.clone()).or_default() += 1;
        self.running.insert(key.clone(), Running { seniority, again: false });
        Some(key)
    }

    /// How many objects of one namespace may be reconciled concurrently.
    fn share(&self) -> usize {
        match self.namespaces.len() {
            0 | 1 => self.concurrency,
            _ => self.concurrency.saturating_sub((self.concurrency / 4).max(1)).max(1),
        }
    }

    /// The next object of a namespace that has less than its share. Holds back others.
    fn next_within_share(&mut self) -> Option<Queued> {
        let share = self.share();
        loop {
            let next = self.ready.pop()?;
            let namespace = &next.key.namespace;
            if self.running_in.get(namespace).is_none_or(|count| *count < share) {
                return Some(next);
            }
            self.held_back.entry(namespace.clone()).or_default().push(next.seniority, next);
        }
    }

    /// Releases one object of this namespace that was held back, because a reconcile in it has ended.
    fn release_share(&mut self, namespace: &str) {
        if let Some(count) = self.running_in.get_mut(namespace) {
            *count -= 1;
            if *count == 0 {
                self.running_in.remove(namespace);
            }
        }
        let Some(held_back) = self.held_back.get_mut(namespace) else { return };
        match held_back.pop() {
            Some(next) => self.ready.push(next.seniority, next),
            None => drop(self.held_back.remove(namespace)),
        }
    }

    /// Marks a reconcile as ended. Without an event the next one is due after `wait`, if at all.
    pub(crate) fn done(&mut self, key: ObjectKey, wait: Option<Duration>, now: Instant) {
        let Some(Running { seniority, again }) = self.running.remove(&key) else { return };
        self.release_share(&key.namespace);
        if again {
            self.add(key, seniority);
        } else if let Some(at) = wait.and_then(|wait| now.checked_add(wait)) {
            self.count += 1;
            self.due.insert(key.clone(), (at, self.count));
            self.delayed.insert((at, self.count), (key, seniority));
        }
    }

    /// How many objects wait in the queue, and since when the oldest does.
    pub(crate) fn backlog(&self) -> (usize, Option<Instant>) {
        let queues = std::iter::once(&self.ready).chain(self.held_back.values());
        (self.queued.len(), queues.filter_map(FairQueue::oldest).map(|first| first.since).min())
    }

    /// When the next delayed object is due.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.delayed.keys().next().map(|(at, _)| *at)
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

    /// Takes objects until there is none, without ending any reconcile.
    fn turns(queue: &mut Queue, now: Instant) -> Vec<String> {
        std::iter::from_fn(|| queue.next(now)).map(|key| key.name.clone()).collect()
    }

    /// A queue with objects of decreasing seniority.
    fn queue_of(names: &[&str]) -> Queue {
        let mut queue = Queue::new(100);
        for (rank, name) in (0..).zip(names) {
            queue.add(key(name), Seniority::nth(rank));
        }
        queue
    }

    #[test]
    fn the_most_senior_object_is_first_and_none_is_taken_twice() {
        let mut queue = queue_of(&["b", "a", "c", "a", "b"]);
        assert_eq!(turns(&mut queue, Instant::now()), ["b", "a", "c"]);
    }

    #[test]
    fn an_object_that_is_added_again_keeps_its_place_before_younger_objects() {
        let now = Instant::now();
        let mut queue = queue_of(&["a", "b", "c", "d"]);
        let first = queue.next(now).unwrap();
        queue.done(first, None, now);
        queue.add(key("a"), Seniority::nth(0));
        assert_eq!(turns(&mut queue, now), ["a", "b", "c", "d"]);
    }

    #[test]
    fn objects_that_are_added_all_the_time_leave_every_fourth_turn_to_others() {
        let now = Instant::now();
        let mut queue = Queue::new(100);
        queue.add(key("new"), Seniority::nth(8));
        queue.add(key("newer"), Seniority::nth(9));
        let mut served = Vec::new();
        for _ in 0..8 {
            for (rank, name) in (0..).zip(["x", "y", "z"]) {
                queue.add(key(name), Seniority::nth(rank));
            }
            let next = queue.next(now).unwrap();
            served.push(next.name.clone());
            queue.done(next, None, now);
        }
        assert_eq!(served, ["x", "x", "x", "new", "x", "x", "x", "newer"]);
    }

    #[test]
    fn a_namespace_with_many_objects_leaves_a_reconcile_to_another_namespace() {
        let now = Instant::now();
        let mut queue = Queue::new(4);
        queue.add(ObjectKey::of::<Secret>("neighbour", "n"), Seniority::nth(0));
        let earlier = queue.next(now).unwrap();
        queue.done(earlier, None, now);
        for rank in 0..10_000 {
            queue.add(ObjectKey::of::<Secret>("crowd", &format!("c{rank}")), Seniority::nth(rank));
        }
        assert_eq!(turns(&mut queue, now), ["c0", "c1", "c2"], "the fourth place stays free");
        queue.add(ObjectKey::of::<Secret>("neighbour", "n"), Seniority::nth(20_000));
        assert_eq!(turns(&mut queue, now), ["n"]);
        assert_eq!(queue.backlog().0, 9_997);

        queue.done(ObjectKey::of::<Secret>("crowd", "c1"), None, now);
        assert_eq!(turns(&mut queue, now), ["c3"], "in the order of seniority again");
        queue.done(ObjectKey::of::<Secret>("neighbour", "n"), None, now);
        assert_eq!(turns(&mut queue, now), Vec::<String>::new());
    }

    #[test]
    fn all_objects_that_were_held_back_are_taken_in_the_end() {
        let now = Instant::now();
        let mut queue = Queue::new(2);
        for rank in 0..100 {
            queue.add(
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
        assert_eq!((served.len(), queue.backlog().0), (100, 0));
        assert!(queue.held_back.is_empty() && queue.running_in.is_empty(), "nothing is left");
    }

    #[test]
    fn a_senior_object_that_fails_is_taken_again_only_after_its_backoff() {
        let now = Instant::now();
        let second = Duration::from_secs(1);
        let mut queue = queue_of(&["old", "young"]);
        let old = queue.next(now).unwrap();
        queue.done(old, Some(second), now);
        assert_eq!(turns(&mut queue, now), ["young"]);
        queue.add(key("younger"), Seniority::nth(9));
        assert_eq!(turns(&mut queue, now + second), ["old", "younger"]);
    }

    #[test]
    fn an_object_that_is_added_during_its_reconcile_is_reconciled_again() {
        let now = Instant::now();
        let mut queue = queue_of(&["a"]);
        let a = queue.next(now).unwrap();
        queue.add(key("a"), Seniority::nth(0));
        assert_eq!(queue.next(now), None, "not concurrently");
        queue.done(a, Some(Duration::from_hours(1)), now);
        assert_eq!(turns(&mut queue, now), ["a"]);
        assert_eq!(queue.next_due(), None, "and not again after the wait");
    }

    #[test]
    fn a_delayed_object_is_taken_when_it_is_due_or_added() {
        let now = Instant::now();
        let minute = Duration::from_mins(1);
        let mut queue = queue_of(&["a", "b"]);
        while let Some(next) = queue.next(now) {
            queue.done(next, Some(minute), now);
        }
        assert_eq!(queue.next_due(), Some(now + minute));
        queue.add(key("b"), Seniority::nth(1));
        assert_eq!(turns(&mut queue, now), ["b"]);
        assert_eq!(turns(&mut queue, now + minute), ["a"]);
        assert_eq!(queue.next_due(), None);
    }
}
