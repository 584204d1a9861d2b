//! The state of an object in words.

use crate::output::plain;
use progress::{NodeState, Phase};

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
