//! Whether an owner may adopt an object as its child.
//!
//! It may if the operator or the old operator wrote the object, if the object already belongs to the owner, or if a
//! user requests the adoption with an annotation. An equal name is not enough.

use super::{Ownership, controller_of, entries, is_apply, is_operator, provenance::wrote_content};
use crate::{ObjectKey, mutation::KeptFor};
use api::names::{ADOPT_ANNOTATION, CONTROLLER_LABEL, INSTANCE_LABEL, KEPT_ANNOTATION};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ObjectMeta;
use std::collections::BTreeSet;

/// An owner that wants an object to be its child.
#[derive(Clone, Copy, Debug)]
pub struct Claimant<'a> {
    /// The owner.
    pub owner: &'a ObjectKey,
    /// The owner's uid.
    pub uid: &'a str,
    /// The metadata of the desired child.
    pub desired: &'a ObjectMeta,
    /// Field managers of the old operator.
    pub predecessors: &'a BTreeSet<String>,
}

/// Whether an object may become a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Adoption {
    /// It is a child, or becomes one with the next apply.
    Allowed,
    /// Allowed after the operator has removed the fields of the old operator, and owners with these uids, from it.
    AfterHandOver(Vec<String>),
    /// It belongs to another owner.
    OwnedBy(ObjectKey),
    /// Neither the operator nor the old operator created it.
    Foreign,
}

impl Claimant<'_> {
    /// Whether an object that exists under the child's name may become the child.
    pub fn adoption(&self, stored: &ObjectMeta) -> Adoption {
        let by_predecessor = |manager: &str| self.predecessors.contains(manager);
        let left_behind = entries(stored).any(|(manager, it)| !is_apply(it) && by_predecessor(manager));
        let controllers: Vec<_> = stored
            .owner_references
            .iter()
            .flatten()
            .filter(|owner| owner.controller == Some(true) && owner.uid != self.uid)
            .collect();
        if !self.is_ours(stored) {
            return Adoption::Foreign;
        }
        // An earlier owner of the same name, or an owner that the old operator wrote; never another owner of this
        // operator.
        let given_up = |owner: &&&OwnerReference| {
            let same = owner.kind == self.owner.kind && owner.name == self.owner.name;
            same || (wrote_content(stored, by_predecessor) && !is_in_group(owner, &self.owner.group))
        };
        if let Some(other) = controllers.iter().find(|owner| !given_up(owner)) {
            return Adoption::OwnedBy(key_of(other, self.owner.home()));
        }
        let kept_for = annotation(stored, KEPT_ANNOTATION)
            .and_then(|value| KeptFor::parse(value, self.owner.home()))
            .filter(|other| other != self.owner);
        match kept_for {
            Some(other) => Adoption::OwnedBy(other),
            None if left_behind || !controllers.is_empty() => {
                Adoption::AfterHandOver(controllers.iter().map(|owner| owner.uid.clone()).collect())
            }
            None => Adoption::Allowed,
        }
    }

    fn is_ours(&self, stored: &ObjectMeta) -> bool {
        let owned = match controller_of(stored, self.owner.home()) {
            Some(Ownership::Owned(_, uid)) => uid == self.uid,
            _ => annotation(stored, KEPT_ANNOTATION).is_some(),
        };
        // A restored backup has labels and no managed fields.
        let labelled = is_labelled_alike(stored, self.desired);
        let written =
            wrote_content(stored, |manager| is_operator(manager) || self.predecessors.contains(manager));
        let asked_for = annotation(stored, ADOPT_ANNOTATION) == Some("true");
        owned || labelled || written || asked_for
    }
}

