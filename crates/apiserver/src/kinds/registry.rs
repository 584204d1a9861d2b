//! The kinds that are served.

use super::{
    builtin,
    resource::{Origin, Resource},
};
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

/// All served kinds.
#[derive(Debug, Clone)]
pub(crate) struct Kinds {
    builtin: Vec<Arc<Resource>>,
    /// By the name of the CustomResourceDefinition.
    custom: BTreeMap<String, Vec<Arc<Resource>>>,
}

impl Kinds {
    /// The kinds that every server has.
    pub fn builtin() -> Self {
        Self { builtin: builtin::resources().map(Arc::new).collect(), custom: BTreeMap::new() }
    }

    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Resource>> {
        self.iter()
            .find(|kind| kind.plural == plural && kind.version == version && kind.group == group)
            .cloned()
    }

    pub fn by_kind(&self, group: &str, version: &str, kind: &str) -> Option<Arc<Resource>> {
        self.iter()
            .find(|other| other.kind == kind && other.version == version && other.group == group)
            .cloned()
    }

    /// Every version of every kind: built-in ones in the order of their table, then custom ones by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.builtin.iter().chain(self.custom.values().flatten())
    }

    /// Sets the served versions of this CustomResourceDefinition.
    pub fn set_custom(&mut self, crd: &str, resources: Vec<Resource>) {
        debug_assert!(resources.iter().all(|resource| resource.origin == Origin::Custom));
        self.custom.insert(crd.to_owned(), resources.into_iter().map(Arc::new).collect());
    }

    /// Stops serving the versions of this CustomResourceDefinition.
    pub fn remove_custom(&mut self, crd: &str) {
        self.custom.remove(crd);
    }
}

/// The priority of a version: `v2` before `v1` before `v2beta1` before `v1alpha1` before any other name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Priority {
    Other(Reverse<String>),
    Alpha(u64, u64),
    Beta(u64, u64),
    Stable(u64),
}

/// The priority of a version over others.
pub(crate) fn priority(version: &str) -> Priority {
    parse(version).unwrap_or_else(|| Priority::Other(Reverse(version.to_owned())))
}

fn parse(version: &str) -> Option<Priority> {
    let rest = version.strip_prefix('v')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (major, rest) = rest.split_at(digits);
    let major = major.parse().ok().filter(|_| !major.starts_with('0'))?;
    let minor =
        |text: &str| text.parse().ok().filter(|_| text.starts_with(|c: char| ('1'..='9').contains(&c)));
    if rest.is_empty() {
        Some(Priority::Stable(major))
    } else if let Some(text) = rest.strip_prefix("beta") {
        Some(Priority::Beta(major, minor(text)?))
    } else {
        Some(Priority::Alpha(major, minor(rest.strip_prefix("alpha")?)?))
    }
}

#[cfg(test)]
mod tests {
    use super::{Kinds, priority};

    #[test]
    fn versions_are_preferred_as_kubernetes_prefers_them() {
        let mut versions = vec![
            "foo1",
            "v1alpha1",
            "v11beta2",
            "v3beta1",
            "v10",
            "v2",
            "v1",
            "foo10",
            "v12alpha1",
            "v10beta3",
        ];
        versions.sort_by_cached_key(|version| std::cmp::Reverse(priority(version)));
        assert_eq!(
            versions,
            ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v1alpha1", "foo1", "foo10"]
        );
    }

    #[test]
    fn both_kinds_of_event_are_kept_in_one_place() {
        let kinds = Kinds::builtin();
        let place = |group| {
            let found = kinds.find(group, "v1", "events").expect("events are served");
            (found.storage_group.clone(), found.storage_plural.clone())
        };
        assert_eq!(place(""), place("events.k8s.io"));
    }
}
