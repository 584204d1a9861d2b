//! Whose an object is: who wrote it, and whether an owner may take it for its child.
//!
//! An object is taken for a child only if the operator or its predecessor wrote it, if it belongs to the owner already,
//! or if a user asks for it: a name alone proves nothing. What another program wrote is never deleted.

use crate::index::{Whose, controller_of};
use api::names::{
    ADOPT_ANNOTATION, CONTROLLER_LABEL, FIELD_MANAGER_PREFIX, HARBOR_CLUSTER_LABEL, INSTANCE_LABEL,
    KEPT_ANNOTATION,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, OwnerReference};
use kube::core::ObjectMeta;
use plan::{ObjectKey, mutation::KeptFor};
use serde_json::Value;
use std::collections::BTreeSet;

/// Who created a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// The operator, or its predecessor: it is deleted when its owner no longer wants it.
    Operator,
    /// Another program; the predecessor only wrote its owner into it.
    Appropriated,
    /// Another program.
    Foreign,
}

impl Provenance {
    /// Of an object that has an owner.
    pub(crate) fn of(meta: &ObjectMeta, predecessors: &BTreeSet<String>) -> Self {
        let has = |label: &str| meta.labels.as_ref().is_some_and(|labels| labels.contains_key(label));
        let ours = has(CONTROLLER_LABEL) && (wrote_content(meta, is_ours) || applied_label(meta));
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

/// An owner that wants an object to be its child.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claimant<'a> {
    /// The owner.
    pub(crate) owner: &'a ObjectKey,
    /// The owner's uid.
    pub(crate) uid: &'a str,
    /// The child as it is wanted.
    pub(crate) wanted: &'a ObjectMeta,
    /// Field managers of the old operator.
    pub(crate) predecessors: &'a BTreeSet<String>,
}

/// Whether an object may become a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Title {
    /// It is one, or may be made one by applying it.
    Clear,
    /// After the fields of the old operator, and these owners, were taken out of it.
    AfterHandOver(Vec<String>),
    /// It is another object's.
    Belongs(ObjectKey),
    /// Neither the operator nor its predecessor made it.
    Foreign,
}

impl Claimant<'_> {
    /// Whether an object that exists under the child's name may become the child.
    pub(crate) fn title(&self, stored: &ObjectMeta) -> Title {
        let by_predecessor = |manager: &str| self.predecessors.contains(manager);
        let left_behind = entries(stored)
            .any(|(manager, it)| it.operation.as_deref() == Some("Update") && by_predecessor(manager));
        let controllers: Vec<_> = stored
            .owner_references
            .iter()
            .flatten()
            .filter(|owner| owner.controller == Some(true) && owner.uid != self.uid)
            .collect();
        if !self.is_ours(stored) {
            return Title::Foreign;
        }
        // A namesake that is gone, or whatever the old operator named; never another owner of ours.
        let given_up = |owner: &&&OwnerReference| {
            let same = owner.kind == self.owner.kind && owner.name == self.owner.name;
            same || (wrote_content(stored, by_predecessor) && !is_in_group(owner, &self.owner.group))
        };
        if let Some(other) = controllers.iter().find(|owner| !given_up(owner)) {
            return Title::Belongs(key_of(other, &self.owner.namespace));
        }
        let kept_for = annotation(stored, KEPT_ANNOTATION)
            .and_then(|value| KeptFor::parse(value, &self.owner.namespace))
            .filter(|other| other != self.owner);
        match kept_for {
            Some(other) => Title::Belongs(other),
            None if left_behind || !controllers.is_empty() => {
                Title::AfterHandOver(controllers.iter().map(|owner| owner.uid.clone()).collect())
            }
            None => Title::Clear,
        }
    }

    fn is_ours(&self, stored: &ObjectMeta) -> bool {
        let owned = match controller_of(stored, &self.owner.namespace) {
            Some(Whose::Owned(_, uid)) => uid == self.uid,
            _ => annotation(stored, KEPT_ANNOTATION).is_some(),
        };
        // Restored from a backup, perhaps, which keeps labels and not who wrote what.
        let labelled = is_labelled_alike(stored, self.wanted);
        let written =
            wrote_content(stored, |manager| is_ours(manager) || self.predecessors.contains(manager));
        let asked_for = annotation(stored, ADOPT_ANNOTATION) == Some("true");
        owned || labelled || written || asked_for
    }
}

