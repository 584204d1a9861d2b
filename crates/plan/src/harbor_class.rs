//! Which of several operators in a cluster reconciles an object.

use crate::{AnyManifest, Mutation, PlanError};
use api::names::CLASS_ANNOTATION;
use kube::core::ObjectMeta;
use std::fmt;

/// A class of objects. An operator of that class reconciles them; an operator without a class reconciles objects without
/// one.
///
/// Children have the class of their owner, so that the same operator reconciles children that are owners themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HarborClass(String);

impl HarborClass {
    /// The class of that name; `None` for an empty name.
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
