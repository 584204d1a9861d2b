//! Selectors of repositories and tags, in rules of retention and of immutable tags.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// The only kind of selector that works. Harbor accepts any other word and then selects nothing.
const DOUBLESTAR: &str = "doublestar";

/// A selector.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Selector {
    /// The kind, `doublestar`.
    pub kind: String,
    /// For tags `matches` or `excludes`, for repositories `repoMatches` or `repoExcludes`.
    pub decoration: String,
    /// The pattern.
    pub pattern: String,
    /// Whether untagged artifacts are selected, too; only for tags.
    #[serde(
        rename = "extras",
        serialize_with = "extras_text",
        deserialize_with = "extras",
        skip_serializing_if = "Option::is_none"
    )]
    pub untagged: Option<bool>,
}

impl Selector {
    fn new(decoration: &str, pattern: impl Into<String>) -> Self {
        let (kind, decoration) = (DOUBLESTAR.to_owned(), decoration.to_owned());
        Self { kind, decoration, pattern: pattern.into(), untagged: None }
    }

    /// Tags that match.
    pub fn tags(pattern: impl Into<String>) -> Self {
        Self::new("matches", pattern)
    }

    /// Tags that do not match.
    pub fn tags_but(pattern: impl Into<String>) -> Self {
        Self::new("excludes", pattern)
    }

    /// Repositories that match.
    pub fn repositories(pattern: impl Into<String>) -> Self {
        Self::new("repoMatches", pattern)
    }

    /// Repositories that do not match.
    pub fn repositories_but(pattern: impl Into<String>) -> Self {
        Self::new("repoExcludes", pattern)
    }

    /// The same selector, with or without untagged artifacts.
    #[must_use]
    pub fn with_untagged(mut self, untagged: bool) -> Self {
        self.untagged = Some(untagged);
        self
    }

    /// The selector in the form in which two are compared: untagged artifacts are selected unless it says otherwise.
    #[must_use]
    pub(super) fn normal(mut self) -> Self {
        self.untagged = self.untagged.filter(|untagged| !untagged);
        self
    }
}

#[derive(Serialize, Deserialize)]
struct Extras {
    #[serde(default = "yes")]
    untagged: bool,
}

fn yes() -> bool {
    true
}

#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn extras_text<S: Serializer>(untagged: &Option<bool>, serializer: S) -> Result<S::Ok, S::Error> {
    match untagged {
        Some(untagged) => serializer.serialize_str(&format!(r#"{{"untagged":{untagged}}}"#)),
        None => serializer.serialize_none(),
    }
}

/// Harbor stores any text here. One that it cannot read has no effect.
fn extras<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(serde_json::from_str::<Extras>(&text).ok().map(|extras| extras.untagged))
}

/// The repositories of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopeSelectors(pub BTreeMap<String, Vec<Selector>>);

impl ScopeSelectors {
    /// The repositories that a selector selects.
    pub fn repository(selector: Selector) -> Self {
        Self([("repository".to_owned(), vec![selector])].into())
    }

    #[must_use]
    pub(super) fn normal(self) -> Self {
        Self(self.0.into_iter().map(|(scope, selectors)| (scope, normal(selectors))).collect())
    }
}

/// Selectors in the form in which two lists are compared.
pub(super) fn normal(selectors: Vec<Selector>) -> Vec<Selector> {
    let mut selectors: Vec<_> = selectors.into_iter().map(Selector::normal).collect();
    selectors.sort();
    selectors
}

#[cfg(test)]
mod tests {
    use super::{Selector, normal};
    use serde_json::json;

    #[test]
    fn extras_are_text_within_the_body() {
        let sent = serde_json::to_value(Selector::tags("**").with_untagged(false)).unwrap();
        let expected = json!({
            "kind": "doublestar", "decoration": "matches", "pattern": "**", "extras": "{\"untagged\":false}",
        });
        assert_eq!(sent, expected);
        assert_eq!(serde_json::from_value::<Selector>(sent).unwrap().untagged, Some(false));
    }

    #[test]
    fn selectors_without_extras_select_untagged_artifacts() {
        let read =
            |extras| serde_json::from_value::<Selector>(json!({"pattern": "**", "extras": extras})).unwrap();
        let plain = Selector { pattern: "**".into(), ..Selector::default() };
        for extras in ["{\"untagged\": true}", "{}", "nonsense", ""] {
            assert_eq!(read(extras).normal(), plain, "{extras}");
        }
        assert_ne!(read("{\"untagged\":false}").normal(), plain);
    }

    #[test]
    fn the_order_of_selectors_does_not_matter() {
        let (a, b) = (Selector::tags("a"), Selector::tags_but("b"));
        assert_eq!(normal(vec![a.clone(), b.clone()]), normal(vec![b, a]));
    }
}
