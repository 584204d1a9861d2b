//! Replaces generated htpasswd lines that have a high bcrypt cost by lines with a low cost.
//!
//! This is the only exception to the rule that generated Secrets are created once and never changed: the registry
//! checks the line with every request. The password stays, and lines that a user wrote stay. The operator rewrites a
//! line only if the resolver says so and the line is a hash of the password in the same Secret. Pods get the new line in
//! their mounted file and do not restart.

use super::{
    ensure::{Applier, Child},
    perform::Reading,
};
use crate::{Entropy, ReconcileError, error::Verb};
use k8s_openapi::ByteString;
use kube::{
    api::{Patch, PatchParams},
    core::DynamicObject,
};
use plan::{Class, Classify as _, ObjectKey, Policy, Recipe, SecretGenerator as _};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, sync::Arc};

impl Applier<'_> {
    /// Rewrites the expensive lines of a Secret that was read.
    pub(super) async fn rehash(
        &self,
        Child { key, kind, desired }: Child<'_>,
        reading: &Reading,
    ) -> Result<(), ReconcileError> {
        let (Policy::CreateOnce { generate }, Some(stored)) = (&desired.policy, reading.object()) else {
            return Ok(());
        };
        let lines = cheap_lines(key, generate, stored, Arc::clone(&self.cluster.entropy)).await?;
        if lines.is_empty() {
            return Ok(());
        }
        let api = self.api(key, kind)?;
        let params = PatchParams { field_manager: Some(self.manager.into()), ..PatchParams::default() };
        match api.patch(&key.name, &params, &Patch::Merge(patch(stored, lines))).await {
            Ok(stored) => {
                tracing::info!(object = %key, "rewrote the htpasswd line with a lower cost");
                self.record(key, kind, &stored)?;
                Ok(())
            }
            Err(error) => match ReconcileError::api(Verb::Apply, key, error) {
                failure if matches!(failure.class(), Class::Conflict | Class::Transient) => Err(failure),
                // The old line still works.
                failure => {
                    let failure = plan::one_line(&failure);
                    tracing::warn!(object = %key, failure, "could not rewrite the htpasswd line; its high cost stays");
                    Ok(())
                }
            },
        }
    }
}

/// New lines for the expensive lines that match their password. Computed on a blocking thread, because verifying a hash
/// takes longer the higher its cost is.
async fn cheap_lines(
    key: &ObjectKey,
    generate: &BTreeMap<String, Recipe>,
    stored: &DynamicObject,
    entropy: Arc<dyn Entropy>,
) -> Result<BTreeMap<String, ByteString>, ReconcileError> {
    let data = plan::secret_data(&stored.data);
    let generate = generate.clone();
    let lines = tokio::task::spawn_blocking(move || {
        let cheap = |line: plan::ExpensiveLine<'_>| {
            bcrypt::verify(line.password, line.hash).ok().filter(|is_its| *is_its)?;
            let hash = (&*entropy).bcrypt(line.password)?;
            Some((line.key.to_owned(), ByteString(format!("{}:{hash}", line.user).into_bytes())))
        };
        plan::expensive_lines(&generate, &data).into_iter().filter_map(cheap).collect()
    });
    lines.await.map_err(|_| ReconcileError::Bug(format!("{key}: hashing was interrupted")))
}

/// The patch that sets these lines. It has the resource version that was read, so that the API server refuses it if the
/// Secret has changed since.
fn patch(stored: &DynamicObject, lines: BTreeMap<String, ByteString>) -> Value {
    let metadata = json!({"annotations": stored.metadata.annotations});
    let (mut annotations, mut data) = (Map::new(), Map::new());
    for (key, line) in lines {
        let line = json!(line);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let before = plan::equivalent_digest(Some(&metadata), &key, &text(stored.data["data"].get(&key)));
        let (name, same) = plan::equivalence(&key, before, &text(Some(&line)));
        annotations.insert(name, same.into());
        data.insert(key, line);
    }
    json!({
        "metadata": {"resourceVersion": stored.metadata.resource_version, "annotations": annotations},
        "data": data,
    })
}
