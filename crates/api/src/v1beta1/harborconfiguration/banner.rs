//! The message on top of Harbor's pages.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A message on top of Harbor's pages. Everyone can read it without logging in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BannerMessage {
    /// The text. An empty text removes the banner.
    #[schemars(length(max = 2048))]
    pub message: String,

    /// How the banner looks. Defaults to info.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "type")]
    pub type_: Option<BannerType>,

    /// Whether users can close the banner. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closable: Option<bool>,

    /// First moment at which Harbor shows the banner. At once unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_date: Option<Time>,

    /// Last moment at which Harbor shows the banner. For ever unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_date: Option<Time>,
}

/// How a banner looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BannerType {
    /// Green.
    Success,
    /// Blue.
    #[default]
    Info,
    /// Yellow.
    Warning,
    /// Red.
    Danger,
}
