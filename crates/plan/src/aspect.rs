//! Parts of an owner's state that have a condition of their own.

use crate::{Outcome, Verdict};
use std::collections::BTreeMap;

/// A part of an owner's state: the type of a condition, such as `DatabaseReady`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Aspect(&'static str);

impl Aspect {
    /// The aspect that a condition of this type tells about.
    pub const fn new(condition: &'static str) -> Self {
        Self(condition)
    }

    /// The type of its condition.
    pub const fn condition(self) -> &'static str {
        self.0
    }
}

/// How aspects are that have children; those that have none are not in it.
pub type Aspects = BTreeMap<Aspect, Verdict>;

/// What the outcomes of children come to, aspect by aspect.
pub fn aspects<'a>(children: impl IntoIterator<Item = (Option<Aspect>, &'a Outcome)>) -> Aspects {
    let mut outcomes = BTreeMap::<Aspect, Vec<Outcome>>::new();
    for (aspect, outcome) in children {
        if let Some(aspect) = aspect {
            outcomes.entry(aspect).or_default().push(outcome.clone());
        }
    }
    outcomes.into_iter().map(|(aspect, outcomes)| (aspect, Verdict::of(&outcomes))).collect()
}
