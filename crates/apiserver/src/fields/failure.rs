//! Why a configuration was not applied.

use super::element::Element;
use crate::failure::Failure;
use http::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Why a configuration was not applied.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ApplyError {
    /// Other managers own fields that it would change.
    Conflicts(Vec<Conflict>),
    /// It does not match the schema of the kind, or the live object does not.
    Invalid(String),
    /// It has another kind or version than the object.
    WrongType { api_version: String, kind: String },
    /// It has `managedFields`, which a client must not set in an apply.
    ManagedFieldsPresent,
}

/// A field of another manager that a configuration would change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Conflict {
    /// As in `"kubectl-client-side-apply" using apps/v1`.
    pub manager: String,
    /// As in `.spec.replicas`.
    pub field: String,
    pub(super) path: Vec<Element>,
}

impl ApplyError {
    /// The `Status` that kube-apiserver sends.
    pub fn failure(&self) -> Failure {
        match self {
            Self::Conflicts(conflicts) => {
                let mut failure = Failure::new(StatusCode::CONFLICT, "Conflict", message(conflicts));
                let causes = conflicts.iter().map(|conflict| {
                    json!({
                        "reason": "FieldManagerConflict",
                        "message": format!("conflict with {}", conflict.manager),
                        "field": conflict.field,
                    })
                });
                failure.details.insert("causes".to_owned(), Value::Array(causes.collect()));
                failure
            }
            Self::Invalid(why) => Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "", why),
            Self::WrongType { api_version, kind } => {
                Failure::bad_request(format!("invalid object type: {}", type_text(api_version, kind)))
            }
            Self::ManagedFieldsPresent => Failure::bad_request("metadata.managedFields must be nil"),
        }
    }
}

fn message(conflicts: &[Conflict]) -> String {
    if let [conflict] = conflicts {
        return format!(
            "Apply failed with 1 conflict: conflict with {}: {}",
            conflict.manager, conflict.field
        );
    }
    let mut by_manager: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for conflict in conflicts {
        by_manager.entry(&conflict.manager).or_default().push(&conflict.field);
    }
    let lines: Vec<String> = by_manager
        .into_iter()
        .flat_map(|(manager, fields)| {
            let fields = fields.into_iter().map(|field| format!("- {field}"));
            std::iter::once(format!("conflicts with {manager}:")).chain(fields).collect::<Vec<_>>()
        })
        .collect();
    format!("Apply failed with {} conflicts: {}", conflicts.len(), lines.join("\n"))
}

/// A type as Go prints it: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`.
pub(crate) fn type_text(api_version: &str, kind: &str) -> String {
    let slash = if api_version.contains('/') { "" } else { "/" };
    format!("{slash}{api_version}, Kind={kind}")
}
