//! Which object owns which, as the objects themselves say.
//!
//! A pod belongs to a workload if following the references from owner to owner leads from the pod to the workload. What is
//! between them may be of any kind: a StatefulSet that another operator creates for its object, for example.

use crate::workload::REVISION;
use k8s_openapi::{
    api::{apps::v1::Deployment, core::v1::Pod},
    apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference},
};
use kube::Resource;
use plan::ObjectKey;
use std::collections::{BTreeMap, BTreeSet};

/// The label with which a Deployment tells the pods of its templates apart.
const TEMPLATE_HASH: &str = "pod-template-hash";
/// Owners of owners: more than there are, and an end for objects that own each other.
const DEEPEST: usize = 8;

/// An object, as a reference names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The object.
    pub key: ObjectKey,
    /// Its uid. Unknown of a Deployment whose ReplicaSet was not read.
    pub uid: Option<String>,
}

impl Named {
    fn of<K: Resource<DynamicType = ()>>(metadata: &ObjectMeta) -> Self {
        let [namespace, name] =
            [&metadata.namespace, &metadata.name].map(|it| it.as_deref().unwrap_or_default());
        Self { key: ObjectKey::of::<K>(namespace, name), uid: metadata.uid.clone() }
    }

    fn owner(namespace: &str, reference: &OwnerReference) -> Self {
        let OwnerReference { api_version, kind, name, uid, .. } = reference;
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        Self { key: ObjectKey::new(group, kind, namespace, name), uid: Some(uid.clone()) }
    }

    /// Whether both are one object. Of an object that was deleted and created again, the uid differs.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let differ = |(one, two)| one != two;
        self.key == other.key && !self.uid.as_ref().zip(other.uid.as_ref()).is_some_and(differ)
    }
}

/// An object that has an owner, or pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The object.
    pub object: Named,
    /// Its controller.
    pub owner: Option<Named>,
    /// The number of its pod template, if it is a Deployment or a ReplicaSet.
    pub revision: Option<String>,
}

impl Owned {
    pub(crate) fn of<K: Resource<DynamicType = ()>>(metadata: &ObjectMeta) -> Self {
        let revision = metadata.annotations.as_ref().and_then(|all| all.get(REVISION)).cloned();
        Self { object: Named::of::<K>(metadata), owner: controller(metadata), revision }
    }
}

/// The objects between workloads and pods that were read.
#[derive(Clone, Debug, Default)]
pub struct Owners(BTreeMap<ObjectKey, Owned>);

impl Extend<Owned> for Owners {
    fn extend<I: IntoIterator<Item = Owned>>(&mut self, all: I) {
        self.0.extend(all.into_iter().map(|it| (it.object.key.clone(), it)));
    }
}

impl Owners {
    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Owned> {
        self.0.values()
    }

    /// A pod and its owners, the nearest first.
    pub(crate) fn of_pod(&self, pod: &Pod) -> Vec<Named> {
        let mut chain = vec![Named::of::<Pod>(&pod.metadata)];
        let Some(owner) = controller(&pod.metadata) else { return chain };
        let deployment = deployment(pod, &owner).filter(|_| !self.0.contains_key(&owner.key));
        chain.push(owner);
        chain.extend(deployment);
        self.follow(chain)
    }

    /// An object and its owners, the nearest first.
    pub(crate) fn of(&self, object: &Named) -> Vec<Named> {
        self.follow(vec![object.clone()])
    }

    fn follow(&self, mut chain: Vec<Named>) -> Vec<Named> {
        while chain.len() < DEEPEST
            && let Some(last) = chain.last()
            && let Some(known) = self.0.get(&last.key).filter(|it| it.object.is(last))
            && let Some(owner) = &known.owner
        {
            chain.push(owner.clone());
        }
        chain
    }

    /// The last known owners of pods: what they belong to is not known before these are read.
    pub(crate) fn unread(&self, pods: &[Pod], is_known: impl Fn(&[Named]) -> bool) -> BTreeSet<ObjectKey> {
        let unread = |pod: &Pod| {
            let chain = self.of_pod(pod);
            let last = chain.last().filter(|last| !self.0.contains_key(&last.key))?;
            (chain.len() > 1 && !is_known(&chain)).then(|| last.key.clone())
        };
        pods.iter().filter_map(unread).collect()
    }
}

fn controller(metadata: &ObjectMeta) -> Option<Named> {
    let owner = metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))?;
    Some(Named::owner(metadata.namespace.as_deref().unwrap_or_default(), owner))
}

/// The Deployment of a pod, from the name of its ReplicaSet, which ends with the hash of the template. So ReplicaSets are not
/// read for it.
fn deployment(pod: &Pod, owner: &Named) -> Option<Named> {
    let hash = pod.metadata.labels.as_ref()?.get(TEMPLATE_HASH).filter(|_| owner.key.kind == "ReplicaSet")?;
    let name = owner.key.name.strip_suffix(hash.as_str())?.strip_suffix('-')?;
    Some(Named { key: ObjectKey::of::<Deployment>(&owner.key.namespace, name), uid: None })
}
