//! Changes that planning makes to every child.

mod kept;
mod labels;
mod owner;

pub use kept::KeptFor;
pub use labels::Labels;
pub use owner::OwnedBy;

use crate::{AnyManifest, Component, HarborClass, PlanError};
use kube::Resource as _;

/// A change that applies to objects of any kind. A tuple composes two mutations; the second sees the result of the
/// first.
///
/// Law: a mutation is idempotent.
pub trait Mutation: Send + Sync {
    /// Changes one object.
    fn mutate(&self, object: &mut dyn AnyManifest) -> Result<(), PlanError>;
}

impl<A: Mutation, B: Mutation> Mutation for (A, B) {
    fn mutate(&self, object: &mut dyn AnyManifest) -> Result<(), PlanError> {
        self.0.mutate(object)?;
        self.1.mutate(object)
    }
}

impl<M: Mutation> Mutation for Option<M> {
    fn mutate(&self, object: &mut dyn AnyManifest) -> Result<(), PlanError> {
        self.as_ref().map_or(Ok(()), |mutation| mutation.mutate(object))
    }
}

/// The mutation of every child of every component.
pub fn standard<C: Component>(owner: &C::Owner) -> impl Mutation + use<C> {
    (OwnedBy::controller::<C>(owner), (Labels::of::<C>(owner), HarborClass::of(owner.meta())))
}

/// The mutation of children that stay when their owner is deleted.
pub fn kept<C: Component>(owner: &C::Owner) -> impl Mutation + use<C> {
    (KeptFor::owner(owner), (Labels::of::<C>(owner), HarborClass::of(owner.meta())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
    use kube::core::ObjectMeta;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn deployment(labels: BTreeMap<String, String>) -> Deployment {
        Deployment {
            metadata: ObjectMeta { labels: Some(labels), ..ObjectMeta::default() },
            spec: Some(DeploymentSpec::default()),
            ..Deployment::default()
        }
    }

    fn maps() -> impl Strategy<Value = BTreeMap<String, String>> {
        prop::collection::btree_map("[a-c]{1,2}", "[a-z]{0,3}", 0..4)
    }

    proptest! {
        #[test]
        fn mutating_twice_is_mutating_once(before in maps(), first in maps(), second in maps()) {
            let chain = (Labels::new(first), Labels::new(second));
            let mut once = deployment(before);
            chain.mutate(&mut once).unwrap();
            let mut twice = once.clone();
            chain.mutate(&mut twice).unwrap();
            prop_assert_eq!(once, twice);
        }

        #[test]
        fn mutating_a_decoded_object_has_the_same_result(before in maps(), labels in maps()) {
            let mutation = Labels::new(labels);
            let mut direct = deployment(before);
            let mut travelled: Deployment =
                serde_json::from_value(serde_json::to_value(&direct).unwrap()).unwrap();
            mutation.mutate(&mut direct).unwrap();
            mutation.mutate(&mut travelled).unwrap();
            prop_assert_eq!(direct, travelled);
        }
    }
}
