//! Storage migration: writes every object that may be stored as v1alpha3 once, so that the API server stores it as v1beta1,
//! and then removes v1alpha3 from `status.storedVersions` of the definition.
//!
//! A write changes nothing in the object. The API server stores it nevertheless, if it is stored in another version, and
//! not otherwise. So a migration that was interrupted begins again, and repeats no write.
//!
//! `storedVersions` is patched with the resourceVersion that the definition had before the first object was listed. If
//! the definition changed meanwhile, the patch fails and the migration begins again. If an object cannot be written,
//! `storedVersions` stays as it is.

use crate::{
    definition::{self, Definition, patches, to_migrate},
    registrar::{LONGEST, MANAGER},
    settings::{Conversion, Settings},
    trust::Trust,
    watched::Watched,
};
use api::conversion::Version;
use election::Leadership;
use futures::{StreamExt as _, stream};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Api, Client, Resource as _, ResourceExt as _,
    api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams},
    core::PartialObjectMeta,
    runtime::events::{Event, EventType},
};
use runtime::{EventRecorder, with_sources};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Mutex, watch},
    time::sleep,
};

/// How many objects of a kind are listed at once.
const PAGE: u32 = 100;
/// How many objects of a kind are written at once.
const CONCURRENCY: usize = 4;
/// When the operator tries again after a failure. The user must correct an object in most cases.
const RETRY: Duration = Duration::from_mins(1);

/// Migrates the objects of one kind.
pub(crate) struct Migration {
    /// Writes only while this operator leads.
    pub client: Client,
    pub leadership: Leadership,
    pub recorder: Arc<EventRecorder>,
    pub settings: Settings,
    pub conversion: Conversion,
    pub definition: watch::Receiver<Watched<Definition>>,
    pub trust: watch::Receiver<Option<Trust>>,
    /// Held while objects are migrated: one kind after the other.
    pub turn: Arc<Mutex<()>>,
}

/// Whether something changed while the operator waited.
enum Change {
    Seen,
    None,
}

/// Why objects may still be stored as v1alpha3.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("cannot list {plural}: {why}; correct the object that the message names, or delete it")]
    List { plural: String, why: String },
    #[error("{0} objects cannot be stored as v1beta1; events on them say why")]
    Objects(usize),
    #[error("cannot change status.storedVersions: {0}; if it changed, the operator begins again")]
    Definition(String),
}

impl Migration {
    /// Works while this operator leads. Never ends.
    pub async fn run(mut self) {
        loop {
            self.leadership.acquired().await;
            let Some((definition, resource)) = self.due() else {
                self.change_within(LONGEST).await;
                continue;
            };
            if let Change::Seen = self.change_within(self.conversion.settled).await {
                continue;
            }
            let turn = self.turn.lock().await;
            self.attempt(&definition, &resource).await;
            drop(turn);
            self.change_within(RETRY).await;
        }
    }

    /// Waits for a change of the definition or of the trust, but not longer than this.
    async fn change_within(&mut self, most: Duration) -> Change {
        tokio::select! {
            biased;
            Ok(()) = self.definition.changed() => Change::Seen,
            Ok(()) = self.trust.changed() => Change::Seen,
            () = sleep(most) => Change::None,
        }
    }

    /// The definition, and the kind of its objects, if they must be migrated and the webhook is registered.
    fn due(&mut self) -> Option<(Definition, ApiResource)> {
        let Watched::Present(definition) = self.definition.borrow_and_update().clone() else { return None };
        let trust = self.trust.borrow_and_update().clone()?;
        let resource = to_migrate(&definition)?;
        patches(&self.settings, &trust, &definition).is_empty().then(|| ((*definition).clone(), resource))
    }

