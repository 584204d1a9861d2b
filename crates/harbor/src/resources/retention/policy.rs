//! Retention policies and their rules.

use crate::{
    ProjectId, RetentionId,
    resources::{
        is_false,
        selectors::{self, ScopeSelectors, Selector},
    },
    words::words,
};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use std::collections::BTreeMap;

words! {
    /// What a rule retains. Harbor accepts any other word and then retains nothing.
    pub enum Template {
        /// The artifacts that were pushed last.
        LatestPushed = "latestPushedK",
        /// The artifacts that were pulled last.
        LatestPulled = "latestPulledN",
        /// The artifacts that were pushed within so many days.
        DaysSinceLastPush = "nDaysSinceLastPush",
        /// The artifacts that were pulled within so many days.
        DaysSinceLastPull = "nDaysSinceLastPull",
        /// All artifacts.
        Always = "always",
    }
}

/// A retention policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetentionPolicy {
    /// Its number.
    #[serde(skip_serializing)]
    pub id: RetentionId,
    algorithm: Algorithm,
    /// At most 15 rules; an artifact that one of them retains is kept.
    pub rules: Vec<RetentionRule>,
    trigger: Trigger,
    scope: Scope,
}

impl RetentionPolicy {
    /// The most rules that Harbor accepts.
    pub const MOST_RULES: usize = 15;

    /// The policy of a project, with a schedule of six fields, or none if it is empty.
    pub fn new(project: ProjectId, cron: impl Into<String>, rules: Vec<RetentionRule>) -> Self {
        Self {
            id: RetentionId::default(),
            algorithm: Algorithm("or".to_owned()),
            rules,
            trigger: Trigger {
                kind: "Schedule".to_owned(),
                // Without this, a later deletion fails.
                settings: TriggerSettings { cron: cron.into() },
            },
            scope: Scope { level: "project".to_owned(), project },
        }
    }

    /// The project.
    pub fn project(&self) -> ProjectId {
        self.scope.project
    }

    /// The schedule; empty if there is none.
    pub fn cron(&self) -> &str {
        &self.trigger.settings.cron
    }

    /// Whether two policies clean the same in the same way. Numbers, priorities and the next run do not count; the order
    /// of rules does not either.
    pub fn is_as(&self, other: &Self) -> bool {
        let rules = |policy: &Self| {
            let mut rules: Vec<_> = policy.rules.iter().cloned().map(RetentionRule::normal).collect();
            rules.sort_by_key(|rule| serde_json::to_string(rule).unwrap_or_default());
            rules
        };
        self.project() == other.project()
            && self.cron() == other.cron()
            && self.algorithm == other.algorithm
            && rules(self) == rules(other)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Algorithm(String);

impl Default for Algorithm {
    fn default() -> Self {
        Self("or".to_owned())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Trigger {
    kind: String,
    settings: TriggerSettings,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct TriggerSettings {
    cron: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Scope {
    level: String,
    #[serde(rename = "ref")]
    project: ProjectId,
}

/// A rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetentionRule {
    /// What it does, `retain`.
    pub action: String,
    /// What it retains.
    pub template: Template,
    /// How many artifacts or days, under the name of the template.
    pub params: BTreeMap<String, Value>,
    /// The tags that it is about.
    pub tag_selectors: Vec<Selector>,
    /// The repositories that it is about.
    pub scope_selectors: ScopeSelectors,
    /// Whether it is off.
    #[serde(skip_serializing_if = "is_false")]
    pub disabled: bool,
}

impl RetentionRule {
    /// A rule that retains so many artifacts, or those of so many days. `Always` has no number.
    pub fn new(template: Template, number: u32, repositories: Selector, tags: Selector) -> Self {
        let params = match &template {
            Template::Always => BTreeMap::new(),
            template => [(template.as_str().to_owned(), Value::Number(Number::from(number)))].into(),
        };
        Self {
            action: "retain".to_owned(),
            template,
            params,
            tag_selectors: vec![tags],
            scope_selectors: ScopeSelectors::repository(repositories),
            disabled: false,
        }
    }

    fn normal(self) -> Self {
        Self {
            tag_selectors: selectors::normal(self.tag_selectors),
            scope_selectors: self.scope_selectors.normal(),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RetentionPolicy, RetentionRule, Selector, Template};
    use crate::ProjectId;
    use serde_json::json;

    fn wanted() -> RetentionPolicy {
        let rule =
            |template, number, tags| RetentionRule::new(template, number, Selector::repositories("**"), tags);
        let rules = vec![
            rule(Template::LatestPushed, 1, Selector::tags("**").with_untagged(true)),
            rule(Template::Always, 0, Selector::tags_but("x*")),
        ];
        RetentionPolicy::new(ProjectId(2), "0 0 0 * * *", rules)
    }

    #[test]
    fn a_policy_always_has_a_cron_field() {
        let sent = serde_json::to_value(RetentionPolicy::new(ProjectId(2), "", Vec::new())).unwrap();
        let expected = json!({
            "algorithm": "or", "rules": [], "scope": {"level": "project", "ref": 2},
            "trigger": {"kind": "Schedule", "settings": {"cron": ""}},
        });
        assert_eq!(sent, expected);
    }

    #[test]
    fn what_harbor_shows_of_a_policy_is_no_difference() {
        let shown = json!({
            "algorithm": "or", "id": 1, "scope": {"level": "project", "ref": 2},
            "rules": [
                {
                    "action": "retain", "template": "always",
                    "scope_selectors": {"repository": [
                        {"decoration": "repoMatches", "kind": "doublestar", "pattern": "**"}]},
                    "tag_selectors": [{"decoration": "excludes", "kind": "doublestar", "pattern": "x*"}],
                },
                {
                    "action": "retain", "id": 9, "params": {"latestPushedK": 1}, "priority": 7,
                    "scope_selectors": {"repository": [
                        {"decoration": "repoMatches", "kind": "doublestar", "pattern": "**"}]},
                    "tag_selectors": [{"decoration": "matches", "kind": "doublestar", "pattern": "**"}],
                    "template": "latestPushedK",
                },
            ],
            "trigger": {"kind": "Schedule", "settings": {
                "cron": "0 0 0 * * *", "next_scheduled_time": "2026-11-17T00:00:00.000Z"}},
        });
        let shown: RetentionPolicy = serde_json::from_value(shown).unwrap();
        assert!(wanted().is_as(&shown));
    }

    #[test]
    fn a_number_a_flag_and_a_schedule_are_differences() {
        let mut other = wanted();
        other.rules[0].params.insert("latestPushedK".into(), 2.into());
        assert!(!wanted().is_as(&other));
        let mut other = wanted();
        other.rules[1].disabled = true;
        assert!(!wanted().is_as(&other));
        let other = RetentionPolicy::new(ProjectId(2), "0 0 1 * * *", wanted().rules);
        assert!(!wanted().is_as(&other));
    }
}
