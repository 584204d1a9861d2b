//! The Harbor in which an object of a day-2 kind takes effect.

use super::name::ObjectName;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The Harbor in which an object takes effect, inlined into the specs of the day-2 kinds. Cannot change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
// Only the rules of the first inlined struct survive the merging of schemas; inline this one first.
#[x_kube(validation = Rule::new("!has(self.harborRef) || !has(self.harborServerConfig)")
    .message("harborRef: at most one of harborRef and harborServerConfig is allowed; keep the one that names the Harbor"))]
#[x_kube(validation = Rule::new("has(self.harborRef) == has(oldSelf.harborRef)")
    .message("harborRef: cannot change after creation; create another object"))]
#[x_kube(validation = Rule::new("has(self.harborServerConfig) == has(oldSelf.harborServerConfig)")
    .message("harborServerConfig: cannot change after creation; create another object"))]
pub struct HarborTarget {
    /// The Harbor or HarborCluster in the same namespace. The operator knows its address and its credentials. At most one
    /// of `harborRef` and `harborServerConfig` may be set. Cannot change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = Rule::new(
            "self.name == oldSelf.name && has(self.kind) == has(oldSelf.kind) \
             && (!has(self.kind) || self.kind == oldSelf.kind)")
        .message("harborRef: cannot change after creation; create another object"))]
    pub harbor_ref: Option<HarborReference>,

    /// Name of the HarborServerConfiguration that has the address and the credentials of the Harbor. Without it and
    /// `harborRef`, the one that the operator's flag `--harbor` names, or else the one with `default: true`, when the
    /// object is first reconciled. Cannot change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("harborServerConfig: cannot change after creation; create another object"))]
    pub harbor_server_config: Option<ObjectName>,
}

/// A Harbor that this operator runs, in the same namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborReference {
    /// Name of the Harbor or HarborCluster.
    pub name: ObjectName,

    /// Kind of the object. Without a kind, the operator looks for a HarborCluster first and then for a Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<HarborKind>,
}

/// A kind that installs a Harbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum HarborKind {
    /// An installation on top of a database, a Redis and a storage that exist.
    Harbor,
    /// An installation with its database, its Redis and its storage.
    HarborCluster,
}

impl HarborKind {
    /// The kind as Kubernetes spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Harbor => "Harbor",
            Self::HarborCluster => "HarborCluster",
        }
    }
}
