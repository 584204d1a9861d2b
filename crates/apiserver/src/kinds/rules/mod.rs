//! What Kubernetes does to objects of each built-in kind, and what it refuses.

mod address;
mod defaults;
mod events;
#[cfg(test)]
mod laws;
mod prepare;
mod reset;
#[cfg(test)]
mod tests;
mod validation;

pub(crate) use address::{Addresses, Allocator, allocate};
pub(crate) use defaults::default;
pub(crate) use events::{from_stored, to_stored};
pub(crate) use prepare::{advances_generation, prepare_create, prepare_status, prepare_update};
pub(crate) use reset::reset_fields;
pub(crate) use validation::{name_rule, names, validate_create, validate_status, validate_update};
