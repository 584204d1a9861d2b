//! Which old value corresponds to a new value, so that an update may keep values that were invalid before.

use super::node::{List, Node};
use serde_json::Value;

/// A value and its old value, if there is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Correlation<'a> {
    at: Option<Pair<'a>>,
    /// The closest parent that has an old value.
    around: Option<Pair<'a>>,
}

#[derive(Debug, Clone, Copy)]
struct Pair<'a> {
    node: &'a Node,
    new: &'a Value,
    old: &'a Value,
}

impl<'a> Correlation<'a> {
    /// There is no old object.
    pub fn none() -> Self {
        Self { at: None, around: None }
    }

    pub fn root(node: &'a Node, new: &'a Value, old: &'a Value) -> Self {
        Self { at: Some(Pair { node, new, old }), around: None }
    }

    /// The correlation of a field.
    pub fn key(self, name: &str) -> Self {
        let Some(pair) = self.at else { return self };
        if self.around.is_none() && matches!(name, "apiVersion" | "kind") {
            return Self::none();
        }
        let child = || {
            Some(Pair { node: pair.node.field(name)?, new: pair.new.get(name)?, old: pair.old.get(name)? })
        };
        Self { at: child(), around: self.at }
    }

    /// The correlation of an item; only items of a list of type map have one.
    pub fn index(self, index: usize) -> Self {
        let Some(pair) = self.at else { return self };
        let child = || {
            let new = pair.new.get(index)?;
            let old = same_item(pair.node, pair.old, new)?;
            Some(Pair { node: pair.node.items.as_deref()?, new, old })
        };
        Self { at: child(), around: self.at }
    }

    /// Whether this value itself has not changed.
    pub fn is_unchanged(self) -> bool {
        self.at.is_some_and(|pair| pair.new == pair.old)
    }

    /// Whether this value or one of its parents has not changed.
    pub fn is_settled(self) -> bool {
        self.at.or(self.around).is_some_and(|pair| pair.new == pair.old)
    }
}

/// The item of an old list that corresponds to a new item.
pub(super) fn same_item<'a>(list: &Node, old: &'a Value, new: &Value) -> Option<&'a Value> {
    let List::Map(keys) = &list.list else { return None };
    let item = list.items.as_deref()?;
    let key = |value: &'_ Value, name: &str| {
        let default = || item.properties.get(name).and_then(|field| field.default.clone());
        value.get(name).cloned().or_else(default)
    };
    if keys.is_empty() || !new.is_object() {
        return None;
    }
    let mut same =
        old.as_array()?.iter().filter(|old| keys.iter().all(|name| key(old, name) == key(new, name)));
    same.next()
}
