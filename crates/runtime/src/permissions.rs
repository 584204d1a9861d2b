//! The permissions of the operator: the only table of the verbs that it uses, by kind.

use k8s_openapi::api::{
    core::v1::{ConfigMap, Secret},
    rbac::v1::PolicyRule,
};
use kube::core::ApiResource;
use plan::{Children, ComponentKind, ManagedBy, OwnerAccess};
use std::collections::{BTreeMap, BTreeSet};

type Verbs = &'static [&'static str];

/// For every kind: the operator lists it once and then watches it.
const OBSERVE: Verbs = &["list", "watch"];
/// For objects that a plan or a pod template refers to, or that other programs create: the operator reads them, too.
const READ: Verbs = &["get", "list", "watch"];
/// For children: an apply is a patch, and the API server also requires `create` where the object does not exist. The operator
/// deletes no claim, but the admission plugin OwnerReferencesPermissionEnforcement requires `delete` of a user who changes
/// owner references.
const MANAGE: Verbs = &["create", "delete", "get", "list", "patch", "watch"];
/// For objects of other programs that the operator adds items to.
const AMEND: Verbs = &["get", "list", "patch", "watch"];
/// For statuses, which the operator applies to objects that exist.
const WRITE_STATUS: Verbs = &["patch"];
/// For owners: the operator records in them what it creates outside of the cluster.
const RECORD: Verbs = &["patch"];
/// Asked for by the admission plugin OwnerReferencesPermissionEnforcement of who makes the deletion of an owner wait for
/// its children; nothing is ever sent there.
const BLOCK_DELETION: Verbs = &["update"];
/// For events: the operator patches an event that occurs again into a series.
const WRITE_EVENTS: Verbs = &["create", "patch"];
/// For objects that the page shows: it reads the current state.
const GET: Verbs = &["get"];
/// For the events about an object on the page.
const LIST: Verbs = &["list"];
/// For reviews of the clients of the metrics, which the API server does not store.
const REVIEW: Verbs = &["create"];
/// For the creation of the lease: RBAC cannot limit creation to a name.
const CREATE_LEASE: Verbs = &["create"];
/// For reading, watching, taking and renewing the lease.
const HOLD_LEASE: Verbs = &["get", "list", "update", "watch"];

/// Verbs by group and resource; a subresource follows its resource after a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permissions(BTreeMap<(String, String), BTreeSet<&'static str>>);

impl Permissions {
    /// The permissions that the operator needs without any kind of owner: any Secret or ConfigMap may be an input,
    /// and it writes events.
    pub fn to_work() -> Self {
        let mut permissions = Self(BTreeMap::new());
        for input in Children::none().and::<Secret>().and::<ConfigMap>().iter() {
            permissions.allow(&input.resource.group, &input.resource.plural, READ);
        }
        permissions.allow("events.k8s.io", "events", WRITE_EVENTS);
        permissions
    }

    /// The permissions for reviews of the identity and the permissions of a client. They are for the whole cluster,
    /// because reviews have no namespace.
    pub fn to_review() -> Self {
        let mut permissions = Self(BTreeMap::new());
        permissions.allow("authentication.k8s.io", "tokenreviews", REVIEW);
        permissions.allow("authorization.k8s.io", "subjectaccessreviews", REVIEW);
        permissions
    }

    /// The rules for the leader election with a lease of this name, in the namespace of the lease.
    pub fn to_lead(lease: &str) -> Vec<PolicyRule> {
        let rules = |verbs: Verbs| {
            let mut permissions = Self(BTreeMap::new());
            permissions.allow("coordination.k8s.io", "leases", verbs);
            permissions.rules()
        };
        let named = |rule| PolicyRule { resource_names: Some(vec![lease.to_owned()]), ..rule };
        rules(CREATE_LEASE).into_iter().chain(rules(HOLD_LEASE).into_iter().map(named)).collect()
    }

    /// The permissions that the page needs to show objects of these kinds and the events about them.
    pub fn to_show(kinds: &[ApiResource]) -> Self {
        let mut permissions = Self(BTreeMap::new());
        permissions.allow("", "events", LIST);
        for ApiResource { group, plural, .. } in kinds {
            permissions.allow(group, plural, GET);
        }
        permissions
    }

