//! The kinds the server serves: built-in ones, and those that CustomResourceDefinitions add.

use crate::schema::Schema;
use serde_json::Value;
use std::sync::Arc;

/// One version of one kind, as it is served.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub group: String,
    pub version: String,
    pub kind: String,
    pub list_kind: String,
    pub plural: String,
    pub singular: String,
    pub short_names: Vec<String>,
    pub categories: Vec<String>,
    pub namespaced: bool,
    pub subresources: Subresources,
    /// Whether `metadata.generation` counts changes of the spec.
    pub counts_generations: bool,
    /// Whether a PUT without a resource version overwrites, rather than fails.
    pub unconditional_update: bool,
    pub schema: Arc<Schema>,
    pub columns: Vec<Column>,
    pub origin: Origin,
    /// The `openAPIV3Schema` of a custom kind.
    pub custom: Option<Arc<Value>>,
}

/// Where a kind comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Builtin,
    Custom,
}

/// Which subresources a kind has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Subresources {
    pub status: bool,
    pub scale: Option<Scale>,
}

/// Where a kind keeps what the scale subresource shows, as paths such as `.spec.replicas`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scale {
    pub spec_replicas: String,
    pub status_replicas: String,
    pub label_selector: Option<String>,
}

/// A column of `kubectl get`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    pub name: String,
    /// `string`, `integer`, `number`, `boolean`, `date`
    pub kind: String,
    pub format: String,
    pub description: String,
    /// 0 for always, more for `-o wide`.
    pub priority: i64,
    /// Where the value is; none for columns a built-in kind computes.
    pub json_path: Option<String>,
}

impl Resource {
    /// `v1` or `apps/v1`
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}
