//! Conversion between v1alpha3 and v1beta1: laws for random objects, and the map of a HarborCluster.
//!
//! Objects of v1beta1 are generated from our definitions, those of v1alpha3 from the Go operator's, or from ours where
//! those are not here.

#![allow(clippy::unwrap_used, clippy::panic)] // this is a test, helpers included

mod errors;
mod generate;
mod harborcluster;
mod hostile;
mod laws;
mod old_definitions;
#[path = "../shared/mod.rs"]
mod shared;

use api::conversion::{Version, convert};
use serde_json::Value;

/// Converts to v1beta1.
fn up(object: &Value) -> Value {
    convert(object.clone(), Version::V1beta1).unwrap_or_else(|error| panic!("{error}: {object}"))
}

/// Converts to v1alpha3.
fn down(object: &Value) -> Value {
    convert(object.clone(), Version::V1alpha3).unwrap_or_else(|error| panic!("{error}: {object}"))
}
