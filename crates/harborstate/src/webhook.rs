//! Webhooks of a project. The name of an object is `alpha/ci`, see [`crate::in_project`].

use crate::state::State;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The write-only field for the values of the header `Authorization`: an object with a text per address of a
/// target.
pub const AUTH_HEADERS: &str = "auth_headers";

/// A webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Webhook {
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// At least one event, such as `PUSH_ARTIFACT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_types: Option<BTreeSet<String>>,
    /// At least one target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<BTreeSet<Target>>,
}

/// Where a webhook is sent to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Target {
    /// `http` or `slack`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its address.
    pub address: String,
    /// Whether its certificate is not checked.
    pub skip_cert_verify: bool,
    /// `Default` or `CloudEvents`; empty for Slack, and before 2.8.
    pub payload_format: String,
}

/// What Harbor adds to a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its number, a hint.
    pub id: i64,
}

impl State for Webhook {
    type Facts = Facts;
    const COLLECTION: &'static str = "webhook";
    const WRITE_ONLY: &'static [&'static str] = &[AUTH_HEADERS];
    const COMPARABLE: plan::Comparable = comparable;
}

/// Harbor has a default for the format of messages, from 2.8 on.
fn comparable(desired: &serde_json::Value, actual: &serde_json::Value) -> serde_json::Value {
    let mut actual = plan::comparable(desired, actual);
    let parsed = (Webhook::deserialize(desired), Webhook::deserialize(&actual));
    if let (Ok(Webhook { targets: Some(wanted), .. }), Ok(Webhook { targets: Some(shown), .. })) = parsed {
        let shown: BTreeSet<_> = shown.into_iter().map(|target| target.in_terms_of(&wanted)).collect();
        if let Ok(shown) = serde_json::to_value(shown) {
            actual["targets"] = shown;
        }
    }
    actual
}

impl Target {
    fn in_terms_of(self, wanted: &BTreeSet<Self>) -> Self {
        let unsaid = Self { payload_format: String::new(), ..self.clone() };
        let is_default = self.payload_format.is_empty() || self.payload_format == "Default";
        let said = Self { payload_format: "Default".to_owned(), ..self.clone() };
        match is_default {
            true if wanted.contains(&unsaid) => unsaid,
            true if wanted.contains(&said) => said,
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Target, Webhook};
    use crate::state::State as _;
    use serde_json::json;

    #[test]
    fn the_default_format_is_no_difference() {
        let differences = |wanted: &str, shown: &str| {
            let target = |format: &str| Target {
                kind: "http".into(),
                address: "http://ci".into(),
                payload_format: format.into(),
                ..Target::default()
            };
            let webhook = Webhook { targets: Some([target(wanted)].into()), ..Webhook::default() };
            let external = webhook.external(&crate::system("registry", "acme"), "alpha/ci").unwrap();
            external.differences(&json!({"targets": [target(shown)], "enabled": true}))
        };
        assert_eq!(differences("", "Default"), [""; 0]);
        assert_eq!(differences("Default", ""), [""; 0]);
        assert_eq!(differences("CloudEvents", "Default"), ["targets"]);
        assert_eq!(differences("", "CloudEvents"), ["targets"]);
    }
}
