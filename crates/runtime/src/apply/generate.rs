//! Secrets whose values the operator generates when it creates them, and never writes again.

use super::ensure::{Applier, Child};
use crate::{Entropy, ReconcileError, error::Verb};
use api::names::IMMUTABLE_ANNOTATION;
use k8s_openapi::ByteString;
use kube::{api::PostParams, core::DynamicObject};
use plan::{Health, Policy, Recipe};
use progress::State;
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Applier<'_> {
    /// Creates an object. If another program created it first, that object is used unchanged.
    pub(super) async fn create(
        &self,
        Child { key, kind, desired }: Child<'_>,
    ) -> Result<Health, ReconcileError> {
        let mut object = desired.object.to_json().map_err(|error| ReconcileError::Bug(error.to_string()))?;
        // A component says otherwise of values that it may stop to want.
        let immutable = &mut object["metadata"]["annotations"][IMMUTABLE_ANNOTATION];
        if immutable.is_null() {
            *immutable = "true".into();
        }
        if let Policy::CreateOnce { generate } = &desired.policy {
            add_generated(&mut object, generate, &*self.cluster.entropy)?;
        }
        let object: DynamicObject = serde_json::from_value(object)
            .map_err(|_| ReconcileError::Bug(format!("{key} has no metadata")))?;
        let params = PostParams { field_manager: Some(self.manager.into()), ..PostParams::default() };
        self.progress.child(self.owner, key, || State::Applying);
        match self.api(key, kind)?.create(&params, &object).await {
            Ok(stored) => {
                tracing::debug!(object = %key, "created");
                Ok(self.record(key, kind, &stored)?.health)
            }
            Err(kube::Error::Api(status)) if status.is_already_exists() => {
                self.read(key).await.map(|_| Health::READY)
            }
            Err(error) => Err(ReconcileError::api(Verb::Create, key, error)),
        }
    }
}

/// Adds generated values to a Secret.
fn add_generated(
    secret: &mut Value,
    generate: &BTreeMap<String, Recipe>,
    entropy: &dyn Entropy,
) -> Result<(), ReconcileError> {
    let present = plan::secret_data(secret);
    let values = plan::generated(generate, &present, &entropy)
        .map_err(|error| ReconcileError::Bug(error.to_string()))?;
    for (name, value) in values {
        secret["data"][name] = json!(ByteString(value));
    }
    Ok(())
}
