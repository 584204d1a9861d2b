//! Which fields differ between two versions of an object.

use super::{
    element::{Element, equal},
    set::FieldSet,
    typed::{Shape, Typed, fields, items},
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The fields in which one version of an object differs from another.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub removed: FieldSet,
    pub modified: FieldSet,
    pub added: FieldSet,
}

impl Comparison {
    /// The change from `old` to `new`.
    pub fn of(typed: Typed<'_>, old: &Value, new: &Value) -> Self {
        let mut walk = Walk { path: Vec::new(), found: Self::default() };
        walk.values(typed, Some(old), Some(new));
        walk.found
    }

    /// The comparison without the fields in and below a set.
    pub fn outside(&self, ignored: &FieldSet) -> Self {
        Self {
            removed: self.removed.outside(ignored),
            modified: self.modified.outside(ignored),
            added: self.added.outside(ignored),
        }
    }

    /// Every field that was changed or added.
    pub fn written(&self) -> FieldSet {
        self.modified.clone().union(&self.added)
    }
}

struct Walk {
    path: Vec<Element>,
    found: Comparison,
}

/// Whether a value was compared as one.
#[derive(PartialEq)]
enum Seen {
    Leaf,
    Parts,
}

impl Walk {
    fn values(&mut self, typed: Typed<'_>, old: Option<&Value>, new: Option<&Value>) {
        let Some(any) = new.or(old) else { return };
        let shape = typed.shape(any);
        if let Some(former) = old.map(|old| typed.shape(old)).filter(|former| *former != shape) {
            self.shaped(typed, former, old, new);
        }
        if self.shaped(typed, shape, old, new) == Seen::Leaf {
            return;
        }
        if old.is_none() {
            self.found.added.insert(&self.path);
        } else if new.is_none() {
            self.found.removed.insert(&self.path);
        }
    }

    fn shaped(
        &mut self,
        typed: Typed<'_>,
        shape: Shape<'_>,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Seen {
        match shape {
            Shape::Scalar | Shape::AtomicMap | Shape::AtomicList => self.leaf(old, new),
            Shape::Map => match (fields(old), fields(new)) {
                // So that a null differs from an empty object.
                (None, None) => self.leaf(old, new),
                (old, new) => {
                    let names: BTreeSet<&String> =
                        old.into_iter().chain(new).flat_map(serde_json::Map::keys).collect();
                    for name in names {
                        let element = Element::Field(name.clone());
                        let values = (old.and_then(|old| old.get(name)), new.and_then(|new| new.get(name)));
                        self.at(element, |walk| walk.values(typed.child(name), values.0, values.1));
                    }
                    Seen::Parts
                }
            },
            Shape::Set | Shape::Keyed(_) => match (items(old), items(new)) {
                ([], []) => self.leaf(old, new),
                (old, new) => {
                    self.list(typed, shape, old, new);
                    Seen::Parts
                }
            },
        }
    }

    fn list(&mut self, typed: Typed<'_>, shape: Shape<'_>, old: &[Value], new: &[Value]) {
        let mut pairs: BTreeMap<Element, (Vec<&Value>, Vec<&Value>)> = BTreeMap::new();
        for item in old {
            if let Ok(element) = typed.element(shape, item) {
                pairs.entry(element).or_default().0.push(item);
            }
        }
        for item in new {
            if let Ok(element) = typed.element(shape, item) {
                pairs.entry(element).or_default().1.push(item);
            }
        }
        for (element, (old, new)) in pairs {
            self.at(element, |walk| walk.items(typed.item(), &old, &new));
        }
    }

    /// The items with the same key: one on each side, unless the list has duplicates, which count as one
    /// leaf.
    fn items(&mut self, typed: Typed<'_>, old: &[&Value], new: &[&Value]) {
        match (old, new) {
            ([] | [_], [] | [_]) => self.values(typed, old.first().copied(), new.first().copied()),
            ([_, _, ..], [_, _, ..]) => {
                let same = old.len() == new.len() && old.iter().zip(new).all(|(old, new)| equal(old, new));
                if !same {
                    self.found.modified.insert(&self.path);
                }
            }
            ([_, _, ..], [] | [_]) => {
                self.values(typed, None, new.first().copied());
                self.found.removed.insert(&self.path);
            }
            ([] | [_], [_, _, ..]) => {
                self.values(typed, old.first().copied(), None);
                self.found.added.insert(&self.path);
            }
        }
    }

    fn leaf(&mut self, old: Option<&Value>, new: Option<&Value>) -> Seen {
        match (old, new) {
            (None, _) => self.found.added.insert(&self.path),
            (_, None) => self.found.removed.insert(&self.path),
            (Some(old), Some(new)) if !equal(old, new) => self.found.modified.insert(&self.path),
            _ => {}
        }
        Seen::Leaf
    }

    fn at(&mut self, element: Element, inside: impl FnOnce(&mut Self)) {
        self.path.push(element);
        inside(self);
        self.path.pop();
    }
}
