//! When to retry a failed reconcile.

use crate::Entropy;
use plan::Class;
use std::time::Duration;

/// After how long an object that waits for an event of a watch is reconciled anyway.
const SAFETY: Duration = Duration::from_mins(10);
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(5);

/// When to retry after a failure of `class`, the `attempt`th in a row (from 0); `None` to wait for a change.
///
/// Uses full jitter, so that the retries of many objects spread over the whole interval.
pub(crate) fn retry(class: Class, attempt: u32, entropy: &dyn Entropy) -> Option<Duration> {
    match class {
        Class::Invalid => None,
        Class::Dependency => Some(SAFETY),
        Class::Conflict if attempt == 0 => Some(Duration::ZERO),
        Class::Conflict | Class::Forbidden | Class::Transient | Class::Internal => {
            let most = FIRST.saturating_mul(2_u32.saturating_pow(attempt.min(16))).min(LONGEST);
            // Never zero, or a failing object would be reconciled without pause.
            Some(entropy.jitter(most).max(FIRST / 10))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Most;

    impl Entropy for Most {
        fn alphanumeric(&self, _: usize) -> String {
            String::new()
        }

        fn bytes(&self) -> [u8; 16] {
            [0; 16]
        }

        fn rsa_key(&self) -> Result<String, pki::IssueError> {
            Ok(String::new())
        }

        fn jitter(&self, most: Duration) -> Duration {
            most
        }
    }

    #[test]
    fn the_wait_after_failures_doubles_up_to_five_minutes() {
        for class in [Class::Transient, Class::Forbidden] {
            let waits: Vec<_> =
                (0..12).filter_map(|attempt| retry(class, attempt, &Most)).map(|d| d.as_secs()).collect();
            assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300], "{class:?}");
        }
    }

    #[test]
    fn an_invalid_object_is_not_retried() {
        assert_eq!(retry(Class::Invalid, 3, &Most), None);
    }

    #[test]
    fn the_first_conflict_is_retried_at_once_and_a_second_is_not() {
        assert_eq!(retry(Class::Conflict, 0, &Most), Some(Duration::ZERO));
        assert_eq!(retry(Class::Conflict, 1, &Most), Some(Duration::from_secs(2)));
    }
}
