//! Selectors in both forms: as Harbor shows and takes them, and as they are compared.

use harbor::selectors::{ScopeSelectors, Selector};
use harborstate::selectors::{Decoration, RepositorySelector, Selection, TagSelector};
use std::collections::BTreeMap;

const REPOSITORY: &str = "repository";
const DOUBLESTAR: &str = "doublestar";
/// What the words for tags are preceded by in selectors of repositories.
const REPO: &str = "repo";

/// What selectors select, as it is compared.
pub(crate) fn selection(tags: &[Selector], scopes: &ScopeSelectors) -> Selection {
    let tag = |selector: &Selector| TagSelector {
        decoration: decoration(&selector.kind, &selector.decoration),
        pattern: selector.pattern.clone(),
        untagged: selector.untagged.unwrap_or(true),
    };
    let repository = |selector: &Selector| {
        let word = selector.decoration.strip_prefix(REPO).map(str::to_lowercase);
        let word = word.unwrap_or_else(|| selector.decoration.clone());
        RepositorySelector {
            decoration: decoration(&selector.kind, &word),
            pattern: selector.pattern.clone(),
        }
    };
    let repositories = scopes.0.get(REPOSITORY).map(Vec::as_slice).unwrap_or_default();
    Selection {
        repositories: repositories.iter().map(repository).collect(),
        tags: tags.iter().map(tag).collect(),
    }
}

/// A word that is none, or a kind of pattern that does not work, is kept to be seen as a difference.
fn decoration(kind: &str, word: &str) -> Decoration {
    match word {
        "matches" if kind == DOUBLESTAR => Decoration::Matches,
        "excludes" if kind == DOUBLESTAR => Decoration::Excludes,
        other => Decoration::Other(format!("{kind} {other}")),
    }
}

/// Selectors of tags and repositories, as Harbor takes them.
pub(crate) fn selectors(selection: &Selection) -> (Vec<Selector>, ScopeSelectors) {
    let tag = |tag: &TagSelector| {
        let selector = match &tag.decoration {
            Decoration::Excludes => Selector::tags_but(&tag.pattern),
            Decoration::Matches | Decoration::Other(_) => Selector::tags(&tag.pattern),
        };
        selector.with_untagged(tag.untagged)
    };
    let repository = |repository: &RepositorySelector| match &repository.decoration {
        Decoration::Excludes => Selector::repositories_but(&repository.pattern),
        Decoration::Matches | Decoration::Other(_) => Selector::repositories(&repository.pattern),
    };
    let repositories = selection.repositories.iter().map(repository).collect();
    let scopes = BTreeMap::from([(REPOSITORY.to_owned(), repositories)]);
    (selection.tags.iter().map(tag).collect(), ScopeSelectors(scopes))
}
