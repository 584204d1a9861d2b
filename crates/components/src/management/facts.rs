//! What Harbor adds to an object, for the status of its owner.

use super::found;
use harborstate::State;
use plan::Conclusion;
use serde_json::{Map, Value};

/// What Harbor adds to the object of this name, in whichever Harbor it is: an owner has objects in one.
pub(crate) fn facts<S: State>(name: &str, conclusion: &Conclusion<'_>) -> Option<S::Facts> {
    found::<S>(conclusion).find(|(it, _)| *it == name).map(|(_, found)| found.facts)
}

/// A field of the status. While the Harbor does not answer, what was known of it stays.
pub(crate) fn field(name: &str, value: Option<Value>, conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let known = value.or_else(|| conclusion.previous.get(name).cloned());
    known.map(|value| (name.to_owned(), value)).into_iter().collect()
}
