//! The value of the parameter `q`, with which lists are filtered.
//!
//! Harbor ignores keys that it does not know and returns everything, so every lookup compares again.

use super::path::encoded;
use std::fmt::Display;

/// A filter: all of its terms must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter(Vec<String>);

impl Filter {
    /// The field must have this value.
    ///
    /// A value that the grammar cannot express, because it is empty or has a comma, is left out: Harbor then returns
    /// more, not less.
    pub(crate) fn exact(mut self, key: &'static str, value: impl Display) -> Self {
        let value = value.to_string();
        if !value.is_empty() && !value.contains(',') {
            // Other values than these are taken literally.
            let escape = if value.starts_with(['~', '[', '{', '(', '\\']) { "\\" } else { "" };
            // Harbor decodes the parameter once more than HTTP does.
            self.0.push(format!("{key}={}", encoded(&format!("{escape}{value}"))));
        }
        self
    }

    /// The value of the parameter, before it is encoded as every parameter is.
    pub(crate) fn value(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::path::encoded, Filter};

    fn sent(filter: Filter) -> Option<String> {
        filter.value().map(|value| encoded(&value))
    }

    #[test]
    fn a_plus_is_encoded_twice() {
        let filter =
            Filter::default().exact("Level", "project").exact("ProjectID", 2).exact("name", "alpha+ci");
        let expected = "Level%3Dproject%2CProjectID%3D2%2Cname%3Dalpha%252Bci";
        assert_eq!(sent(filter), Some(expected.to_owned()));
    }

    #[test]
    fn a_value_is_never_taken_for_a_pattern() {
        let filter = |value| Filter::default().exact("name", value).value();
        assert_eq!(filter("~al"), Some("name=%5C~al".to_owned()));
        assert_eq!(filter("{a b}"), Some("name=%5C%7Ba%20b%7D".to_owned()));
        assert_eq!(filter("\\x"), Some("name=%5C%5Cx".to_owned()));
        assert_eq!(filter("50%"), Some("name=50%25".to_owned()));
    }

    #[test]
    fn a_value_that_cannot_be_expressed_filters_nothing() {
        let filter = Filter::default().exact("username", "a,b").exact("email", "");
        assert_eq!(filter.value(), None);
    }
}
