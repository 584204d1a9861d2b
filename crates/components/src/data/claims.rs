//! The claims that the pods of a component mount, and how many pods can mount them at once.
//!
//! The operator reads the access modes of a claim that exists. A claim that does not exist has no influence:
//! the pods wait for it, the status reports it as missing, and its creation triggers a reconcile.

use crate::pods::{Instance, Strategy, check_volume};
use api::v1beta1::{component::ComponentSpec, volume::VolumeSource};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, PersistentVolumeClaimVolumeSource};
use kube::core::ObjectMeta;
use plan::{All, Builder, Children, Desired, ObjectKey, PlanError, World};
use std::collections::BTreeMap;

/// The claims of a component's pods, by name.
#[derive(Debug)]
pub(crate) struct Claims(BTreeMap<String, Sharing>);

/// Which pods can mount a claim at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sharing {
    /// All pods; also for a claim that does not exist yet.
    AllPods,
    /// The pods of one node.
    OneNode,
    /// One pod.
    OnePod,
}

impl Sharing {
    /// The sharing that the access modes of a claim allow to pods with this mount.
    fn of(claim: &PersistentVolumeClaim, mount: &PersistentVolumeClaimVolumeSource) -> Self {
        let read_only = mount.read_only.unwrap_or_default();
        let modes = claim.spec.as_ref().and_then(|spec| spec.access_modes.as_deref()).unwrap_or_default();
        let has = |mode: &str| modes.iter().any(|it| it == mode);
        if has("ReadWriteOncePod") {
            Self::OnePod
        } else if has("ReadWriteMany") || (read_only && has("ReadOnlyMany")) || modes.is_empty() {
            Self::AllPods
        } else {
            Self::OneNode
        }
    }
}

/// The kinds that [`Claims::add`] may add.
pub(crate) fn claim_children(children: Children) -> Children {
    children.awaiting::<PersistentVolumeClaim>()
}

impl Claims {
    /// The claims of the volumes that a spec describes, each with its field. `owner` is the object whose pods
    /// mount them. Refuses volumes that users may not request, and more pods than can mount them.
    pub fn of<'v>(
        volumes: impl IntoIterator<Item = (String, &'v VolumeSource)>,
        owner: &ObjectMeta,
        pods: &ComponentSpec,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let claims = Self::read(volumes, world)?;
        claims.suffice(owner.namespace.as_deref().unwrap_or_default(), pods)?;
        Ok(claims)
    }

    /// The same, however many pods there are.
    pub fn read<'v>(
        volumes: impl IntoIterator<Item = (String, &'v VolumeSource)>,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let permitted = volumes.into_iter().map(|(field, source)| {
            let volume = source.volume("");
            check_volume(&volume, field, world.defaults()).map(|()| volume)
        });
        let permitted = permitted.collect::<Vec<_>>().all()?;
        let sources = permitted.into_iter().filter_map(|volume| volume.persistent_volume_claim);
        let read = sources.map(|source| {
            let claim = world.read::<PersistentVolumeClaim>(&source.claim_name)?;
            let sharing = claim.map_or(Sharing::AllPods, |claim| Sharing::of(&claim, &source));
            Ok((source.claim_name, sharing))
        });
        let mut claims = BTreeMap::new();
        for (name, sharing) in read.collect::<Vec<_>>().all()? {
            let least = claims.entry(name).or_insert(sharing);
            *least = sharing.max(*least);
        }
        Ok(Self(claims))
    }

    /// Whether there is no claim.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How pods that mount the claims are replaced. If a new pod cannot mount a claim before the old one
    /// releases it, a rolling update never ends: the new pod waits for the claim, and the old pod for the new
    /// one to be ready.
    ///
    /// This overrides a rolling update in the spec: it is the default of the definition, so every object has
    /// it, and the operator cannot tell whether a user set it.
    pub fn strategy(&self, requested: Strategy) -> Strategy {
        match self.0.values().max() {
            Some(Sharing::OneNode | Sharing::OnePod) => Strategy::Recreate,
            Some(Sharing::AllPods) | None => requested,
        }
    }

    /// Adds the claims as objects that the user creates. The Deployment does not wait for them: its pods do.
    pub fn add(&self, graph: &mut Builder<'_>, instance: &Instance<'_>) {
        for name in self.0.keys() {
            let claim = PersistentVolumeClaim {
                metadata: instance.metadata(name),
                ..PersistentVolumeClaim::default()
            };
            graph.add::<PersistentVolumeClaim>(Desired::awaited(claim, "create it"), ());
        }
    }

    fn suffice(&self, namespace: &str, spec: &ComponentSpec) -> Result<(), PlanError> {
        let Some((field, pods)) = most_pods(spec).filter(|(_, pods)| *pods > 1) else {
            return Ok(());
        };
        let refused = |(name, sharing): (&String, &Sharing)| {
            let claim = ObjectKey::of::<PersistentVolumeClaim>(namespace, name);
            let which = match sharing {
                Sharing::AllPods => return Ok(()),
                Sharing::OneNode => "which only pods of one node can mount (ReadWriteOnce)",
                Sharing::OnePod => "which only one pod can mount (ReadWriteOncePod)",
            };
            Err(PlanError::invalid(
                format_args!("spec.{field}"),
                format!("is {pods}, but all pods mount {claim}, {which}"),
                "set it to 1, or use a claim that is ReadWriteMany",
            ))
        };
        self.0.iter().map(refused).collect::<Vec<_>>().all().map(drop)
    }
}

/// The maximum number of pods, and the field that sets it.
fn most_pods(spec: &ComponentSpec) -> Option<(&'static str, i32)> {
    match &spec.autoscaling {
        Some(autoscaling) => Some(("autoscaling.maxReplicas", autoscaling.max_replicas)),
        None => Some(("replicas", spec.replicas?)),
    }
}

#[cfg(test)]
mod tests;
