//! Selectors of repositories and tags, in rules of retention and of immutable tags.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The artifacts that a rule is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// The repositories.
    pub repositories: BTreeSet<RepositorySelector>,
    /// The tags.
    pub tags: BTreeSet<TagSelector>,
}

impl Selection {
    /// The artifacts with matching tags in matching repositories.
    pub fn new(repositories: &str, tags: &str) -> Self {
        let repository = RepositorySelector { decoration: Decoration::Matches, pattern: repositories.into() };
        let tag = TagSelector { decoration: Decoration::Matches, pattern: tags.into(), untagged: true };
        Self { repositories: [repository].into(), tags: [tag].into() }
    }
}

/// A selector of repositories.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RepositorySelector {
    /// Whether it selects what matches.
    pub decoration: Decoration,
    /// The pattern.
    pub pattern: String,
}

/// A selector of tags.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TagSelector {
    /// Whether it selects what matches.
    pub decoration: Decoration,
    /// The pattern.
    pub pattern: String,
    /// Whether it selects untagged artifacts, too.
    pub untagged: bool,
}

/// Whether a selector selects what matches its pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decoration {
    /// What matches.
    Matches,
    /// What does not match.
    Excludes,
    /// Another word, with which the selector selects nothing. Harbor accepts any.
    #[serde(untagged)]
    Other(String),
}

#[cfg(test)]
mod tests {
    use super::{Decoration, Selection};
    use serde_json::json;

    #[test]
    fn a_selection_says_which_tags_of_which_repositories() {
        let expected = json!({
            "repositories": [{"decoration": "matches", "pattern": "**"}],
            "tags": [{"decoration": "matches", "pattern": "v*", "untagged": true}],
        });
        assert_eq!(serde_json::to_value(Selection::new("**", "v*")).unwrap(), expected);
    }

    #[test]
    fn an_unknown_word_is_kept() {
        let word: Decoration = serde_json::from_value(json!("likes")).unwrap();
        assert_eq!(word, Decoration::Other("likes".into()));
    }
}