/// Whether an object has the labels of a child of the same owner.
pub fn is_labelled_alike(stored: &ObjectMeta, desired: &ObjectMeta) -> bool {
    let label = |meta: &ObjectMeta, key: &str| meta.labels.as_ref()?.get(key).cloned();
    let alike = |key: &str| label(stored, key).is_some() && label(stored, key) == label(desired, key);
    [CONTROLLER_LABEL, INSTANCE_LABEL].into_iter().all(alike)
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
    ObjectKey::owner(group(owner), &owner.kind, namespace, &owner.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

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

    fn adoption(stored: Value) -> Adoption {
        let harbor = ObjectKey::new("goharbor.io", "Harbor", "ns", "acme");
        let labels = json!({CONTROLLER_LABEL: "harbor", INSTANCE_LABEL: "acme"});
        let claimant = Claimant {
            owner: &harbor,
            uid: "mine",
            desired: &meta(json!({"labels": labels})),
            predecessors: &["old".to_owned()].into(),
        };
        claimant.adoption(&meta(stored))
    }

    fn belongs(kind: &str, name: &str) -> Adoption {
        Adoption::OwnedBy(ObjectKey::new("goharbor.io", kind, "ns", name))
    }

    #[test]
    fn an_object_is_adopted_if_the_owner_or_the_operator_owns_it_or_a_user_requests_it_and_not_by_its_name() {
        let data = json!({"f:data": {"f:a": {}}});
        assert_eq!(adoption(json!({})), Adoption::Foreign);
        let by_user = json!({"managedFields": [written("kubectl", "Update", data.clone())]});
        assert_eq!(adoption(by_user), Adoption::Foreign);
        assert_eq!(adoption(json!({"annotations": {"goharbor.io/adopt": "true"}})), Adoption::Allowed);
        assert_eq!(adoption(json!({"annotations": {"goharbor.io/adopt": "yes"}})), Adoption::Foreign);
        assert_eq!(
            adoption(json!({"ownerReferences": [owner("Harbor", "acme", "mine")]})),
            Adoption::Allowed
        );
        let ours = json!({"managedFields": [written("harbor-operator/harbor", "Apply", data.clone())]});
        assert_eq!(adoption(ours), Adoption::Allowed, "an orphan of the operator");
        let status = json!({"f:status": {"f:conditions": {}}});
        let status_only = json!({"managedFields": [written("harbor-operator/harbor", "Apply", status)]});
        assert_eq!(
            adoption(status_only),
            Adoption::Foreign,
            "the operator writes the status of users' objects, too"
        );
        let restored = json!({"labels": {CONTROLLER_LABEL: "harbor", INSTANCE_LABEL: "acme"}});
        assert_eq!(adoption(restored), Adoption::Allowed, "a backup keeps labels");
        let others = json!({"labels": {CONTROLLER_LABEL: "harbor", INSTANCE_LABEL: "other"}});
        assert_eq!(adoption(others), Adoption::Foreign);
        assert_eq!(
            adoption(json!({"annotations": {KEPT_ANNOTATION: "Harbor.goharbor.io/acme"}})),
            Adoption::Allowed
        );
    }

    #[test]
    fn an_object_of_the_old_operator_is_handed_over_with_its_owners() {
        let data = json!({"f:spec": {}});
        let fields = json!([written("old", "Update", data)]);
        assert_eq!(adoption(json!({"managedFields": fields})), Adoption::AfterHandOver(vec![]));
        let with = |owner: Value| adoption(json!({"managedFields": fields, "ownerReferences": [owner]}));
        assert_eq!(with(owner("Tenant", "minio", "t")), Adoption::AfterHandOver(vec!["t".into()]));
        assert_eq!(with(owner("Harbor", "acme", "before")), Adoption::AfterHandOver(vec!["before".into()]));
        assert_eq!(with(owner("Harbor", "acme", "mine")), Adoption::AfterHandOver(vec![]));
        assert_eq!(with(owner("Harbor", "other", "o")), belongs("Harbor", "other"));
    }

    #[test]
    fn an_object_of_another_owner_is_not_adopted_whichever_program_wrote_it() {
        let data = json!({"f:data": {"f:a": {}}});
        let ours = json!([written("harbor-operator/harbor", "Apply", data)]);
        let other = owner("Harbor", "other", "o");
        assert_eq!(
            adoption(json!({"managedFields": ours, "ownerReferences": [other]})),
            belongs("Harbor", "other")
        );
        let kept =
            json!({"managedFields": ours, "annotations": {KEPT_ANNOTATION: "Harbor.goharbor.io/other"}});
        assert_eq!(adoption(kept), belongs("Harbor", "other"));
        let tenants = json!({
            "annotations": {"goharbor.io/adopt": "true"},
            "ownerReferences": [owner("Tenant", "minio", "t")],
        });
        let tenant = ObjectKey::new("minio.min.io", "Tenant", "ns", "minio");
        assert_eq!(
            adoption(tenants),
            Adoption::OwnedBy(tenant),
            "the annotation does not override another owner"
        );
    }

    #[test]
    fn an_owner_that_was_recreated_adopts_the_children_of_its_predecessor() {
        let data = json!({"f:data": {"f:a": {}}});
        let ours = json!([written("harbor-operator/harbor", "Apply", data)]);
        let before = json!({"managedFields": ours, "ownerReferences": [owner("Harbor", "acme", "before")]});
        assert_eq!(adoption(before), Adoption::AfterHandOver(vec!["before".into()]));
    }
}
