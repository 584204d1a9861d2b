//! Noticing that somebody else writes what we write.

use jiff::{Span, Timestamp};
use plan::ObjectKey;
use std::collections::{BTreeMap, BTreeSet};

/// How often a child is put right within [`WINDOW_SECONDS`] before we stop for a while.
const MOST: u32 = 20;
const WINDOW_SECONDS: i64 = 60;

/// How often children of one owner had to be put right lately.
///
/// Two controllers that both insist on a value would otherwise overwrite each other as fast as the API server allows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repairs(BTreeMap<ObjectKey, (u32, Timestamp)>);

impl Repairs {
    /// Whether a child may be put right once more.
    pub(crate) fn allow(&mut self, child: &ObjectKey, now: Timestamp) -> bool {
        let (count, since) = self.0.entry(child.clone()).or_insert((0, now));
        if now > since.saturating_add(Span::new().seconds(WINDOW_SECONDS)).unwrap_or(now) {
            (*count, *since) = (0, now);
        }
        *count = count.saturating_add(1);
        *count <= MOST
    }

    /// Forgets children that are no longer wanted.
    pub(crate) fn forget_all_but(&mut self, wanted: &BTreeSet<&ObjectKey>) {
        self.0.retain(|child, _| wanted.contains(child));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::Secret;

    #[test]
    fn a_child_is_put_right_so_often_in_a_minute_and_then_again_in_the_next() {
        let child = ObjectKey::of::<Secret>("ns", "a");
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut repairs = Repairs::default();
        let allowed = (0..30).filter(|_| repairs.allow(&child, at(5))).count();
        assert_eq!(allowed, 20);
        assert!(!repairs.allow(&child, at(60)));
        assert!(repairs.allow(&ObjectKey::of::<Secret>("ns", "b"), at(60)), "each child by itself");
        assert!(repairs.allow(&child, at(66)));
    }
}
