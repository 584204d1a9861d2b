//! Whose turn it is.
//!
//! kube's own scheduler keeps what is due in a hash set: fifty objects created at once would all become ready at the
//! end, in any order, because the second look at the first one waits among the first looks at all others.

use plan::ObjectKey;
use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    time::Duration,
};
use tokio::time::Instant;

/// Why an object is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Something it waits for has changed: mostly a short look, that ends a long wait.
    Surroundings,
    /// It is new or was changed itself, or it is tried again.
    Itself,
}

/// Objects that are due, each once and never while somebody looks at it.
///
/// First come, first served; but the two causes take turns, so that neither can keep the other from being served.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    by_surroundings: VecDeque<ObjectKey>,
    by_itself: VecDeque<ObjectKey>,
    last: Option<Cause>,
    /// Those in one of the two.
    queued: HashSet<ObjectKey>,
    /// Those that are looked at, and why they must be looked at again.
    running: HashMap<ObjectKey, Option<Cause>>,
    /// Those due at some time, in the order they were put here where that is the same.
    later: BTreeMap<(Instant, u64), ObjectKey>,
    due: HashMap<ObjectKey, (Instant, u64)>,
    count: u64,
}

impl Queue {
    /// An object is due now.
    pub(crate) fn wake(&mut self, key: ObjectKey, cause: Cause) {
        if let Some(again) = self.running.get_mut(&key) {
            again.get_or_insert(cause);
            return;
        }
        if let Some(due) = self.due.remove(&key) {
            self.later.remove(&due);
        }
        if self.queued.insert(key.clone()) {
            self.lane(cause).push_back(key);
        }
    }

    /// The next one whose turn it is; it must be [`Queue::done`] some time.
    pub(crate) fn next(&mut self, now: Instant) -> Option<ObjectKey> {
        while let Some(entry) = self.later.first_entry().filter(|entry| entry.key().0 <= now) {
            let key = entry.remove();
            self.wake(key, Cause::Itself);
        }
        let first = match self.last {
            Some(Cause::Surroundings) => Cause::Itself,
            Some(Cause::Itself) | None => Cause::Surroundings,
        };
        let second = if first == Cause::Itself { Cause::Surroundings } else { Cause::Itself };
        let (cause, key) =
            [first, second].into_iter().find_map(|cause| Some((cause, self.lane(cause).pop_front()?)))?;
        self.last = Some(cause);
        self.queued.remove(&key);
        self.running.insert(key.clone(), None);
        Some(key)
    }

    /// A look has ended; without an event the next one is due after `wait`, if ever.
    pub(crate) fn done(&mut self, key: ObjectKey, wait: Option<Duration>, now: Instant) {
        if let Some(cause) = self.running.remove(&key).flatten() {
            self.wake(key, cause);
        } else if let Some(at) = wait.and_then(|wait| now.checked_add(wait)) {
            self.count += 1;
            self.due.insert(key.clone(), (at, self.count));
            self.later.insert((at, self.count), key);
        }
    }

    /// When the next one is due that is not due yet.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.later.keys().next().map(|(at, _)| *at)
    }

    fn lane(&mut self, cause: Cause) -> &mut VecDeque<ObjectKey> {
        match cause {
            Cause::Surroundings => &mut self.by_surroundings,
            Cause::Itself => &mut self.by_itself,
        }
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
        std::iter::from_fn(|| queue.next(now)).map(|key| key.name).collect()
    }

    fn queue_of(names: &[&str]) -> Queue {
        let mut queue = Queue::default();
        for name in names {
            queue.wake(key(name), Cause::Itself);
        }
        queue
    }

    #[test]
    fn who_comes_first_is_served_first_and_nobody_twice() {
        let mut queue = queue_of(&["b", "a", "c", "a", "b"]);
        assert_eq!(turns(&mut queue, Instant::now()), ["b", "a", "c"]);
    }

    #[test]
    fn one_whose_child_became_ready_does_not_wait_for_all_that_are_new() {
        let now = Instant::now();
        let mut queue = queue_of(&["a", "b", "c", "d"]);
        let first = queue.next(now).unwrap();
        queue.done(first, None, now);
        queue.wake(key("a"), Cause::Surroundings);
        assert_eq!(turns(&mut queue, now), ["a", "b", "c", "d"]);
    }

    #[test]
    fn those_that_are_woken_all_the_time_get_every_second_turn() {
        let now = Instant::now();
        let mut queue = queue_of(&["new", "newer"]);
        let mut served = Vec::new();
        for _ in 0..4 {
            for name in ["x", "y", "z"] {
                queue.wake(key(name), Cause::Surroundings);
            }
            let next = queue.next(now).unwrap();
            served.push(next.name.clone());
            queue.done(next, None, now);
        }
        assert_eq!(served, ["x", "new", "y", "newer"]);
    }

    #[test]
    fn one_that_is_woken_while_looked_at_is_looked_at_again_afterwards() {
        let now = Instant::now();
        let mut queue = queue_of(&["a"]);
        let a = queue.next(now).unwrap();
        queue.wake(key("a"), Cause::Surroundings);
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
        queue.wake(key("b"), Cause::Surroundings);
        assert_eq!(turns(&mut queue, now), ["b"]);
        assert_eq!(turns(&mut queue, now + minute), ["a"]);
        assert_eq!(queue.next_due(), None);
    }
}
