//! What the operator must be allowed to do: the one table of what it asks of the API server, by kind.

use k8s_openapi::api::{
    core::v1::{ConfigMap, Secret},
    rbac::v1::PolicyRule,
};
use kube::core::ApiResource;
use plan::{Children, ComponentKind, ManagedBy};
use std::collections::{BTreeMap, BTreeSet};

type Verbs = &'static [&'static str];

/// Every kind is listed once and then watched.
const OBSERVE: Verbs = &["list", "watch"];
/// What a plan or a pod template refers to, and what others make, is looked at too.
const READ: Verbs = &["get", "list", "watch"];
/// Children: an apply is a patch, and where there is nothing yet the API server asks for leave to create as well. The
/// operator deletes no claim, but the admission plugin OwnerReferencesPermissionEnforcement lets only users change the owner
/// references of an object who may delete it.
const MAKE: Verbs = &["create", "delete", "get", "list", "patch", "watch"];
/// Statuses are applied to what exists.
const REPORT: Verbs = &["patch"];
/// What the operator creates outside the cluster is recorded in the owner.
const RECORD: Verbs = &["patch"];
/// Asked for by the admission plugin OwnerReferencesPermissionEnforcement of who makes the deletion of an owner wait for
/// its children; nothing is ever sent there.
const BLOCK_DELETION: Verbs = &["update"];
/// An event that happens again becomes a series.
const TELL: Verbs = &["create", "patch"];
/// An object that somebody looks at is read anew.
const LOOK: Verbs = &["get"];
/// Events about it are found by its name.
const LISTEN: Verbs = &["list"];
/// The API server reviews clients of the metrics; it stores no review.
const REVIEW: Verbs = &["create"];
/// A lease is created once: what does not exist yet has no name that a role could know.
const FOUND: Verbs = &["create"];
/// It is looked at, watched by its name, taken and renewed.
const LEAD: Verbs = &["get", "list", "update", "watch"];

/// Verbs by group and resource; a subresource follows its resource after a slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permissions(BTreeMap<(String, String), BTreeSet<&'static str>>);

impl Permissions {
    /// What it takes to look after no kind at all: any Secret or ConfigMap may be an input, and there are events.
    pub fn to_work() -> Self {
        let mut permissions = Self(BTreeMap::new());
        for input in Children::none().and::<Secret>().and::<ConfigMap>().iter() {
            permissions.allow(&input.resource.group, &input.resource.plural, READ);
        }
        permissions.allow("events.k8s.io", "events", TELL);
        permissions
    }

    /// What it takes to ask the API server who a client is, and what it may do; on the whole cluster, for no namespace
    /// has them.
    pub fn to_review() -> Self {
        let mut permissions = Self(BTreeMap::new());
        permissions.allow("authentication.k8s.io", "tokenreviews", REVIEW);
        permissions.allow("authorization.k8s.io", "subjectaccessreviews", REVIEW);
        permissions
    }

    /// The rules of what it takes to be the one of several processes that works: in the namespace of the lease, of this
    /// name.
    pub fn to_lead(lease: &str) -> Vec<PolicyRule> {
        let rules = |verbs: Verbs| {
            let mut permissions = Self(BTreeMap::new());
            permissions.allow("coordination.k8s.io", "leases", verbs);
            permissions.rules()
        };
        let named = |rule| PolicyRule { resource_names: Some(vec![lease.to_owned()]), ..rule };
        rules(FOUND).into_iter().chain(rules(LEAD).into_iter().map(named)).collect()
    }

    /// What it takes to show people objects of these kinds, and the events about them.
    pub fn to_show(kinds: &[ApiResource]) -> Self {
        let mut permissions = Self(BTreeMap::new());
        permissions.allow("", "events", LISTEN);
        for ApiResource { group, plural, .. } in kinds {
            permissions.allow(group, plural, LOOK);
        }
        permissions
    }

    /// All of these and of others.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        for (resource, verbs) in others.0 {
            self.0.entry(resource).or_default().extend(verbs);
        }
        self
    }

    /// Adds what it takes to reconcile objects of this kind.
    pub fn reconcile(&mut self, component: &ComponentKind) {
        let ApiResource { group, plural, .. } = component.resource();
        self.allow(group, plural, OBSERVE);
        self.allow(group, &format!("{plural}/status"), REPORT);
        let children = &component.children;
        if children.iter().any(|kind| kind.managed_by == ManagedBy::Operator) {
            self.allow(group, &format!("{plural}/finalizers"), BLOCK_DELETION);
        }
        if children.has_external() {
            self.allow(group, plural, RECORD);
        }
        for kind in children.iter() {
            let verbs = match kind.managed_by {
                ManagedBy::Operator => MAKE,
                ManagedBy::OtherControllers => READ,
            };
            self.allow(&kind.resource.group, &kind.resource.plural, verbs);
        }
    }

    /// As rules of a role: one for all resources of a group that may be treated alike.
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
    use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
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
            Children::none().awaiting::<StatefulSet>().awaiting::<Deployment>().and::<Deployment>()
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
        let rules = |component| {
            let mut permissions = Permissions(BTreeMap::new());
            permissions.reconcile(&component);
            permissions.rules()
        };
        let status = rule("goharbor.io", &["portals/status"], &["patch"]);
        let alone = [rule("goharbor.io", &["portals"], &["list", "watch"]), status.clone()];
        assert_eq!(rules(ComponentKind::of::<Alone>()), alone);
        let outside = [rule("goharbor.io", &["portals"], &["list", "patch", "watch"]), status];
        assert_eq!(rules(ComponentKind::of::<Outside>()), outside);
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
    fn a_kind_is_allowed_what_is_done_to_it_and_no_more() {
        let mut permissions = Permissions::to_work();
        permissions.reconcile(&ComponentKind::of::<Alone>());
        permissions.reconcile(&ComponentKind::of::<Parent>());
        assert_eq!(
            permissions.rules(),
            [
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
    fn a_lease_is_created_under_any_name_and_anything_else_is_done_to_one() {
        let named = PolicyRule {
            resource_names: Some(vec!["harbor-operator-blue".into()]),
            ..rule("coordination.k8s.io", &["leases"], &["get", "list", "update", "watch"])
        };
        let created = rule("coordination.k8s.io", &["leases"], &["create"]);
        assert_eq!(Permissions::to_lead("harbor-operator-blue"), [created, named]);
    }

    #[test]
    fn to_show_what_is_looked_after_takes_to_get_what_was_only_listed_and_to_list_events() {
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
