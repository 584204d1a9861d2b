//! Parses requests.

mod deletion;
mod path;
mod query;
mod selector;

pub(crate) use deletion::{DeleteOptions, Propagation};
pub(crate) use path::Target;
pub(crate) use query::{FieldValidation, ListOptions, Query, Version, WriteOptions};
pub(crate) use selector::{FieldSelector, LabelSelector};
