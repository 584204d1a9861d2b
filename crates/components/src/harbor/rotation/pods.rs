//! The pods of a part, as its Deployment shows them.

use super::super::{part::Part, validated::Validated};
use jiff::Timestamp;
use k8s_openapi::api::apps::v1::Deployment;
use plan::{All as _, Manifest as _, ObjectKey, PlanError, Readiness, Restarted, World};
use serde_json::Value;

/// The pods of a part.
pub(super) struct Pods {
    /// Their Deployment.
    pub deployment: ObjectKey,
    template: Value,
    wanted: Option<i32>,
    exist: i32,
    /// As far as the API server counts them, which it does from Kubernetes 1.35 on.
    terminating: i32,
    readiness: Readiness,
    /// When the last of them became available, as far as their Deployment says so.
    settled: Option<Timestamp>,
    /// The passwords of servers that they have restarted for.
    restarted: Restarted,
}

impl Pods {
    /// The pods of a part; `None` if it has none. The registry's controller runs in the pods of the registry.
    pub fn of(part: Part, harbor: &Validated<'_>, world: &World<'_>) -> Result<Option<Self>, PlanError> {
        let part = if part == Part::RegistryController { Part::Registry } else { part };
        let name = harbor.child(part.name());
        let Some(found) = world.with_status::<Deployment>(&name)? else { return Ok(None) };
        let readiness = found.readiness();
        let restarted = Restarted::of(found.metadata.labels.as_ref());
        let status = found.status.unwrap_or_default();
        let mut conditions = status.conditions.into_iter().flatten();
        let (wanted, template) = found.spec.map(|spec| (spec.replicas, spec.template)).unwrap_or_default();
        Ok(Some(Self {
            deployment: ObjectKey::of::<Deployment>(harbor.namespace, &name),
            // A pod template always has a JSON form.
            template: serde_json::to_value(template).unwrap_or_default(),
            wanted,
            exist: status.replicas.unwrap_or(0),
            terminating: status.terminating_replicas.unwrap_or(0),
            readiness,
            restarted,
            settled: conditions
                .find(|it| it.type_ == "Progressing")
                .and_then(|it| it.last_update_time)
                .map(|it| it.0),
        }))
    }

    /// Whether their template refers to a Secret.
    pub fn use_secret(&self, name: &str) -> bool {
        mentions(&self.template, name)
    }

    /// Whether all of them are ready, and none is left of an earlier template.
    pub fn are_ready(&self) -> bool {
        self.readiness == Readiness::Ready && self.terminating == 0
    }

    /// When the last of them became available, if that is known.
    pub const fn settled(&self) -> Option<Timestamp> {
        self.settled
    }

    /// Whether there are to be none.
    pub fn are_unwanted(&self) -> bool {
        self.wanted == Some(0)
    }

    /// Whether there are none.
    pub fn are_gone(&self) -> bool {
        self.are_unwanted() && self.are_ready() && self.exist == 0
    }
}

/// Whether components are restarting one after the other for another password of a server that they log in to.
pub(super) fn are_changing_passwords(harbor: &Validated<'_>, world: &World<'_>) -> Result<bool, PlanError> {
    let pods = Part::ALL.map(|part| Pods::of(part, harbor, world));
    let pods = Vec::from(pods).all()?;
    Ok(!Restarted::agree(pods.iter().flatten().map(|pods| &pods.restarted)))
}

fn mentions(value: &Value, text: &str) -> bool {
    match value {
        Value::String(found) => found == text,
        Value::Array(items) => items.iter().any(|item| mentions(item, text)),
        Value::Object(fields) => fields.values().any(|field| mentions(field, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
