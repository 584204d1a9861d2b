//! Secrets that never reach a log.

use crate::rest::{Decode, Place};
use serde_json::Value;
use std::fmt;

/// A password or a secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself, for answers that show it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it has 8 characters, an upper-case and a lower-case letter and a digit, and is not too long.
    pub fn is_strong(&self, longest: Option<usize>) -> bool {
        let has = |wanted: fn(&char) -> bool| self.0.chars().any(|letter| wanted(&letter));
        let length = self.0.chars().count();
        length >= 8
            && longest.is_none_or(|longest| length <= longest)
            && has(char::is_ascii_uppercase)
            && has(char::is_ascii_lowercase)
            && has(char::is_ascii_digit)
    }
}

impl Decode for Secret {
    const GO: &'static str = "string";

    fn decode(value: &Value, place: &Place) -> Result<Self, String> {
        String::decode(value, place).map(Self)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_is_not_printed() {
        assert_eq!(format!("{:?}", Secret::new("Harbor12345")), "Secret(…)");
    }

    #[test]
    fn strong_secrets_have_every_kind_of_letter_and_a_length_within_limits() {
        let long = "Aa1".to_owned() + &"x".repeat(126);
        let strong = |text: &str| Secret::new(text).is_strong(Some(128));
        assert!(strong("Abcdefg1"));
        for weak in ["Abcdef1", "abcdefg1", "ABCDEFG1", "Abcdefgh", long.as_str()] {
            assert!(!strong(weak), "{weak}");
        }
        assert!(Secret::new(long).is_strong(None));
    }
}
