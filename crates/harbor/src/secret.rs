//! Values that no log, error or `Debug` output shows.

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// A password, a token or a key that travels in the body of a request or an answer.
///
/// `Debug` hides it. `Serialize` does not: Harbor must get the value. So a type that contains a `Secret` is for bodies
/// of requests only, not for a status or a log.
#[derive(Clone, Default, Deserialize)]
#[serde(from = "String")]
pub struct Secret(SecretString);

impl Secret {
    /// The value.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Whether the value is the empty text.
    pub fn is_empty(&self) -> bool {
        self.expose().is_empty()
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value.into())
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self(value.into())
    }
}

impl From<SecretString> for Secret {
    fn from(value: SecretString) -> Self {
        Self(value)
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "Secret(empty)" } else { "Secret(…)" })
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.expose())
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn debug_tells_only_whether_there_is_a_secret() {
        let shown = format!("{:?} {:?}", Secret::from("hunter2"), Secret::default());
        assert_eq!(shown, "Secret(…) Secret(empty)");
    }
}
