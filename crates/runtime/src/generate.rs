//! Secrets whose values are made up when they are created, and that are never written again.

use crate::{Dice, Failure, apply::Applier, error::Verb, index::Observation, progress::State};
use api::names::IMMUTABLE_ANNOTATION;
use k8s_openapi::ByteString;
use kube::{api::PostParams, core::DynamicObject};
use plan::{ChildKind, Desired, Health, ObjectKey, Recipe};
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Applier<'_> {
    /// Creates an object unless there is one of its name.
    pub(crate) async fn create_once(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        desired: &Desired,
        generate: &BTreeMap<String, Recipe>,
        seen: Option<Observation>,
    ) -> Result<Health, Failure> {
        // A user may have created it beforehand; then it is an input like any other and its deletion concerns us.
        // Where the watch shows nothing of that name there is most likely nothing to read.
        match seen {
            Some(seen) => return Ok(seen.health),
            None if self.router.index.has(key) => {
                if let Some(existing) = self.find(key).await? {
                    self.settle_orphan(key, kind, desired, &existing).await?;
                    return Ok(Health::READY);
                }
            }
            None => {}
        }
        let mut object = desired.object.to_json().map_err(|error| Failure::Bug(error.to_string()))?;
        object["metadata"]["annotations"][IMMUTABLE_ANNOTATION] = "true".into();
        make_up(&mut object, generate, &**self.dice)?;
        let object: DynamicObject =
            serde_json::from_value(object).map_err(|_| Failure::Bug(format!("{key} has no metadata")))?;
        let api = self.api(key, kind)?;
        let params = PostParams { field_manager: Some(self.manager.into()), ..PostParams::default() };
        self.audience.tell_child(self.owner, key, || State::Applying);
        match api.create(&params, &object).await {
            Ok(stored) => {
                tracing::debug!(object = %key, "created");
                Ok(self.record(key, kind, &stored)?.health)
            }
            Err(kube::Error::Api(status)) if status.is_already_exists() => {
                self.read(key).await.map(|_| Health::READY)
            }
            Err(error) => Err(Failure::api(Verb::Create, key, error)),
        }
    }
}

/// Adds the values that are to be made up to a Secret.
fn make_up(secret: &mut Value, generate: &BTreeMap<String, Recipe>, dice: &dyn Dice) -> Result<(), Failure> {
    let present = data(secret);
    let made = plan::made_up(generate, &present, &dice).map_err(|error| Failure::Bug(error.to_string()))?;
    for (name, value) in made {
        secret["data"][name] = json!(ByteString(value));
    }
    Ok(())
}

/// What a Secret holds.
pub(crate) fn data(secret: &Value) -> BTreeMap<String, Vec<u8>> {
    let entries = secret.get("data").and_then(Value::as_object).into_iter().flatten();
    let decoded = |(name, value): (&String, &Value)| {
        Some((name.clone(), serde_json::from_value::<ByteString>(value.clone()).ok()?.0))
    };
    entries.filter_map(decoded).collect()
}
