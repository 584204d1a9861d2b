//! How the API server reaches a webhook, and what it trusts: the part that all registrations have in common.

use crate::settings::{Certificate, Reach, Settings};
use api::names::INJECT_CA_ANNOTATION;
use k8s_openapi::ByteString;
use serde_json::{Value, json};

/// What the API server trusts when it calls a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// This authority, in PEM. It is part of the registration.
    Authority(String),
    /// The authority that cert-manager writes into the registration.
    Injected,
}

impl Settings {
    /// The `clientConfig` of the webhook at a path.
    pub(crate) fn client_config(&self, path: &str, trust: &Trust) -> Value {
        let mut client = match &self.reach {
            Reach::Service => json!({
                "service": { "namespace": self.namespace, "name": self.name, "path": path, "port": 443 },
            }),
            Reach::At { host, port } => json!({ "url": format!("https://{}:{port}{path}", bracketed(host)) }),
        };
        match trust {
            Trust::Authority(authority) => {
                client["caBundle"] = json!(ByteString(authority.as_bytes().to_vec()));
            }
            Trust::Injected => {}
        }
        client
    }

    /// The metadata of a registration. It names the Certificate whose authority cert-manager writes, if there is one.
    pub(crate) fn metadata(&self, name: &str) -> Value {
        match &self.certificate {
            Certificate::Issued => json!({ "name": name }),
            Certificate::CertManager(certificate) => {
                let from = format!("{}/{certificate}", self.namespace);
                json!({ "name": name, "annotations": { INJECT_CA_ANNOTATION: from } })
            }
        }
    }
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

/// Whether an object has all fields of another one. Lists must have the same items.
pub(crate) fn includes(object: &Value, fields: &Value) -> bool {
    match (object, fields) {
        (Value::Object(object), Value::Object(fields)) => {
            fields.iter().all(|(name, value)| object.get(name).is_some_and(|other| includes(other, value)))
        }
        (Value::Array(items), Value::Array(wanted)) => {
            items.len() == wanted.len()
                && items.iter().zip(wanted).all(|(item, wanted)| includes(item, wanted))
        }
        (value, wanted) => value == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::{Trust, includes};
    use crate::settings::{Certificate, Reach, Settings};
    use serde_json::json;

    #[test]
    fn the_api_server_reaches_the_service_and_trusts_the_authority() {
        let settings = Settings::example();
        let expected = json!({
            "service": { "namespace": "ops", "name": "hooks", "path": "/there", "port": 443 },
            "caBundle": "UEVN",
        });
        assert_eq!(settings.client_config("/there", &Trust::Authority("PEM".into())), expected);
        assert_eq!(settings.metadata("it"), json!({ "name": "it" }));
    }

    #[test]
    fn cert_manager_writes_the_authority_if_its_certificate_is_used() {
        let settings =
            Settings { certificate: Certificate::CertManager("serving".into()), ..Settings::example() };
        let expected =
            json!({ "name": "it", "annotations": { "cert-manager.io/inject-ca-from": "ops/serving" } });
        assert_eq!(settings.metadata("it"), expected);
        assert_eq!(settings.client_config("/there", &Trust::Injected).get("caBundle"), None);
    }

    #[test]
    fn an_operator_outside_of_the_cluster_is_reached_at_its_address() {
        let reach = Reach::At { host: "::1".into(), port: 9443 };
        let settings = Settings { reach, ..Settings::example() };
        let expected = json!({ "url": "https://[::1]:9443/there" });
        assert_eq!(settings.client_config("/there", &Trust::Injected), expected);
    }

    #[test]
    fn fields_of_others_are_no_drift() {
        let stored = json!({ "a": { "b": 1, "c": 2 }, "d": [{ "e": 1, "f": 2 }] });
        assert!(includes(&stored, &json!({ "a": { "b": 1 }, "d": [{ "e": 1 }] })));
        assert!(!includes(&stored, &json!({ "a": { "b": 2 } })));
        assert!(!includes(&stored, &json!({ "d": [] })));
        assert!(!includes(&stored, &json!({ "x": null })));
    }
}
