//! Leader election: of several operators, only the holder of the lease makes changes.
//!
//! Every write goes through `Leadership::guard`, which sends it only while this operator is the leader. It is the
//! leader until the renew deadline after the start of the last successful renewal. Another operator takes the lease
//! no earlier than the lease duration after it saw that renewal, which is after the renewal was sent. The time
//! between the two (five seconds by default) is for requests that are in flight when the deadline passes: the
//! operator abandons them, but the API server may still receive them.
//!
//! The clocks of the operators may show different times, because each operator measures durations with its own
//! monotonic clock. The times in the lease are for users.

mod elector;
mod leadership;
mod record;
#[cfg(test)]
mod tests;

pub use elector::{Elector, Jitter, Lost};
pub use leadership::Leadership;

use std::time::Duration;

/// The lease that operators compete for, with the terms of client-go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Election {
    /// The namespace of the lease.
    pub namespace: String,
    /// The name of the lease. Operators that reconcile different objects need leases with different names.
    pub name: String,
    /// The identity of this process. It must be unique, also among earlier processes of the same pod.
    pub identity: String,
    /// When it is renewed and when it expires.
    pub timing: Timing,
}

/// When a lease is renewed and when it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    duration: u16,
    deadline: u16,
    period: u16,
}

impl Timing {
    /// The values of client-go and controller-runtime: 15, 10 and 2 seconds.
    pub const DEFAULT: Self = Self { duration: 15, deadline: 10, period: 2 };

    /// Lease duration, renew deadline and retry period in seconds: after how long other operators may take a lease
    /// that is not renewed, after how long its holder stops trying to renew it, and how long it waits between two
    /// attempts.
    pub fn of_seconds(duration: u16, deadline: u16, period: u16) -> Result<Self, TimingError> {
        if deadline >= duration {
            return Err(TimingError::DeadlineTooLong { duration, deadline });
        }
        // The operator must not lose the lease because of one failed or late attempt.
        if period == 0 || u32::from(period) * 2 > u32::from(deadline) {
            return Err(TimingError::PeriodTooLong { deadline, period });
        }
        Ok(Self { duration, deadline, period })
    }

    fn duration(self) -> Duration {
        Duration::from_secs(self.duration.into())
    }

    fn deadline(self) -> Duration {
        Duration::from_secs(self.deadline.into())
    }

    fn period(self) -> Duration {
        Duration::from_secs(self.period.into())
    }

    /// How long one request may take, so that there is time for another attempt after it.
    fn request_timeout(self) -> Duration {
        self.deadline() / 2
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Why a timing is not safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimingError {
    /// Two operators could be the leader at the same time.
    #[error(
        "other operators take the lease after {duration} s, but its holder stops only after {deadline} s; \
         make the renew deadline shorter than the lease duration"
    )]
    DeadlineTooLong {
        /// The lease duration.
        duration: u16,
        /// The renew deadline.
        deadline: u16,
    },
    /// A leader would lose the lease soon.
    #[error(
        "the lease must be renewed within {deadline} s, but the operator tries that every {period} s; \
         make the retry period at least 1 s and at most half of the renew deadline"
    )]
    PeriodTooLong {
        /// The renew deadline.
        deadline: u16,
        /// The retry period.
        period: u16,
    },
}
