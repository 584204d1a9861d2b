//! The state of an object in words.

use crate::output::{duration, plain};
use progress::{NodeState, Phase, TreeChange};
use std::time::Duration;

/// One word for a phase. On a terminal, an object that is blocked is pending until another one is ready.
pub fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Blocked => Phase::Pending.word(),
        phase => phase.word(),
    }
}

/// Why an object is in its phase.
pub fn message(state: &NodeState) -> Option<String> {
    let by = state.blocked_by.as_ref();
    by.map(|by| format!("until {} {} is ready", by.kind, by.name)).or_else(|| state.explanation())
}

/// The phase and the reason for it, on one line.
pub fn sentence(state: &NodeState) -> String {
    let why = message(state).map(|why| format!(": {}", plain(&why))).unwrap_or_default();
    format!("{}{why}", word(state.phase))
}

/// A change on one line, for logs and pipes.
pub(super) fn line(change: &TreeChange, at: Duration) -> String {
    let TreeChange { owner, child, state } = change;
    let child = child.as_ref().map(|child| format!(": {} {}", child.kind, child.name)).unwrap_or_default();
    format!("{:>7}  {owner}{child}: {}\n", duration(at), sentence(state))
}
