//! CVE allow lists: vulnerabilities that do not keep an image from being pulled.

use crate::{Harbor, client::Path, error::Error};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

impl Harbor {
    /// The allow list of the system. Only a user may change it, not a robot.
    pub fn system_allowlist(&self) -> SystemAllowlist<'_> {
        SystemAllowlist { harbor: self }
    }
}

/// Calls about the allow list of the system.
#[derive(Clone, Copy, Debug)]
pub struct SystemAllowlist<'h> {
    harbor: &'h Harbor,
}

const LIST: &str = "/system/CVEAllowlist";

impl SystemAllowlist<'_> {
    /// The list.
    pub async fn get(&self) -> Result<CveAllowlist, Error> {
        self.harbor.get(Path::new(LIST)).json().await
    }

    /// Replaces the list.
    pub async fn replace(&self, list: &CveAllowlist) -> Result<(), Error> {
        self.harbor.put(Path::new(LIST)).body(list).done().await
    }
}

/// An allow list. Two lists are equal if they allow the same; order, numbers and times do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Wire", into = "Wire")]
pub struct CveAllowlist {
    /// The identifiers, such as `CVE-2021-44228`.
    pub cves: BTreeSet<String>,
    /// When it ends, in seconds since 1970; `None` is never.
    pub expires_at: Option<i64>,
}

impl CveAllowlist {
    /// A list that does not expire. Blanks around identifiers, empty ones and doubles, which Harbor answers with 500,
    /// are dropped.
    pub fn new<T: AsRef<str>>(cves: impl IntoIterator<Item = T>) -> Self {
        let cves = cves.into_iter().map(|cve| cve.as_ref().trim().to_owned());
        Self { cves: cves.filter(|cve| !cve.is_empty()).collect(), expires_at: None }
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Wire {
    items: Vec<Item>,
    expires_at: Option<i64>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Item {
    cve_id: String,
}

impl From<Wire> for CveAllowlist {
    fn from(wire: Wire) -> Self {
        let list = Self::new(wire.items.into_iter().map(|item| item.cve_id));
        Self { expires_at: wire.expires_at, ..list }
    }
}

impl From<CveAllowlist> for Wire {
    fn from(list: CveAllowlist) -> Self {
        let items = list.cves.into_iter().map(|cve_id| Item { cve_id }).collect();
        Self { items, expires_at: list.expires_at }
    }
}

#[cfg(test)]
mod tests {
    use super::CveAllowlist;
    use serde_json::json;

    #[test]
    fn lists_with_other_order_numbers_and_times_are_equal() {
        let returned = json!({
            "id": 8, "project_id": 9, "items": [{"cve_id": "CVE-2"}, {"cve_id": "CVE-1"}],
            "creation_time": "0001-01-01T00:00:00.000Z",
        });
        let returned: CveAllowlist = serde_json::from_value(returned).unwrap();
        assert_eq!(returned, CveAllowlist::new(["CVE-1", "CVE-2"]));
    }

    #[test]
    fn doubles_and_blanks_are_not_sent() {
        let sent = serde_json::to_value(CveAllowlist::new([" CVE-1 ", "CVE-1", " "])).unwrap();
        assert_eq!(sent, json!({"items": [{"cve_id": "CVE-1"}], "expires_at": null}));
    }
}
