//! The status of a CustomResourceDefinition.

use crate::kinds::value::{items, set, text, unset};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const APPROVAL: &str = "api-approved.kubernetes.io";

/// The status of a definition. Its kind is served once no other definition of the group has its names.
/// Conditions that have not changed keep their time, and versions that were stored before stay listed.
pub(crate) fn accepted_status<'c>(
    crd: &Value,
    others: impl IntoIterator<Item = &'c Value>,
    now: Timestamp,
) -> Value {
    let spec = &crd["spec"];
    let known = items(&crd["status"], "conditions");
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        let before =
            known.iter().find(|known| text(known, "type") == kind && text(known, "status") == status);
        let since = before.and_then(|known| known["lastTransitionTime"].as_str().map(str::to_owned));
        json!({
            "type": kind, "status": status, "reason": reason, "message": message,
            "lastTransitionTime": since.unwrap_or_else(|| format!("{now:.0}")),
        })
    };
    let (names, conflict) = accepted_names(crd, &Taken::by(others));
    let accepted = match &conflict {
        None => condition("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
        Some(conflict) => condition("NamesAccepted", "False", conflict.reason, &conflict.message),
    };
    let was_established = is_established(crd);
    let established = if conflict.is_none() || was_established {
        condition("Established", "True", "InitialNamesAccepted", "the initial names have been accepted")
    } else {
        condition("Established", "False", "NotAccepted", "not all names are accepted")
    };
    let mut conditions = vec![accepted, established];
    let approved = text(&crd["metadata"]["annotations"], APPROVAL);
    if is_protected(text(spec, "group")) && approved.starts_with("http") {
        let message = format!("approved in {approved}");
        let policy = "KubernetesAPIApprovalPolicyConformant";
        conditions.insert(0, condition(policy, "True", "ApprovedAnnotation", &message));
    }
    let mut stored = items(&crd["status"], "storedVersions").to_vec();
    let storage = items(spec, "versions").iter().find(|version| version["storage"] == json!(true));
    if let Some(version) = storage.and_then(|version| version.get("name"))
        && !stored.contains(version)
    {
        stored.push(version.clone());
    }
    json!({"acceptedNames": names, "conditions": conditions, "storedVersions": stored})
}

/// Whether the kind of a definition is or was served.
pub(crate) fn is_established(crd: &Value) -> bool {
    let is =
        |condition: &&Value| text(condition, "type") == "Established" && text(condition, "status") == "True";
    items(&crd["status"], "conditions").iter().find(is).is_some()
}

/// The names that other definitions of a group have.
struct Taken<'c> {
    resources: BTreeSet<&'c str>,
    kinds: BTreeSet<&'c str>,
}

/// A name that another definition has.
struct Conflict {
    reason: &'static str,
    message: String,
}

impl<'c> Taken<'c> {
    fn by(others: impl IntoIterator<Item = &'c Value>) -> Self {
        let mut taken = Self { resources: BTreeSet::new(), kinds: BTreeSet::new() };
        for other in others {
            let names = &other["status"]["acceptedNames"];
            taken.resources.extend([text(names, "plural"), text(names, "singular")]);
            taken.resources.extend(items(names, "shortNames").iter().filter_map(Value::as_str));
            taken.kinds.extend([text(names, "kind"), text(names, "listKind")]);
        }
        taken
    }
}

/// The names that a definition gets, and the last one that it does not get.
fn accepted_names(crd: &Value, taken: &Taken<'_>) -> (Value, Option<Conflict>) {
    let wanted = &crd["spec"]["names"];
    let mut names = match &crd["status"]["acceptedNames"] {
        Value::Object(had) => Value::Object(had.clone()),
        // Both fields are present even if empty.
        _ => json!({"plural": "", "kind": ""}),
    };
    let mut conflict = None;
    let mut accept = |field: &str, reason: &'static str, among: &BTreeSet<&str>| {
        let listed = wanted[field].as_array().into_iter().flatten().filter_map(Value::as_str);
        let asked = wanted[field].as_str().into_iter().chain(listed);
        let in_use: Vec<String> = asked
            .filter(|name| among.contains(name))
            .map(|name| format!("{name:?} is already in use"))
            .collect();
        if in_use.is_empty() {
            set_or_drop(&mut names, field, wanted.get(field));
            return;
        }
        let message = if in_use.len() == 1 { in_use.concat() } else { format!("[{}]", in_use.join(", ")) };
        conflict = Some(Conflict { reason, message });
    };
    accept("plural", "PluralConflict", &taken.resources);
    accept("singular", "SingularConflict", &taken.resources);
    accept("shortNames", "ShortNamesConflict", &taken.resources);
    accept("kind", "KindConflict", &taken.kinds);
    accept("listKind", "ListKindConflict", &taken.kinds);
    set_or_drop(&mut names, "categories", wanted.get("categories"));
    (names, conflict)
}

fn set_or_drop(names: &mut Value, field: &str, value: Option<&Value>) {
    match value {
        Some(value) => set(names, field, value.clone()),
        None => drop(unset(names, field)),
    }
}

/// Groups that require approval by the Kubernetes community.
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
            accepted_status(&crd, [], Timestamp::UNIX_EPOCH),
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

    #[test]
    fn a_definition_waits_for_names_that_another_has() {
        let names = json!({"plural": "tests", "singular": "test", "kind": "Test", "listKind": "TestList"});
        let other = json!({"status": {"acceptedNames": names}});
        let crd = json!({"metadata": {}, "spec": {
            "group": "example.com", "versions": [{"name": "v1", "storage": true}],
            "names": {"plural": "exams", "singular": "test", "kind": "Test", "listKind": "ExamList"},
        }});
        let status = accepted_status(&crd, [&other], Timestamp::UNIX_EPOCH);
        assert_eq!(status["acceptedNames"], json!({"plural": "exams", "kind": "", "listKind": "ExamList"}));
        let messages: Vec<_> =
            status["conditions"].as_array().into_iter().flatten().map(|c| &c["message"]).collect();
        assert_eq!(messages, [r#""Test" is already in use"#, "not all names are accepted"]);
    }
}
