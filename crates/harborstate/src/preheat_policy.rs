//! Preheat policies of a project. The name of an object is `alpha/popular`, see [`crate::in_project`].

use crate::state::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A preheat policy: which artifacts are sent to a peer-to-peer network before they are pulled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PreheatPolicy {
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name of the preheat instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Which artifacts, by the type of the filter: `repository`, `tag`, `label`, `signature` or
    /// `vulnerability`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<BTreeMap<String, Value>>,
    /// What starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// Whether it is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// More for the provider, from 2.13 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_attrs: Option<BTreeMap<String, Value>>,
}

/// What starts a preheat policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trigger {
    /// `manual`, `event_based` or `scheduled`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it runs, in six fields; empty unless scheduled.
    pub cron: String,
}

/// What Harbor adds to a preheat policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its number, a hint.
    pub id: i64,
}

impl State for PreheatPolicy {
    type Facts = Facts;
    const COLLECTION: &'static str = "preheat-policy";
}
