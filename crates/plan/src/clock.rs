//! Questions about the time. Each answer says when it will be another one, so that the owner is woken then.

use jiff::Timestamp;
use std::{cell::Cell, time::Duration};

/// The time at which an owner is planned or reported, and when an answer about it will be another one.
#[derive(Debug)]
pub struct Clock {
    now: Timestamp,
    until: Cell<Option<Timestamp>>,
}

impl Clock {
    /// A clock that stands still at this time.
    pub fn new(now: Timestamp) -> Self {
        Self { now, until: Cell::default() }
    }

    /// Whether a time is past. If it is not, the owner is woken then.
    pub fn is_past(&self, time: Timestamp) -> bool {
        if time > self.now {
            self.until.set(Some(self.until.get().map_or(time, |until| until.min(time))));
        }
        time <= self.now
    }

    /// How many whole periods have passed since `start`. The owner is woken at the end of the current one.
    pub fn periods_since(&self, start: Timestamp, period: Duration) -> u64 {
        let (Ok(passed), false) = (Duration::try_from(self.now.duration_since(start)), period.is_zero())
        else {
            return 0;
        };
        let passed = u64::try_from(passed.as_nanos() / period.as_nanos()).unwrap_or(u64::MAX);
        after(start, period, passed.saturating_add(1)).map(|next| self.is_past(next));
        passed
    }

    /// When the first answer that was given will be another one.
    pub fn until(&self) -> Option<Timestamp> {
        self.until.get()
    }
}

/// The end of this many periods after `start`; `None` if no timestamp is that late.
pub fn after(start: Timestamp, period: Duration, periods: u64) -> Option<Timestamp> {
    let elapsed = u32::try_from(periods).ok().and_then(|periods| period.checked_mul(periods))?;
    start.checked_add(elapsed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn every_answer_about_the_time_says_when_it_will_be_another_one() {
        let clock = Clock::new(second(100));
        assert!(clock.is_past(second(100)));
        assert_eq!(clock.until(), None, "this answer stays");
        assert!(!clock.is_past(second(200)));
        assert_eq!(clock.until(), Some(second(200)));
        assert_eq!(clock.periods_since(second(10), Duration::from_secs(30)), 3);
        assert_eq!(clock.until(), Some(second(130)));
        assert_eq!(clock.periods_since(second(500), Duration::from_secs(30)), 0, "not begun yet");
        assert_eq!(clock.periods_since(second(10), Duration::ZERO), 0);
    }
}
