//! What the server says of a CustomResourceDefinition once its kind is served.

use crate::kinds::value::{items, text};
use jiff::Timestamp;
use serde_json::{Value, json};

const APPROVAL: &str = "api-approved.kubernetes.io";

/// The status of a definition whose names nobody else has: accepted, and served. Conditions that were true before keep
/// their time, and versions that were stored before stay listed.
pub(crate) fn accepted_status(crd: &Value, now: Timestamp) -> Value {
    let spec = &crd["spec"];
    let known = items(&crd["status"], "conditions");
    let condition = |kind: &str, reason: &str, message: &str| {
        let before =
            known.iter().find(|known| text(known, "type") == kind && text(known, "status") == "True");
        let since = before.and_then(|known| known["lastTransitionTime"].as_str().map(str::to_owned));
        json!({
            "type": kind, "status": "True", "reason": reason, "message": message,
            "lastTransitionTime": since.unwrap_or_else(|| format!("{now:.0}")),
        })
    };
    let mut conditions = vec![
        condition("NamesAccepted", "NoConflicts", "no conflicts found"),
        condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
    ];
    let approved = text(&crd["metadata"]["annotations"], APPROVAL);
    if is_protected(text(spec, "group")) && approved.starts_with("http") {
        let message = format!("approved in {approved}");
        conditions.push(condition("KubernetesAPIApprovalPolicyConformant", "ApprovedAnnotation", &message));
    }
    let mut stored = items(&crd["status"], "storedVersions").to_vec();
    let storage = items(spec, "versions").iter().find(|version| version["storage"] == json!(true));
    if let Some(version) = storage.and_then(|version| version.get("name"))
        && !stored.contains(version)
    {
        stored.push(version.clone());
    }
    json!({"acceptedNames": spec["names"], "conditions": conditions, "storedVersions": stored})
}

/// Groups whose kinds the Kubernetes community must have approved.
pub(super) fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group == *domain || group.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::accepted_status;
    use jiff::Timestamp;
    use serde_json::json;

    #[test]
    fn a_new_definition_is_accepted_then_established() {
        let names = json!({"plural": "tests", "singular": "test", "kind": "Test", "listKind": "TestList"});
        let crd = json!({"metadata": {}, "spec": {
            "group": "example.com", "names": names, "versions": [{"name": "v1", "storage": true}],
        }});
        assert_eq!(
            accepted_status(&crd, Timestamp::UNIX_EPOCH),
            json!({
                "acceptedNames": names,
                "conditions": [
                    {
                        "lastTransitionTime": "1970-01-01T00:00:00Z", "message": "no conflicts found",
                        "reason": "NoConflicts", "status": "True", "type": "NamesAccepted",
                    },
                    {
                        "lastTransitionTime": "1970-01-01T00:00:00Z",
                        "message": "the initial names have been accepted",
                        "reason": "InitialNamesAccepted", "status": "True", "type": "Established",
                    },
                ],
                "storedVersions": ["v1"],
            })
        );
    }
}
