//! Immutable tag rules of a project, as one list. The name of an object is that of the project.

use crate::{
    selectors::Selection,
    state::{NoFacts, State},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// All immutable tag rules of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImmutableRules {
    /// The rules.
    pub rules: BTreeSet<Rule>,
}

/// A rule. It has no name; its content identifies it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Rule {
    /// The artifacts whose tags cannot be moved or deleted.
    #[serde(flatten)]
    pub selection: Selection,
    /// Whether it is off.
    pub disabled: bool,
}

impl State for ImmutableRules {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "immutable-rules";
}
