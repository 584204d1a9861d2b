//! The account that a client uses.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::HeaderValue;
use secrecy::{ExposeSecret as _, SecretString};

/// A user name with its password, or a robot's name with its secret.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// The user name, or the name of a robot with its prefix.
    pub username: String,
    /// The password.
    pub password: SecretString,
}

impl Credentials {
    /// The account with this name and password.
    pub fn new(username: impl Into<String>, password: impl Into<SecretString>) -> Self {
        Self { username: username.into(), password: password.into() }
    }
}

impl PartialEq for Credentials {
    fn eq(&self, other: &Self) -> bool {
        self.username == other.username && self.password.expose_secret() == other.password.expose_secret()
    }
}

impl Eq for Credentials {}

/// Credentials in use. Each change has its own generation, so that an answer is attributed to the right ones.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) credentials: Credentials,
    pub(super) header: HeaderValue,
    pub(super) generation: u64,
}

impl Identity {
    pub(super) fn new(credentials: Credentials, generation: u64) -> Self {
        let pair = format!("{}:{}", credentials.username, credentials.password.expose_secret());
        let header = HeaderValue::try_from(format!("Basic {}", BASE64_STANDARD.encode(pair)));
        // Base64 consists of characters that a header may have.
        let mut header = header.unwrap_or_else(|_| HeaderValue::from_static("Basic"));
        header.set_sensitive(true);
        Self { credentials, header, generation }
    }
}

#[cfg(test)]
mod tests {
    use super::{Credentials, Identity};

    #[test]
    fn no_debug_output_shows_the_password() {
        let identity = Identity::new(Credentials::new("admin", "Harbor12345"), 0);
        let shown = format!("{identity:?}");
        assert!(!shown.contains("Harbor12345") && !shown.contains("YWRtaW4"), "{shown}");
    }
}
