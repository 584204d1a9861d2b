//! Retention policies as bodies describe them.

use crate::rest::{Shown, go_struct};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

go_struct! {
    /// A policy as bodies describe it.
    PolicyRequest = "RetentionPolicy" {
        algorithm: String,
        rules: Vec<RuleRequest>,
        trigger: Option<TriggerRequest>,
        scope: Option<ScopeRequest>,
    }
}

go_struct! { ScopeRequest = "RetentionPolicyScope" { level: String, reference = "ref": i64 } }
go_struct! { TriggerRequest = "RetentionRuleTrigger" { kind: String, settings: BTreeMap<String, Value> } }

go_struct! {
    /// A rule of a policy, or of immutable tags.
    RuleRequest = "RetentionRule" {
        id: i64,
        priority: i64,
        disabled: bool,
        action: String,
        template: String,
        params: BTreeMap<String, Value>,
        tag_selectors: Vec<SelectorRequest>,
        scope_selectors: BTreeMap<String, Vec<SelectorRequest>>,
    }
}

go_struct! {
    /// Names that fit a pattern, or do not.
    SelectorRequest = "RetentionSelector" { kind: String, decoration: String, pattern: String, extras: String }
}

impl SelectorRequest {
    pub fn show(&self) -> Value {
        Shown::new()
            .nonzero("kind", self.kind.as_str())
            .nonzero("decoration", self.decoration.as_str())
            .nonzero("pattern", self.pattern.as_str())
            .nonzero("extras", self.extras.as_str())
            .into()
    }
}

impl RuleRequest {
    pub fn of_proxy() -> Self {
        let all = |decoration: &str| SelectorRequest {
            kind: "doublestar".to_owned(),
            decoration: decoration.to_owned(),
            pattern: "**".to_owned(),
            extras: String::new(),
        };
        Self {
            id: 1,
            priority: 1,
            disabled: false,
            action: "retain".to_owned(),
            template: "nDaysSinceLastPull".to_owned(),
            params: BTreeMap::from([("nDaysSinceLastPull".to_owned(), 7.into())]),
            tag_selectors: vec![all("matches")],
            scope_selectors: BTreeMap::from([("repository".to_owned(), vec![all("repoMatches")])]),
        }
    }

    /// Whether two rules of a policy are one too many. Number and priority do not matter.
    pub fn equals(&self, other: &Self) -> bool {
        let plain = |rule: &Self| Self { id: 0, priority: 0, ..rule.clone() };
        plain(self) == plain(other)
    }

    /// The rule without its number and priority where they are 0.
    pub fn show(&self) -> Value {
        let selectors: Map<String, Value> = self
            .scope_selectors
            .iter()
            .map(|(name, selectors)| (name.clone(), selectors.iter().map(SelectorRequest::show).collect()))
            .collect();
        Shown::new()
            .nonzero("id", self.id)
            .nonzero("priority", self.priority)
            .nonzero("disabled", self.disabled)
            .nonzero("action", self.action.as_str())
            .nonzero("template", self.template.as_str())
            .nonzero("params", Value::Object(self.params.clone().into_iter().collect()))
            .with("tag_selectors", self.tag_selectors.iter().map(SelectorRequest::show).collect::<Vec<_>>())
            .nonzero("scope_selectors", Value::Object(selectors))
            .into()
    }
}
