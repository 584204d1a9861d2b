//! The project that an object of a day-2 kind is about.

use super::name::ObjectName;
use kube::core::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What Harbor requires of the name of a project.
pub(crate) const PROJECT_NAME_PATTERN: &str = "^[a-z0-9]+(?:[._-][a-z0-9]+)*$";

/// A project, by its name in Harbor or by the object that describes it.
///
/// Carries no rules: only the first inlined struct of a spec keeps its rules, so each spec adds `exactly_one` itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectReference {
    /// Name of the project in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = PROJECT_NAME_PATTERN), length(min = 1, max = 255))]
    pub project_name: Option<String>,

    /// Name of the HarborProject in the same namespace. The operator waits until it is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_ref: Option<ObjectName>,
}

/// The rule that a project is named exactly once.
pub(crate) fn exactly_one() -> Rule {
    Rule::new("has(self.projectName) != has(self.projectRef)")
        .message("projectRef: exactly one of projectRef and projectName is required; keep the one that names the project")
}

/// The rule that a project cannot change.
pub(crate) fn immutable() -> Rule {
    Rule::new(
        "has(self.projectName) == has(oldSelf.projectName) && has(self.projectRef) == has(oldSelf.projectRef) \
         && (!has(self.projectName) || self.projectName == oldSelf.projectName) \
         && (!has(self.projectRef) || self.projectRef == oldSelf.projectRef)",
    )
    .message("projectRef: the project cannot change after creation; create another object")
}
