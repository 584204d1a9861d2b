//! Which images a Harbor preheats a P2P network with.

use crate::v1beta1::{project_reference::PROJECT_NAME_PATTERN, trigger::Trigger};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which images of a project a Harbor preheats a P2P network with, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreheatPolicy {
    /// Name of the project in Harbor.
    #[schemars(regex(pattern = PROJECT_NAME_PATTERN), length(min = 1, max = 255))]
    pub project: String,

    /// Name of the policy within the project.
    #[schemars(regex(pattern = "^[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$"), length(min = 1, max = 255))]
    pub name: String,

    /// What the policy is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,

    /// Images of the policy. All of the project unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<PreheatFilters>,

    /// When the policy runs. Only on demand unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,

    /// Whether the policy runs. Defaults to true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,

    /// Which peers of the network Harbor preheats. Harbor 2.12 and later. Defaults to singlePeer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<PreheatScope>,

    /// Further attributes that Harbor hands to the network. Harbor 2.13 and later.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub extra_attributes: BTreeMap<String, String>,
}

/// Images to preheat: those that pass all filters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PreheatFilters {
    /// Repositories whose name, without the project, matches this pattern. Defaults to `**`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub repositories: Option<String>,

    /// Tags that match this pattern. Defaults to `**`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub tags: Option<String>,

    /// Labels that the images have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// Which peers of a P2P network are preheated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PreheatScope {
    /// One, from which the others read.
    #[default]
    SinglePeer,
    /// All.
    AllPeers,
}

impl PreheatScope {
    /// The scope as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SinglePeer => "single_peer",
            Self::AllPeers => "all_peers",
        }
    }
}
