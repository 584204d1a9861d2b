//! Rows, and the numbers they get.

use std::{cmp::Ordering, collections::BTreeMap, fmt, marker::PhantomData};

/// The number of a row of a certain table.
pub(crate) struct Id<T>(i64, PhantomData<fn() -> T>);

impl<T> Id<T> {
    pub const fn new(number: i64) -> Self {
        Self(number, PhantomData)
    }

    pub const fn number(self) -> i64 {
        self.0
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Id<T> {}

impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Id<T> {}

impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T> fmt::Display for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Rows by number. Numbers are never used again, and an insertion that fails uses one up, as in PostgreSQL.
pub(crate) struct Table<T> {
    rows: BTreeMap<Id<T>, T>,
    last: i64,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), last: 0 }
    }
}

impl<T: Clone> Clone for Table<T> {
    fn clone(&self) -> Self {
        Self { rows: self.rows.clone(), last: self.last }
    }
}

impl<T> Table<T> {
    /// Uses up a number.
    pub fn burn(&mut self) -> Id<T> {
        self.last += 1;
        Id::new(self.last)
    }

    pub fn insert(&mut self, row: T) -> Id<T> {
        let id = self.burn();
        self.rows.insert(id, row);
        id
    }

    pub fn get(&self, id: Id<T>) -> Option<&T> {
        self.rows.get(&id)
    }

    pub fn get_mut(&mut self, id: Id<T>) -> Option<&mut T> {
        self.rows.get_mut(&id)
    }

    pub fn remove(&mut self, id: Id<T>) -> Option<T> {
        self.rows.remove(&id)
    }

    pub fn retain(&mut self, mut keep: impl FnMut(Id<T>, &T) -> bool) {
        self.rows.retain(|id, row| keep(*id, row));
    }

    /// The rows in the order of their numbers.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Id<T>, &T)> {
        self.rows.iter().map(|(id, row)| (*id, row))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Id<T>, &mut T)> {
        self.rows.iter_mut().map(|(id, row)| (*id, row))
    }

    pub fn find(&self, mut wanted: impl FnMut(&T) -> bool) -> Option<(Id<T>, &T)> {
        self.iter().find(|(_, row)| wanted(row))
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Gives every row with a number from `first` on a number that is larger by `by`.
    pub fn renumber(&mut self, first: i64, by: i64) {
        let rows = std::mem::take(&mut self.rows);
        let renumbered = |(id, row): (Id<T>, T)| (shifted(id, first, by), row);
        self.rows = rows.into_iter().map(renumbered).collect();
        self.last += by;
    }
}

/// The new number of a row.
pub(crate) fn shifted<T>(id: Id<T>, first: i64, by: i64) -> Id<T> {
    if id.number() < first { id } else { Id::new(id.number() + by) }
}
