//! Objects for tests.

use super::{ConfigMapSource, NamespaceSource, ServerSource, Sources};
use serde_json::{Value, json};

/// Sources with namespace `team`, whose annotation names the ConfigMap `rules` if it has one.
pub fn sources(config_map: Option<Value>, servers: &[Value]) -> Sources {
    let mut sources = Sources::default();
    let annotations = match &config_map {
        Some(_) => json!({ "goharbor.io/rewriting-rules": "rules" }),
        None => json!({}),
    };
    let labels = json!({ "team": "blue", "harbor-day2-webhook-configuration": "enabled" });
    let namespace = json!({ "metadata": { "name": "team", "labels": labels, "annotations": annotations } });
    let namespace = serde_json::from_value(namespace).unwrap();
    sources.namespaces.insert((String::new(), "team".into()), NamespaceSource::new(&namespace));
    if let Some(data) = config_map {
        let object = json!({ "metadata": { "namespace": "team", "name": "rules" }, "data": data });
        if let Some(source) = ConfigMapSource::new(&serde_json::from_value(object).unwrap()) {
            sources.config_maps.insert(("team".into(), "rules".into()), source);
        }
    }
    for server in servers {
        let name = server["metadata"]["name"].as_str().unwrap().to_owned();
        let server = serde_json::from_value(server.clone()).unwrap();
        sources.servers.insert((String::new(), name), ServerSource::new(&server));
    }
    sources
}

/// A HarborServerConfiguration at `https://<name>.example.com`, with more fields of its spec.
pub fn server(name: &str, fields: Value) -> Value {
    let mut spec = json!({
        "serverURL": format!("https://{name}.example.com"),
        "version": "2.12.0",
        "accessCredential": { "namespace": "harbor", "accessSecretRef": "login" },
    });
    for (field, value) in fields.as_object().into_iter().flatten() {
        spec[field] = value.clone();
    }
    json!({ "apiVersion": "goharbor.io/v1beta1", "kind": "HarborServerConfiguration",
        "metadata": { "name": name, "creationTimestamp": "2026-01-01T00:00:00Z" }, "spec": spec })
}
