//! The part of a watched object that the operator keeps: enough for its decisions, but neither content nor managed
//! fields.

mod adoption;
mod applied_fields;
mod observation;
mod owned_fields;
mod ownership;
mod provenance;
mod version;

pub use adoption::{Adoption, Claimant, is_labelled_alike};
pub use applied_fields::{applied_digest, desired_digest, is_item, owned};
pub use observation::{Observation, ObservedObject};
pub use owned_fields::OwnedFields;
pub use ownership::{Ownership, controller_of};
pub use provenance::Provenance;
pub use version::{ObjectVersion, Tag, tags};

use api::names::FIELD_MANAGER_PREFIX;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::core::ObjectMeta;

/// The entries of `managedFields` that are about the object itself and not about a subresource, with their managers.
fn entries(meta: &ObjectMeta) -> impl Iterator<Item = (&str, &ManagedFieldsEntry)> {
    let all = meta.managed_fields.iter().flatten();
    all.filter(|entry| entry.subresource.as_deref().unwrap_or_default().is_empty() && !is_status(entry))
        .filter_map(|entry| Some((entry.manager.as_deref()?, entry)))
}

/// Whether an entry is about the status alone. Before Kubernetes 1.22 it does not name the subresource.
fn is_status(entry: &ManagedFieldsEntry) -> bool {
    let fields = entry.fields_v1.as_ref().and_then(|fields| fields.0.as_object());
    fields.is_some_and(|fields| fields.len() == 1 && fields.contains_key("f:status"))
}

/// Whether an entry comes from server-side apply, and not from an update.
fn is_apply(entry: &ManagedFieldsEntry) -> bool {
    entry.operation.as_deref() == Some("Apply")
}

/// Whether a field manager is the operator.
fn is_operator(manager: &str) -> bool {
    manager.starts_with(FIELD_MANAGER_PREFIX)
}
