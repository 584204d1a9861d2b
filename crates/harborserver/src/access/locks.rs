//! A wrong password locks its user out for a moment.

use jiff::{SignedDuration, Timestamp};
use std::{collections::BTreeMap, time::Duration};

/// How long a user is locked out, and how long the answer to a wrong password takes.
pub(crate) const LOCKED: Duration = Duration::from_millis(1500);

/// Who is locked out until when. It is a matter of one process: other replicas of Core do not know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Locks(BTreeMap<String, Timestamp>);

impl Locks {
    pub fn lock(&mut self, name: &str, now: Timestamp) {
        self.0.retain(|_, until| *until > now);
        let until = SignedDuration::try_from(LOCKED).ok().and_then(|locked| now.checked_add(locked).ok());
        self.0.insert(name.to_owned(), until.unwrap_or(now));
    }

    pub fn is_locked(&self, name: &str, now: Timestamp) -> bool {
        self.0.get(name).is_some_and(|until| *until > now)
    }
}
