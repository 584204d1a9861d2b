//! Tag retention: which artifacts of a project are kept. The name of an object is that of the project.

use crate::{selectors::Selection, state::State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The retention policy of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Retention {
    /// When it runs, in six fields; empty for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// The rules, at most 15. An artifact that one of them retains is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<BTreeSet<Rule>>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rule {
    /// What it retains.
    pub template: Template,
    /// How many artifacts or days; 0 for templates without a number.
    #[serde(default)]
    pub count: u64,
    /// The artifacts that it is about.
    #[serde(flatten)]
    pub selection: Selection,
    /// Whether it is off.
    #[serde(default)]
    pub disabled: bool,
}

/// What a rule retains. The words are Harbor's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Template {
    /// The artifacts that were pushed last.
    #[serde(rename = "latestPushedK")]
    LatestPushed,
    /// The artifacts that were pulled last.
    #[serde(rename = "latestPulledN")]
    LatestPulled,
    /// The artifacts that were pushed within so many days.
    #[serde(rename = "nDaysSinceLastPush")]
    DaysSinceLastPush,
    /// The artifacts that were pulled within so many days.
    #[serde(rename = "nDaysSinceLastPull")]
    DaysSinceLastPull,
    /// All artifacts.
    #[serde(rename = "always")]
    Always,
    /// Another word, with which the rule retains nothing. Harbor accepts any.
    #[serde(untagged)]
    Other(String),
}

/// What Harbor adds to a retention policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its number, a hint.
    pub id: i64,
}

impl State for Retention {
    type Facts = Facts;
    const COLLECTION: &'static str = "retention";
}

#[cfg(test)]
mod tests {
    use super::{Rule, Template};
    use crate::selectors::Selection;

    #[test]
    fn a_rule_is_read_as_it_was_written() {
        for template in [Template::LatestPushed, Template::Always, Template::Other("x".into())] {
            let rule = Rule { template, count: 3, selection: Selection::new("**", "**"), disabled: true };
            let value = serde_json::to_value(&rule).unwrap();
            assert_eq!(serde_json::from_value::<Rule>(value).unwrap(), rule);
        }
    }
}
