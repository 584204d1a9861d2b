//! Patches: of the stored object, or of what one writer has applied to it.

use super::{Intent, Ownership, PatchFormat, Write, Written, body::yaml, identity, metadata};
use crate::{
    failure::{Cause, Failure},
    fields::{self, Force},
    kinds,
    patch,
    state::State,
};
use serde_json::Value;

impl Write<'_> {
    /// Patches an object. An apply creates it where there is none.
    pub async fn patch(&self, name: &str, format: PatchFormat, body: &[u8]) -> Result<Written, Failure> {
        let invalid = |cause| Failure::invalid("meta.k8s.io", "PatchOptions", "", &[cause]);
        if format == PatchFormat::Apply {
            if self.options.field_manager.is_none() {
                return Err(invalid(Cause::required("fieldManager", "is required for apply patch")));
            }
            return self.apply(name, body).await;
        }
        if self.options.force.is_some() {
            return Err(invalid(Cause::forbidden("force", "may not be specified for non-apply patch")));
        }
        let key = State::key(&self.resource, self.namespace, name);
        self.carry_out(&key, |live| {
            let live = live
                .ok_or_else(|| Failure::not_found(&self.resource.group, &self.resource.plural, name))?;
            let mut object = self.patched(live, format, body)?;
            identity::settle(&self.resource, self.namespace, Some(name), &mut object)?;
            Ok(Intent { object, ownership: Ownership::OfDifferences, complaints: Vec::new() })
        })
        .await
    }

    /// An object with a patch applied.
    pub(super) fn patched(&self, live: &Value, format: PatchFormat, body: &[u8]) -> Result<Value, Failure> {
        let patched = match format {
            PatchFormat::Json => patch::json(live, body),
            PatchFormat::Strategic => patch::strategic(&self.resource.schema, live, body),
            PatchFormat::Merge | PatchFormat::Apply => patch::merge(live, body),
        };
        patched.map_err(Failure::from)
    }

    async fn apply(&self, name: &str, body: &[u8]) -> Result<Written, Failure> {
        let mut configuration = yaml(body)?;
        if !configuration.is_object() {
            return Err(Failure::bad_request("error decoding patch: the configuration is not an object"));
        }
        let (sent, expected) = (configuration["apiVersion"].as_str().unwrap_or_default(), self.resource.api_version());
        if sent != expected {
            return Err(Failure::bad_request(format!(
                "Incorrect version specified in apply patch. Specified patch version: {sent}, expected: {expected}"
            )));
        }
        identity::settle(&self.resource, self.namespace, Some(name), &mut configuration)?;
        let key = State::key(&self.resource, self.namespace, name);
        let now = self.server.clock.stamp();
        let force = if self.options.force == Some(true) { Force::Yes } else { Force::No };
        self.carry_out(&key, |live| {
            if live.is_none() {
                self.open_for_new_objects(name)?;
            }
            let reset = kinds::reset_fields(&self.resource, self.part.subresource());
            let mut object =
                fields::apply(&self.resource.schema, live, &configuration, &self.manager(&now), force, reset)
                    .map_err(|error| error.failure())?;
            if live.is_none() {
                metadata::wipe(&mut object);
            } else {
                for precondition in ["resourceVersion", "uid"] {
                    if let Some(value) = configuration["metadata"].get(precondition) {
                        object["metadata"][precondition] = value.clone();
                    }
                }
            }
            Ok(Intent { object, ownership: Ownership::Settled, complaints: Vec::new() })
        })
        .await
    }
}
