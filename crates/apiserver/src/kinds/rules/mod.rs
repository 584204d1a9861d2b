//! The rules of Kubernetes for objects of each built-in kind: defaults, computed fields, validation.
//!
//! A new object gets its defaults (`default`), is prepared, gets addresses (`allocate`) and is validated, in this
//! order; a changed one likewise. Its name and uid, or its immutable metadata, are set before. Custom objects pass
//! through the same functions, which only handle their metadata and status.
//!
//! `stored.json`, `validation/refused.json` and `validation/changed.json` contain requests and the answers of
//! kube-apiserver 1.37.

mod address;
mod defaults;
mod forms;
#[cfg(test)]
mod laws;
mod prepare;
mod reset;
#[cfg(test)]
mod tests;
mod validation;
mod warnings;

pub(crate) use address::{Addresses, allocate};
pub(crate) use defaults::default;
pub(crate) use forms::{from_stored, stored_field, to_stored};
pub(crate) use prepare::{
    advances_generation, prepare_create, prepare_ephemeral_containers, prepare_status, prepare_update,
};
pub(crate) use reset::reset_fields;
pub(crate) use validation::{
    names, validate_create, validate_ephemeral_containers, validate_status, validate_update,
};
pub(crate) use warnings::warnings;
