//! Immutable tag rules: tags that cannot be moved or deleted.

use super::{
    in_project::InProject,
    selectors::{self, ScopeSelectors, Selector},
};
use crate::{Deletion, RuleId, error::Error};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;

impl<'h> InProject<'h> {
    /// The immutable tag rules of the project.
    pub fn immutable_rules(self) -> ImmutableRules<'h> {
        ImmutableRules { project: self }
    }
}

/// Calls about immutable tag rules. A rule has no name; its content identifies it.
#[derive(Clone, Copy, Debug)]
pub struct ImmutableRules<'h> {
    project: InProject<'h>,
}

const RULES: &str = "immutabletagrules";

impl ImmutableRules<'_> {
    /// All rules.
    pub async fn list(&self) -> Result<Vec<ImmutableRule>, Error> {
        self.project.harbor().get(self.project.path(RULES)).pages().await
    }

    /// Creates a rule. It is on at first, whatever it says: Harbor ignores that. Then send what [`ImmutableRule::steps`]
    /// says.
    pub async fn create(&self, rule: &ImmutableRule) -> Result<RuleId, Error> {
        self.project.harbor().post(self.project.path(RULES)).body(rule).created().await
    }

    /// Sends one step of a change.
    pub async fn put(&self, rule: &ImmutableRule) -> Result<(), Error> {
        self.project.harbor().put(self.project.path(RULES).id(rule.id)).body(rule).done().await
    }

    /// Deletes a rule.
    pub async fn delete(&self, id: RuleId) -> Result<Deletion, Error> {
        self.project.harbor().delete(self.project.path(RULES).id(id)).gone().await
    }
}

/// An immutable tag rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImmutableRule {
    /// Its number; 0 for a rule to create.
    pub id: RuleId,
    /// What it does, `immutable`.
    pub action: String,
    /// The only template, `immutable_template`.
    pub template: String,
    /// The tags that it is about.
    pub tag_selectors: Vec<Selector>,
    /// The repositories that it is about.
    pub scope_selectors: ScopeSelectors,
    /// Whether it is off.
    pub disabled: bool,
}

impl Default for ImmutableRule {
    fn default() -> Self {
        Self {
            id: RuleId::default(),
            action: "immutable".to_owned(),
            template: "immutable_template".to_owned(),
            tag_selectors: Vec::new(),
            scope_selectors: ScopeSelectors::default(),
            disabled: false,
        }
    }
}

/// The content of a rule, without its number and whether it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl ImmutableRule {
    /// A rule about the tags and repositories that these select.
    pub fn new(repositories: Selector, tags: Selector) -> Self {
        let scope_selectors = ScopeSelectors::repository(repositories);
        Self { tag_selectors: vec![tags], scope_selectors, ..Self::default() }
    }

    /// The identity of the rule. The order of selectors does not count.
    pub fn content(&self) -> ContentHash {
        let normal = Self {
            id: RuleId::default(),
            disabled: false,
            tag_selectors: selectors::normal(self.tag_selectors.clone()),
            scope_selectors: self.scope_selectors.clone().normal(),
            ..self.clone()
        };
        // The rule consists of texts and flags, which always have a JSON form.
        let text = serde_json::to_vec(&normal).unwrap_or_default();
        ContentHash(Sha256::digest(text).into())
    }

    /// The updates that make `self`, which Harbor has, as `wanted`, to be sent in this order.
    ///
    /// An update that switches a rule changes nothing else, so a change of both takes two.
    pub fn steps(&self, wanted: &Self) -> Vec<Self> {
        let switched = Self { disabled: wanted.disabled, ..self.clone() };
        let changed = Self { id: self.id, ..wanted.clone() };
        let mut steps = Vec::new();
        if self.disabled != wanted.disabled {
            steps.push(switched);
        }
        if self.content() != wanted.content() {
            steps.push(changed);
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::{ImmutableRule, Selector};
    use crate::RuleId;
    use serde_json::json;

    fn rule(id: i64, tags: &str, disabled: bool) -> ImmutableRule {
        let rule = ImmutableRule::new(Selector::repositories("**"), Selector::tags(tags));
        ImmutableRule { id: RuleId(id), disabled, ..rule }
    }

    #[test]
    fn a_rule_is_known_by_its_content() {
        let shown: ImmutableRule = serde_json::from_value(json!({
            "action": "immutable", "id": 1, "disabled": true, "priority": 3,
            "scope_selectors": {"repository": [
                {"decoration": "repoMatches", "kind": "doublestar", "pattern": "**"}]},
            "tag_selectors": [{"decoration": "matches", "kind": "doublestar", "pattern": "v*"}],
            "template": "immutable_template",
        }))
        .unwrap();
        assert_eq!(shown.content(), rule(0, "v*", false).content());
        assert_ne!(shown.content(), rule(1, "x*", true).content());
    }

    #[test]
    fn the_order_of_selectors_is_no_difference() {
        let mut one = rule(1, "a", false);
        one.tag_selectors.push(Selector::tags_but("b"));
        let mut other = one.clone();
        other.tag_selectors.reverse();
        assert_eq!(one.content(), other.content());
    }

    #[test]
    fn a_rule_is_switched_before_its_content_changes() {
        let steps = rule(7, "v*", false).steps(&rule(0, "x*", true));
        assert_eq!(steps, [rule(7, "v*", true), rule(7, "x*", true)]);
    }

    #[test]
    fn only_what_differs_is_sent() {
        assert_eq!(rule(7, "v*", false).steps(&rule(0, "v*", false)), []);
        assert_eq!(rule(7, "v*", false).steps(&rule(0, "x*", false)), [rule(7, "x*", false)]);
        assert_eq!(rule(7, "v*", true).steps(&rule(0, "v*", false)), [rule(7, "v*", false)]);
    }
}
