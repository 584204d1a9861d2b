//! Where a Harbor is.

use http::{Uri, uri::Scheme};
use std::{fmt, str::FromStr};

/// The address of a Harbor, such as `http://acme-harbor-core` or `https://harbor.example.com`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(String);

/// Why a text is not the address of a Harbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It cannot be read.
    #[error("not an address; expected one such as https://harbor.example.com")]
    Syntax,
    /// It does not begin with `http://` or `https://`.
    #[error("must begin with http:// or https://")]
    Scheme,
    /// It contains credentials.
    #[error("must not contain a user name or a password")]
    Credentials,
    /// It has a query.
    #[error("must not have a query")]
    Query,
}

impl Address {
    /// The address without a slash at the end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let uri = text.trim().parse::<Uri>().map_err(|_| AddressError::Syntax)?;
        let authority = uri.authority().ok_or(AddressError::Scheme)?;
        let scheme = uri.scheme().filter(|scheme| [&Scheme::HTTP, &Scheme::HTTPS].contains(scheme));
        let scheme = scheme.ok_or(AddressError::Scheme)?;
        if authority.as_str().contains('@') {
            return Err(AddressError::Credentials);
        }
        if authority.host().is_empty() {
            return Err(AddressError::Syntax);
        }
        if uri.query().is_some() {
            return Err(AddressError::Query);
        }
        let path = uri.path().trim_end_matches('/');
        let path = path.strip_suffix("/api/v2.0").unwrap_or(path).trim_end_matches('/');
        Ok(Self(format!("{scheme}://{authority}{path}")))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, AddressError};

    #[test]
    fn an_address_is_kept_without_slashes_and_api_path() {
        let read = |text: &str| text.parse::<Address>().map(|address| address.as_str().to_owned());
        for (text, expected) in [
            ("http://acme-harbor-core", "http://acme-harbor-core"),
            (" https://h.example.com:8443/ ", "https://h.example.com:8443"),
            ("https://h.example.com/api/v2.0/", "https://h.example.com"),
            ("https://h.example.com/harbor//", "https://h.example.com/harbor"),
            ("https://[::1]:443", "https://[::1]:443"),
        ] {
            assert_eq!(read(text), Ok(expected.to_owned()));
        }
    }

    #[test]
    fn a_wrong_address_is_refused_with_its_reason() {
        let read = |text: &str| text.parse::<Address>().unwrap_err();
        assert_eq!(read("harbor.example.com"), AddressError::Scheme);
        assert_eq!(read("ftp://harbor.example.com"), AddressError::Scheme);
        assert_eq!(read("https://bob:pw@harbor.example.com"), AddressError::Credentials);
        assert_eq!(read("https://harbor.example.com?x=1"), AddressError::Query);
        assert_eq!(read("https://ha rbor"), AddressError::Syntax);
    }
}
