//! The `goharbor.io` API: types and names, no behaviour.
//!
//! [`v1beta1`] holds one file per kind and one per concern that kinds share. [`crds`] turns the kinds into definitions,
//! and [`bounds`] limits the size of their fields. [`conversion`] converts objects of v1alpha3. [`thirdparty`] holds the kinds of other projects that the operator
//! writes, and [`names`] the names of annotations and labels.
//!
//! Decoding is lenient: every object that an API server ever stored under the old schema decodes. The API server
//! validates: it enforces the schema and the CEL rules declared next to the fields.

// Several printcolumn(...) of one kind repeat words, which clippy takes for repeated attributes.
#![allow(clippy::duplicated_attributes)]
// The shape of the JSON is a contract; switches stay switches.
#![allow(clippy::struct_excessive_bools)]

pub mod bounds;
pub mod conversion;
pub mod crds;
pub mod names;
pub mod thirdparty;
pub mod v1beta1;
