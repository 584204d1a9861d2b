//! The status every kind reports, in one shape.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// What the operator last observed of an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentStatus {
    /// The operator that wrote this status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<OperatorStatus>,

    /// Generation of the spec this status is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// Number of pods that exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub replicas: Option<i32>,

    /// The state of the object, one entry per aspect. Wait for `Ready`.
    // Required in the schema since ever, so it is always written; nevertheless a status without it decodes.
    #[serde(default, deserialize_with = "null_is_empty")]
    #[schemars(!default, extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}

/// What every other kind reports besides fields of its own, inlined into its status.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Observation {
    /// The operator that wrote this status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<OperatorStatus>,

    /// Generation of the spec this status is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,

    /// The state of the object, one entry per aspect. Wait for `Ready`.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}

/// The operator that wrote a status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperatorStatus {
    /// Commit the operator was built from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub controller_git_commit: Option<String>,

    /// Version of the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub controller_version: Option<String>,

    /// Name of the controller within the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub controller_name: Option<String>,
}

/// One aspect of an object's state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// The aspect, such as `Ready`.
    #[serde(rename = "type")]
    pub type_: String,

    /// `True`, `False` or `Unknown`.
    pub status: String,

    /// Why, as one word for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,

    /// Why, as a sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,

    /// When `status` last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_transition_time: Option<Time>,

    /// Generation of the spec this condition is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

/// Reads a list that some writer may have stored as null.
pub(crate) fn null_is_empty<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn conditions_are_written_even_when_there_are_none() {
        assert_eq!(serde_json::to_value(ComponentStatus::default()).unwrap(), json!({"conditions": []}));
    }

    #[test]
    fn a_status_without_conditions_or_with_null_decodes() {
        for stored in [json!({}), json!({"conditions": null})] {
            let status: ComponentStatus = serde_json::from_value(stored).unwrap();
            assert_eq!(status, ComponentStatus::default());
        }
    }

    #[test]
    fn conditions_of_the_go_operator_which_have_no_times_decode() {
        let stored = json!({
            "observedGeneration": 2,
            "operator": {"controllerGitCommit": "9d23a0a4", "controllerName": "core", "controllerVersion": "v1.3.0"},
            "conditions": [{"type": "InProgress", "status": "False"}, {"type": "Failed", "status": "False"}],
        });

        let status: ComponentStatus = serde_json::from_value(stored.clone()).unwrap();

        assert_eq!(status.conditions[0].type_, "InProgress");
        assert_eq!(serde_json::to_value(status).unwrap(), stored);
    }
}
