//! The operator needs each of its permissions, and no other.
//!
//! While nothing is taken away it is never refused anything. Then each verb of each resource is taken away in turn, things
//! are put in such an order that the verb is needed, and an operator must be refused something: the one that runs or, if it
//! does not need the verb, one that starts.

use crate::{
    cluster::{Cluster, HOME, Lists, NAMESPACE, Operating, PERMISSIONS},
    permission::{Permission, give_back, granted, take},
};
use api::names::{CONTROLLER_LABEL, EXTERNAL_ANNOTATION, VERSION_ANNOTATION};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{
    Api,
    api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams},
    core::ApiResource,
    discovery::Discovery,
};
use plan::ComponentKind;
use serde_json::{Value, json};
use std::{path::Path, time::Duration};
use tokio::time::timeout;

/// Longer than the operator takes for anything except a retry.
const MOMENT: Duration = Duration::from_mins(2);
/// Longer than the operator waits between two tries.
const RETRIED: Duration = Duration::from_mins(6);

/// A cluster with an object of every kind, and an operator with nothing to do.
struct Settled {
    cluster: Cluster,
    discovery: Discovery,
    operator: Operating,
}

impl Settled {
    async fn new() -> Self {
        let cluster = Cluster::new().await;
        let operator = cluster.operator(None);
        cluster.apply("in-cluster.yaml").await;
        let more = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/virtual_time/everything.yaml");
        cluster.apply_file(more).await;
        let backup = json!({
            "apiVersion": "goharbor.io/v1beta1", "kind": "HarborCluster",
            "metadata": {"name": "acme", "namespace": NAMESPACE},
            "spec": {"upgrade": {"backup": {"cronJobRef": "nightly"}}},
        });
        cluster.apply_object_as("another user", &backup).await;
        cluster.until_healthy("acme").await;
        cluster.until_healthy("beta").await;
        tokio::time::sleep(MOMENT).await;
        assert!(!operator.was_refused(), "what is granted suffices to bring everything about");
        drop(operator);
        let discovery = Discovery::new(cluster.client.clone()).run().await.unwrap();
        let operator = cluster.operator(None);
        tokio::time::sleep(MOMENT).await;
        assert!(!operator.was_refused(), "and to find that there is nothing to do");
        Self { cluster, discovery, operator }
    }

    fn kind(&self, group: &str, plural: &str) -> ApiResource {
        let group = self.discovery.get(group).unwrap_or_else(|| panic!("{group} is served"));
        let mut kinds = group.recommended_resources().into_iter().map(|(kind, _)| kind);
        kinds.find(|kind| kind.plural == plural).unwrap_or_else(|| panic!("{plural} is served"))
    }

    fn api(&self, kind: &ApiResource) -> Api<DynamicObject> {
        if kind.kind == "HarborServerConfiguration" {
            return Api::all_with(self.cluster.client.clone(), kind);
        }
        Api::namespaced_with(self.cluster.client.clone(), NAMESPACE, kind)
    }

    /// Children of this kind that are applied; of a kind of which none is, those that are made once.
    async fn children(&self, kind: &ApiResource) -> Vec<DynamicObject> {
        let ours = ListParams::default().labels(CONTROLLER_LABEL);
        let mut children = self.api(kind).list(&ours).await.unwrap().items;
        let made_once = |child: &DynamicObject| {
            let annotations = child.metadata.annotations.iter().flatten();
            annotations.into_iter().any(|(name, value)| name == "goharbor.io/immutable" && value == "true")
        };
        if !children.iter().all(made_once) {
            children.retain(|child| !made_once(child));
        }
        children
    }

    async fn child(&self, kind: &ApiResource) -> DynamicObject {
        self.children(kind).await.into_iter().next().unwrap_or_else(|| panic!("there is a {}", kind.kind))
    }

    async fn merge(&self, kind: &ApiResource, name: &str, patch: Value) {
        self.api(kind).patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }

    async fn delete(&self, kind: &ApiResource, child: &DynamicObject) {
        let name = child.metadata.name.as_deref().unwrap();
        self.merge(kind, name, json!({"metadata": {"finalizers": null}})).await;
        self.api(kind).delete(name, &DeleteParams::background()).await.unwrap();
        let gone = async {
            while self.api(kind).get_opt(name).await.unwrap().is_some() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        };
        timeout(MOMENT, gone).await.unwrap_or_else(|_| panic!("{} {name} goes", kind.kind));
    }

