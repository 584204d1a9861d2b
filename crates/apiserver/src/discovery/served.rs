//! The kinds as discovery tells of them: groups and versions in order, verbs, subresources.

use crate::kinds::{Origin, Resource};
use std::{cmp::Ordering, cmp::Reverse, collections::BTreeMap, sync::Arc};

/// One group with its versions, the preferred one first.
pub(super) struct Group {
    pub name: String,
    pub versions: Vec<Version>,
}

/// One version of a group with its kinds by plural name.
pub(super) struct Version {
    pub group: String,
    pub name: String,
    pub kinds: Vec<Kind>,
}

/// One kind.
pub(super) struct Kind {
    pub resource: Arc<Resource>,
    pub verbs: &'static [&'static str],
    pub subresources: Vec<Subresource>,
}

/// A part of an object with an address of its own.
pub(super) struct Subresource {
    pub name: &'static str,
    /// What it answers with, if that is not the kind itself.
    pub answer: Option<Answer>,
    pub verbs: &'static [&'static str],
}

/// The kind a subresource answers with; without a group and version those of the object.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub group: &'static str,
    pub version: &'static str,
    pub kind: &'static str,
}

const BUILTIN_VERBS: &[&str] =
    &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const CUSTOM_VERBS: &[&str] =
    &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const CREATE: &[&str] = &["create"];
const READ: &[&str] = &["get"];
const UPDATE: &[&str] = &["update"];
const REVISE: &[&str] = &["get", "patch", "update"];

/// The order in which kube-apiserver lists its groups; custom ones follow by name.
const GROUP_ORDER: [&str; 17] = [
    "",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
];

/// The groups in the order of discovery, the core group first.
pub(super) fn groups(resources: &[Arc<Resource>]) -> Vec<Group> {
    let mut kinds: BTreeMap<(&str, &str), Vec<Kind>> = BTreeMap::new();
    for resource in resources {
        kinds.entry((&resource.group, &resource.version)).or_default().push(Kind::of(resource));
    }
    let mut groups: BTreeMap<&str, Vec<Version>> = BTreeMap::new();
    for ((group, name), mut kinds) in kinds {
        kinds.sort_by(|left, right| left.resource.plural.cmp(&right.resource.plural));
        groups.entry(group).or_default().push(Version { group: group.to_owned(), name: name.to_owned(), kinds });
    }
    let mut groups: Vec<Group> = groups
        .into_iter()
        .map(|(name, mut versions)| {
            versions.sort_by(|left, right| by_preference(&left.name, &right.name));
            Group { name: name.to_owned(), versions }
        })
        .collect();
    groups.sort_by_key(|group| {
        GROUP_ORDER.iter().position(|known| *known == group.name).unwrap_or(GROUP_ORDER.len())
    });
    groups
}

impl Version {
    /// `v1` or `apps/v1`
    pub fn group_version(&self) -> String {
        if self.group.is_empty() { self.name.clone() } else { format!("{}/{}", self.group, self.name) }
    }

    /// `/api/v1` or `/apis/apps/v1`
    pub fn root(&self) -> String {
        if self.group.is_empty() {
            format!("/api/{}", self.name)
        } else {
            format!("/apis/{}/{}", self.group, self.name)
        }
    }
}

impl Kind {
    fn of(resource: &Arc<Resource>) -> Self {
        let verbs = match resource.origin {
            Origin::Custom => CUSTOM_VERBS,
            Origin::Builtin if is_question(resource) => CREATE,
            Origin::Builtin => BUILTIN_VERBS,
        };
        Self { resource: Arc::clone(resource), verbs, subresources: subresources(resource) }
    }
}

/// Whether the kind only asks something and is never stored.
fn is_question(resource: &Resource) -> bool {
    matches!(resource.group.as_str(), "authentication.k8s.io" | "authorization.k8s.io")
}

fn subresources(resource: &Resource) -> Vec<Subresource> {
    let mut all = Vec::new();
    let mut add = |name, answer, verbs| all.push(Subresource { name, answer, verbs });
    let core = resource.origin == Origin::Builtin && resource.group.is_empty();
    let of_core = |kind| Some(Answer { group: "", version: "", kind });
    match resource.plural.as_str() {
        "pods" if core => {
            add("binding", of_core("Binding"), CREATE);
            add("eviction", Some(Answer { group: "policy", version: "v1", kind: "Eviction" }), CREATE);
            add("log", None, READ);
        }
        "namespaces" if core => add("finalize", None, UPDATE),
        "serviceaccounts" if core => add(
            "token",
            Some(Answer { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" }),
            CREATE,
        ),
        _ => {}
    }
    if resource.subresources.scale.is_some() {
        add("scale", Some(Answer { group: "autoscaling", version: "v1", kind: "Scale" }), REVISE);
    }
    if resource.subresources.status {
        add("status", None, REVISE);
    }
    all
}

/// Stable before beta before alpha, higher before lower, and names of another form last.
fn by_preference(left: &str, right: &str) -> Ordering {
    let key = |version: &str| Reverse(parsed(version));
    key(left).cmp(&key(right)).then_with(|| left.cmp(right))
}

/// Stability, major and minor number of `v1`, `v2beta1`.
fn parsed(version: &str) -> Option<(u8, u64, u64)> {
    let numbers = version.strip_prefix('v')?;
    let split = |word: &str, stability| {
        let (major, minor) = numbers.split_once(word)?;
        Some((stability, major.parse().ok()?, minor.parse().ok()?))
    };
    numbers
        .parse()
        .map(|major| (2, major, 0))
        .ok()
        .or_else(|| split("beta", 1))
        .or_else(|| split("alpha", 0))
}

#[cfg(test)]
mod tests {
    use super::by_preference;

    #[test]
    fn stable_versions_are_preferred_and_higher_ones_among_equals() {
        let mut versions = ["foo1", "v1alpha3", "v1", "v11beta2", "v10", "v3beta1", "v2", "bar"];
        versions.sort_by(|left, right| by_preference(left, right));
        assert_eq!(versions, ["v10", "v2", "v1", "v11beta2", "v3beta1", "v1alpha3", "bar", "foo1"]);
    }
}
