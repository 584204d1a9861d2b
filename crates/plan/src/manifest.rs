//! Objects the operator manages.

use crate::{
    Aspect, ChildKind, External, Issuance, ObjectKey, Observe, Reached, Readiness, Recipe,
    external::ExternalObject,
};
use k8s_openapi::api::core::v1::{PodTemplateSpec, Secret};
use kube::{
    Resource,
    core::{NamespaceResourceScope, ObjectMeta},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// A kind the operator knows how to manage.
pub trait Manifest:
    Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + Serialize
    + DeserializeOwned
    + Clone
    + fmt::Debug
    + Send
    + Sync
    + 'static
{
    /// How much of it must be watched to answer [`Manifest::readiness`].
    const OBSERVE: Observe = Observe::Metadata;

    /// What a user installs so that the cluster serves this kind.
    const PROVIDER: &'static str = "its definition";

    /// Health of an observed object, as its own status tells it.
    fn readiness(&self) -> Readiness {
        Readiness::Ready
    }

    /// How far an observed object has come that is this ready. Kinds that serve nothing have come nowhere before.
    fn reached(&self, readiness: &Readiness) -> Reached {
        if *readiness == Readiness::Ready { Reached::Ready } else { Reached::Nothing }
    }

    /// The pod template, for kinds that have one.
    fn pod_template(&self) -> Option<&PodTemplateSpec> {
        None
    }

    /// The pod template, to be changed.
    fn pod_template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        None
    }
}

/// [`Manifest`] without its type, so that one graph can hold many kinds.
pub trait AnyManifest: Send + Sync {
    /// Which object this is.
    fn key(&self) -> ObjectKey;
    /// Its kind.
    fn child_kind(&self) -> ChildKind;
    /// Its metadata.
    fn meta(&self) -> &ObjectMeta;
    /// Its metadata, to be changed.
    fn meta_mut(&mut self) -> &mut ObjectMeta;
    /// See [`Manifest::pod_template`].
    fn pod_template(&self) -> Option<&PodTemplateSpec>;
    /// See [`Manifest::pod_template_mut`].
    fn pod_template_mut(&mut self) -> Option<&mut PodTemplateSpec>;
    /// The object as it is sent.
    fn to_json(&self) -> serde_json::Result<serde_json::Value>;
}

impl<K: Manifest> AnyManifest for K {
    fn key(&self) -> ObjectKey {
        let meta = Resource::meta(self);
        ObjectKey::of::<K>(
            meta.namespace.as_deref().unwrap_or_default(),
            meta.name.as_deref().unwrap_or_default(),
        )
    }

    fn child_kind(&self) -> ChildKind {
        ChildKind::of::<K>()
    }

    fn meta(&self) -> &ObjectMeta {
        Resource::meta(self)
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        Resource::meta_mut(self)
    }

    fn pod_template(&self) -> Option<&PodTemplateSpec> {
        Manifest::pod_template(self)
    }

    fn pod_template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        Manifest::pod_template_mut(self)
    }

    fn to_json(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(self)
    }
}

/// How a desired object is brought about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Kept as described, by server-side apply.
    Apply,
    /// Created when absent and never touched again; what a user created beforehand is used as it is.
    CreateOnce {
        /// Keys of a Secret whose values are made up when it is created.
        generate: BTreeMap<String, Recipe>,
    },
    /// A Secret that holds a certificate, issued and renewed by the operator; what a user created beforehand is used
    /// as it is.
    Issue(Issuance),
    /// Never sent: somebody else makes it, or it cannot be made yet. It is waited for until it exists and is ready, and
    /// what exists of it stays.
    Await {
        /// Who is to make it, or what it takes.
        why: String,
    },
    /// Lives in a system outside the cluster, and is kept there as described.
    External(Arc<External>),
}

/// What becomes of a child when its owner is deleted, or no longer wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionBehavior {
    /// It is deleted too.
    Owned,
    /// It stays, for it holds data. The next owner of the same name takes it over.
    Kept,
}

