//! Allow lists: vulnerabilities that do not keep an image from being pulled. The system has one, and each
//! project.

use crate::state::{NoFacts, State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The name of the list of the system.
pub const NAME: &str = "system";

/// An allow list. It is managed as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CveAllowlist {
    /// The identifiers, such as `CVE-2021-44228`.
    pub cves: BTreeSet<String>,
    /// When the list ends, in seconds since 1970; `None` is never.
    pub expires_at: Option<i64>,
}

impl CveAllowlist {
    /// A list that does not expire. Harbor does not accept empty identifiers and doubles.
    pub fn new<T: AsRef<str>>(cves: impl IntoIterator<Item = T>) -> Self {
        let cves = cves.into_iter().map(|cve| cve.as_ref().trim().to_owned());
        Self { cves: cves.filter(|cve| !cve.is_empty()).collect(), expires_at: None }
    }
}

impl State for CveAllowlist {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "cve-allowlist";
}

#[cfg(test)]
mod tests {
    use super::CveAllowlist;
    use serde_json::json;

    #[test]
    fn a_list_is_a_set_without_blanks() {
        let list = CveAllowlist::new([" CVE-2 ", "CVE-1", "", "CVE-2"]);
        let expected = json!({"cves": ["CVE-1", "CVE-2"], "expires_at": null});
        assert_eq!(serde_json::to_value(list).unwrap(), expected);
    }
}
