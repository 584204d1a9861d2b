//! Patches: of the stored object, or of the fields that one manager has applied.

use super::{Document, Intent, Ownership, Part, PatchFormat, Write, Written, body::yaml, identity, metadata};
use crate::{
    failure::{Cause, Failure},
    fields::{self, Force},
    kinds, patch, schema,
    state::State,
};
use serde_json::Value;

impl Write<'_> {
    /// Patches an object. An apply creates it if it does not exist.
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
            let live =
                live.ok_or_else(|| Failure::not_found(&self.resource.group, &self.resource.plural, name))?;
            let mut object = self.patched(live, format, body)?;
            let metadata = &object["metadata"];
            if (metadata.is_object() || metadata.is_null()) && !metadata["name"].is_string() {
                object["metadata"]["name"] = name.into();
            }
            identity::settle(&self.server.state(), &self.resource, self.namespace, Some(name), &mut object)?;
            let problems = if format == PatchFormat::Json { Vec::new() } else { schema::duplicates(body) };
            Ok(Intent { object, ownership: Ownership::OfPatched, problems })
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

    /// An apply may omit name and namespace, but not contradict the path.
    fn named_as_the_path(&self, name: &str, configuration: &Value) -> Result<(), Failure> {
        let sent = |field: &str| configuration["metadata"][field].as_str().filter(|text| !text.is_empty());
        if let Some(other) = sent("name").filter(|other| *other != name) {
            return Err(Failure::bad_request(format!(
                "the name of the object ({other}) does not match the name on the URL ({name})"
            )));
        }
        if sent("namespace").is_some_and(|other| Some(other) != self.namespace) {
            return Err(Failure::bad_request(
                "the namespace of the provided object does not match the namespace sent on the request",
            ));
        }
        Ok(())
    }

    async fn apply(&self, name: &str, body: &[u8]) -> Result<Written, Failure> {
        let Document { object: configuration, duplicates } = yaml(body)?;
        if !configuration.is_object() {
            return Err(Failure::bad_request("error decoding patch: the configuration is not an object"));
        }
        self.named_as_the_path(name, &configuration)?;
        let key = State::key(&self.resource, self.namespace, name);
        let now = self.server.clock.stamp();
        let force = if self.options.force == Some(true) { Force::Yes } else { Force::No };
        self.carry_out(&key, |live| {
            if live.is_none() {
                if self.part != Part::Main {
                    return Err(Failure::not_found(&self.resource.group, &self.resource.plural, name));
                }
                if let Some(uid) = configuration["metadata"]["uid"].as_str() {
                    let mismatch = format!(
                        "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                    );
                    return Err(Failure::conflict(
                        &self.resource.group,
                        &self.resource.plural,
                        name,
                        &mismatch,
                    ));
                }
                self.may_create(name)?;
                self.open_for_new_objects(name)?;
            }
            let reset = kinds::reset_fields(&self.resource, self.part.subresource());
            let mut object =
                fields::apply(&self.resource.schema, live, &configuration, &self.manager(&now), force, reset)
                    .map_err(|error| error.failure())?;
            object["metadata"]["name"] = name.into();
            if let Some(namespace) = self.namespace {
                object["metadata"]["namespace"] = namespace.into();
            }
            if live.is_none() {
                metadata::wipe(&mut object);
            } else {
                for precondition in ["resourceVersion", "uid"] {
                    if let Some(value) = configuration["metadata"].get(precondition) {
                        object["metadata"][precondition] = value.clone();
                    }
                }
            }
            Ok(Intent { object, ownership: Ownership::Settled, problems: duplicates.clone() })
        })
        .await
    }
}
