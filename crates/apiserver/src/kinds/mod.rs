//! The kinds the server serves: built-in ones, and those that CustomResourceDefinitions add.

mod builtin;
mod canonical;
mod custom;
mod quantity;
mod registry;
mod resource;
mod rules;
mod value;

pub(crate) use canonical::canonicalise;
pub(crate) use custom::{accepted_status, resources, validate_crd};
pub(crate) use quantity::Quantity;
pub(crate) use registry::{GroupVersions, Kinds};
pub(crate) use resource::{Column, Extra, Origin, Resource, Scale, Subresources, Verb};
pub(crate) use rules::{
    Addresses, Allocator, advances_generation, allocate, default, from_stored, name_rule, names,
    prepare_create, prepare_status, prepare_update, reset_fields, stored_field, to_stored, validate_create,
    validate_status, validate_update, warnings,
};
