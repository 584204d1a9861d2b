//! Makes htpasswd lines cheap to check that were generated with a higher cost.
//!
//! The one exception to "created once and never touched again", for the registry checks its line with every request.
//! The password stays, and so does a line that a user wrote: rewritten is only the line of a Secret that belongs to the
//! owner, made as [`plan::expensive_lines`] tells, of the very password beside it. Pods see the new line in the file
//! they have mounted and are not restarted.

use super::{
    ensure::{Applier, Child},
    generate::data,
    issue::belongs,
};
use crate::{Entropy, ReconcileError, cluster::Interest, error::Verb};
use k8s_openapi::ByteString;
use kube::{
    api::{Patch, PatchParams},
    core::DynamicObject,
};
use plan::{Class, Classify as _, ObjectKey, Recipe, SecretGenerator as _};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, sync::Arc};

impl Applier<'_> {
    /// Rewrites the expensive lines of a generated Secret that exists. Once for each process: a line that is cheap
    /// stays so.
    pub(super) async fn rehash(
        &self,
        Child { key, kind, desired }: Child<'_>,
        generate: &BTreeMap<String, Recipe>,
    ) -> Result<(), ReconcileError> {
        let has_lines = generate.values().any(|recipe| matches!(recipe, Recipe::Htpasswd { .. }));
        if !has_lines || self.state().applied.contains_key(key) {
            return Ok(());
        }
        let found = self.cluster.fetch(self.owner, &[key.clone()].into(), Interest::Substance).await?;
        let Some(stored) = found.get(key).cloned().flatten() else { return Ok(()) };
        if !belongs(&stored, desired) || stored.data["immutable"] == true {
            return Ok(());
        }
        let lines = cheap_lines(key, generate, &stored, Arc::clone(&self.cluster.entropy)).await?;
        if lines.is_empty() {
            return Ok(());
        }
        let api = self.api(key, kind)?;
        let params = PatchParams { field_manager: Some(self.manager.into()), ..PatchParams::default() };
        match api.patch(&key.name, &params, &Patch::Merge(patch(&stored, lines))).await {
            Ok(stored) => {
                tracing::info!(object = %key, "rewrote the htpasswd line to be cheaper to check");
                self.record(key, kind, &stored)?;
                Ok(())
            }
            Err(error) => match ReconcileError::api(Verb::Apply, key, error) {
                failure if matches!(failure.class(), Class::Conflict | Class::Transient) => Err(failure),
                // The line serves as it is.
                failure => {
                    tracing::warn!(object = %key, %failure, "the htpasswd line stays expensive to check");
                    Ok(())
                }
            },
        }
    }
}

/// New lines for those that are expensive and of the password beside them. Computed off the thread others wait for:
/// the higher the cost was, the longer it takes to check.
async fn cheap_lines(
    key: &ObjectKey,
    generate: &BTreeMap<String, Recipe>,
    stored: &DynamicObject,
    entropy: Arc<dyn Entropy>,
) -> Result<BTreeMap<String, ByteString>, ReconcileError> {
    let data = data(&stored.data);
    if plan::expensive_lines(generate, &data).is_empty() {
        return Ok(BTreeMap::new());
    }
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

/// The change of a Secret to these lines, to be refused if it has changed since it was read.
fn patch(stored: &DynamicObject, lines: BTreeMap<String, ByteString>) -> Value {
    let metadata = json!({"annotations": stored.metadata.annotations});
    let (mut annotations, mut data) = (Map::new(), Map::new());
    for (key, line) in lines {
        let line = json!(line);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let before = plan::counted(Some(&metadata), &key, &text(stored.data["data"].get(&key)));
        let (name, same) = plan::equivalence(&key, before, &text(Some(&line)));
        annotations.insert(name, same.into());
        data.insert(key, line);
    }
    json!({
        "metadata": {"resourceVersion": stored.metadata.resource_version, "annotations": annotations},
        "data": data,
    })
}
