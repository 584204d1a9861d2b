//! Since when owners exist.

use jiff::Timestamp;
use plan::ObjectKey;
use std::collections::BTreeMap;

/// Whose turn it is before whose: who exists for longer is the smaller one.
///
/// The API server tells the second in which an object was created. Within one, who was seen first counts: events come in
/// the order of creation, and lists in the same order every time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seniority {
    created: Timestamp,
    seen: u64,
}

impl Seniority {
    /// Of somebody about whom nothing is known.
    pub(super) const LEAST: Self = Self { created: Timestamp::MAX, seen: u64::MAX };

    /// Of the `seen`th of those created at once.
    #[cfg(test)]
    pub(crate) fn nth(seen: u64) -> Self {
        Self { created: Timestamp::UNIX_EPOCH, seen }
    }
}

/// The seniority of every object we look after.
#[derive(Debug, Default)]
pub(super) struct CreationOrder {
    known: BTreeMap<ObjectKey, Seniority>,
    count: u64,
}

impl CreationOrder {
    pub(super) fn saw(&mut self, key: &ObjectKey, created: Option<Timestamp>) {
        let created = created.unwrap_or(Timestamp::MAX);
        if self.known.get(key).is_some_and(|known| known.created == created) {
            return;
        }
        self.count += 1;
        self.known.insert(key.clone(), Seniority { created, seen: self.count });
    }

    pub(super) fn forget(&mut self, key: &ObjectKey) {
        self.known.remove(key);
    }

    pub(super) fn of(&self, key: &ObjectKey) -> Option<Seniority> {
        self.known.get(key).copied()
    }

    /// The same key, shared with everybody else who has it from here.
    pub(super) fn shared(&self, key: ObjectKey) -> ObjectKey {
        self.known.get_key_value(&key).map_or(key, |(known, _)| known.clone())
    }
}
