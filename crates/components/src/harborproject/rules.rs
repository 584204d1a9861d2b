//! Rules about the artifacts of a project: which ones Harbor keeps, and whose tags do not change.

use api::v1beta1::{
    HarborProjectSpec,
    artifact_selector::{RepositorySelector, TagSelector},
    harborproject::{ImmutableTagRule, RetentionPolicy, RetentionRule},
};
use harborstate::{
    immutable_rules::{self, ImmutableRules},
    retention::{Retention, Rule, Template},
    selectors::{self, Decoration, Selection},
};
use plan::PlanError;

/// What a rule without a selector is about.
const EVERYTHING: &str = "**";

/// Refuses rules that are listed twice: Harbor does, too, and names none.
pub(super) fn check(spec: &HarborProjectSpec) -> Result<(), PlanError> {
    let retention = spec.retention.iter().map(|policy| (policy.rules.len(), retention(policy).rules));
    let retention =
        retention.map(|(written, rules)| ("spec.retention.rules", written, rules.map(|it| it.len())));
    let immutable = spec.immutable_tag_rules.iter().map(|rules| (rules.len(), immutable(rules).rules.len()));
    let immutable = immutable.map(|(written, rules)| ("spec.immutableTagRules", written, Some(rules)));
    match retention.chain(immutable).find(|(_, written, rules)| Some(*written) != *rules) {
        Some((field, ..)) => Err(PlanError::invalid(field, "has the same rule twice", "keep one of the two")),
        None => Ok(()),
    }
}

/// The retention policy. Without a schedule it runs only when a user starts it.
pub(super) fn retention(policy: &RetentionPolicy) -> Retention {
    let cron = policy.schedule.as_ref().map(|cron| cron.as_str().to_owned()).unwrap_or_default();
    let rules = policy.rules.iter().map(|rule| {
        let (template, count) = template(rule);
        let selection = selection(rule.repositories.as_ref(), rule.tags.as_ref());
        Rule { template, count, selection, disabled: rule.disabled.unwrap_or_default() }
    });
    Retention { cron: Some(cron), rules: Some(rules.collect()) }
}

fn template(rule: &RetentionRule) -> (Template, u64) {
    let numbered = [
        (rule.latest_pushed_k, Template::LatestPushed),
        (rule.latest_pulled_n, Template::LatestPulled),
        (rule.n_days_since_last_push, Template::DaysSinceLastPush),
        (rule.n_days_since_last_pull, Template::DaysSinceLastPull),
    ];
    let set = numbered.into_iter().find_map(|(number, template)| Some((template, number?)));
    // The schema requires one of them, and `always` has no number.
    set.map_or((Template::Always, 0), |(template, number)| {
        (template, u64::try_from(number).unwrap_or_default())
    })
}

/// The rules whose tags cannot be moved or deleted.
pub(super) fn immutable(rules: &[ImmutableTagRule]) -> ImmutableRules {
    let rules = rules.iter().map(|rule| immutable_rules::Rule {
        selection: selection(rule.repositories.as_ref(), rule.tags.as_ref()),
        disabled: rule.disabled.unwrap_or_default(),
    });
    ImmutableRules { rules: rules.collect() }
}

fn selection(repositories: Option<&RepositorySelector>, tags: Option<&TagSelector>) -> Selection {
    let pattern = |matches: Option<&String>, excludes: Option<&String>| match (matches, excludes) {
        (_, Some(excluded)) => (Decoration::Excludes, excluded.clone()),
        (Some(matched), None) => (Decoration::Matches, matched.clone()),
        (None, None) => (Decoration::Matches, EVERYTHING.to_owned()),
    };
    let chosen = |it: &RepositorySelector| pattern(it.matches.as_ref(), it.excludes.as_ref());
    let (decoration, repository) = repositories.map_or_else(|| pattern(None, None), chosen);
    let repository = selectors::RepositorySelector { decoration, pattern: repository };
    let chosen = |it: &TagSelector| pattern(it.matches.as_ref(), it.excludes.as_ref());
    let (decoration, tag) = tags.map_or_else(|| pattern(None, None), chosen);
    let untagged = tags.and_then(|tags| tags.untagged).unwrap_or(true);
    let tag = selectors::TagSelector { decoration, pattern: tag, untagged };
    Selection { repositories: [repository].into(), tags: [tag].into() }
}
