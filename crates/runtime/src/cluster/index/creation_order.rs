//! The order in which owners were created.

use jiff::Timestamp;
use plan::ObjectKey;
use std::collections::BTreeMap;

/// The age of an owner, for ordering: older owners are smaller and are reconciled first.
///
/// The API server records the second in which an object was created. Owners of the same second are ordered by when the
/// operator saw them first: events come in the order of creation, and lists always in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seniority {
    created: Timestamp,
    seen: u64,
}

impl Seniority {
    /// The seniority of an unknown owner.
    pub(super) const LEAST: Self = Self { created: Timestamp::MAX, seen: u64::MAX };

    /// The `seen`th of several owners that were created in the same second.
    #[cfg(test)]
    pub(crate) fn nth(seen: u64) -> Self {
        Self { created: Timestamp::UNIX_EPOCH, seen }
    }
}

/// The seniority of every owner.
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

    /// The stored key that equals this one, so that all copies share their content.
    pub(super) fn shared(&self, key: ObjectKey) -> ObjectKey {
        self.known.get_key_value(&key).map_or(key, |(known, _)| known.clone())
    }
}
