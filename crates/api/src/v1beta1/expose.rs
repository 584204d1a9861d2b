//! How users reach Harbor from outside the cluster.

use super::tls::ComponentsTlsSpec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is exposed, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborExposeSpec {
    /// How Core and the portal are exposed.
    pub core: HarborExposeComponentSpec,

    /// How the Notary server is exposed. Required when `notary` is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notary: Option<HarborExposeComponentSpec>,
}

/// How one component is exposed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborExposeComponentSpec {
    /// Serves users over TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,

    /// Exposes the component through an Ingress. Without it, exposing is left to you.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress: Option<IngressSpec>,
}

/// An Ingress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IngressSpec {
    /// Host name users type.
    pub host: String,

    /// The ingress controller in use, for the annotations it needs. Defaults to default.
    #[serde(default)]
    pub controller: IngressController,

    /// Annotations added to the Ingress; they win over those the operator sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,

    /// IngressClass that serves the Ingress. The cluster's default class unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_class_name: Option<String>,
}

/// An ingress controller that needs annotations of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IngressController {
    /// Any controller that needs nothing special, and ingress-nginx.
    #[default]
    Default,
    /// Google Cloud load balancers.
    Gce,
    /// VMware NSX-T container plug-in.
    Ncp,
    /// Contour.
    Contour,
}

impl IngressController {
    /// The controller as written in the spec.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Gce => "gce",
            Self::Ncp => "ncp",
            Self::Contour => "contour",
        }
    }
}
