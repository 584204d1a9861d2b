//! Detects that another controller keeps changing the same fields.

use jiff::{Span, Timestamp};
use plan::ObjectKey;
use std::collections::{BTreeMap, BTreeSet};

/// How often the operator repairs a child within [`WINDOW_SECONDS`] before it stops for a while.
const MOST: u32 = 20;
const WINDOW_SECONDS: i64 = 60;

/// How often the operator recently repaired the children of one owner.
///
/// Without a limit, two controllers that both set a field would overwrite each other as fast as the API server allows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repairs(BTreeMap<ObjectKey, (u32, Timestamp)>);

impl Repairs {
    /// Counts a repair of a child and returns whether it is within the limit.
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
    fn the_number_of_repairs_of_a_child_in_a_minute_is_limited() {
        let child = ObjectKey::of::<Secret>("ns", "a");
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut repairs = Repairs::default();
        let allowed = (0..30).filter(|_| repairs.allow(&child, at(5))).count();
        assert_eq!(allowed, 20);
        assert!(!repairs.allow(&child, at(60)));
        assert!(repairs.allow(&ObjectKey::of::<Secret>("ns", "b"), at(60)), "each child has its own limit");
        assert!(repairs.allow(&child, at(66)));
    }
}
