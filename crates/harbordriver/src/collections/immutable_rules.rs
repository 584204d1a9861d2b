//! Immutable tag rules of a project, as one list.

use super::{
    selectors::{selection, selectors},
    singletons::no_project,
};
use crate::{
    client::Client,
    failure::{Refusals, system_error},
    manage::{Manage, Objects, Start, desired, shown},
};
use harbor::immutable_rules::{self as api, ImmutableRule};
use harborstate::{
    NoFacts,
    immutable_rules::{ImmutableRules, Rule},
};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `immutable-rules`.
pub(crate) struct RuleLists;

impl Manage for RuleLists {
    const UPDATES: Start = Start::Known;

    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(project) = part else { return Ok(Objects::new()) };
        let answer = client.harbor.project(project).immutable_rules().list().await;
        let Some(rules) = client.in_project(project, answer).await? else { return Ok(Objects::new()) };
        let rules = rules.iter().map(rule).collect();
        Ok([(project.to_owned(), shown(ImmutableRules { rules }, NoFacts {})?)].into())
    }

    async fn create(_: &Client, wanted: &External) -> Result<(), SystemError> {
        Err(no_project(&wanted.name))
    }

    /// A rule has no name, so one that differs in more than whether it is off is another one.
    async fn update(client: &Client, wanted: &External, _: &Value) -> Result<(), SystemError> {
        let desired: ImmutableRules = desired(wanted)?;
        let calls = client.harbor.project(&wanted.name).immutable_rules();
        let mut left = calls.list().await.map_err(system_error)?;
        let mut refusals = Refusals::default();
        // Before others are deleted: a tag should not be without protection in between.
        for wanted in &desired.rules {
            // Two rules may differ only in whether they are off: the right one first.
            let same = |actual: &&ImmutableRule| rule(actual) == *wanted;
            let similar = |actual: &&ImmutableRule| {
                let actual = rule(actual);
                actual.selection == wanted.selection && !desired.rules.contains(&actual)
            };
            let found = left.iter().find(same).or_else(|| left.iter().find(similar)).cloned();
            if let Some(found) = &found {
                left.retain(|rule| rule.id != found.id);
            }
            refusals.note(ensure(calls, wanted, found).await)?;
        }
        for surplus in left {
            refusals.note(calls.delete(surplus.id).await.map(drop).map_err(system_error))?;
        }
        refusals.result()
    }

    /// The rules go with the project. Without it, they protect nothing.
    async fn delete(_: &Client, _: &str, _: &Value) -> Result<(), SystemError> {
        Ok(())
    }
}

/// Creates a rule unless it is there, and enables or disables it.
async fn ensure(
    calls: api::ImmutableRules<'_>,
    wanted: &Rule,
    found: Option<ImmutableRule>,
) -> Result<(), SystemError> {
    let actual = match found {
        Some(found) => found,
        None => create(calls, wanted).await?,
    };
    for step in actual.steps(&sent(wanted)) {
        calls.put(&step).await.map_err(system_error)?;
    }
    Ok(())
}

/// Creates a rule. Harbor creates it enabled.
async fn create(calls: api::ImmutableRules<'_>, wanted: &Rule) -> Result<ImmutableRule, SystemError> {
    let new = ImmutableRule { disabled: false, ..sent(wanted) };
    let id = calls.create(&new).await.map_err(system_error)?;
    Ok(ImmutableRule { id, ..new })
}

fn rule(rule: &ImmutableRule) -> Rule {
    Rule { selection: selection(&rule.tag_selectors, &rule.scope_selectors), disabled: rule.disabled }
}

fn sent(rule: &Rule) -> ImmutableRule {
    let (tag_selectors, scope_selectors) = selectors(&rule.selection);
    ImmutableRule { tag_selectors, scope_selectors, disabled: rule.disabled, ..ImmutableRule::default() }
}
