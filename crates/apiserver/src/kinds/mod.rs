//! The kinds that the server serves: built-in ones, and those of CustomResourceDefinitions.

mod builtin;
mod canonical;
mod custom;
mod quantity;
mod registry;
mod resource;
mod rules;
mod value;

pub(crate) use canonical::canonicalise;
pub(crate) use custom::{accepted_status, is_established, resources, wrong_scale};
pub(crate) use quantity::Quantity;
pub(crate) use registry::{Kinds, priority};
#[cfg(test)]
pub(crate) use resource::{Column, Subresources};
pub(crate) use resource::{Origin, Resource, Scale, Verb};
pub(crate) use rules::{
    Addresses, advances_generation, allocate, default, from_stored, names, prepare_create,
    prepare_ephemeral_containers, prepare_status, prepare_update, reset_fields, stored_field, to_stored,
    validate_create, validate_ephemeral_containers, validate_status, validate_update, warnings,
};
