//! Which of several operators in a cluster an object belongs to.

use crate::{AnyManifest, Mutation, PlanError};
use kube::core::ObjectMeta;
use std::fmt;

/// Names the class of an object. The old operator's name for it, and found on objects that exist.
pub const CLASS_ANNOTATION: &str = "goharbor.io/harbor-class";

/// A class of objects, looked after by an operator of that class. Objects without one belong to operators without one.
///
/// Children are of the class of their owner, so that those that have children themselves are looked after, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarborClass(String);

impl HarborClass {
    /// The class of that name; an empty name is none.
    pub fn named(name: &str) -> Option<Self> {
        (!name.is_empty()).then(|| Self(name.to_owned()))
    }

    /// The class of an object.
    pub fn of(meta: &ObjectMeta) -> Option<Self> {
        Self::named(meta.annotations.as_ref()?.get(CLASS_ANNOTATION)?)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HarborClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Mutation for HarborClass {
    fn mutate(&self, object: &mut dyn AnyManifest) -> Result<(), PlanError> {
        let annotations = object.meta_mut().annotations.get_or_insert_default();
        annotations.insert(CLASS_ANNOTATION.to_owned(), self.0.clone());
        Ok(())
    }
}
