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
    /// What the schema asks of a name. Unanchored, as it always was: it refuses only strings without any
    /// lower-case letter or digit.
    pub const PATTERN: &'static str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

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
        json_schema!({ "type": "string", "pattern": Self::PATTERN })
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
    fn a_name_the_server_would_refuse_still_decodes() {
        let name: ObjectName = serde_json::from_str("\"_\"").unwrap();

        assert_eq!(name.as_str(), "_");
    }
}
