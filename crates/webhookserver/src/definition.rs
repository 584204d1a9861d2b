//! Definitions of kinds that v1alpha3 has: how they name the webhook, as pure functions.
//!
//! The operator owns `spec.conversion` of a definition with v1alpha3. When a definition has v1alpha3 no longer, the
//! operator removes what names its webhook, which kubectl cannot remove because the operator owns it.

use crate::{
    settings::{Certificate, Reach, Settings},
    trust::{Trust, includes},
};
use api::{
    conversion::{CONVERSION_PATH, Version, kinds},
    names::INJECT_CA_ANNOTATION,
};
use kube::{
    ResourceExt as _,
    api::{ApiResource, Patch},
    core::{GroupVersionKind, Object},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;

const API_VERSION: &str = "apiextensions.k8s.io/v1";
const KIND: &str = "CustomResourceDefinition";

/// What the operator reads of a CustomResourceDefinition. Whole definitions are large.
pub(crate) type Definition = Object<Spec, Status>;

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Spec {
    names: Names,
    versions: Vec<ServedVersion>,
    #[serde(default)]
    conversion: Value,
}

#[derive(Clone, Debug, Deserialize)]
struct Names {
    kind: String,
    plural: String,
}

#[derive(Clone, Debug, Deserialize)]
struct ServedVersion {
    name: String,
    storage: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Status {
    #[serde(default)]
    stored_versions: Vec<String>,
}

/// The resource of definitions.
pub(crate) fn resource() -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("apiextensions.k8s.io", "v1", KIND))
}

/// The names of the definitions that may have v1alpha3.
pub(crate) fn names() -> &'static [String] {
    // Definitions take a while to make.
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        kinds().filter_map(api::crds::of).filter_map(|definition| definition.metadata.name).collect()
    });
    &NAMES
}

/// The patches that make a definition name the webhook; none if it does, or if it does not have v1alpha3.
pub(crate) fn patches(settings: &Settings, trust: &Trust, definition: &Definition) -> Vec<Patch<Value>> {
    let name = definition.name_any();
    if !has(definition, Version::V1alpha3) {
        return removal(settings, definition).into_iter().collect();
    }
    let conversion = json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": settings.client_config(CONVERSION_PATH, trust),
            "conversionReviewVersions": ["v1"],
        },
    });
    let metadata = settings.metadata(&name);
    let annotations = json!(definition.annotations());
    let is_current = includes(&definition.spec.conversion, &conversion)
        && metadata.get("annotations").is_none_or(|wanted| includes(&annotations, wanted));
    let replaced = replaced(settings, definition, &conversion);
    let applied = json!({
        "apiVersion": API_VERSION, "kind": KIND, "metadata": metadata, "spec": { "conversion": conversion },
    });
    match (replaced, is_current) {
        (None, true) => Vec::new(),
        (None, false) => vec![Patch::Apply(applied)],
        (Some(replaced), _) => vec![Patch::Merge(replaced), Patch::Apply(applied)],
    }
}

/// What removes the webhook of the operator from a definition that has nothing to convert.
fn removal(settings: &Settings, definition: &Definition) -> Option<Patch<Value>> {
    let ours = settings.client_config(CONVERSION_PATH, &Trust::Injected);
    if !includes(&definition.spec.conversion["webhook"]["clientConfig"], &ours) {
        return None;
    }
    let mut patch = json!({ "spec": { "conversion": { "strategy": "None", "webhook": null } } });
    let injected = settings.metadata("").get("annotations").cloned();
    if injected.is_some_and(|annotations| includes(&json!(definition.annotations()), &annotations)) {
        patch["metadata"] = json!({ "annotations": { INJECT_CA_ANNOTATION: null } });
    }
    Some(Patch::Merge(patch))
}

/// What an apply cannot remove, because others have set it: the other way to reach a webhook, of which a definition may
/// have one only, and the annotation by which cert-manager would replace the authority.
fn replaced(settings: &Settings, definition: &Definition, conversion: &Value) -> Option<Value> {
    let other = match settings.reach {
        Reach::Service => "url",
        Reach::At { .. } => "service",
    };
    let stored = &definition.spec.conversion["webhook"]["clientConfig"];
    let has_other = stored.get(other).is_some_and(|value| !value.is_null());
    let is_injected = match settings.certificate {
        Certificate::Issued => definition.annotations().contains_key(INJECT_CA_ANNOTATION),
        Certificate::CertManager(_) => false,
    };
    if !has_other && !is_injected {
        return None;
    }
    let mut patch = json!({ "spec": { "conversion": conversion } });
    if has_other {
        patch["spec"]["conversion"]["webhook"]["clientConfig"][other] = Value::Null;
    }
    if is_injected {
        patch["metadata"] = json!({ "annotations": { INJECT_CA_ANNOTATION: Value::Null } });
    }
    Some(patch)
}

/// The kind whose objects may be stored as v1alpha3 although they should be stored as v1beta1.
pub(crate) fn to_migrate(definition: &Definition) -> Option<ApiResource> {
    let Spec { names, versions, .. } = &definition.spec;
    let stores_current = versions.iter().any(|it| it.storage && it.name == Version::V1beta1.name());
    let stored = &definition.status.as_ref()?.stored_versions;
    if !stores_current || !stored.iter().any(|name| name == Version::V1alpha3.name()) {
        return None;
    }
    let kind = GroupVersionKind::gvk("goharbor.io", Version::V1beta1.name(), &names.kind);
    Some(ApiResource::from_gvk_with_plural(&kind, &names.plural))
}

fn has(definition: &Definition, version: Version) -> bool {
    definition.spec.versions.iter().any(|it| it.name == version.name())
}

#[cfg(test)]
mod tests;
