//! Keeps rejected credentials from being sent again and again.
//!
//! Each attempt with a wrong password locks the account for 1.5 s, and may lock it for good in LDAP.

use super::call::AnswerFor;
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// How long a first rejection counts. What `/health` says about the database is up to 10 s old, so the rejection may be
/// that of a database that has just gone down.
const FIRST: Duration = Duration::from_secs(15);
/// How long a further rejection counts.
const FURTHER: Duration = Duration::from_mins(5);
/// How long one request may find out whether the credentials are accepted again, before the next one tries.
const TRIAL: Duration = Duration::from_secs(95);

/// How long an accepted request proves that the credentials are accepted.
const PROOF: Duration = Duration::from_secs(10);

/// Whether credentials may be sent.
#[derive(Debug, Default)]
pub(super) struct Circuit(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Which credentials the rest is about.
    generation: u64,
    /// How often they have been rejected in a row.
    rejections: u32,
    /// Until when they are not sent.
    until: Option<Instant>,
    /// When they were accepted.
    accepted: Option<Instant>,
}

/// The permission to send credentials once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    generation: u64,
    rejections: u32,
}

impl Circuit {
    /// A pass to send these credentials now, or `None` while they count as rejected.
    ///
    /// When the time of a rejection is over, one request gets a pass, and its answer decides for the others.
    /// A request whose answer decides nothing is not the one.
    pub(super) fn pass(&self, generation: u64, answer_for: AnswerFor) -> Option<Pass> {
        let mut state = self.state(generation);
        let now = Instant::now();
        if let Some(until) = state.until {
            if now < until {
                return None;
            }
            if answer_for != AnswerFor::Anyone {
                state.until = Some(now + TRIAL);
            }
        }
        Some(Pass { generation, rejections: state.rejections })
    }

    /// Whether the credentials have been accepted a moment ago.
    pub(super) fn is_proven(&self, pass: Pass) -> bool {
        self.state(pass.generation).accepted.is_some_and(|accepted| accepted.elapsed() < PROOF)
    }

    /// Whether another request has been rejected since this pass was given.
    pub(super) fn is_outdated(&self, pass: Pass) -> bool {
        self.state(pass.generation).rejections != pass.rejections
    }

    /// Harbor rejected the credentials.
    pub(super) fn reject(&self, pass: Pass) {
        let mut state = self.state(pass.generation);
        if state.generation == pass.generation {
            state.rejections += 1;
            state.accepted = None;
            let lasts = if state.rejections == 1 { FIRST } else { FURTHER };
            state.until = Some(Instant::now() + lasts);
        }
    }

    /// Harbor accepted the credentials.
    pub(super) fn accept(&self, pass: Pass) {
        let mut state = self.state(pass.generation);
        if state.generation == pass.generation && state.rejections == pass.rejections {
            let accepted = Some(Instant::now());
            *state = State { generation: pass.generation, accepted, ..State::default() };
        }
    }

    /// The state for these credentials. What is known about older ones is forgotten, and answers to older ones do not
    /// count.
    fn state(&self, generation: u64) -> MutexGuard<'_, State> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.generation < generation {
            *state = State { generation, ..State::default() };
        }
        state
    }
}