    /// Migrates once, and tells the result.
    async fn attempt(&self, definition: &Definition, resource: &ApiResource) {
        let name = definition.name_any();
        match self.migrate(definition, resource).await {
            Ok(objects) => tracing::info!(definition = name, objects, "all objects are stored as v1beta1"),
            Err(error) => {
                tracing::warn!(definition = name, %error, "objects may still be stored as v1alpha3");
                let about = definition.object_ref(&definition::resource());
                self.announce(about, error.to_string()).await;
            }
        }
    }

    /// Writes every object, then the definition; returns how many objects there are.
    async fn migrate(&self, definition: &Definition, resource: &ApiResource) -> Result<usize, Failed> {
        let all = Api::<DynamicObject>::all_with(self.client.clone(), resource);
        let (mut objects, mut failures) = (0, 0);
        let mut params = ListParams::default().limit(PAGE);
        loop {
            let page = all
                .list_metadata(&params)
                .await
                .map_err(|error| Failed::List { plural: resource.plural.clone(), why: why(&error) })?;
            objects += page.items.len();
            let writes = stream::iter(page.items).map(|object| self.write(resource, object));
            let failed =
                writes.buffer_unordered(CONCURRENCY).filter(|written| std::future::ready(written.is_err()));
            failures += failed.count().await;
            match page.metadata.continue_ {
                Some(next) if !next.is_empty() => params.continue_token = Some(next),
                _ => break,
            }
        }
        if failures > 0 {
            return Err(Failed::Objects(failures));
        }
        let definitions = Api::<Definition>::all_with(self.client.clone(), &definition::resource());
        let patch = Patch::Merge(json!({
            "metadata": { "resourceVersion": definition.resource_version() },
            "status": { "storedVersions": [Version::V1beta1.name()] },
        }));
        let patched = definitions.patch_status(&definition.name_any(), &manager(), &patch).await;
        patched.map(|_| objects).map_err(|error| Failed::Definition(why(&error)))
    }

    /// Writes an object without a change. It needs no write if it was written or deleted since it was listed.
    async fn write(
        &self,
        resource: &ApiResource,
        object: PartialObjectMeta<DynamicObject>,
    ) -> Result<(), ObjectFailed> {
        let (name, namespace) = (object.name_any(), object.namespace());
        let api: Api<DynamicObject> = match &namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, resource),
            None => Api::all_with(self.client.clone(), resource),
        };
        let metadata = json!({ "uid": object.uid(), "resourceVersion": object.resource_version() });
        let patch = Patch::Merge(json!({ "metadata": metadata }));
        match api.patch_metadata(&name, &manager(), &patch).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.is_conflict() || status.is_not_found() => Ok(()),
            Err(error) => {
                let place = namespace.as_deref().unwrap_or_default();
                let why = why(&error);
                tracing::warn!(
                    kind = resource.kind,
                    namespace = place,
                    name,
                    error = why,
                    "an object cannot be stored as v1beta1"
                );
                let note = format!("it cannot be stored as v1beta1: {why}; correct the object, or delete it");
                self.announce(reference(resource, &object), note).await;
                Err(ObjectFailed)
            }
        }
    }

    async fn announce(&self, about: ObjectReference, note: String) {
        let event = Event {
            type_: EventType::Warning,
            reason: "NotMigrated".to_owned(),
            note: Some(note),
            action: "MigrateStorage".to_owned(),
            secondary: None,
        };
        if let Err(error) = self.recorder.publish(event, &about).await {
            tracing::warn!(error = with_sources(&error), "an event was not sent");
        }
    }
}

/// What the API server said, or why it did not answer.
fn why(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => status.message.clone(),
        other => with_sources(other),
    }
}

/// An object was not written, and an event says why.
struct ObjectFailed;

fn manager() -> PatchParams {
    PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() }
}

fn reference(resource: &ApiResource, object: &PartialObjectMeta<DynamicObject>) -> ObjectReference {
    ObjectReference {
        api_version: Some(resource.api_version.clone()),
        kind: Some(resource.kind.clone()),
        name: Some(object.name_any()),
        namespace: object.namespace(),
        uid: object.uid(),
        ..ObjectReference::default()
    }
}
