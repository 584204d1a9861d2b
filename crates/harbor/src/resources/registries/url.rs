//! Addresses of registries and scanners in the form in which Harbor stores them.

use serde::{Serialize, Serializer};
use std::{fmt, str::FromStr};

/// The address of a registry or a scanner, as Harbor stores it: with a scheme; without blanks, user, query, fragment and
/// slashes at the end.
///
/// Harbor normalises addresses, too, but keeps a slash before a query that it drops, and loses that slash with the next
/// update. An address that is normalised before it is sent stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegistryUrl(String);

/// A text is not the address of a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotARegistryUrl {
    /// It is empty.
    #[error("the address is empty")]
    Empty,
    /// It has another scheme than `http` and `https`.
    #[error("the address must begin with http:// or https://")]
    Scheme,
    /// It has a character that an address cannot have.
    #[error("the address has a blank or a control character")]
    Character,
}

impl RegistryUrl {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the address that Harbor shows is this one.
    pub fn is(&self, shown: &str) -> bool {
        shown.parse::<Self>().is_ok_and(|shown| shown == *self)
    }
}

impl FromStr for RegistryUrl {
    type Err = NotARegistryUrl;

    fn from_str(text: &str) -> Result<Self, NotARegistryUrl> {
        let text = text.trim();
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(NotARegistryUrl::Character);
        }
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err(NotARegistryUrl::Scheme);
        }
        let rest = rest.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let (host, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        if host.is_empty() {
            return Err(NotARegistryUrl::Empty);
        }
        Ok(Self(format!("{scheme}://{host}{path}")))
    }
}

impl fmt::Display for RegistryUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for RegistryUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{NotARegistryUrl, RegistryUrl};
    use proptest::prelude::*;

    fn normal(text: &str) -> Result<String, NotARegistryUrl> {
        text.parse::<RegistryUrl>().map(|url| url.as_str().to_owned())
    }

    #[test]
    fn addresses_are_normalised_as_harbor_does_it() {
        for (text, expected) in [
            (" standin.example.com:8090/?x=1 ", "http://standin.example.com:8090"),
            ("http://harbor.example.com/", "http://harbor.example.com"),
            ("https://bob:pw@x.org/v2/", "https://x.org/v2"),
            ("HTTPS://x.org#part", "https://x.org"),
        ] {
            assert_eq!(normal(text), Ok(expected.to_owned()));
        }
    }

    #[test]
    fn what_cannot_be_an_address_is_refused() {
        assert_eq!(normal(" / "), Err(NotARegistryUrl::Empty));
        assert_eq!(normal("http://"), Err(NotARegistryUrl::Empty));
        assert_eq!(normal("ftp://x.org"), Err(NotARegistryUrl::Scheme));
        assert_eq!(normal("http://x .org"), Err(NotARegistryUrl::Character));
    }

    proptest! {
        #[test]
        fn a_normal_address_is_its_own_normal_form(text in "\\PC{0,40}|(https?://)?[a-z@:/?#.]{0,30}") {
            if let Ok(once) = normal(&text) {
                prop_assert_eq!(normal(&once), Ok(once));
            }
        }
    }
}
