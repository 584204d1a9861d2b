//! Objects that the operator manages.

use crate::{
    Amended, Amendment, Aspect, ChildKind, CountedValues, External, Issuance, ObjectKey, Observe, Reached,
    Readiness, Recipe, RestartOrder, external::ExternalObject,
};
use k8s_openapi::api::core::v1::{PodTemplateSpec, Secret};
use kube::{
    Resource,
    core::{NamespaceResourceScope, ObjectMeta},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// A kind that the operator can manage.
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
    /// How much of an object the operator must watch for [`Manifest::readiness`].
    const OBSERVE: Observe = Observe::Metadata;

    /// The software that a user installs so that the API server serves this kind.
    const PROVIDER: &'static str = "its definition";

    /// Whether an observed object is ready, according to its own status.
    fn readiness(&self) -> Readiness {
        Readiness::Ready
    }

    /// How far the rollout of an observed object with this readiness has come. A kind that serves no requests is either
    /// ready or has reached nothing.
    fn reached(&self, readiness: &Readiness) -> Reached {
        if *readiness == Readiness::Ready { Reached::Ready } else { Reached::Nothing }
    }

    /// Why the operator keeps an observed object from serving requests, if it does.
    fn stopped(&self) -> Option<String> {
        None
    }

    /// The pod template, for kinds that have one.
    fn pod_template(&self) -> Option<&PodTemplateSpec> {
        None
    }

    /// The pod template, mutable.
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
    /// Its metadata, mutable.
    fn meta_mut(&mut self) -> &mut ObjectMeta;
    /// See [`Manifest::pod_template`].
    fn pod_template(&self) -> Option<&PodTemplateSpec>;
    /// See [`Manifest::pod_template_mut`].
    fn pod_template_mut(&mut self) -> Option<&mut PodTemplateSpec>;
    /// The object as the operator sends it.
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

/// How the operator ensures that a desired object exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The operator applies it, by server-side apply.
    Apply,
    /// The operator creates it if it is absent and never changes it again. An object that a user created beforehand is
    /// used unchanged.
    CreateOnce {
        /// Keys of a Secret whose values the operator generates when it creates the Secret.
        generate: BTreeMap<String, Recipe>,
    },
    /// A Secret with a certificate that the operator issues and renews. A Secret that a user created beforehand is used
    /// unchanged.
    Issue(Issuance),
    /// The operator does not send it, because another program creates it or because it cannot be created yet. The
    /// operator waits until it exists and is ready, and does not sweep it.
    Await {
        /// Which program creates it, or what is needed for that; why it is a failure if it is absent.
        why: String,
        /// What its absence means.
        absence: Absence,
    },
    /// Lives in a system outside the cluster, and is kept there as described.
    External(Arc<External>),
    /// Another program creates and manages the object. The operator only adds an item to one of its lists, and removes the item
    /// when the owner is deleted or no longer wants it.
    Amend {
        /// The item.
        amendment: Amendment,
        /// What a user should know when the operator has added the item.
        note: String,
    },
}

/// What it means that an awaited object does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// It does not exist yet.
    Passing,
    /// It is lost: nothing will create it, and a user has to act.
    Lost,
}

/// Whether a child is deleted when its owner is deleted, or no longer wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionBehavior {
    /// The child is deleted.
    Owned,
    /// The child is kept, because it holds data. The next owner of the same name adopts it.
    Kept,
}

/// A node of the desired graph.
pub struct Desired {
    /// The object that should exist.
    pub object: Box<dyn AnyManifest>,
    /// How the operator ensures that it exists.
    pub policy: Policy,
    /// Whether it is deleted with its owner.
    pub deletion: DeletionBehavior,
    /// The part of its owner's state that it belongs to, if that part has a condition of its own.
    pub aspect: Option<Aspect>,
    /// Fields that the operator leaves out because another manager sets them, such as `spec.replicas`. If the
    /// operator has set one before, the value stays.
    pub left_to_others: &'static [&'static str],
    /// If this is an upgrade, the state in which an existing object is held until the upgrade may start.
    pub held: Option<Held>,
    /// For a change of which values its pods do not restart.
    pub counted: CountedValues,
    /// For a change of which values its pods restart after those of other workloads. Of several that change at once, the first
    /// one here decides.
    pub restarts: Vec<RestartOrder>,
}

