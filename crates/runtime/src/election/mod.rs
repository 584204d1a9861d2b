//! Which of several operators works: the one that holds the lease.
//!
//! Every request that changes something goes through a [`Leadership`], which lets it pass only while we lead. We lead
//! until the renew deadline after the start of the last renewal that succeeded. Another operator takes over no earlier
//! than the whole duration of the lease after it saw that renewal, which is later than the renewal was sent. The time
//! between the two (five seconds by default) is for requests that are under way when the deadline passes: they are cut
//! off here, but one that has left this machine may still reach the API server.
//!
//! Only how fast clocks go matters, not what they show: each operator measures with its own monotonic clock. The times
//! in the lease are for people.
//!
//! Uses: nothing.

mod elector;
mod leadership;
mod record;
#[cfg(test)]
mod tests;

pub(crate) use elector::Elector;
pub use elector::Lost;
pub use leadership::Leadership;

use std::time::Duration;

/// The lease for which operators compete, in the terms of client-go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Election {
    /// Where the lease is.
    pub namespace: String,
    /// What it is called. Operators that look after different objects need leases of different names.
    pub name: String,
    /// Who we are. Nobody else is called that, nor were we in an earlier life.
    pub identity: String,
    /// When it is renewed and when it is given up.
    pub timing: Timing,
}

/// When a lease is renewed and when it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    duration: u16,
    deadline: u16,
    period: u16,
}

impl Timing {
    /// What client-go and controller-runtime use: 15, 10 and 2 seconds.
    pub const DEFAULT: Self = Self { duration: 15, deadline: 10, period: 2 };

    /// For how many seconds others leave a lease alone that is not renewed; how many seconds its holder tries to renew
    /// it before it stops; and how many seconds pass between two attempts.
    pub fn of_seconds(duration: u16, deadline: u16, period: u16) -> Result<Self, TimingError> {
        if deadline >= duration {
            return Err(TimingError::DeadlineTooLong { duration, deadline });
        }
        // One attempt that fails must not be the end, nor that it came a little late.
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

    /// How long one request may take, so that another attempt can follow one that hangs.
    fn backoff(self) -> Duration {
        self.deadline() / 2
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Why nobody could lead safely at these times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimingError {
    /// Two could lead at once.
    #[error(
        "the lease is taken by others after {duration} s, but its holder stops only after {deadline} s; \
         make the renew deadline shorter than the lease duration"
    )]
    DeadlineTooLong {
        /// The lease duration.
        duration: u16,
        /// The renew deadline.
        deadline: u16,
    },
    /// Nobody could lead for long.
    #[error(
        "the lease must be renewed within {deadline} s, but that is tried every {period} s; \
         make the retry period at least 1 s and at most half of the renew deadline"
    )]
    PeriodTooLong {
        /// The renew deadline.
        deadline: u16,
        /// The retry period.
        period: u16,
    },
}
