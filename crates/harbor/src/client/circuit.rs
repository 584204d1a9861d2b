//! Keeps rejected credentials from being sent again and again.
//!
//! Each attempt with a wrong password locks the account for 1.5 s, and may lock it for good in LDAP.

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
}

/// The leave to send credentials.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leave {
    generation: u64,
    rejections: u32,
}

impl Circuit {
    /// The leave to send these credentials now, or `None` while they count as rejected.
    ///
    /// When a rejection does not count any more, one request gets leave; the others wait for what comes of it.
    pub(super) fn leave(&self, generation: u64) -> Option<Leave> {
        let mut state = self.state(generation);
        let now = Instant::now();
        match state.until {
            Some(until) if now < until => None,
            Some(_) => {
                state.until = Some(now + TRIAL);
                Some(Leave { generation, rejections: state.rejections })
            }
            None => Some(Leave { generation, rejections: state.rejections }),
        }
    }

    /// Whether another request has been rejected since this leave was given.
    pub(super) fn is_outdated(&self, leave: Leave) -> bool {
        self.state(leave.generation).rejections != leave.rejections
    }

    /// Harbor rejected the credentials.
    pub(super) fn reject(&self, leave: Leave) {
        let mut state = self.state(leave.generation);
        if state.generation == leave.generation {
            state.rejections += 1;
            let lasts = if state.rejections == 1 { FIRST } else { FURTHER };
            state.until = Some(Instant::now() + lasts);
        }
    }

    /// Harbor accepted the credentials.
    pub(super) fn accept(&self, leave: Leave) {
        let mut state = self.state(leave.generation);
        if state.generation == leave.generation && state.rejections == leave.rejections {
            *state = State { generation: leave.generation, ..State::default() };
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