    /// Prepares the cluster so that the next operator needs this permission.
    async fn call_for(&self, permission: &Permission) {
        let Permission { group, resource, verb } = permission;
        let (plural, part) = resource.split_once('/').unwrap_or((resource, ""));
        // An operator that starts reads the labels of namespaces.
        if group == "events.k8s.io" || resource == "namespaces" {
            return;
        }
        let kind = self.kind(group, plural);
        let is_recorded = |component: &ComponentKind| {
            component.resource().kind == kind.kind && component.children.live_outside()
        };
        match (verb.as_str(), part) {
            // What is inside a Harbor is recorded in its owner, unless it is.
            ("patch", "") if components::all().iter().any(is_recorded) => {
                for owner in self.api(&kind).list(&ListParams::default()).await.unwrap() {
                    let name = owner.metadata.name.as_deref().unwrap();
                    let unrecorded = json!({"annotations": {EXTERNAL_ANNOTATION: null}, "finalizers": null});
                    self.merge(&kind, name, json!({ "metadata": unrecorded })).await;
                    let patch = Patch::Merge(json!({"status": null}));
                    self.api(&kind).patch_status(name, &PatchParams::default(), &patch).await.unwrap();
                }
            }
            // Volumes are made once, and looked at again only where another becomes of them when their owner goes. Their
            // owner references may then be changed only by who may delete them.
            ("get" | "patch" | "delete", "") if plural == "persistentvolumeclaims" => {
                self.turn_deletion_policy().await;
            }
            // An operator that starts reads what it adds items to.
            ("get", "") if plural == "serviceaccounts" => {}
            ("patch", "") if plural == "serviceaccounts" => {
                self.merge(&kind, "builder", json!({"imagePullSecrets": null})).await;
            }
            // An operator that starts lists and watches.
            ("list" | "watch", "") => {}
            // A Job makes a backup and a pod migrates the database. Both are deleted when Core has the new version.
            (_, "") if permission.is_of_upgrade() => self.turn_version_back().await,
            // A child that has lost the label of the operator and its owner is read before it is taken over again.
            ("get", "") => {
                let child = self.child(&kind).await;
                let lost = json!({"metadata": {"labels": {CONTROLLER_LABEL: null}, "ownerReferences": null}});
                self.merge(&kind, child.metadata.name.as_deref().unwrap(), lost).await;
            }
            ("create", "") => {
                let child = self.child(&kind).await;
                self.delete(&kind, &child).await;
            }
            ("patch", "") => {
                for child in self.children(&kind).await {
                    let mut labels = child.metadata.labels.iter().flatten();
                    let (label, _) = labels.find(|(name, _)| *name != CONTROLLER_LABEL).unwrap();
                    let name = child.metadata.name.as_deref().unwrap();
                    self.merge(&kind, name, json!({"metadata": {"labels": {label: "drift"}}})).await;
                }
            }
            ("delete", "") => self.leave_behind(&kind).await,
            ("patch", "status") => {
                for object in self.api(&kind).list(&ListParams::default()).await.unwrap() {
                    let patch = Patch::Merge(json!({"status": null}));
                    let name = object.metadata.name.as_deref().unwrap();
                    self.api(&kind).patch_status(name, &PatchParams::default(), &patch).await.unwrap();
                }
            }
            ("update", "finalizers") => {
                let (owned, child) = self.owned_by(&kind).await;
                self.delete(&owned, &child).await;
            }
            other => panic!("no case uses {other:?}"),
        }
    }

