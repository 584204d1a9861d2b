//! The MutatingWebhookConfiguration.

use crate::settings::{Certificate, PATH, Reach, Settings};
use api::names::{
    INJECT_CA_ANNOTATION, MANAGED_BY_LABEL, NAME_LABEL, NAMESPACE_NAME_LABEL, REWRITE_LABEL, REWRITING_LABEL,
};
use k8s_openapi::ByteString;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The name of the webhook in the configuration. The API server demands a name with a domain.
const WEBHOOK: &str = "rewrite-images.goharbor.io";

/// How long the API server waits for an answer, which takes a few milliseconds.
const TIMEOUT_SECONDS: u8 = 1;

/// The configuration, which never sends pods of the `exempt` namespaces.
///
/// The authority that the API server trusts is in it, unless cert-manager writes it.
pub(crate) fn configuration(settings: &Settings, authority: Option<&str>, exempt: &BTreeSet<&str>) -> Value {
    let mut client = match &settings.reach {
        Reach::Service => json!({
            "service": { "namespace": settings.namespace, "name": settings.name, "path": PATH, "port": 443 },
        }),
        Reach::At { host, port } => json!({ "url": format!("https://{}:{port}{PATH}", bracketed(host)) }),
    };
    if let Some(authority) = authority {
        client["caBundle"] = json!(ByteString(authority.as_bytes().to_vec()));
    }
    let mut metadata = json!({
        "name": settings.name,
        "labels": { NAME_LABEL: "harbor-operator", MANAGED_BY_LABEL: "harbor-operator" },
    });
    if let Certificate::CertManager(certificate) = &settings.certificate {
        let from = format!("{}/{certificate}", settings.namespace);
        metadata["annotations"] = json!({ INJECT_CA_ANNOTATION: from });
    }
    let rule = |operation: &str, resource: &str| {
        json!({
            "operations": [operation],
            "apiGroups": [""],
            "apiVersions": ["v1"],
            "resources": [resource],
            "scope": "Namespaced",
        })
    };
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": metadata,
        "webhooks": [{
            "name": WEBHOOK,
            "admissionReviewVersions": ["v1"],
            "clientConfig": client,
            "rules": [rule("CREATE", "pods"), rule("UPDATE", "pods/ephemeralcontainers")],
            "failurePolicy": settings.failure_policy.to_string(),
            "matchPolicy": "Equivalent",
            "sideEffects": "None",
            // Another webhook may add a container to a pod that this one has reviewed.
            "reinvocationPolicy": "IfNeeded",
            "timeoutSeconds": TIMEOUT_SECONDS,
            "namespaceSelector": {
                "matchLabels": { REWRITING_LABEL: "enabled" },
                "matchExpressions": [{ "key": NAMESPACE_NAME_LABEL, "operator": "NotIn", "values": exempt }],
            },
            "objectSelector": {
                "matchExpressions": [{ "key": REWRITE_LABEL, "operator": "NotIn", "values": ["false"] }],
            },
        }],
    })
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
    use super::{configuration, includes};
    use crate::settings::{Certificate, FailurePolicy, Reach, Settings};
    use serde_json::json;

    #[test]
    fn only_pods_of_labelled_namespaces_without_harbors_are_reviewed() {
        let object =
            configuration(&Settings::example(), Some("PEM"), &["kube-system", "ops", "registry"].into());
        let hook = &object["webhooks"][0];
        assert_eq!(
            hook["namespaceSelector"],
            json!({
                "matchLabels": { "harbor-day2-webhook-configuration": "enabled" },
                "matchExpressions": [{
                    "key": "kubernetes.io/metadata.name",
                    "operator": "NotIn",
                    "values": ["kube-system", "ops", "registry"],
                }],
            })
        );
        assert_eq!(
            hook["objectSelector"],
            json!({ "matchExpressions": [{ "key": "goharbor.io/rewrite", "operator": "NotIn", "values": ["false"] }] })
        );
        assert_eq!(
            (&hook["failurePolicy"], &hook["timeoutSeconds"], &hook["sideEffects"]),
            (&json!("Ignore"), &json!(1), &json!("None"))
        );
        assert_eq!(
            hook["clientConfig"],
            json!({
                "service": { "namespace": "ops", "name": "hooks", "path": "/mutate-image-path", "port": 443 },
                "caBundle": "UEVN",
            })
        );
    }

    #[test]
    fn cert_manager_writes_the_authority_if_its_certificate_is_used() {
        let settings =
            Settings { certificate: Certificate::CertManager("serving".into()), ..Settings::example() };
        let object = configuration(&settings, None, &[].into());
        assert_eq!(
            object["metadata"]["annotations"],
            json!({ "cert-manager.io/inject-ca-from": "ops/serving" })
        );
        assert_eq!(object["webhooks"][0]["clientConfig"].get("caBundle"), None);
    }

    #[test]
    fn an_operator_outside_of_the_cluster_is_reached_at_its_address() {
        let reach = Reach::At { host: "::1".into(), port: 9443 };
        let settings = Settings { reach, failure_policy: FailurePolicy::Fail, ..Settings::example() };
        let object = configuration(&settings, None, &[].into());
        let hook = &object["webhooks"][0];
        assert_eq!(hook["clientConfig"], json!({ "url": "https://[::1]:9443/mutate-image-path" }));
        assert_eq!(hook["failurePolicy"], "Fail");
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
