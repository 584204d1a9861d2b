//! The MutatingWebhookConfiguration.

use crate::{
    settings::{Rewriting, Settings},
    trust::Trust,
};
use api::names::{MANAGED_BY_LABEL, NAME_LABEL, NAMESPACE_NAME_LABEL, REWRITE_LABEL, REWRITING_LABEL};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The path of the webhook, which is that of the old operator.
pub(crate) const PATH: &str = "/mutate-image-path";

/// The name of the webhook in the configuration. The API server demands a name with a domain.
const WEBHOOK: &str = "rewrite-images.goharbor.io";

/// How long the API server waits for an answer, which takes a few milliseconds.
const TIMEOUT_SECONDS: u8 = 1;

/// The configuration, which never sends pods of the `exempt` namespaces.
pub(crate) fn configuration(
    settings: &Settings,
    rewriting: Rewriting,
    trust: &Trust,
    exempt: &BTreeSet<&str>,
) -> Value {
    let mut metadata = settings.metadata(&settings.name);
    metadata["labels"] = json!({ NAME_LABEL: "harbor-operator", MANAGED_BY_LABEL: "harbor-operator" });
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
            "clientConfig": settings.client_config(PATH, trust),
            "rules": [rule("CREATE", "pods"), rule("UPDATE", "pods/ephemeralcontainers")],
            "failurePolicy": rewriting.failure_policy.to_string(),
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

#[cfg(test)]
mod tests {
    use super::configuration;
    use crate::{
        settings::{FailurePolicy, Rewriting, Settings},
        trust::Trust,
    };
    use api::names::NAMESPACE_NAME_LABEL;
    use serde_json::json;

    #[test]
    fn only_pods_of_labelled_namespaces_without_harbors_are_reviewed() {
        let exempt = ["kube-system", "ops", "registry"].into();
        let trust = Trust::Authority("PEM".into());
        let object = configuration(&Settings::example(), Rewriting::default(), &trust, &exempt);
        let hook = &object["webhooks"][0];
        assert_eq!(
            hook["namespaceSelector"],
            json!({
                "matchLabels": { "harbor-day2-webhook-configuration": "enabled" },
                "matchExpressions": [{
                    "key": NAMESPACE_NAME_LABEL,
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
    fn new_pods_and_added_ephemeral_containers_are_reviewed_again_if_another_webhook_changes_them() {
        let trust = Trust::Authority("PEM".into());
        let object = configuration(&Settings::example(), Rewriting::default(), &trust, &[].into());
        let hook = &object["webhooks"][0];
        let rule = |operation: &str, resource: &str| {
            json!({ "operations": [operation], "apiGroups": [""], "apiVersions": ["v1"], "resources": [resource],
                "scope": "Namespaced" })
        };
        assert_eq!(
            hook["rules"],
            json!([rule("CREATE", "pods"), rule("UPDATE", "pods/ephemeralcontainers")])
        );
        assert_eq!(
            (&hook["reinvocationPolicy"], &hook["matchPolicy"], &hook["admissionReviewVersions"]),
            (&json!("IfNeeded"), &json!("Equivalent"), &json!(["v1"]))
        );
    }

    #[test]
    fn pods_are_refused_without_an_answer_if_the_user_asks_for_that() {
        let rewriting = Rewriting { failure_policy: FailurePolicy::Fail };
        let object = configuration(&Settings::example(), rewriting, &Trust::Injected, &[].into());
        assert_eq!(object["webhooks"][0]["failurePolicy"], "Fail");
    }
}
