//! The objects that owners read, with their readers and versions.

use super::AffectedOwners;
use plan::{ObjectKey, ObjectVersion};
use std::collections::{BTreeMap, BTreeSet};

/// Objects that at least one owner reads. Other objects are not stored.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    known: BTreeMap<ObjectKey, Input>,
    by_reader: BTreeMap<ObjectKey, BTreeSet<ObjectKey>>,
}

/// Which changes of an object affect a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Interest {
    /// Changes of the spec, the labels and the annotations.
    Spec,
    /// All changes, including those of the status.
    SpecAndStatus,
}

impl Interest {
    /// Whether two versions of an object are the same for such a reader; `None` is an object that does not exist.
    pub(crate) fn same(self, one: Option<&ObjectVersion>, other: Option<&ObjectVersion>) -> bool {
        match (self, one, other) {
            (_, None, None) => true,
            (Self::Spec, Some(one), Some(other)) => one.spec_hash == other.spec_hash,
            (Self::SpecAndStatus, Some(one), Some(other)) => one.version == other.version,
            (_, None, Some(_)) | (_, Some(_), None) => false,
        }
    }
}

#[derive(Debug, Default)]
struct Input {
    readers: BTreeMap<ObjectKey, Interest>,
    /// `None` if it does not exist or was not observed yet.
    state: Option<ObjectVersion>,
}

impl Inputs {
    pub(super) fn subscribe(&mut self, reader: &ObjectKey, keys: &BTreeSet<ObjectKey>, interest: Interest) {
        for key in keys {
            let readers = &mut self.known.entry(key.clone()).or_default().readers;
            let greatest = readers.entry(reader.clone()).or_insert(interest);
            *greatest = interest.max(*greatest);
        }
        self.by_reader.entry(reader.clone()).or_default().extend(keys.iter().cloned());
    }

    pub(super) fn unsubscribe_from_others(&mut self, reader: &ObjectKey, keys: &BTreeSet<ObjectKey>) {
        let before = self.by_reader.remove(reader).unwrap_or_default();
        for key in before.difference(keys) {
            let Some(input) = self.known.get_mut(key) else { continue };
            input.readers.remove(reader);
            if input.readers.is_empty() {
                self.known.remove(key);
            }
        }
        let left: BTreeSet<_> = before.intersection(keys).cloned().collect();
        if !left.is_empty() {
            self.by_reader.insert(reader.clone(), left);
        }
    }

    /// Records the version of an object, unless it is older than the known one. Returns the readers for whom it
    /// differs.
    pub(super) fn observe(&mut self, key: &ObjectKey, state: Option<&ObjectVersion>) -> AffectedOwners {
        let Some(input) = self.known.get_mut(key) else { return AffectedOwners::new() };
        let number = |state: Option<&ObjectVersion>| state.map(|state| state.version.parse::<u64>());
        let older = match (number(state), number(input.state.as_ref())) {
            (Some(Ok(new)), Some(Ok(known))) => new < known,
            _ => false,
        };
        if older {
            return AffectedOwners::new();
        }
        let before = std::mem::replace(&mut input.state, state.cloned());
        let affected = input.readers.iter().filter(|(_, interest)| !interest.same(before.as_ref(), state));
        affected.map(|(reader, _)| reader.clone()).collect()
    }

    pub(super) fn state(&self, key: &ObjectKey) -> Option<&ObjectVersion> {
        self.known.get(key)?.state.as_ref()
    }

    pub(super) fn is_read(&self, key: &ObjectKey) -> bool {
        self.known.contains_key(key)
    }

    pub(super) fn readers(&self, key: &ObjectKey) -> AffectedOwners {
        self.known.get(key).map(|input| input.readers.keys().cloned().collect()).unwrap_or_default()
    }

    /// What is read of a kind, and by which readers.
    pub(super) fn readers_of(&self, kind: &ObjectKey) -> Vec<(ObjectKey, AffectedOwners)> {
        let of_kind = |(key, _): &(&ObjectKey, &Input)| key.group == kind.group && key.kind == kind.kind;
        let inputs = self.known.range(kind..).take_while(of_kind);
        inputs.map(|(key, input)| (key.clone(), input.readers.keys().cloned().collect())).collect()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn present(&self) -> impl Iterator<Item = &ObjectKey> {
        self.known.iter().filter(|(_, input)| input.state.is_some()).map(|(key, _)| key)
    }
}
