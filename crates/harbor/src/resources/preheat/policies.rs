//! Preheat policies of a project.

use crate::{
    Deletion, InstanceId, PreheatPolicyId, ProjectId, error::Error, resources::in_project::InProject,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

impl<'h> InProject<'h> {
    /// The preheat policies of the project.
    pub fn preheat_policies(self) -> PreheatPolicies<'h> {
        PreheatPolicies { project: self }
    }
}

/// Calls about preheat policies. A policy is identified by its name.
#[derive(Clone, Copy, Debug)]
pub struct PreheatPolicies<'h> {
    project: InProject<'h>,
}

const PREHEAT: &str = "preheat";
const POLICIES: &str = "policies";

impl PreheatPolicies<'_> {
    /// All policies.
    pub async fn list(&self) -> Result<Vec<PreheatPolicy>, Error> {
        self.project.harbor().get(self.project.path(PREHEAT).then(POLICIES)).pages().await
    }

    /// The policy with this name.
    pub async fn get(&self, name: &str) -> Result<Option<PreheatPolicy>, Error> {
        let path = self.project.path(PREHEAT).then(POLICIES).name(name);
        self.project.harbor().get(path).json_if_found().await
    }

    /// Creates a policy.
    pub async fn create(&self, policy: &NewPreheatPolicy) -> Result<(), Error> {
        let path = self.project.path(PREHEAT).then(POLICIES);
        self.project.harbor().post(path).body(policy).reaches_jobservice().done().await
    }

    /// Replaces a policy.
    pub async fn replace(&self, id: PreheatPolicyId, policy: &NewPreheatPolicy) -> Result<(), Error> {
        #[derive(Serialize)]
        struct Numbered<'a> {
            id: PreheatPolicyId,
            #[serde(flatten)]
            policy: &'a NewPreheatPolicy,
        }
        let path = self.project.path(PREHEAT).then(POLICIES).name(&policy.name);
        self.project.harbor().put(path).body(&Numbered { id, policy }).reaches_jobservice().done().await
    }

    /// Deletes a policy.
    pub async fn delete(&self, name: &str) -> Result<Deletion, Error> {
        let path = self.project.path(PREHEAT).then(POLICIES).name(name);
        self.project.harbor().delete(path).reaches_jobservice().gone().await
    }
}

/// A policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PreheatPolicy {
    /// Its number.
    pub id: PreheatPolicyId,
    /// The project.
    pub project_id: ProjectId,
    /// Its name.
    pub name: String,
    /// A description.
    pub description: String,
    /// The instance.
    pub provider_id: InstanceId,
    /// The name of the instance.
    pub provider_name: String,
    /// JSON in a text.
    pub filters: String,
    /// JSON in a text.
    pub trigger: String,
    /// JSON in a text, from 2.13 on.
    pub extra_attrs: String,
    /// Whether it is used.
    pub enabled: bool,
}

/// A policy to create, or to replace another with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NewPreheatPolicy {
    /// The project.
    pub project_id: ProjectId,
    /// Its name.
    pub name: String,
    /// A description.
    pub description: String,
    /// The instance.
    pub provider_id: InstanceId,
    /// JSON in a text: which artifacts are sent.
    pub filters: String,
    /// JSON in a text: what starts it.
    pub trigger: String,
    /// JSON in a text, from 2.13 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_attrs: Option<String>,
    /// Whether it is used.
    pub enabled: bool,
}

impl NewPreheatPolicy {
    /// Whether a policy does the same. The texts are compared by their meaning.
    pub fn is_as(&self, policy: &PreheatPolicy) -> bool {
        self.name == policy.name
            && self.project_id == policy.project_id
            && self.description == policy.description
            && self.provider_id == policy.provider_id
            && self.enabled == policy.enabled
            && means(&self.filters) == means(&policy.filters)
            && means(&self.trigger) == means(&policy.trigger)
            && self.extra_attrs.as_deref().is_none_or(|extra| means(extra) == means(&policy.extra_attrs))
    }
}

fn means(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{NewPreheatPolicy, PreheatPolicy};
    use serde_json::json;

    #[test]
    fn texts_are_compared_by_their_meaning() {
        let shown: PreheatPolicy = serde_json::from_value(json!({
            "enabled": true, "filters": "[{\"type\":\"tag\",\"value\":\"**\"}]", "id": 1, "name": "warm",
            "project_id": 2, "provider_id": 1, "provider_name": "df",
            "trigger": "{\"type\":\"manual\",\"trigger_setting\":{\"cron\":\"\"}}",
        }))
        .unwrap();
        let wanted = NewPreheatPolicy {
            project_id: 2.into(),
            name: "warm".into(),
            provider_id: 1.into(),
            filters: "[ {\"value\": \"**\", \"type\": \"tag\"} ]".into(),
            trigger: "{\"trigger_setting\": {\"cron\": \"\"}, \"type\": \"manual\"}".into(),
            enabled: true,
            ..NewPreheatPolicy::default()
        };
        assert!(wanted.is_as(&shown));
        assert!(!NewPreheatPolicy { filters: "[]".into(), ..wanted }.is_as(&shown));
    }
}
