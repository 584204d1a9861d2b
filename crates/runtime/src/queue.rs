//! Whose turn it is.
//!
//! kube's own scheduler keeps what is due in a hash set: fifty objects created at once would all become ready at the
//! end, in any order, because the second look at the first one waits among the first looks at all others.

use crate::{index::Seniority, line::Line};
use plan::ObjectKey;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Duration,
};
use tokio::time::Instant;

/// Objects that are due, each once and never while somebody looks at it.
///
/// Parts of what was created first are served first, also when they come again, so that it is complete first. One that
/// fails is no exception and no burden: it is due when its time has come, and not before.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    line: Line<Waiting>,
    /// Those in line.
    queued: HashSet<ObjectKey>,
    running: HashMap<ObjectKey, Look>,
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
struct Look {
    seniority: Seniority,
    /// Whether the object must be looked at again.
    again: bool,
}

impl Queue {
    /// An object is due now.
    pub(crate) fn wake(&mut self, key: ObjectKey, seniority: Seniority) {
        if let Some(look) = self.running.get_mut(&key) {
            *look = Look { seniority, again: true };
            return;
        }
        if let Some(due) = self.due.remove(&key) {
            self.later.remove(&due);
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
        let Waiting { key, seniority, .. } = self.line.next()?;
        self.queued.remove(&key);
        self.running.insert(key.clone(), Look { seniority, again: false });
        Some(key)
    }

    /// A look has ended; without an event the next one is due after `wait`, if ever.
    pub(crate) fn done(&mut self, key: ObjectKey, wait: Option<Duration>, now: Instant) {
        let Some(Look { seniority, again }) = self.running.remove(&key) else { return };
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
        (self.queued.len(), self.line.longest_waiting().map(|first| first.since))
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

    fn key(name: &str) -> ObjectKey {
        ObjectKey::of::<Secret>("ns", name)
    }

    /// All whose turn it is, without anybody being done.
    fn turns(queue: &mut Queue, now: Instant) -> Vec<String> {
        std::iter::from_fn(|| queue.next(now)).map(|key| key.name.clone()).collect()
    }

    /// Objects of decreasing seniority, all due.
    fn queue_of(names: &[&str]) -> Queue {
        let mut queue = Queue::default();
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
        let mut queue = Queue::default();
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
