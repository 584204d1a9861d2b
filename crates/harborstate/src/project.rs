//! Projects. The name of an object is that of the project.

use crate::{cve_allowlist::CveAllowlist, state::State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A quota without limit.
pub const UNLIMITED: i64 = -1;

/// A project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Project {
    /// Its settings, in canonical form, see [`canonical`]. Those that are absent are left to others.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// Its own allow list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cve_allowlist: Option<CveAllowlist>,
    /// How many bytes it may store, or [`UNLIMITED`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_quota: Option<i64>,
    /// The name of the registry endpoint that it is a proxy cache of, or the empty text. This cannot be
    /// changed later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registry: Option<String>,
}

/// What Harbor adds to a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its number, a hint.
    pub id: i64,
    /// The number of its quota, a hint. A project that was created while quotas were off has none.
    pub quota_id: Option<i64>,
    /// How many repositories it has. A project that has any cannot be deleted.
    pub repository_count: i64,
    /// The user that created it.
    pub owner: String,
}

impl State for Project {
    type Facts = Facts;
    const COLLECTION: &'static str = "project";
}

/// The settings that are flags. A flag that is not set is `false`.
pub const FLAGS: &[&str] = &[
    "public",
    "enable_content_trust",
    "enable_content_trust_cosign",
    "prevent_vul",
    "auto_scan",
    "auto_sbom_generation",
    "reuse_sys_cve_allowlist",
    "proxy_cache_local_on_not_found",
];

/// The settings that are numbers. A number that is not set is `-1`, for no limit.
pub const NUMBERS: &[&str] = &["proxy_speed_kb", "max_upstream_conn"];

/// The setting for how severe a vulnerability must be to prevent pulls. `none` if it is not set.
pub const SEVERITY: &str = "severity";

/// The setting that only Harbor changes: the retention policy.
pub const RETENTION: &str = "retention_id";

/// The text of a setting in canonical form: Harbor stores `1` and `TRUE` for flags, and returns other words
/// for severities.
pub fn canonical(key: &str, text: &str) -> String {
    match key {
        flag if FLAGS.contains(&flag) => (text == "1" || text.eq_ignore_ascii_case("true")).to_string(),
        SEVERITY => match text.to_ascii_lowercase().as_str() {
            "" | "negligible" => "none".to_owned(),
            word => word.to_owned(),
        },
        _ => text.to_owned(),
    }
}

/// All settings in canonical form, from those that Harbor has. What is not set has the value that it stands
/// for.
pub fn metadata<'a>(stored: impl IntoIterator<Item = (&'a str, &'a str)>) -> BTreeMap<String, String> {
    let unset = [SEVERITY].into_iter().map(|key| (key, "none"));
    let unset = unset.chain(FLAGS.iter().map(|key| (*key, "false")));
    let unset = unset.chain(NUMBERS.iter().map(|key| (*key, "-1")));
    let stored = stored.into_iter().filter(|(key, _)| *key != RETENTION);
    unset.chain(stored).map(|(key, text)| (key.to_owned(), canonical(key, text))).collect()
}

#[cfg(test)]
mod tests {
    use super::{canonical, metadata};

    #[test]
    fn texts_with_the_same_meaning_are_equal() {
        assert_eq!(canonical("auto_scan", "1"), "true");
        assert_eq!(canonical("auto_scan", "TRUE"), "true");
        assert_eq!(canonical("auto_scan", ""), "false");
        assert_eq!(canonical("severity", "Negligible"), "none");
        assert_eq!(canonical("severity", "HIGH"), "high");
        assert_eq!(canonical("proxy_speed_kb", "100"), "100");
    }

    #[test]
    fn what_is_not_set_has_the_value_that_it_stands_for() {
        let all = metadata([("public", "true"), ("retention_id", "7")]);
        let at = |key: &str| all.get(key).map(String::as_str);
        assert_eq!((at("public"), at("auto_scan")), (Some("true"), Some("false")));
        assert_eq!((at("severity"), at("proxy_speed_kb")), (Some("none"), Some("-1")));
        assert_eq!(at("retention_id"), None);
    }
}
