//! One version of one kind.

use crate::{
    conversion::Conversion,
    schema::{CustomSchema, Schema},
};
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
    /// The supported verbs, in the order of discovery.
    pub verbs: &'static [Verb],
    pub subresources: Subresources,
    /// Whether `metadata.generation` counts changes of the spec.
    pub counts_generations: bool,
    /// Whether a PUT without a resource version overwrites, rather than fails.
    pub unconditional_update: bool,
    /// The name of the OpenAPI definition, as in `io.k8s.api.apps.v1.Deployment`.
    pub definition: String,
    /// The group, version and plural under which objects are stored; versions of a kind share them.
    pub storage_group: String,
    pub storage_version: String,
    pub storage_plural: String,
    pub schema: Arc<Schema>,
    /// The `openAPIV3Schema` of a custom kind's version.
    pub custom: Option<Arc<Value>>,
    /// The same, compiled for defaulting and validation of objects.
    pub structural: Option<Arc<CustomSchema>>,
    /// The schema of the storage version, if that is another version.
    pub stored: Option<Arc<CustomSchema>>,
    /// The webhook that converts between the versions of a custom kind.
    pub conversion: Option<Arc<Conversion>>,
    /// Paths such as `.spec.color` that field selectors of a custom kind may use.
    pub selectable_fields: Vec<String>,
    pub columns: Vec<Column>,
    /// The warning for clients that still use this version.
    pub deprecation: Option<String>,
    pub origin: Origin,
}

/// The origin of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Builtin,
    Custom,
}

/// What a client can do with a kind or a subresource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Create,
    Delete,
    DeleteCollection,
    Get,
    List,
    Patch,
    Update,
    Watch,
}

/// Which subresources a kind has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Subresources {
    pub status: bool,
    pub scale: Option<Scale>,
    /// Those that only a single kind has.
    pub extra: &'static [Extra],
}

/// A subresource other than `status` and `scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extra {
    /// As in `pods/NAME/eviction`.
    pub name: &'static str,
    /// The kind of the object that is sent or shown.
    pub kind: &'static str,
    /// The group and version of that kind, if they are not those of the parent.
    pub foreign: Option<(&'static str, &'static str)>,
    pub verbs: &'static [Verb],
}

/// The fields that the scale subresource shows, as paths such as `.spec.replicas`.
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
    /// The path of the value; none for columns that a built-in kind computes.
    pub json_path: Option<String>,
}

impl Resource {
    /// `v1` or `apps/v1`
    pub fn api_version(&self) -> String {
        qualified(&self.group, &self.version)
    }

    /// The apiVersion of stored objects.
    pub fn storage_api_version(&self) -> String {
        qualified(&self.storage_group, &self.storage_version)
    }

    /// Whether objects of this kind are stored. Reviews are only answered.
    pub fn is_stored(&self) -> bool {
        self.allows(Verb::Get)
    }

    pub fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(&verb)
    }

    /// Whether this is the kind of that plural and group, in any version.
    pub fn is(&self, group: &str, plural: &str) -> bool {
        self.group == group && self.plural == plural && self.origin == Origin::Builtin
    }

    /// `plural` and group as one pair to match on.
    pub(super) fn id(&self) -> (&str, &str) {
        match self.origin {
            Origin::Builtin => (&self.group, &self.plural),
            Origin::Custom => ("", ""),
        }
    }
}

fn qualified(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

impl Verb {
    /// The name in discovery and in RBAC rules.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Watch => "watch",
        }
    }
}
