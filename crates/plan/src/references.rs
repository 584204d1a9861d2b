//! Secrets and ConfigMaps that pods use. They are found in the pod template, so that no component can forget one.

use crate::{Digest, DigestKey, ObjectKey, Parts, PlanError, equivalence};
use api::names::INPUTS_ANNOTATION;
use k8s_openapi::{
    ByteString,
    api::core::v1::{ConfigMap, Container, PodTemplateSpec, Secret, Volume},
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Which keys of an object are used.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Keys {
    /// All keys of the object.
    All,
    /// These keys; `true` if the pod cannot start without the key.
    Named(BTreeMap<String, bool>),
}

/// The part of one object that a pod template uses.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Reference {
    keys: Keys,
    required: bool,
}

/// All references of a pod template to Secrets and ConfigMaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References(BTreeMap<ObjectKey, Reference>);

/// Stands for a digest that only the operator can compute, in a change that is shown before it is made.
pub const KNOWN_LATER: &str = "<known when it is applied>";

/// Writes the digest of a workload's inputs, as text, into its pod template.
pub fn stamp(workload: &mut serde_json::Value, digest: String) {
    workload["spec"]["template"]["metadata"]["annotations"][INPUTS_ANNOTATION] = digest.into();
}

/// The content of an object as a digest for each key, without values. It must stay in memory, because a reader could
/// use the digests to test guesses of passwords.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Content(BTreeMap<String, Digest>);

/// The contents of the objects that a template refers to; `None` for an object that does not exist.
pub type ContentDigests = BTreeMap<ObjectKey, Option<Content>>;

/// Values of Secrets that count as other ones in the digest of a workload's inputs, so that pods do not restart for a change
/// of them: such as a value that a program reads only when it starts for the first time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedValues(BTreeMap<(ObjectKey, String), Digest>);

impl CountedValues {
    /// These, and the value of a key of a Secret.
    #[must_use]
    pub fn and(mut self, secret: ObjectKey, key: &str, value: &[u8]) -> Self {
        let served = serde_json::to_value(ByteString(value.to_vec())).unwrap_or_default();
        let digest = Digest::of_bytes(served.as_str().unwrap_or_default().as_bytes());
        self.0.insert((secret, key.to_owned()), digest);
        self
    }

    /// The contents with these values. What does not exist stays absent.
    #[must_use]
    pub fn in_place(&self, mut contents: ContentDigests) -> ContentDigests {
        for ((object, key), digest) in &self.0 {
            let content = contents.get_mut(object).and_then(Option::as_mut);
            if let Some(value) = content.and_then(|content| content.0.get_mut(key)) {
                *value = *digest;
            }
        }
        contents
    }
}

impl Content {
    /// The content of a Secret or a ConfigMap as the API serves it.
    pub fn of(object: &serde_json::Value) -> Self {
        let entries = ["data", "binaryData"].into_iter().filter_map(|field| object.get(field)?.as_object());
        let digest = |key: &String, value: &serde_json::Value| {
            equivalence::equivalent_digest(object.get("metadata"), key, value.as_str().unwrap_or_default())
        };
        Self(entries.flatten().map(|(key, value)| (key.clone(), digest(key, value))).collect())
    }

    /// The digest of the value of a key, if there is one.
    pub fn digest_of(&self, key: &str) -> Option<Digest> {
        self.0.get(key).copied()
    }
}

impl References {
    /// The references of a template: `env`, `envFrom`, volumes and projected volumes.
    pub fn of(namespace: &str, template: &PodTemplateSpec) -> Self {
        let mut found = Finder { namespace, references: Self::default() };
        if let Some(pod) = &template.spec {
            pod.volumes.iter().flatten().for_each(|volume| found.volume(volume));
            pod.init_containers.iter().flatten().chain(&pod.containers).for_each(|c| found.container(c));
        }
        found.references
    }

    /// The referenced objects.
    pub fn keys(&self) -> impl Iterator<Item = &ObjectKey> {
        self.0.keys()
    }

    /// Whether there are no references.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The digest of all values that the pods of `workload` use. It changes exactly when a pod would get another value.
    ///
    /// Every user who may read Deployments sees it, and few passwords are as random as they should be. The key prevents
    /// these users from testing guesses. The name of the workload prevents equal digests for equal passwords.
    ///
    /// # Errors
    /// As [`References::satisfied`].
    pub fn digest(
        &self,
        key: &DigestKey,
        workload: &ObjectKey,
        contents: &ContentDigests,
    ) -> Result<Digest, PlanError> {
        self.satisfied(contents)?;
        let mut used: Vec<(&str, &str, &str, Option<Digest>)> = Vec::new();
        for (object, reference) in &self.0 {
            let content = contents.get(object).and_then(Option::as_ref);
            let entries = reference.used(content).into_iter();
            used.extend(
                entries.map(|(name, digest)| (object.kind.as_str(), object.name.as_str(), name, digest)),
            );
        }
        let Parts { group, kind, namespace, name } = &**workload;
        key.digest(&("inputs", group, kind, namespace, name, used))
            .map_err(|e| PlanError::invalid("pod template", e.to_string(), "report this"))
    }

