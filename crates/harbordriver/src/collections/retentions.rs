//! Retention policies, one per project.

use super::selectors::{selection, selectors};
use crate::{
    client::Client,
    failure::{missing, rejected, system_error},
    manage::{Manage, Objects, desired, found, shown},
};
use harbor::{
    ProjectId, RetentionId,
    projects::{MetadataKey, Project},
    retention::{self as api, RetentionPolicy, RetentionRule},
};
use harborstate::retention::{Facts, Retention, Rule, Template};
use plan::{External, SystemError};
use serde_json::Value;
use std::collections::BTreeSet;

/// The collection `retention`.
pub(crate) struct Retentions;

impl Manage for Retentions {
    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(name) = part else { return Ok(Objects::new()) };
        // Not an older state: the settings of the project have the number of the policy.
        let Some(project) = client.read_project(name).await? else { return Ok(Objects::new()) };
        let Some(id) = retention_id(&project) else { return Ok(Objects::new()) };
        let policy = client.harbor.retentions().get(id).await.map_err(system_error)?;
        let Some(policy) = policy.filter(|policy| policy.project() == project.id) else {
            return Ok(Objects::new());
        };
        Ok([(name.to_owned(), state(id, &policy)?)].into())
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let Some(project) = client.read_project(&wanted.name).await? else {
            return Err(missing("project", &wanted.name));
        };
        if retention_id(&project).is_some() {
            return Err(SystemError::Exists);
        }
        let policy = policy(project.id, desired(wanted)?)?;
        client.harbor.retentions().create(&policy).await.map(drop).map_err(system_error)
    }

    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        let retention: Retention = desired(wanted)?;
        let actual = found::<Retention>(actual)?;
        let Some(project) = client.project(&wanted.name).await? else {
            return Err(missing("project", &wanted.name));
        };
        let both = Retention {
            cron: retention.cron.or(actual.state.cron),
            rules: retention.rules.or(actual.state.rules),
        };
        let policy = policy(project.id, both)?;
        let id = RetentionId(actual.facts.id);
        client.harbor.retentions().replace(id, &policy).await.map_err(system_error)
    }

    async fn delete(client: &Client, _: &str, actual: &Value) -> Result<(), SystemError> {
        let id = RetentionId(found::<Retention>(actual)?.facts.id);
        client.harbor.retentions().delete(id).await.map(drop).map_err(system_error)
    }
}

fn retention_id(project: &Project) -> Option<RetentionId> {
    let number = project.metadata.get(&MetadataKey::RetentionId)?.parse().ok()?;
    (number != 0).then_some(RetentionId(number))
}

fn state(id: RetentionId, policy: &RetentionPolicy) -> Result<Value, SystemError> {
    let rule = |rule: &RetentionRule| Rule {
        template: template(&rule.template),
        count: rule.params.get(rule.template.as_str()).and_then(Value::as_u64).unwrap_or_default(),
        selection: selection(&rule.tag_selectors, &rule.scope_selectors),
        disabled: rule.disabled,
    };
    let rules = policy.rules.iter().map(rule).collect();
    shown(Retention { cron: Some(policy.cron().to_owned()), rules: Some(rules) }, Facts { id: id.0 })
}

fn template(template: &api::Template) -> Template {
    match template {
        api::Template::LatestPushed => Template::LatestPushed,
        api::Template::LatestPulled => Template::LatestPulled,
        api::Template::DaysSinceLastPush => Template::DaysSinceLastPush,
        api::Template::DaysSinceLastPull => Template::DaysSinceLastPull,
        api::Template::Always => Template::Always,
        api::Template::Other(word) => Template::Other(word.clone()),
    }
}

fn policy(project: ProjectId, wanted: Retention) -> Result<RetentionPolicy, SystemError> {
    let rules: BTreeSet<Rule> = wanted.rules.unwrap_or_default();
    if rules.len() > RetentionPolicy::MOST_RULES {
        let most = RetentionPolicy::MOST_RULES;
        return Err(rejected(format!("{} rules are too many", rules.len()), format!("use {most} at most")));
    }
    let rules = rules.iter().map(sent).collect::<Result<Vec<_>, _>>()?;
    Ok(RetentionPolicy::new(project, wanted.cron.unwrap_or_default(), rules))
}

fn sent(rule: &Rule) -> Result<RetentionRule, SystemError> {
    let template = match &rule.template {
        Template::LatestPushed => api::Template::LatestPushed,
        Template::LatestPulled => api::Template::LatestPulled,
        Template::DaysSinceLastPush => api::Template::DaysSinceLastPush,
        Template::DaysSinceLastPull => api::Template::DaysSinceLastPull,
        Template::Always => api::Template::Always,
        Template::Other(word) => {
            return Err(rejected(format!("{word} is no template of a rule"), "correct the template"));
        }
    };
    let params = match &template {
        api::Template::Always => [].into(),
        template => [(template.as_str().to_owned(), rule.count.into())].into(),
    };
    let (tag_selectors, scope_selectors) = selectors(&rule.selection);
    let disabled = rule.disabled;
    Ok(RetentionRule {
        action: "retain".to_owned(),
        template,
        params,
        tag_selectors,
        scope_selectors,
        disabled,
    })
}
