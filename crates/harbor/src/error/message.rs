//! Text from outside, made fit to be shown.

use crate::secret::Secret;
use serde_json::Value;
use std::fmt;

/// The maximum length of a message, in characters.
const LONGEST: usize = 400;
/// What stands for a hidden part.
const HIDDEN: &str = "*****";
/// A shorter secret is not searched for: it would hide ordinary words.
const SHORTEST_SECRET: usize = 4;

/// Text from Harbor or the network: one line, of bounded length, without control characters and credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(String);

impl Message {
    /// Text that contains no secret.
    pub(crate) fn new(text: &str) -> Self {
        Self::masked(text, &Masks::default())
    }

    /// Text without these secrets, and without the credentials of addresses.
    pub(crate) fn masked(text: &str, masks: &Masks) -> Self {
        let mut text = masks.hide(text);
        hide_user_info(&mut text);
        let mut line = String::new();
        for word in text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty())
        {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
            if line.len() > 4 * LONGEST {
                break;
            }
        }
        if line.chars().count() > LONGEST {
            line = line.chars().take(LONGEST - 1).chain(['…']).collect();
        }
        Self(line)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "no message" } else { &self.0 })
    }
}

/// The secrets of a request, which its error must not show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Masks(Vec<Secret>);

impl Masks {
    /// The secrets in the body of a request.
    pub(crate) fn of_body(body: &Value) -> Self {
        let mut masks = Self::default();
        masks.collect(body);
        masks
    }

    /// Hides this, too.
    pub(crate) fn add(&mut self, secret: &str) {
        if secret.chars().count() >= SHORTEST_SECRET {
            self.0.push(secret.into());
        }
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    match value {
                        Value::String(text) if is_secret(name) => self.add(text),
                        Value::Object(inner) if name == "auth_info" => {
                            inner.values().filter_map(Value::as_str).for_each(|text| self.add(text));
                        }
                        other => self.collect(other),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.expose(), HIDDEN))
    }
}

/// Whether a field of a request holds a secret.
pub(crate) fn is_secret(field: &str) -> bool {
    ["secret", "password", "access_credential", "auth_header"].iter().any(|word| field.contains(word))
}

/// Replaces `user:password@` after `://`.
fn hide_user_info(text: &mut String) {
    let mut from = 0;
    while let Some(scheme) = text[from..].find("://") {
        let start = from + scheme + "://".len();
        let end = text[start..]
            .find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\''))
            .map_or(text.len(), |length| start + length);
        from = start;
        if let Some(at) = text[start..end].rfind('@') {
            text.replace_range(start..start + at, HIDDEN);
            from += HIDDEN.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Masks, Message};
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_message_is_one_line() {
        let text = "validation failure list:\n\tname in body\u{1b}[31m is required\0";
        assert_eq!(Message::new(text).as_str(), "validation failure list: name in body [31m is required");
    }

    #[test]
    fn a_message_shows_no_credentials_of_an_address() {
        let text = r#"dial "https://bob:pw@x.org:443/a@b" or ftp://tim@y: no"#;
        assert_eq!(Message::new(text).as_str(), r#"dial "https://*****@x.org:443/a@b" or ftp://*****@y: no"#);
    }

    #[test]
    fn a_message_shows_no_secret_of_the_request() {
        let body = json!({
            "name": "ci",
            "credential": {"access_secret": "hunter22"},
            "targets": [{"auth_header": "Bearer abc"}],
            "auth_info": {"user": "preheat-pw"},
        });
        let text = "ci: hunter22, Bearer abc, preheat-pw";
        let message = Message::masked(text, &Masks::of_body(&body));
        assert_eq!(message.as_str(), "ci: *****, *****, *****");
    }

    proptest! {
        #[test]
        fn a_message_is_bounded_and_printable(text in "\\PC{0,2000}|(?s).{0,2000}|[a://@ ]{0,200}") {
            let message = Message::new(&text);
            prop_assert!(message.as_str().chars().count() <= LONGEST);
            prop_assert!(!message.as_str().chars().any(char::is_control));
        }
    }
}
