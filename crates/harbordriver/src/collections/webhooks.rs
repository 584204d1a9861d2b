//! Webhooks of projects.

use crate::{
    client::Client,
    failure::{missing, rejected, system_error},
    manage::{Manage, Objects, desired, found, shown},
    values::secrets,
};
use harbor::{
    Feature, Secret, WebhookId,
    webhooks::{self as api, WebhookPolicy},
};
use harborstate::{
    in_project, split,
    webhook::{AUTH_HEADERS, Facts, Target, Webhook},
};
use plan::{External, SystemError};
use serde_json::Value;
use std::collections::BTreeMap;

/// The collection `webhook`.
pub(crate) struct Webhooks;

impl Manage for Webhooks {
    async fn list(client: &Client, part: Option<&str>) -> Result<Objects, SystemError> {
        let Some(project) = part else { return Ok(Objects::new()) };
        let answer = client.harbor.project(project).webhooks().list().await;
        let webhooks = client.in_project(project, answer).await?.unwrap_or_default();
        let named = |webhook: &api::Webhook| in_project(project, &webhook.policy.name);
        webhooks.iter().map(|webhook| Ok((named(webhook), state(webhook)?))).collect()
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let (project, name) = names(wanted)?;
        let policy = policy(client, wanted, &WebhookPolicy { name, ..WebhookPolicy::default() }).await?;
        client.harbor.project(project).webhooks().create(&policy).await.map(drop).map_err(system_error)
    }

    async fn update(client: &Client, wanted: &External, _: &Value) -> Result<(), SystemError> {
        let (project, name) = names(wanted)?;
        let calls = client.harbor.project(project).webhooks();
        // It has the headers, which no state shows.
        let Some(stored) = calls.find(&name).await.map_err(system_error)? else {
            return Err(missing("webhook", &wanted.name));
        };
        let policy = policy(client, wanted, &stored.policy).await?;
        calls.replace(stored.id, &policy).await.map_err(system_error)
    }

    async fn delete(client: &Client, name: &str, actual: &Value) -> Result<(), SystemError> {
        let Some((project, _)) = split(name) else { return Ok(()) };
        let id = WebhookId(found::<Webhook>(actual)?.facts.id);
        client.harbor.project(project).webhooks().delete(id).await.map(drop).map_err(system_error)
    }
}

fn names(wanted: &External) -> Result<(&str, String), SystemError> {
    let names = split(&wanted.name).map(|(project, name)| (project, name.to_owned()));
    names.ok_or_else(|| missing("project for the webhook", &wanted.name))
}

fn state(webhook: &api::Webhook) -> Result<Value, SystemError> {
    let target = |target: &api::Target| Target {
        kind: target.kind.to_string(),
        address: target.address.clone(),
        skip_cert_verify: target.skip_cert_verify,
        payload_format: target.payload_format.to_string(),
    };
    let policy = &webhook.policy;
    let state = Webhook {
        description: Some(policy.description.clone()),
        enabled: Some(policy.enabled),
        event_types: Some(policy.event_types.iter().map(ToString::to_string).collect()),
        targets: Some(policy.targets.iter().map(target).collect()),
    };
    shown(state, Facts { id: webhook.id.0 })
}

/// The whole webhook, since an update replaces it. What is not desired stays as it is stored.
async fn policy(
    client: &Client,
    wanted: &External,
    stored: &WebhookPolicy,
) -> Result<WebhookPolicy, SystemError> {
    let webhook: Webhook = desired(wanted)?;
    let headers: BTreeMap<String, Secret> = if wanted.write_only.contains_key(AUTH_HEADERS) {
        secrets(wanted, AUTH_HEADERS)
    } else {
        stored.targets.iter().map(|target| (target.address.clone(), target.auth_header.clone())).collect()
    };
    let targets = match webhook.targets {
        Some(targets) => {
            check_format(client, &targets.iter().collect::<Vec<_>>()).await?;
            targets.into_iter().map(sent).collect()
        }
        None => stored.targets.clone(),
    };
    let with_header = |target: api::Target| {
        let auth_header = headers.get(&target.address).cloned().unwrap_or_default();
        api::Target { auth_header, ..target }
    };
    let events = webhook.event_types.map(|events| events.into_iter().map(Into::into).collect());
    Ok(WebhookPolicy {
        name: stored.name.clone(),
        description: webhook.description.unwrap_or_else(|| stored.description.clone()),
        enabled: webhook.enabled.unwrap_or(stored.enabled),
        event_types: events.unwrap_or_else(|| stored.event_types.clone()),
        targets: targets.into_iter().map(with_header).collect(),
    })
}

fn sent(target: Target) -> api::Target {
    // Harbor fills the default in. Versions before 2.8 do not know the field.
    let format = if target.payload_format == "Default" { String::new() } else { target.payload_format };
    api::Target {
        kind: target.kind.into(),
        address: target.address,
        auth_header: Secret::default(),
        skip_cert_verify: target.skip_cert_verify,
        payload_format: format.into(),
    }
}

async fn check_format(client: &Client, targets: &[&Target]) -> Result<(), SystemError> {
    if !targets.iter().any(|target| target.payload_format == "CloudEvents") {
        return Ok(());
    }
    let info = client.harbor.server_info().await.map_err(system_error)?;
    if info.has(Feature::WebhookPayloadFormat) {
        return Ok(());
    }
    Err(rejected(
        format!("Harbor {} sends no CloudEvents", info.version),
        "upgrade Harbor, or use the format Default",
    ))
}
