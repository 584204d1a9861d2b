//! The webhooks of a project.

use crate::{
    management::Server,
    secrets::{SecretKey, Secrets},
};
use api::v1beta1::{
    HarborProjectSpec,
    harborproject::webhook::{PayloadFormat, WebhookPolicy, WebhookTarget, WebhookTargetType},
};
use harborstate::webhook::{AUTH_HEADERS, Target, Webhook};
use plan::{All as _, PlanError, World};
use serde_json::{Map, Value};

/// The name of a webhook, its write-only fields and its state.
pub(super) type Named<'a> = (&'a str, Map<String, Value>, Webhook);

/// All webhooks of the spec.
pub(super) fn webhooks<'a>(
    spec: &'a HarborProjectSpec,
    namespace: &str,
    server: &Server,
    world: &World<'_>,
) -> Result<Vec<Named<'a>>, PlanError> {
    let secrets = Secrets::new(world, namespace);
    let webhooks = spec.webhooks.iter().flatten().map(|policy| webhook(policy, &secrets, server));
    webhooks.collect::<Vec<_>>().all()
}

fn webhook<'a>(
    policy: &'a WebhookPolicy,
    secrets: &Secrets<'_>,
    server: &Server,
) -> Result<Named<'a>, PlanError> {
    let mut headers = Map::new();
    for target in &policy.targets {
        if let Some(reference) = &target.auth_header_ref {
            let key = reference.key.as_deref().unwrap_or("authHeader");
            let value = secrets.value(&SecretKey::new(&reference.name, key))?;
            let value = String::from_utf8_lossy(value.bytes()).trim_end().to_owned();
            headers.insert(target.address.clone(), value.into());
        }
        if target.payload_format == Some(PayloadFormat::CloudEvents) {
            let field = format!("spec.webhooks[{}].targets.payloadFormat", policy.name);
            server.supports(&field, |version| version >= harbor::Version::new(2, 8, 0))?;
        }
    }
    let write_only = if headers.is_empty() {
        Map::new()
    } else {
        Map::from_iter([(AUTH_HEADERS.to_owned(), Value::Object(headers))])
    };
    let state = Webhook {
        description: Some(policy.description.clone().unwrap_or_default()),
        enabled: Some(policy.enabled.unwrap_or(true)),
        event_types: Some(policy.event_types.iter().map(|event| event.as_str().to_owned()).collect()),
        targets: Some(policy.targets.iter().map(target).collect()),
    };
    Ok((&policy.name, write_only, state))
}

fn target(target: &WebhookTarget) -> Target {
    let (kind, default) = match target.type_ {
        WebhookTargetType::Http => ("http", "Default"),
        WebhookTargetType::Slack => ("slack", ""),
    };
    let payload_format = match target.payload_format {
        Some(PayloadFormat::CloudEvents) => "CloudEvents",
        Some(PayloadFormat::Default) | None => default,
    };
    Target {
        kind: kind.to_owned(),
        address: target.address.clone(),
        skip_cert_verify: target.skip_cert_verify.unwrap_or_default(),
        payload_format: payload_format.to_owned(),
    }
}