/// Whether an object carries the labels by which a child of this owner is known.
pub(crate) fn is_labelled_alike(stored: &ObjectMeta, wanted: &ObjectMeta) -> bool {
    let label = |meta: &ObjectMeta, key: &str| meta.labels.as_ref()?.get(key).cloned();
    let alike = |key: &str| label(stored, key).is_some() && label(stored, key) == label(wanted, key);
    [CONTROLLER_LABEL, INSTANCE_LABEL].into_iter().all(alike)
}

/// Whether one of these managers has written more into an object than metadata and status. Before Kubernetes 1.22 an entry
/// does not say that it is about the status, which the operator writes into objects of users too.
fn wrote_content(meta: &ObjectMeta, manager: impl Fn(&str) -> bool) -> bool {
    entries(meta).filter(|(name, _)| manager(name)).any(|(_, entry)| {
        let fields = entry.fields_v1.as_ref().and_then(|fields| fields.0.as_object());
        fields.is_some_and(|fields| fields.keys().any(|field| field != "f:metadata" && field != "f:status"))
    })
}

/// Whether the operator has applied the label of its children, as it does to an object that has no other content.
fn applied_label(meta: &ObjectMeta) -> bool {
    let label = format!("f:{CONTROLLER_LABEL}");
    let owns = |entry: &ManagedFieldsEntry| {
        let labels = entry.fields_v1.as_ref().and_then(|it| it.0.get("f:metadata")?.get("f:labels"));
        labels.is_some_and(|labels| labels.get(&label).is_some())
    };
    entries(meta).any(|(name, it)| is_ours(name) && it.operation.as_deref() == Some("Apply") && owns(it))
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

/// Who owns fields of the object itself, rather than of its status.
fn entries(meta: &ObjectMeta) -> impl Iterator<Item = (&str, &ManagedFieldsEntry)> {
    let all = meta.managed_fields.iter().flatten();
    all.filter(|entry| entry.subresource.as_deref().unwrap_or_default().is_empty())
        .filter_map(|entry| Some((entry.manager.as_deref()?, entry)))
}

fn is_ours(manager: &str) -> bool {
    manager.starts_with(FIELD_MANAGER_PREFIX)
}

fn annotation<'a>(meta: &'a ObjectMeta, key: &str) -> Option<&'a str> {
    meta.annotations.as_ref()?.get(key).map(String::as_str)
}

fn group(owner: &OwnerReference) -> &str {
    owner.api_version.split_once('/').map_or("", |(group, _)| group)
}

fn is_in_group(owner: &OwnerReference, name: &str) -> bool {
    group(owner) == name
}

