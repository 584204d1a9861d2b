//! What the status of every day-2 kind says about the object in Harbor.

use super::{harbor_target::HarborKind, name::ObjectName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the operator knows about the object in Harbor, inlined into the statuses of the day-2 kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ManagedObjectStatus {
    /// The Harbor to which the operator bound this object when it first found one. The operator does not touch another
    /// Harbor for this object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_harbor: Option<ResolvedHarbor>,

    /// Whether the operator created the object in Harbor for this object. False for one that it adopted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<bool>,

    /// Salted digest of the secret values that the operator last sent, which Harbor does not return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 128))]
    pub secret_digest: Option<String>,
}

/// The Harbor to which an object is bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedHarbor {
    /// Kind of the object that describes the Harbor.
    pub kind: ResolvedHarborKind,

    /// Name of that object.
    pub name: ObjectName,

    /// Uid of that object. An object of the same name that is created later is another Harbor.
    #[schemars(length(max = 128))]
    pub uid: String,
}

/// A kind that describes a Harbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ResolvedHarborKind {
    /// A Harbor that this operator runs.
    Harbor,
    /// A HarborCluster that this operator runs.
    HarborCluster,
    /// A Harbor that exists, with its address and credentials.
    HarborServerConfiguration,
}

impl ResolvedHarborKind {
    /// The kind as Kubernetes spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Harbor => "Harbor",
            Self::HarborCluster => "HarborCluster",
            Self::HarborServerConfiguration => "HarborServerConfiguration",
        }
    }
}

impl From<HarborKind> for ResolvedHarborKind {
    fn from(kind: HarborKind) -> Self {
        match kind {
            HarborKind::Harbor => Self::Harbor,
            HarborKind::HarborCluster => Self::HarborCluster,
        }
    }
}
