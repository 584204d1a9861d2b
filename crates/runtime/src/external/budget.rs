//! How often the parts of collections are listed. A system gets a bounded number of requests in each interval, however many
//! objects it has: lists of whole collections in every interval, and lists of parts in turn, with what is left.

/// How many requests the lists of one system may take in an interval.
const REQUESTS: u64 = 60;

/// How many requests are for parts, whatever the whole collections take.
const LEAST_FOR_PARTS: u64 = 10;

/// How many requests the lists of one system take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Load {
    /// Those of whole collections, each listed once.
    pub(super) whole: u64,
    /// Those of all parts, each listed once.
    pub(super) parts: u64,
}

impl Load {
    /// In how many intervals all parts are listed once.
    pub(super) fn turns(self) -> u32 {
        // Each list comes a little earlier or later than the interval says, so some intervals have more of them than others.
        let left = REQUESTS.saturating_sub(self.whole) * 9 / 10;
        let turns = self.parts.div_ceil(left.max(LEAST_FOR_PARTS));
        u32::try_from(turns).unwrap_or(u32::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Load;

    #[test]
    fn parts_take_what_the_whole_collections_leave() {
        let turns = |whole, parts| Load { whole, parts }.turns();
        assert_eq!(turns(0, 0), 1);
        assert_eq!(turns(6, 48), 1, "all parts of a small system in one interval");
        assert_eq!(turns(6, 49), 2);
        assert_eq!(turns(22, 1000), 30, "22 + 1000 / 30 requests");
        assert_eq!(turns(200, 100), 10, "parts are listed, whatever the whole collections take");
        assert_eq!(turns(0, u64::MAX), u32::MAX);
    }
}
