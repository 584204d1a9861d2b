//! IP families.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Network settings of a component.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    /// IP families to listen on: IPv4, IPv6 or both. Both when the list is absent or empty.
    // Strings in Rust, because some kinds accepted any text here before; the schema names the two that exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<IpFamily>")]
    pub ip_families: Vec<String>,

    /// Whether Services get addresses of one family or of both, and that they get those of `ipFamilies`. SingleStack
    /// unless set, in the family that is the cluster's first. The first family of a Service that exists cannot be
    /// changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "IpFamilyPolicy")]
    pub ip_family_policy: Option<IpFamilyPolicy>,
}

impl Network {
    /// Whether `family` is among the families to listen on.
    pub fn listens_on(&self, family: IpFamily) -> bool {
        self.ip_families.iter().any(|listed| listed == family.as_str())
    }
}

/// A version of the internet protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum IpFamily {
    /// Version 4.
    IPv4,
    /// Version 6.
    IPv6,
}

impl IpFamily {
    /// The family as Kubernetes spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IPv4 => "IPv4",
            Self::IPv6 => "IPv6",
        }
    }
}

/// Of how many families Services get addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum IpFamilyPolicy {
    /// Of one.
    SingleStack,
    /// Of both where the cluster has both.
    PreferDualStack,
    /// Of both.
    RequireDualStack,
}

impl IpFamilyPolicy {
    /// The policy as Kubernetes spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SingleStack => "SingleStack",
            Self::PreferDualStack => "PreferDualStack",
            Self::RequireDualStack => "RequireDualStack",
        }
    }
}
