//! Who reads what, and in which state it is.

use super::Concerned;
use plan::ObjectKey;
use std::collections::{BTreeMap, BTreeSet};

/// Objects somebody reads. Others are not remembered, however many there are.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    known: BTreeMap<ObjectKey, Input>,
    by_reader: BTreeMap<ObjectKey, BTreeSet<ObjectKey>>,
}

#[derive(Debug, Default)]
struct Input {
    readers: BTreeSet<ObjectKey>,
    /// Resource version; `None` when it does not exist or has not been seen.
    version: Option<String>,
}

impl Inputs {
    pub(super) fn subscribe(&mut self, reader: &ObjectKey, keys: &BTreeSet<ObjectKey>) {
        for key in keys {
            self.known.entry(key.clone()).or_default().readers.insert(reader.clone());
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

    /// Notes the state of an object; its readers are concerned if it is another one, and not an older one.
    pub(super) fn saw(&mut self, key: &ObjectKey, version: Option<&str>) -> Concerned {
        let Some(input) = self.known.get_mut(key) else { return Concerned::new() };
        let older = match (version.map(str::parse::<u64>), input.version.as_deref().map(str::parse::<u64>)) {
            (Some(Ok(new)), Some(Ok(known))) => new < known,
            _ => false,
        };
        if older || input.version.as_deref() == version {
            return Concerned::new();
        }
        input.version = version.map(Into::into);
        input.readers.clone()
    }

    pub(super) fn version(&self, key: &ObjectKey) -> Option<String> {
        self.known.get(key)?.version.clone()
    }

    pub(super) fn present(&self) -> impl Iterator<Item = &ObjectKey> {
        self.known.iter().filter(|(_, input)| input.version.is_some()).map(|(key, _)| key)
    }
}
