//! Parameters of a store in the registry's configuration file.

use serde::Serialize;
use serde_json::{Map, Value};

/// Parameters, in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Parameters(Map<String, Value>);

impl Parameters {
    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a parameter if it has a value.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a parameter if the text is not empty.
    #[must_use]
    pub fn with_text(self, name: &str, text: Option<&str>) -> Self {
        self.with_some(name, text.filter(|text| !text.is_empty()))
    }
}
