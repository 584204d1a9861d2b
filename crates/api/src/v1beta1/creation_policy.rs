//! Whether an object of Harbor may exist before the Kubernetes object for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the operator creates an object in Harbor, takes over one that exists, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CreationPolicy {
    /// The operator creates it. One that exists already, and was not created for this object, is left as it is and
    /// reported as a conflict.
    #[default]
    Create,
    /// It must exist. The operator changes it and never creates it.
    Adopt,
    /// The operator takes over one that exists and creates it otherwise.
    CreateOrAdopt,
}
