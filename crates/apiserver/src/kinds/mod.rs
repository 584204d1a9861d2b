//! The kinds the server serves: built-in ones, and those that CustomResourceDefinitions add.

mod builtin;
mod canonical;
mod quantity;
mod registry;
mod resource;

pub(crate) use canonical::canonicalise;
pub(crate) use registry::{GroupVersions, Kinds};
pub(crate) use resource::{Column, Extra, Origin, Resource, Scale, Subresources, Verb};
