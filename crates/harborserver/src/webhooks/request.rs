//! Webhooks as bodies describe them.

use crate::{
    failure::Failure,
    rest::{Shown, go_struct},
    version::{Change, Version},
};
use serde_json::Value;

use super::events;

go_struct! {
    /// A policy as bodies describe it.
    PolicyRequest = "WebhookPolicy" {
        name: String,
        description: String,
        enabled: bool,
        event_types: Vec<String>,
        targets: Vec<TargetRequest>,
    }
}

go_struct! {
    /// A receiver. Answers show `auth_header` in clear.
    TargetRequest = "WebhookTargetObject" {
        kind = "type": String,
        address: String,
        auth_header: String,
        skip_cert_verify: bool,
        payload_format: String,
    }
}

impl TargetRequest {
    pub fn show(&self, formats: bool) -> Value {
        Shown::new()
            .with("type", self.kind.as_str())
            .with("address", self.address.as_str())
            .nonzero("auth_header", self.auth_header.as_str())
            .nonzero("skip_cert_verify", self.skip_cert_verify)
            .nonzero("payload_format", if formats { self.payload_format.as_str() } else { "" })
            .into()
    }
}

impl PolicyRequest {
    /// The same policy with defaults filled in, if nothing is wrong with it.
    pub fn checked(mut self, version: Version) -> Result<Self, Failure> {
        let bad = |problem: String| Err(Failure::bad_request(problem));
        if self.name.is_empty() {
            return bad("empty policy name".to_owned());
        }
        if self.targets.is_empty() {
            return bad(format!("empty notification target with policy {}", self.name));
        }
        let formats = version.has(Change::WebhookExecutions);
        for target in &mut self.targets {
            if let Some(problem) = url_problem(&target.address) {
                return bad(problem);
            }
            if !["http", "slack"].contains(&target.kind.as_str()) {
                return bad(format!("unsupported target type {} with policy {}", target.kind, self.name));
            }
            if formats && target.kind == "http" && target.payload_format.is_empty() {
                "Default".clone_into(&mut target.payload_format);
            }
            if formats && !["", "Default", "CloudEvents"].contains(&target.payload_format.as_str()) {
                return bad(format!("unsupported payload format type: {}", target.payload_format));
            }
        }
        if self.event_types.is_empty() {
            return bad("empty event type".to_owned());
        }
        let known = events::types(version);
        if let Some(other) = self.event_types.iter().find(|event| !known.contains(&event.as_str())) {
            return bad(format!("unsupported event type {other}"));
        }
        Ok(self)
    }
}

/// What Go says of an address that is no URL. Nearly everything is one.
fn url_problem(address: &str) -> Option<String> {
    if address.is_empty() {
        return Some("empty notification target address".to_owned());
    }
    if address.bytes().any(|byte| byte.is_ascii_control()) {
        return Some(format!("parse {address:?}: net/url: invalid control character in URL"));
    }
    let host = address.split_once("://")?.1.split(['/', '?', '#']).next()?;
    (host.starts_with('[') && !host.contains(']')).then(|| format!("parse {address:?}: missing ']' in host"))
}
