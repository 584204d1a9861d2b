//! Preheat policies of projects. Filters, trigger and attributes are JSON in texts.

use crate::{
    client::Client,
    failure::{missing, rejected, system_error},
    manage::{Manage, Objects, desired, found, shown},
};
use harbor::{Feature, PreheatPolicyId, preheat as api};
use harborstate::{
    in_project,
    preheat_policy::{Facts, PreheatPolicy, Trigger},
    split,
};
use plan::{External, SystemError};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The collection `preheat-policy`.
pub(crate) struct PreheatPolicies;

impl Manage for PreheatPolicies {
    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(project) = part else { return Ok(Objects::new()) };
        let answer = client.harbor.project(project).preheat_policies().list().await;
        let policies = client.in_project(project, answer).await?.unwrap_or_default();
        let named = |policy: &api::PreheatPolicy| in_project(project, &policy.name);
        policies.iter().map(|policy| Ok((named(policy), state(policy)?))).collect()
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let (project, policy) = sent(client, wanted, desired(wanted)?).await?;
        client.harbor.project(project).preheat_policies().create(&policy).await.map_err(system_error)
    }

    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        let policy: PreheatPolicy = desired(wanted)?;
        let actual = found::<PreheatPolicy>(actual)?;
        let stored = actual.state;
        let both = PreheatPolicy {
            description: policy.description.or(stored.description),
            provider: policy.provider.or(stored.provider),
            filters: policy.filters.or(stored.filters),
            trigger: policy.trigger.or(stored.trigger),
            enabled: policy.enabled.or(stored.enabled),
            extra_attrs: policy.extra_attrs.or(stored.extra_attrs),
        };
        let (project, policy) = sent(client, wanted, both).await?;
        let id = PreheatPolicyId(actual.facts.id);
        client.harbor.project(project).preheat_policies().replace(id, &policy).await.map_err(system_error)
    }

    async fn delete(client: &Client, name: &str, _: &Value) -> Result<(), SystemError> {
        let Some((project, name)) = split(name) else { return Ok(()) };
        let policies = client.harbor.project(project).preheat_policies();
        policies.delete(name).await.map(drop).map_err(system_error)
    }
}

fn state(policy: &api::PreheatPolicy) -> Result<Value, SystemError> {
    let filters: Vec<Value> = serde_json::from_str(&policy.filters).unwrap_or_default();
    let filters = filters.iter().filter_map(|filter| {
        Some((filter.get("type")?.as_str()?.to_owned(), filter.get("value").cloned().unwrap_or_default()))
    });
    let trigger: Value = serde_json::from_str(&policy.trigger).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let trigger = Trigger { kind: text(&trigger["type"]), cron: text(&trigger["trigger_setting"]["cron"]) };
    let state = PreheatPolicy {
        description: Some(policy.description.clone()),
        provider: Some(policy.provider_name.clone()),
        filters: Some(filters.collect()),
        trigger: Some(trigger),
        enabled: Some(policy.enabled),
        extra_attrs: Some(serde_json::from_str(&policy.extra_attrs).unwrap_or_default()),
    };
    shown(state, Facts { id: policy.id.0 })
}

async fn sent<'a>(
    client: &Client,
    wanted: &'a External,
    policy: PreheatPolicy,
) -> Result<(&'a str, api::NewPreheatPolicy), SystemError> {
    let Some((project, name)) = split(&wanted.name) else { return Err(missing("project for", &wanted.name)) };
    let Some(found) = client.project(project).await? else { return Err(missing("project", project)) };
    let provider = policy.provider.unwrap_or_default();
    let instance = client.harbor.preheat_instances().get(&provider).await.map_err(system_error)?;
    let Some(instance) = instance else { return Err(missing("preheat instance", &provider)) };
    let filters: Vec<_> = policy.filters.unwrap_or_default().into_iter().map(filter).collect();
    let trigger = policy.trigger.unwrap_or_default();
    let trigger = json!({"type": trigger.kind, "trigger_setting": {"cron": trigger.cron}});
    let new = api::NewPreheatPolicy {
        project_id: found.id,
        name: name.to_owned(),
        description: policy.description.unwrap_or_default(),
        provider_id: instance.id,
        filters: Value::Array(filters).to_string(),
        trigger: trigger.to_string(),
        extra_attrs: attributes(client, policy.extra_attrs.unwrap_or_default()).await?,
        enabled: policy.enabled.unwrap_or_default(),
    };
    Ok((project, new))
}

fn filter((kind, value): (String, Value)) -> Value {
    json!({"type": kind, "value": value})
}

async fn attributes(
    client: &Client,
    attributes: BTreeMap<String, Value>,
) -> Result<Option<String>, SystemError> {
    if attributes.is_empty() {
        return Ok(None);
    }
    let info = client.harbor.server_info().await.map_err(system_error)?;
    if !info.has(Feature::PreheatExtraAttributes) {
        return Err(rejected(
            format!("Harbor {} takes no extra attributes for preheat policies", info.version),
            "upgrade Harbor, or leave them out",
        ));
    }
    Ok(Some(attributes.into_iter().collect::<Value>().to_string()))
}