    /// Makes a child that its owner no longer wants, such as one that had another name once.
    async fn leave_behind(&self, kind: &ApiResource) {
        let children = self.children(kind).await;
        let has_owner = |child: &&DynamicObject| child.metadata.owner_references.is_some();
        let stray = children.iter().find(has_owner).or(children.first());
        let mut stray = stray.unwrap_or_else(|| panic!("there is a {}", kind.kind)).clone();
        let cluster = self.kind("goharbor.io", "harborclusters");
        let owner = self.api(&cluster).get("acme").await.unwrap();
        let owner = json!([{
            "apiVersion": "goharbor.io/v1beta1", "kind": "HarborCluster", "name": "acme",
            "uid": owner.metadata.uid, "controller": true,
        }]);
        let references = stray.metadata.owner_references.take().map_or(owner, |references| json!(references));
        let labels = stray.metadata.labels.take();
        let mut spec = stray.data["spec"].take();
        // Addresses are given out once.
        if let Some(spec) = spec.as_object_mut() {
            spec.retain(|field, _| !field.starts_with("clusterIP") && field != "healthCheckNodePort");
            for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
                port.as_object_mut().unwrap().remove("nodePort");
            }
        }
        let mut object = json!({
            "apiVersion": kind.api_version, "kind": kind.kind,
            "metadata": {
                "name": "left-behind", "namespace": NAMESPACE, "labels": labels, "ownerReferences": references,
            },
        });
        if !spec.is_null() {
            object["spec"] = spec;
        }
        // An earlier version of the operator has written it.
        self.cluster.apply_object_as("harbor-operator/earlier", &object).await;
    }

    /// A child of an owner of this kind that is applied, and its kind.
    async fn owned_by(&self, owner: &ApiResource) -> (ApiResource, DynamicObject) {
        for permission in granted(&PERMISSIONS).iter().filter(|permission| permission.verb == "create") {
            if permission.group == "events.k8s.io" {
                continue;
            }
            let kind = self.kind(&permission.group, &permission.resource);
            for child in self.children(&kind).await {
                let owners = child.metadata.owner_references.iter().flatten();
                if owners.into_iter().any(|it| it.kind == owner.kind && it.block_owner_deletion == Some(true))
                {
                    return (kind, child);
                }
            }
        }
        panic!("a {} has no children", owner.kind)
    }

    /// Has the record of a database say that an earlier version has used it, and Core have that version.
    async fn turn_version_back(&self) {
        let earlier = k8s_openapi::ByteString(b"2.14.2".to_vec());
        let earlier = json!({"data": {"migrated-by": earlier, "completed": earlier}});
        self.merge(&self.kind("", "secrets"), "acme-harbor-harbor-core-database", earlier).await;
        let core = json!({"metadata": {"annotations": {VERSION_ANNOTATION: "2.14.2"}}});
        self.merge(&self.kind("goharbor.io", "cores"), "acme-harbor-harbor", core).await;
    }

    /// Switches whether data is deleted with its owner.
    async fn turn_deletion_policy(&self) {
        let kind = self.kind("goharbor.io", "harborclusters");
        let stays = self.api(&kind).get("acme").await.unwrap().data["spec"]["deletionPolicy"] != "Delete";
        let policy = if stays { "Delete" } else { "Retain" };
        self.merge(&kind, "acme", json!({"spec": {"deletionPolicy": policy}})).await;
    }

    /// An error that occurs, is corrected, and occurs again.
    async fn trouble(&self) {
        let kind = self.kind("goharbor.io", "harborclusters");
        for secret in ["missing", "harbor-admin", "missing", "harbor-admin"] {
            self.merge(&kind, "beta", json!({"spec": {"harborAdminPasswordRef": secret}})).await;
            tokio::time::sleep(Duration::from_secs(20)).await;
        }
    }

    /// Whether the API server refuses a request of an operator without this permission; then restores the cluster.
    async fn needs(&mut self, permission: &Permission) -> bool {
        let refused = self.running_needs(permission).await || self.starting_needs(permission).await;
        give_back(&PERMISSIONS, &self.cluster).await;
        self.operator.forget_refusals();
        // Deleted objects come back first and an upgrade ends, because the next case needs that. The others do not matter.
        if matches!(permission.verb.as_str(), "create" | "update" | "get") || permission.is_of_upgrade() {
            tokio::time::sleep(RETRIED).await;
            assert!(!self.operator.was_refused(), "{permission:?} is given back");
        }
        refused
    }

    /// Whether the operator that runs is refused something without this permission.
    async fn running_needs(&self, permission: &Permission) -> bool {
        // It has listed and watches already, and an upgrade begins before it, see [`Self::turn_version_back`].
        if matches!(permission.verb.as_str(), "list" | "watch") || permission.is_of_upgrade() {
            return false;
        }
        permission.withheld_from(&PERMISSIONS, &self.cluster).await;
        self.call_for(permission).await;
        self.is_refused(permission).await
    }

    /// Whether an operator that starts is refused something without this permission. It replaces the one that runs.
    async fn starting_needs(&mut self, permission: &Permission) -> bool {
        self.operator.kill();
        self.call_for(permission).await;
        permission.withheld_from(&PERMISSIONS, &self.cluster).await;
        self.operator = self.cluster.operator(None);
        self.is_refused(permission).await
    }

    async fn is_refused(&self, permission: &Permission) -> bool {
        let refused = async {
            if permission.group == "events.k8s.io" {
                self.trouble().await;
            }
            self.operator.refused().await;
        };
        timeout(MOMENT, refused).await.is_ok()
    }
}

