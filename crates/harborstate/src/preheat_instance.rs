//! Preheat instances: peer-to-peer networks that artifacts are sent to before they are pulled.

use crate::state::State;
use serde::{Deserialize, Serialize};

/// The write-only field for the credentials, an object of texts.
pub const AUTH_INFO: &str = "auth_info";

/// A preheat instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PreheatInstance {
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The software, `dragonfly` or `kraken`, which cannot be changed later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// Its address, which no other instance has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// How Harbor logs in to it: `NONE`, `BASIC`, `OAUTH` or `CUSTOM`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_mode: Option<String>,
    /// Whether it is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether policies without an instance use it.
    #[serde(rename = "default", skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
    /// Whether its certificate is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,
}

/// What Harbor adds to a preheat instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its number, a hint.
    pub id: i64,
    /// `Healthy`, `Unhealthy` or `Unknown`.
    pub status: String,
}

impl State for PreheatInstance {
    type Facts = Facts;
    const COLLECTION: &'static str = "preheat-instance";
    const WRITE_ONLY: &'static [&'static str] = &[AUTH_INFO];
}
