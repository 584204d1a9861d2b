//! Parts of an owner's state that have a condition of their own.

use crate::{Outcome, Verdict};
use std::collections::BTreeMap;

/// A part of an owner's state: the type of a condition, such as `DatabaseReady`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Aspect(&'static str);

impl Aspect {
    /// The aspect that a condition of this type reports.
    pub const fn new(condition: &'static str) -> Self {
        Self(condition)
    }

    /// The type of its condition.
    pub const fn condition(self) -> &'static str {
        self.0
    }
}

/// The verdict on each aspect that has children. Aspects without children are not in it.
pub type Aspects = BTreeMap<Aspect, Verdict>;

/// Folds the outcomes of children into one verdict for each aspect.
pub fn aspects<'a>(children: impl IntoIterator<Item = (Option<Aspect>, &'a Outcome)>) -> Aspects {
    let mut outcomes = BTreeMap::<Aspect, Vec<Outcome>>::new();
    for (aspect, outcome) in children {
        if let Some(aspect) = aspect {
            outcomes.entry(aspect).or_default().push(outcome.clone());
        }
    }
    outcomes.into_iter().map(|(aspect, outcomes)| (aspect, Verdict::of(&outcomes))).collect()
}