/// Each permission with one of these verbs is needed, with an API server that lists in this way.
async fn are_needed(verbs: &[&str], lists: Lists) {
    let mut settled = Settled::new().await;
    settled.cluster.lists = lists;
    let mut permissions = granted(&PERMISSIONS);
    permissions.retain(|permission| verbs.contains(&permission.verb.as_str()));
    println!("{} permissions with the verbs {verbs:?}", permissions.len());
    assert!(!permissions.is_empty());
    let mut idle = Vec::new();
    for permission in permissions {
        if !settled.needs(&permission).await {
            idle.push(permission);
        }
    }
    assert!(idle.is_empty(), "not needed: {idle:#?}");
}

#[tokio::test(start_paused = true)]
async fn each_permission_to_watch_is_needed() {
    are_needed(&["watch"], Lists::Streamed).await;
}

#[tokio::test(start_paused = true)]
async fn each_permission_to_list_is_needed_where_lists_cannot_be_streamed() {
    are_needed(&["list"], Lists::Paged).await;
}

#[tokio::test(start_paused = true)]
async fn each_permission_to_get_is_needed() {
    are_needed(&["get"], Lists::Streamed).await;
}

#[tokio::test(start_paused = true)]
async fn each_permission_to_patch_is_needed() {
    are_needed(&["patch"], Lists::Streamed).await;
}

#[tokio::test(start_paused = true)]
async fn each_permission_to_create_is_needed() {
    are_needed(&["create"], Lists::Streamed).await;
}

#[tokio::test(start_paused = true)]
async fn each_permission_to_delete_is_needed() {
    are_needed(&["delete"], Lists::Streamed).await;
}

#[tokio::test(start_paused = true)]
async fn each_permission_to_update_is_needed() {
    are_needed(&["update"], Lists::Streamed).await;
}

#[tokio::test(start_paused = true)]
async fn each_permission_to_lead_is_needed() {
    let cluster = Cluster::new().await;
    let leases: Api<Lease> = Api::namespaced(cluster.client.clone(), HOME);
    let role = PERMISSIONS.iter().find(|object| object["kind"] == "Role").unwrap();
    let verbs = role["rules"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .flat_map(|(rule, it)| it["verbs"].as_array().unwrap().iter().map(move |verb| (rule, verb)));
    let verbs: Vec<_> = verbs.collect();
    assert_eq!(verbs.len(), 5);
    for (rule, verb) in verbs {
        cluster.apply_object(role).await;
        let candidate = cluster.candidate();
        tokio::time::sleep(MOMENT).await;
        assert!(!candidate.was_refused(), "what is granted suffices to lead");
        drop(candidate);

        let mut less = role.clone();
        assert!(take(&mut less["rules"][rule]["verbs"], verb.as_str().unwrap()));
        less["rules"].as_array_mut().unwrap().retain(|rule| rule["verbs"] != json!([]));
        cluster.apply_object(&less).await;
        if verb == "create" {
            leases.delete("harbor-operator", &DeleteParams::default()).await.unwrap();
        } else {
            // A standby operator watches the lease.
            let held =
                Patch::Merge(json!({"spec": {"holderIdentity": "another", "leaseDurationSeconds": 15}}));
            leases.patch("harbor-operator", &PatchParams::default(), &held).await.unwrap();
        }
        let candidate = cluster.candidate();
        timeout(MOMENT, candidate.refused()).await.unwrap_or_else(|_| panic!("{verb} is not needed"));
    }
}

#[test]
fn every_verb_is_tried() {
    let tried = ["create", "delete", "get", "list", "patch", "update", "watch"];
    let granted = granted(&PERMISSIONS);
    assert_eq!(
        granted.iter().find(|permission| !tried.contains(&permission.verb.as_str())).map(|it| &it.verb),
        None
    );
}
