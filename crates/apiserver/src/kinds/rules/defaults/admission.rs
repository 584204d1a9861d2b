//! Webhook configurations and CustomResourceDefinitions.

use crate::kinds::value::{child, fill, items, items_mut, text};
use serde_json::{Value, json};

pub(super) fn webhook(webhook: &mut Value) {
    fill(webhook, "failurePolicy", "Fail");
    fill(webhook, "matchPolicy", "Equivalent");
    fill(webhook, "namespaceSelector", json!({}));
    fill(webhook, "objectSelector", json!({}));
    fill(webhook, "timeoutSeconds", 10);
    for rule in items_mut(webhook, "rules") {
        fill(rule, "scope", "*");
    }
    if let Some(service) = webhook.pointer_mut("/clientConfig/service") {
        fill(service, "port", 443);
    }
}

pub(super) fn definition(object: &mut Value) {
    let Some(spec) = child(object, "spec") else { return };
    if let Some(names) = child(spec, "names") {
        let kind = text(names, "kind").to_owned();
        if text(names, "singular").is_empty() {
            fill(names, "singular", kind.to_lowercase());
        }
        if !kind.is_empty() {
            fill(names, "listKind", format!("{kind}List"));
        }
    }
    fill(spec, "conversion", json!({"strategy": "None"}));
    if let Some(service) = spec.pointer_mut("/conversion/webhook/clientConfig/service") {
        fill(service, "port", 443);
    }
    let storage = items(spec, "versions").iter().find(|version| version["storage"] == json!(true));
    if let Some(name) = storage.map(|version| text(version, "name").to_owned())
        && let Some(status) = child(object, "status")
        && items(status, "storedVersions").is_empty()
    {
        crate::kinds::value::set(status, "storedVersions", json!([name]));
    }
}