fn key_of(owner: &OwnerReference, namespace: &str) -> ObjectKey {
    ObjectKey::new(group(owner), &owner.kind, namespace, &owner.name)
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

    fn title(stored: Value) -> Title {
        let harbor = ObjectKey::new("goharbor.io", "Harbor", "ns", "acme");
        let labels = json!({CONTROLLER_LABEL: "harbor", INSTANCE_LABEL: "acme"});
        let claimant = Claimant {
            owner: &harbor,
            uid: "mine",
            wanted: &meta(json!({"labels": labels})),
            predecessors: &["old".to_owned()].into(),
        };
        claimant.title(&meta(stored))
    }

    fn belongs(kind: &str, name: &str) -> Title {
        Title::Belongs(ObjectKey::new("goharbor.io", kind, "ns", name))
    }

    #[test]
    fn an_object_becomes_a_child_if_it_is_the_owners_or_ours_or_handed_over_and_not_by_its_name() {
        let data = json!({"f:data": {"f:a": {}}});
        assert_eq!(title(json!({})), Title::Foreign);
        let by_user = json!({"managedFields": [written("kubectl", "Update", data.clone())]});
        assert_eq!(title(by_user), Title::Foreign);
        assert_eq!(title(json!({"annotations": {"goharbor.io/adopt": "true"}})), Title::Clear);
        assert_eq!(title(json!({"annotations": {"goharbor.io/adopt": "yes"}})), Title::Foreign);
        assert_eq!(title(json!({"ownerReferences": [owner("Harbor", "acme", "mine")]})), Title::Clear);
        let ours = json!({"managedFields": [written("harbor-operator/harbor", "Apply", data.clone())]});
        assert_eq!(title(ours), Title::Clear, "an orphan of ours");
        let status = json!({"f:status": {"f:conditions": {}}});
        let told = json!({"managedFields": [written("harbor-operator/harbor", "Apply", status)]});
        assert_eq!(title(told), Title::Foreign, "a status is written into what users made, too");
        let restored = json!({"labels": {CONTROLLER_LABEL: "harbor", INSTANCE_LABEL: "acme"}});
        assert_eq!(title(restored), Title::Clear, "a backup keeps labels");
        let others = json!({"labels": {CONTROLLER_LABEL: "harbor", INSTANCE_LABEL: "other"}});
        assert_eq!(title(others), Title::Foreign);
        assert_eq!(title(json!({"annotations": {KEPT_ANNOTATION: "Harbor.goharbor.io/acme"}})), Title::Clear);
    }

    #[test]
    fn what_the_old_operator_wrote_is_handed_over_with_its_owners() {
        let data = json!({"f:spec": {}});
        let fields = json!([written("old", "Update", data)]);
        assert_eq!(title(json!({"managedFields": fields})), Title::AfterHandOver(vec![]));
        let with = |owner: Value| title(json!({"managedFields": fields, "ownerReferences": [owner]}));
        assert_eq!(with(owner("Tenant", "minio", "t")), Title::AfterHandOver(vec!["t".into()]));
        assert_eq!(with(owner("Harbor", "acme", "before")), Title::AfterHandOver(vec!["before".into()]));
        assert_eq!(with(owner("Harbor", "acme", "mine")), Title::AfterHandOver(vec![]));
        assert_eq!(with(owner("Harbor", "other", "o")), belongs("Harbor", "other"));
    }

    #[test]
    fn what_belongs_to_another_owner_stays_there_whoever_wrote_it() {
        let data = json!({"f:data": {"f:a": {}}});
        let ours = json!([written("harbor-operator/harbor", "Apply", data)]);
        let other = owner("Harbor", "other", "o");
        assert_eq!(
            title(json!({"managedFields": ours, "ownerReferences": [other]})),
            belongs("Harbor", "other")
        );
        let kept =
            json!({"managedFields": ours, "annotations": {KEPT_ANNOTATION: "Harbor.goharbor.io/other"}});
        assert_eq!(title(kept), belongs("Harbor", "other"));
        let tenants = json!({
            "annotations": {"goharbor.io/adopt": "true"},
            "ownerReferences": [owner("Tenant", "minio", "t")],
        });
        let tenant = ObjectKey::new("minio.min.io", "Tenant", "ns", "minio");
        assert_eq!(title(tenants), Title::Belongs(tenant), "asking for it does not end another's ownership");
    }

    #[test]
    fn an_owner_recreated_under_its_name_takes_its_children_from_the_one_before() {
        let data = json!({"f:data": {"f:a": {}}});
        let ours = json!([written("harbor-operator/harbor", "Apply", data)]);
        let before = json!({"managedFields": ours, "ownerReferences": [owner("Harbor", "acme", "before")]});
        assert_eq!(title(before), Title::AfterHandOver(vec!["before".into()]));
    }

    #[test]
    fn swept_is_what_we_or_the_old_operator_created_and_nothing_else() {
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
        // Many operators call themselves `manager`, as the old one did.
        assert_eq!(provenance(json!({"managedFields": by("old")})), Provenance::Foreign);
        assert_eq!(provenance(json!({"labels": label, "managedFields": by("other")})), Provenance::Foreign);

        let reference = json!({"f:metadata": {"f:ownerReferences": {".": {}, "k:{\"uid\":\"u\"}": {}}}});
        let mut fields = by("postgres-operator");
        fields.as_array_mut().unwrap().push(written("old", "Update", reference));
        assert_eq!(provenance(json!({"managedFields": fields})), Provenance::Appropriated);
    }
}
