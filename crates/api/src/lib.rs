//! The `goharbor.io` API: custom resource types and nothing else.
//!
//! [`v1beta1`] holds one file per kind and one per concern that kinds share, [`crds`] turns the kinds into the
//! definitions a cluster installs, [`bounds`] says how much of everything they may hold, and [`thirdparty`] holds the foreign kinds we write.
//!
//! Decoding is lenient (whatever an API server ever stored under the old schema decodes), because validation is the
//! API server's business: it enforces the schema and the CEL rules declared next to the fields.

// Several printcolumn(...) of one kind repeat words, which clippy takes for repeated attributes.
#![allow(clippy::duplicated_attributes)]
// The shape of the JSON is a contract; switches stay switches.
#![allow(clippy::struct_excessive_bools)]

pub mod bounds;
pub mod crds;
pub mod thirdparty;
pub mod v1beta1;
