//! What Kubernetes does to objects of each built-in kind, and what it refuses.
//!
//! A new object is filled in (`default`), prepared, given addresses (`allocate`) and validated, in this order; a
//! changed one likewise. Its name and uid, or what of its metadata cannot change, are set before. Custom objects pass
//! through the same functions, which then look at their metadata and status only.
//!
//! `stored.json`, `validation/refused.json` and `validation/changed.json` hold what kube-apiserver 1.37 answered to the
//! requests in them.

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
pub(crate) use prepare::{advances_generation, prepare_create, prepare_status, prepare_update};
pub(crate) use reset::reset_fields;
pub(crate) use validation::{names, validate_create, validate_status, validate_update};
pub(crate) use warnings::warnings;
