//! Times at which Harbor runs something.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt};

/// A cron expression as Harbor reads it: six fields, of which the first, the seconds, is 0.
///
/// A transparent string: the API server checks the pattern, decoding does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CronExpression(String);

impl CronExpression {
    /// What the schema requires: the seconds are 0, and five further fields follow.
    pub const PATTERN: &'static str = "^0( [0-9A-Za-z*/,?-]+){5}$";

    /// Longest expression.
    const LONGEST: u32 = 256;

    /// The expression as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CronExpression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&str> for CronExpression {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for CronExpression {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl JsonSchema for CronExpression {
    fn schema_name() -> Cow<'static, str> {
        "CronExpression".into()
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
    fn the_schema_accepts_six_fields_that_begin_with_zero_seconds() {
        let pattern = regex::Regex::new(CronExpression::PATTERN).unwrap();
        for text in ["0 0 3 * * *", "0 */15 * * * *", "0 0 0 ? * MON-FRI", "0 0,30 8-18/2 1 1 0"] {
            assert!(pattern.is_match(text), "{text}");
        }
        for text in
            ["", "0 3 * * *", "1 0 3 * * *", "* 0 3 * * *", "0 0 3 * * * *", "@daily", "0 0 3 * * *\n"]
        {
            assert!(!pattern.is_match(text), "{text:?}");
        }
    }
}