/// A node of the desired graph.
pub struct Desired {
    /// What should exist.
    pub object: Box<dyn AnyManifest>,
    /// How it is brought about.
    pub policy: Policy,
    /// What becomes of it without its owner.
    pub deletion: DeletionBehavior,
    /// The part of its owner's state it belongs to, where that has a condition of its own.
    pub aspect: Option<Aspect>,
    /// Fields it does not say because another manager sets them, such as `spec.replicas`. Where it said one until now,
    /// the value stays.
    pub left_to_others: &'static [&'static str],
    /// What an object that exists is kept as while it may not be upgraded, where this is an upgrade.
    pub held: Option<Held>,
}

/// An object while it may not be upgraded.
pub struct Held {
    /// The object as it was before the upgrade, with all changes but that one; `None` to leave alone what exists.
    pub object: Option<Box<dyn AnyManifest>>,
    /// What is waited for, in words.
    pub why: String,
}

impl Desired {
    fn new(object: impl AnyManifest + 'static, policy: Policy) -> Self {
        let object = Box::new(object);
        Self {
            object,
            policy,
            deletion: DeletionBehavior::Owned,
            aspect: None,
            left_to_others: &[],
            held: None,
        }
    }

    /// An object that is not ours to make, or not yet; of a Secret, the keys that will be there. See [`Policy::Await`].
    pub fn awaited<K: Manifest>(object: K, why: impl Into<String>) -> Self {
        Self::new(object, Policy::Await { why: why.into() })
    }

    /// An object that lives in a system outside the cluster.
    pub fn external(external: External) -> Self {
        let external = Arc::new(external);
        Self::new(ExternalObject::new(Arc::clone(&external)), Policy::External(external))
    }

    /// The same, tied to its owner in this way.
    #[must_use]
    pub fn on_deletion(self, deletion: DeletionBehavior) -> Self {
        Self { deletion, ..self }
    }

    /// The same as a part of `aspect`.
    #[must_use]
    pub fn of(self, aspect: Aspect) -> Self {
        Self { aspect: Some(aspect), ..self }
    }

    /// The same, kept as `object` while a node that it [upgrades after](graph::Edge::UpgradesAfter) is not ready.
    #[must_use]
    pub fn held_as(self, object: impl Manifest, why: impl Into<String>) -> Self {
        Self { held: Some(Held { object: Some(Box::new(object)), why: why.into() }), ..self }
    }

    /// The same, left alone while a node that it [upgrades after](graph::Edge::UpgradesAfter) is not ready.
    #[must_use]
    pub fn held(self, why: impl Into<String>) -> Self {
        Self { held: Some(Held { object: None, why: why.into() }), ..self }
    }

    /// The same, with these fields left to another manager; see [`Desired::left_to_others`].
    #[must_use]
    pub fn leaving(self, fields: &'static [&'static str]) -> Self {
        Self { left_to_others: fields, ..self }
    }

    /// A Secret that is created once, with values made up then.
    pub fn generated(secret: Secret, generate: impl IntoIterator<Item = (String, Recipe)>) -> Self {
        Self::new(secret, Policy::CreateOnce { generate: generate.into_iter().collect() })
    }

    /// An object that is created once and then left alone.
    pub fn once<K: Manifest>(object: K) -> Self {
        Self::new(object, Policy::CreateOnce { generate: BTreeMap::new() })
    }

    /// A Secret with a certificate that the operator issues and renews.
    pub fn issued(mut secret: Secret, issuance: Issuance) -> Self {
        secret.type_ = Some("kubernetes.io/tls".into());
        Self::new(secret, Policy::Issue(issuance))
    }
}

impl<K: Manifest> From<K> for Desired {
    fn from(object: K) -> Self {
        Self::new(object, Policy::Apply)
    }
}

impl From<External> for Desired {
    fn from(external: External) -> Self {
        Self::external(external)
    }
}

// Not derived: the object may be a Secret.
impl fmt::Debug for Desired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desired")
            .field("key", &self.object.key())
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
