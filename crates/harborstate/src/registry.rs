//! Registry endpoints: other registries that Harbor copies from and to, or caches.

use crate::state::State;
use serde::{Deserialize, Serialize};

/// The write-only field for the password.
pub const ACCESS_SECRET: &str = "access_secret";

/// A registry endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RegistryEndpoint {
    /// Its type, such as `docker-hub`, which cannot be changed later.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its address in canonical form, see [`url`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether its certificate is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,
    /// The certificate of its authority, from 2.15 on; empty for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_certificate: Option<String>,
    /// How it is logged in to; the default for not at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<Credential>,
}

/// How an endpoint is logged in to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Credential {
    /// The way: `basic`, `oauth` or `secret`; empty for none.
    #[serde(rename = "type")]
    pub kind: String,
    /// The user name; empty for none.
    pub access_key: String,
}

/// What Harbor adds to an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its number, a hint.
    pub id: i64,
    /// `healthy` or `unhealthy`, up to five minutes old.
    pub status: String,
}

impl State for RegistryEndpoint {
    type Facts = Facts;
    const COLLECTION: &'static str = "registry";
    const WRITE_ONLY: &'static [&'static str] = &[ACCESS_SECRET];
}

/// An address as Harbor stores it: with a scheme; without blanks, user, query, fragment and slashes at the
/// end.
pub fn url(text: &str) -> String {
    let text = text.trim();
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let rest = rest.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let (host, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{}://{host}{path}", scheme.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::url;

    #[test]
    fn an_address_is_normalised_as_harbor_does() {
        assert_eq!(url(" HTTPS://me:pw@hub.docker.com/v2//?a=b#c "), "https://hub.docker.com/v2");
        assert_eq!(url("registry:5000"), "http://registry:5000");
        assert_eq!(url("http://registry/"), "http://registry");
    }
}
