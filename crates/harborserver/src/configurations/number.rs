//! Limits of quotas.

use crate::version::{Change, Version};

/// 1024 TiB.
const LARGEST_QUOTA: i64 = 1_125_899_906_842_624;

/// What is wrong with a limit of storage, if anything; the older words differ between endpoints.
pub(crate) fn quota_problem(limit: i64, version: Version, older_words: &str) -> Option<String> {
    let limits = version.has(Change::LimitsNumbers);
    if limit == 0 || limit < -1 {
        return Some(if limits {
            format!("invalid non-positive value for quota limit, value={limit}")
        } else {
            older_words.to_owned()
        });
    }
    (limits && limit > LARGEST_QUOTA)
        .then(|| format!("exceeded 1024TB, which is {LARGEST_QUOTA} Bytes, value={limit}"))
}