    /// These permissions and others.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        for (resource, verbs) in others.0 {
            self.0.entry(resource).or_default().extend(verbs);
        }
        self
    }

    /// The permissions to reconcile objects of this kind, beyond [`Permissions::to_work`].
    pub fn to_reconcile(component: &ComponentKind) -> Self {
        let mut permissions = Self(BTreeMap::new());
        permissions.reconcile(component);
        permissions
    }

    /// Adds the permissions to reconcile objects of this kind.
    pub fn reconcile(&mut self, component: &ComponentKind) {
        let ApiResource { group, plural, .. } = component.resource();
        self.allow(group, plural, OBSERVE);
        let children = &component.children;
        if component.access == OwnerAccess::Written {
            self.allow(group, &format!("{plural}/status"), WRITE_STATUS);
            if children.iter().any(|kind| kind.managed_by == ManagedBy::Operator) {
                self.allow(group, &format!("{plural}/finalizers"), BLOCK_DELETION);
            }
            if children.has_external() {
                self.allow(group, plural, RECORD);
            }
        }
        for kind in children.iter() {
            let verbs = match kind.managed_by {
                ManagedBy::Operator => MANAGE,
                ManagedBy::Amended => AMEND,
                ManagedBy::OtherControllers => READ,
            };
            self.allow(&kind.resource.group, &kind.resource.plural, verbs);
        }
    }

    /// As rules of a role: one for all resources of a group that have the same verbs.
    pub fn rules(&self) -> Vec<PolicyRule> {
        let mut rules = BTreeMap::<_, Vec<String>>::new();
        for ((group, resource), verbs) in &self.0 {
            rules.entry((group, verbs)).or_default().push(resource.clone());
        }
        let rule = |((group, verbs), resources): ((&String, &BTreeSet<&str>), Vec<String>)| PolicyRule {
            api_groups: Some(vec![group.clone()]),
            resources: Some(resources),
            verbs: verbs.iter().map(|&verb| verb.to_owned()).collect(),
            ..PolicyRule::default()
        };
        rules.into_iter().map(rule).collect()
    }

    fn allow(&mut self, group: &str, resource: &str, verbs: Verbs) {
        self.0.entry((group.to_owned(), resource.to_owned())).or_default().extend(verbs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::v1beta1::{Core, Portal};
    use k8s_openapi::api::{
        apps::v1::{Deployment, StatefulSet},
        core::v1::{Namespace, ServiceAccount},
    };
    use plan::Component;
    use plan::{Builder, PlanError, World};

    struct Alone;

    impl Component for Alone {
        type Owner = Portal;
        const NAME: &'static str = "alone";

        fn children() -> Children {
            Children::none()
        }

        fn desired(_: &Portal, _: &World<'_>, _: &mut Builder<'_>) -> Result<(), PlanError> {
            Ok(())
        }
    }

    struct Parent;

    impl Component for Parent {
        type Owner = Core;
        const NAME: &'static str = "parent";

        fn children() -> Children {
            let children = Children::none().awaiting::<StatefulSet>().awaiting::<Deployment>();
            children.and::<Deployment>().amending::<ServiceAccount>()
        }

        fn desired(_: &Core, _: &World<'_>, _: &mut Builder<'_>) -> Result<(), PlanError> {
            Ok(())
        }
    }

    struct Outside;

    impl Component for Outside {
        type Owner = Portal;
        const NAME: &'static str = "outside";

        fn children() -> Children {
            Children::none().and_external()
        }

        fn desired(_: &Portal, _: &World<'_>, _: &mut Builder<'_>) -> Result<(), PlanError> {
            Ok(())
        }
    }

    #[test]
    fn only_owners_of_objects_outside_the_cluster_are_written() {
        let rules = |component| Permissions::to_reconcile(&component).rules();
        let status = rule("goharbor.io", &["portals/status"], &["patch"]);
        let alone = [rule("goharbor.io", &["portals"], &["list", "watch"]), status.clone()];
        assert_eq!(rules(ComponentKind::of::<Alone>()), alone);
        let outside = [rule("goharbor.io", &["portals"], &["list", "patch", "watch"]), status];
        assert_eq!(rules(ComponentKind::of::<Outside>()), outside);
    }

    struct OfKubernetes;

    impl Component for OfKubernetes {
        type Owner = Namespace;
        const NAME: &'static str = "of-kubernetes";
        const ACCESS: OwnerAccess = OwnerAccess::OnlyRead;

        fn children() -> Children {
            Children::none().and::<Portal>()
        }

        fn desired(_: &Namespace, _: &World<'_>, _: &mut Builder<'_>) -> Result<(), PlanError> {
            Ok(())
        }
    }

    #[test]
    fn owners_of_kubernetes_are_not_written() {
        let expected = [
            rule("", &["namespaces"], &["list", "watch"]),
            rule("goharbor.io", &["portals"], &["create", "delete", "get", "list", "patch", "watch"]),
        ];
        assert_eq!(Permissions::to_reconcile(&ComponentKind::of::<OfKubernetes>()).rules(), expected);
    }

    fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> PolicyRule {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        PolicyRule {
            api_groups: Some(vec![group.into()]),
            resources: Some(owned(resources)),
            verbs: owned(verbs),
            ..PolicyRule::default()
        }
    }

    #[test]
    fn each_kind_has_only_the_verbs_that_the_operator_uses() {
        let mut permissions = Permissions::to_work();
        permissions.reconcile(&ComponentKind::of::<Alone>());
        permissions.reconcile(&ComponentKind::of::<Parent>());
        assert_eq!(
            permissions.rules(),
            [
                rule("", &["serviceaccounts"], &["get", "list", "patch", "watch"]),
                rule("", &["configmaps", "secrets"], &["get", "list", "watch"]),
                rule("apps", &["deployments"], &["create", "delete", "get", "list", "patch", "watch"]),
                rule("apps", &["statefulsets"], &["get", "list", "watch"]),
                rule("events.k8s.io", &["events"], &["create", "patch"]),
                rule("goharbor.io", &["cores", "portals"], &["list", "watch"]),
                rule("goharbor.io", &["cores/status", "portals/status"], &["patch"]),
                rule("goharbor.io", &["cores/finalizers"], &["update"]),
            ]
        );
    }

    #[test]
    fn a_lease_may_be_created_with_any_name_and_changed_only_by_its_name() {
        let named = PolicyRule {
            resource_names: Some(vec!["harbor-operator-blue".into()]),
            ..rule("coordination.k8s.io", &["leases"], &["get", "list", "update", "watch"])
        };
        let created = rule("coordination.k8s.io", &["leases"], &["create"]);
        assert_eq!(Permissions::to_lead("harbor-operator-blue"), [created, named]);
    }

    #[test]
    fn the_page_needs_to_get_its_kinds_and_to_list_events() {
        let mut permissions = Permissions::to_work();
        permissions.reconcile(&ComponentKind::of::<Parent>());
        let kinds = [
            ApiResource::erase::<Core>(&()),
            ApiResource::erase::<Secret>(&()),
            ApiResource::erase::<StatefulSet>(&()),
        ];
        assert_eq!(
            permissions.and(Permissions::to_show(&kinds)).rules(),
            [
                rule("", &["serviceaccounts"], &["get", "list", "patch", "watch"]),
                rule("", &["configmaps", "secrets"], &["get", "list", "watch"]),
                rule("", &["events"], &["list"]),
                rule("apps", &["deployments"], &["create", "delete", "get", "list", "patch", "watch"]),
                rule("apps", &["statefulsets"], &["get", "list", "watch"]),
                rule("events.k8s.io", &["events"], &["create", "patch"]),
                rule("goharbor.io", &["cores"], &["get", "list", "watch"]),
                rule("goharbor.io", &["cores/status"], &["patch"]),
                rule("goharbor.io", &["cores/finalizers"], &["update"]),
            ]
        );
    }
}