/// An object whose upgrade may not start yet.
pub struct Held {
    /// The object with the version before the upgrade and all other changes; `None` to leave the existing object
    /// unchanged.
    pub object: Option<Box<dyn AnyManifest>>,
    /// What the upgrade waits for, as text for users.
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
            counted: CountedValues::default(),
            restarts: Vec::new(),
        }
    }

    /// An object that another program creates, or that cannot be created yet. A Secret lists the keys that it will
    /// have. See [`Policy::Await`].
    pub fn awaited<K: Manifest>(object: K, why: impl Into<String>) -> Self {
        Self::new(object, Policy::Await { why: why.into(), absence: Absence::Passing })
    }

    /// An object that has existed and that the operator must not create again. If it is still absent, that is a failure.
    pub fn lost<K: Manifest>(object: K, why: impl Into<String>) -> Self {
        Self::new(object, Policy::Await { why: why.into(), absence: Absence::Lost })
    }

    /// An object that lives in a system outside the cluster.
    pub fn external(external: External) -> Self {
        let external = Arc::new(external);
        Self::new(ExternalObject::new(Arc::clone(&external)), Policy::External(external))
    }

    /// An object of another program to which the operator adds an item; only the name and the namespace of `object` count. See
    /// [`Policy::Amend`].
    pub fn amended<K: Manifest>(object: K, amendment: Amendment, note: impl Into<String>) -> Self {
        Self::new(object, Policy::Amend { amendment, note: note.into() })
    }

    /// The item that the operator adds to the object, if it only adds one.
    pub fn amendment(&self) -> Option<Amended> {
        match &self.policy {
            Policy::Amend { amendment, .. } => Some(Amended::new(&self.object.key(), amendment.clone())),
            Policy::Apply
            | Policy::CreateOnce { .. }
            | Policy::Issue(_)
            | Policy::Await { .. }
            | Policy::External(_) => None,
        }
    }

    /// The same, deleted with its owner or kept.
    #[must_use]
    pub fn on_deletion(self, deletion: DeletionBehavior) -> Self {
        Self { deletion, ..self }
    }

    /// The same as a part of `aspect`.
    #[must_use]
    pub fn of(self, aspect: Aspect) -> Self {
        Self { aspect: Some(aspect), ..self }
    }

    /// The same, held as `object` while a node that it [upgrades after](graph::Edge::UpgradesAfter) is not ready.
    #[must_use]
    pub fn held_as(self, object: impl Manifest, why: impl Into<String>) -> Self {
        Self { held: Some(Held { object: Some(Box::new(object)), why: why.into() }), ..self }
    }

    /// The same, left unchanged while a node that it [upgrades after](graph::Edge::UpgradesAfter) is not ready.
    #[must_use]
    pub fn held(self, why: impl Into<String>) -> Self {
        Self { held: Some(Held { object: None, why: why.into() }), ..self }
    }

    /// The same, with these fields left to another manager; see [`Desired::left_to_others`].
    #[must_use]
    pub fn leaving(self, fields: &'static [&'static str]) -> Self {
        Self { left_to_others: fields, ..self }
    }

    /// The same, with pods that do not restart when these values change.
    #[must_use]
    pub fn counting(self, counted: CountedValues) -> Self {
        Self { counted, ..self }
    }

    /// The same, with pods that restart for changes of these values after those of other workloads.
    #[must_use]
    pub fn restarting(self, restarts: Vec<RestartOrder>) -> Self {
        Self { restarts, ..self }
    }

    /// A Secret that the operator creates once, with generated values.
    pub fn generated(secret: Secret, generate: impl IntoIterator<Item = (String, Recipe)>) -> Self {
        Self::new(secret, Policy::CreateOnce { generate: generate.into_iter().collect() })
    }

    /// An object that the operator creates once and never changes.
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
