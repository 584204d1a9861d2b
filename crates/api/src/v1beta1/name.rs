//! Names of Kubernetes objects.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt, ops::Deref};

/// The name of an object in the same namespace, usually a Secret.
///
/// A transparent string: the API server checks the pattern, decoding does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ObjectName(String);

impl ObjectName {
    /// What the schema asks of a name: what Kubernetes asks of the names of objects (RFC 1123).
    pub const PATTERN: &'static str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

    /// The same where the old operator took an empty text for no name.
    pub const OPTIONAL_PATTERN: &'static str =
        r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$";

    /// Longest name of an object.
    pub const LONGEST: usize = 253;

    /// Whether an object can be called this, and the text thus is one segment of a path and nothing else.
    pub fn is_valid(text: &str) -> bool {
        let outer = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_label = |label: &str| match label.as_bytes() {
            [] => false,
            bytes @ ([first] | [first, .., _]) => {
                let last = bytes.last().unwrap_or(first);
                outer(*first) && outer(*last) && bytes.iter().all(|byte| outer(*byte) || *byte == b'-')
            }
        };
        text.len() <= Self::LONGEST && text.split('.').all(is_label)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for ObjectName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for ObjectName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<String> for ObjectName {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl From<&str> for ObjectName {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl From<ObjectName> for String {
    fn from(name: ObjectName) -> Self {
        name.0
    }
}

impl PartialEq<str> for ObjectName {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for ObjectName {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl JsonSchema for ObjectName {
    fn schema_name() -> Cow<'static, str> {
        "ObjectName".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": Self::PATTERN, "maxLength": Self::LONGEST })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_plain_string_on_the_wire() {
        let name: ObjectName = serde_json::from_str("\"core-secret\"").unwrap();

        assert_eq!(name, "core-secret");
        assert_eq!(serde_json::to_string(&name).unwrap(), "\"core-secret\"");
    }

    #[test]
    fn what_the_schema_accepts_as_a_name_is_a_name() {
        let pattern = regex::Regex::new(ObjectName::PATTERN).unwrap();
        let optional = regex::Regex::new(ObjectName::OPTIONAL_PATTERN).unwrap();
        for name in
            ["a", "0", "core-secret", "a.b", "a-b.c-d", "sh.helm.release.v1.harbor.v1", &"x".repeat(253)]
        {
            assert!(
                pattern.is_match(name) && optional.is_match(name) && ObjectName::is_valid(name),
                "{name}"
            );
        }
        for name in [
            "../../victim/secrets/creds",
            "..",
            ".",
            "a..b",
            "a/b",
            "a?b",
            "a#b",
            "a%2fb",
            "A",
            "-a",
            "a-",
            "a\n",
            "a b",
            "ä",
        ] {
            let taken = pattern.is_match(name) || optional.is_match(name) || ObjectName::is_valid(name);
            assert!(!taken, "{name:?}");
        }
        assert!(optional.is_match("") && !pattern.is_match("") && !ObjectName::is_valid(""));
        assert!(!ObjectName::is_valid(&"x".repeat(254)), "the schema has a length for that");
    }

    #[test]
    fn a_name_the_server_would_refuse_still_decodes() {
        let name: ObjectName = serde_json::from_str("\"_\"").unwrap();

        assert_eq!(name.as_str(), "_");
    }
}
