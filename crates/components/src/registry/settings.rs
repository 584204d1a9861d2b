//! Secret settings: environment variables, which override the configuration file, with values in the registry's
//! own Secret.
//!
//! The registry parses such a variable as YAML: it would read a password `0123` as 83, and not start with `@x`.
//! Values are therefore written as JSON, which every YAML parser reads unchanged.

use crate::{
    pods::Environment,
    secrets::{SecretKey, Secrets},
    values::{Fault, not_empty},
};
use plan::PlanError;
use serde_json::Value;
use std::collections::BTreeMap;

/// Variables and their values, by name.
#[derive(Default)]
pub(super) struct Settings(BTreeMap<&'static str, Value>);

impl Settings {
    /// Adds a setting.
    #[must_use]
    pub fn with(mut self, variable: &'static str, value: impl Into<Value>) -> Self {
        self.0.insert(variable, value.into());
        self
    }

    /// Adds a setting if it has a value.
    #[must_use]
    pub fn with_some(self, variable: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(variable, value),
            None => self,
        }
    }

    /// The variables, with values from the Secret of this name.
    pub fn environment(&self, secret: &str) -> Environment {
        let none = Environment::default();
        self.0.keys().fold(none, |all, name| all.with_secret(name, &SecretKey::new(secret, name)))
    }

    /// The content of the Secret.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
        self.0.iter().map(|(name, value)| (*name, value.to_string().into_bytes()))
    }

    /// Whether there are no settings.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The text in a Secret, which must not be empty. A trailing line break is dropped, as YAML does.
pub(super) fn text(key: &SecretKey<'_>, secrets: &Secrets<'_>) -> Result<String, PlanError> {
    let value = secrets.checked(key, |bytes| {
        let text = readable(bytes)?;
        not_empty(text.as_bytes())
    })?;
    Ok(String::from_utf8_lossy(value.bytes()).trim_end_matches(['\n', '\r']).to_owned())
}

/// The password in a Secret, unchanged; `None` if it is empty.
pub(super) fn password(key: &SecretKey<'_>, secrets: &Secrets<'_>) -> Result<Option<String>, PlanError> {
    let value = secrets.checked(key, |bytes| readable(bytes).map(drop))?;
    Ok(Some(String::from_utf8_lossy(value.bytes()).into_owned()).filter(|password| !password.is_empty()))
}

/// Accepts text without the characters that JSON allows unescaped and YAML does not.
fn readable(bytes: &[u8]) -> Result<&str, Fault> {
    let unfit = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(unfit) => Ok(text.trim_end_matches(['\n', '\r'])),
        _ => Err(Fault::new(
            "is not text, or has characters that YAML does not allow",
            "write it as plain text",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(password: &str) -> String {
        let settings = Settings::default().with("A", password);
        let (_, bytes) = settings.entries().next().unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn what_yaml_would_take_for_something_else_stays_what_it_is() {
        for password in ["0123", "1e3", "yes", "~", "@x", "*x", "{x", "a: b", "a #b", "\"x\"", "p'\\x"] {
            let read: Value = serde_saphyr::from_str(&written(password)).unwrap();
            assert_eq!(read, password);
        }
        assert_eq!(written("0123"), "\"0123\"");
    }

    #[test]
    fn characters_that_yaml_has_no_way_to_take_are_refused() {
        for bytes in [&b"\xff"[..], "a\u{85}b".as_bytes(), "\u{2028}".as_bytes(), "a\u{7f}".as_bytes()] {
            assert!(readable(bytes).is_err());
        }
        assert_eq!(readable("pässwörd\r\n".as_bytes()).unwrap(), "pässwörd");
    }
}
