//! Which program created an object.

use super::{entries, is_apply, is_operator};
use api::names::{CONTROLLER_LABEL, HARBOR_CLUSTER_LABEL};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, OwnerReference};
use kube::core::ObjectMeta;
use serde_json::Value;
use std::collections::BTreeSet;

/// The program that created a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// The operator, or the old operator: the operator deletes the object when its owner no longer wants it.
    Operator,
    /// Another program; the old operator only wrote its owner into it.
    Appropriated,
    /// Another program.
    Foreign,
}

impl Provenance {
    /// The provenance of an object that has an owner.
    pub fn of(meta: &ObjectMeta, predecessors: &BTreeSet<String>) -> Self {
        let has = |label: &str| meta.labels.as_ref().is_some_and(|labels| labels.contains_key(label));
        let ours = has(CONTROLLER_LABEL) && (wrote_content(meta, is_operator) || applied_label(meta));
        let is_old = |manager: &str| predecessors.contains(manager);
        let old = (has(CONTROLLER_LABEL) || has(HARBOR_CLUSTER_LABEL)) && wrote_content(meta, is_old);
        if ours || old {
            return Self::Operator;
        }
        let mut owners =
            meta.owner_references.iter().flatten().filter(|owner| owner.controller == Some(true));
        let by_predecessor =
            |owner| entries(meta).any(|(name, it)| is_old(name) && owns_reference(it, owner));
        if owners.any(by_predecessor) { Self::Appropriated } else { Self::Foreign }
    }
}

/// Whether one of these managers has written fields other than metadata and status. Before Kubernetes 1.22 an entry
/// does not name the status subresource, and the operator writes the status of users' objects, too.
pub(super) fn wrote_content(meta: &ObjectMeta, manager: impl Fn(&str) -> bool) -> bool {
    entries(meta).filter(|(name, _)| manager(name)).any(|(_, entry)| {
        let fields = entry.fields_v1.as_ref().and_then(|fields| fields.0.as_object());
        fields.is_some_and(|fields| fields.keys().any(|field| field != "f:metadata" && field != "f:status"))
    })
}

/// Whether the operator has applied the label of its children. For an object without content, it is the only trace.
fn applied_label(meta: &ObjectMeta) -> bool {
    let label = format!("f:{CONTROLLER_LABEL}");
    let owns = |entry: &ManagedFieldsEntry| {
        let labels = entry.fields_v1.as_ref().and_then(|it| it.0.get("f:metadata")?.get("f:labels"));
        labels.is_some_and(|labels| labels.get(&label).is_some())
    };
    entries(meta).any(|(name, it)| is_operator(name) && is_apply(it) && owns(it))
}

fn owns_reference(entry: &ManagedFieldsEntry, owner: &OwnerReference) -> bool {
    let fields =
        entry.fields_v1.as_ref().and_then(|fields| fields.0.get("f:metadata")?.get("f:ownerReferences"));
    let keys = fields.and_then(Value::as_object).into_iter().flat_map(|items| items.keys());
    let named = |key: &str| {
        let item: Value = serde_json::from_str(key.strip_prefix("k:")?).ok()?;
        Some(item["uid"] == *owner.uid)
    };
    keys.into_iter().any(|key| named(key).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn meta(value: Value) -> ObjectMeta {
        serde_json::from_value(value).unwrap()
    }

    fn written(manager: &str, operation: &str, fields: Value) -> Value {
        json!({"manager": manager, "operation": operation, "fieldsV1": fields})
    }

    fn owner(kind: &str, name: &str, uid: &str) -> Value {
        let api_version = if kind == "Tenant" { "minio.min.io/v2" } else { "goharbor.io/v1beta1" };
        json!({"apiVersion": api_version, "kind": kind, "name": name, "uid": uid, "controller": true})
    }

    #[test]
    fn only_objects_that_the_operator_or_the_old_operator_created_are_swept() {
        let provenance = |stored: Value| {
            let mut stored = stored;
            stored["ownerReferences"] = json!([owner("HarborCluster", "acme", "u")]);
            Provenance::of(&meta(stored), &["old".to_owned()].into())
        };
        let (data, label) = (json!({"f:data": {"f:a": {}}}), json!({CONTROLLER_LABEL: "harbor"}));
        let by = |manager: &str| json!([written(manager, "Update", data.clone())]);
        let ours = json!({"labels": label, "managedFields": by("harbor-operator/harbor")});
        assert_eq!(provenance(ours), Provenance::Operator);
        assert_eq!(provenance(json!({"labels": label, "managedFields": by("old")})), Provenance::Operator);
        let of_cluster = json!({HARBOR_CLUSTER_LABEL: "acme"});
        assert_eq!(
            provenance(json!({"labels": of_cluster, "managedFields": by("old")})),
            Provenance::Operator
        );
        // Many operators use the field manager `manager`, as the old operator did.
        assert_eq!(provenance(json!({"managedFields": by("old")})), Provenance::Foreign);
        assert_eq!(provenance(json!({"labels": label, "managedFields": by("other")})), Provenance::Foreign);

        let reference = json!({"f:metadata": {"f:ownerReferences": {".": {}, "k:{\"uid\":\"u\"}": {}}}});
        let mut fields = by("postgres-operator");
        fields.as_array_mut().unwrap().push(written("old", "Update", reference));
        assert_eq!(provenance(json!({"managedFields": fields})), Provenance::Appropriated);
    }
}
