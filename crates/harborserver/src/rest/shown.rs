//! Objects as answers show them.

use serde_json::{Map, Value};

/// An object of an answer that is being written.
#[derive(Default)]
pub(crate) struct Shown(Map<String, Value>);

impl Shown {
    pub fn new() -> Self {
        Self::default()
    }

    /// A field that is always there.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// A field that Harbor leaves out when it is null, false, 0 or empty.
    pub fn nonzero(self, key: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        let zero = match &value {
            Value::Null | Value::Bool(false) => true,
            Value::Bool(true) => false,
            Value::Number(number) => number.as_i64() == Some(0),
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
        };
        if zero { self } else { self.with(key, value) }
    }

    /// A field that is there only in some versions.
    pub fn when(self, is: bool, key: &str, value: impl Into<Value>) -> Self {
        if is { self.with(key, value) } else { self }
    }
}

impl From<Shown> for Value {
    fn from(shown: Shown) -> Self {
        Self::Object(shown.0)
    }
}