    /// Whether all objects and keys exist that a pod needs to start.
    ///
    /// # Errors
    /// Names all objects and keys that are missing.
    pub fn satisfied(&self, contents: &ContentDigests) -> Result<(), PlanError> {
        let problem = |(key, reference): (&ObjectKey, &Reference)| {
            reference.problem(key, contents.get(key).and_then(Option::as_ref))
        };
        self.0.iter().filter_map(problem).reduce(PlanError::and).map_or(Ok(()), Err)
    }
}

impl References {
    /// The used objects, and their used keys, whose content differs between two states. Objects that are unknown in one
    /// of the states are left out.
    pub fn changed_between<'a>(
        &'a self,
        before: &'a ContentDigests,
        after: &'a ContentDigests,
    ) -> Vec<(&'a ObjectKey, Vec<&'a str>)> {
        let changed = |(key, reference): (&'a ObjectKey, &'a Reference)| {
            let (before, after) = (before.get(key)?.as_ref(), after.get(key)?.as_ref());
            let digests = |state: Option<&'a Content>| -> BTreeMap<_, _> {
                reference.used(state).into_iter().filter_map(|(name, digest)| Some((name, digest?))).collect()
            };
            let (before, after) = (digests(before), digests(after));
            let names: BTreeSet<_> = before.keys().chain(after.keys()).copied().collect();
            let names: Vec<_> =
                names.into_iter().filter(|name| before.get(name) != after.get(name)).collect();
            (!names.is_empty()).then_some((key, names))
        };
        self.0.iter().filter_map(changed).collect()
    }
}

impl Reference {
    fn used<'a>(&'a self, content: Option<&'a Content>) -> Vec<(&'a str, Option<Digest>)> {
        let digest = |name: &str| content.and_then(|content| content.0.get(name).copied());
        match &self.keys {
            Keys::Named(names) => names.keys().map(|name| (name.as_str(), digest(name))).collect(),
            Keys::All => content
                .iter()
                .flat_map(|content| &content.0)
                .map(|(name, digest)| (name.as_str(), Some(*digest)))
                .collect(),
        }
    }

    fn problem(&self, key: &ObjectKey, content: Option<&Content>) -> Option<PlanError> {
        let Some(content) = content else {
            return self.required.then(|| PlanError::Missing([key.clone()].into()));
        };
        let Keys::Named(names) = &self.keys else { return None };
        let absent: Vec<_> =
            names.iter().filter(|(name, required)| **required && !content.0.contains_key(*name)).collect();
        let first = absent.first()?.0;
        Some(PlanError::invalid(key, format!("has no key {first:?}"), format!("add the key {first:?} to it")))
    }
}

struct Finder<'a> {
    namespace: &'a str,
    references: References,
}

impl Finder<'_> {
    fn container(&mut self, container: &Container) {
        for source in container.env.iter().flatten().filter_map(|env| env.value_from.as_ref()) {
            if let Some(it) = &source.secret_key_ref {
                self.add::<Secret>(&it.name, Some(&it.key), it.optional);
            }
            if let Some(it) = &source.config_map_key_ref {
                self.add::<ConfigMap>(&it.name, Some(&it.key), it.optional);
            }
        }
        for source in container.env_from.iter().flatten() {
            if let Some(it) = &source.secret_ref {
                self.add::<Secret>(&it.name, None, it.optional);
            }
            if let Some(it) = &source.config_map_ref {
                self.add::<ConfigMap>(&it.name, None, it.optional);
            }
        }
    }

    fn volume(&mut self, volume: &Volume) {
        if let Some(it) = &volume.secret {
            let keys = it.items.iter().flatten().map(|item| item.key.as_str()).collect();
            self.files::<Secret>(it.secret_name.as_deref().unwrap_or_default(), keys, it.optional);
        }
        if let Some(it) = &volume.config_map {
            let keys = it.items.iter().flatten().map(|item| item.key.as_str()).collect();
            self.files::<ConfigMap>(&it.name, keys, it.optional);
        }
        let projected = volume.projected.iter().flat_map(|it| it.sources.iter().flatten());
        for source in projected {
            if let Some(it) = &source.secret {
                let keys = it.items.iter().flatten().map(|item| item.key.as_str()).collect();
                self.files::<Secret>(&it.name, keys, it.optional);
            }
            if let Some(it) = &source.config_map {
                let keys = it.items.iter().flatten().map(|item| item.key.as_str()).collect();
                self.files::<ConfigMap>(&it.name, keys, it.optional);
            }
        }
    }

    fn files<K: kube::Resource<DynamicType = ()>>(
        &mut self,
        name: &str,
        keys: BTreeSet<&str>,
        optional: Option<bool>,
    ) {
        if keys.is_empty() {
            self.add::<K>(name, None, optional);
        }
        for key in keys {
            self.add::<K>(name, Some(key), optional);
        }
    }

    fn add<K: kube::Resource<DynamicType = ()>>(
        &mut self,
        name: &str,
        key: Option<&str>,
        optional: Option<bool>,
    ) {
        let required = optional != Some(true);
        let reference = self
            .references
            .0
            .entry(ObjectKey::of::<K>(self.namespace, name))
            .or_insert_with(|| Reference { keys: Keys::Named(BTreeMap::new()), required });
        reference.required |= required;
        match (key, &mut reference.keys) {
            (None, keys) => *keys = Keys::All,
            (Some(key), Keys::Named(names)) => *names.entry(key.to_owned()).or_default() |= required,
            (Some(_), Keys::All) => {}
        }
    }
}

#[cfg(test)]
mod tests;
