//! The kinds as discovery shows them: groups and versions in order, verbs, subresources.

use crate::kinds::{Origin, Resource, Verb, priority};
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

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
    pub subresources: Vec<Subresource>,
}

/// A subresource.
pub(super) struct Subresource {
    pub name: &'static str,
    /// The kind of its objects, if that is not the kind itself.
    pub answer: Option<Answer>,
    pub verbs: &'static [Verb],
}

/// The kind of a subresource; without a group and version, those of the object.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub group: &'static str,
    pub version: &'static str,
    pub kind: &'static str,
}

const REVISE: &[Verb] = &[Verb::Get, Verb::Patch, Verb::Update];

/// The groups in the order of discovery: built-in ones in the order of their kinds, then custom ones by name.
pub(super) fn groups(resources: &[Arc<Resource>]) -> Vec<Group> {
    let mut kinds: BTreeMap<(&str, &str), Vec<Kind>> = BTreeMap::new();
    for resource in resources {
        kinds.entry((&resource.group, &resource.version)).or_default().push(Kind::of(resource));
    }
    let mut groups: BTreeMap<&str, Vec<Version>> = BTreeMap::new();
    for ((group, name), mut kinds) in kinds {
        kinds.sort_by(|left, right| left.resource.plural.cmp(&right.resource.plural));
        groups.entry(group).or_default().push(Version {
            group: group.to_owned(),
            name: name.to_owned(),
            kinds,
        });
    }
    let mut groups: Vec<Group> = groups
        .into_iter()
        .map(|(name, mut versions)| {
            versions.sort_by_cached_key(|version| Reverse(priority(&version.name)));
            Group { name: name.to_owned(), versions }
        })
        .collect();
    let place = |group: &Group| {
        let of_group =
            |resource: &Arc<Resource>| resource.group == group.name && resource.origin == Origin::Builtin;
        resources.iter().position(of_group).unwrap_or(resources.len())
    };
    groups.sort_by_key(place);
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
        Self { resource: Arc::clone(resource), subresources: subresources(resource) }
    }
}

/// The words for verbs in discovery.
pub(super) fn words(verbs: &[Verb]) -> Vec<&'static str> {
    verbs.iter().map(|verb| verb.word()).collect()
}

/// Those of a built-in kind by name; of a custom kind the status before the scale.
fn subresources(resource: &Resource) -> Vec<Subresource> {
    let mut all: Vec<Subresource> = resource
        .subresources
        .extra
        .iter()
        .map(|extra| {
            let (group, version) = extra.foreign.unwrap_or_default();
            let differs = extra.foreign.is_some() || extra.kind != resource.kind;
            let answer = differs.then_some(Answer { group, version, kind: extra.kind });
            Subresource { name: extra.name, answer, verbs: extra.verbs }
        })
        .collect();
    if resource.subresources.status {
        all.push(Subresource { name: "status", answer: None, verbs: REVISE });
    }
    if resource.subresources.scale.is_some() {
        let scale = Answer { group: "autoscaling", version: "v1", kind: "Scale" };
        all.push(Subresource { name: "scale", answer: Some(scale), verbs: REVISE });
    }
    if resource.origin == Origin::Builtin {
        all.sort_by_key(|part| part.name);
    }
    all
}
