//! Values that users write into specs and Secrets: how they are parsed, and what is wrong with them.
//!
//! Uses: nothing.

mod duration;
mod fault;
mod quantity;
mod yaml;

pub(crate) use self::{
    duration::{go_duration, whole_seconds, whole_units},
    fault::{Fault, not_empty},
    quantity::quantity_bytes,
    yaml::{parse_yaml, to_yaml},
};
