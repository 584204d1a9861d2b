//! Which objects of a collection a client requests.

use crate::{
    failure::Failure,
    kinds::{self, Origin, Resource},
    request::{FieldSelector, LabelSelector, ListOptions},
};
use serde_json::Value;

/// A namespace and selectors.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    pub namespace: Option<String>,
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    pub fn parse(
        resource: &Resource,
        namespace: Option<&str>,
        options: &ListOptions,
    ) -> Result<Self, Failure> {
        let labels =
            options.label_selector.as_deref().map(LabelSelector::parse).transpose()?.unwrap_or_default();
        let fields = options
            .field_selector
            .as_deref()
            .map(|text| FieldSelector::parse(text, |field| supported(resource, field)))
            .transpose()?
            .unwrap_or_default()
            .renamed(|field| kinds::stored_field(resource, field));
        Ok(Self { namespace: namespace.map(str::to_owned), labels, fields })
    }

    /// One object by its name.
    pub fn named(mut self, name: &str) -> Result<Self, Failure> {
        let selector = format!("metadata.name={name}");
        if self.fields.name().is_some_and(|other| other != name) {
            return Err(Failure::bad_request("field selectors and the name in the URL do not match"));
        }
        self.fields = FieldSelector::parse(&selector, |_| Ok(()))?;
        Ok(self)
    }

    /// Whether selectors exclude objects of the namespace.
    pub fn narrows(&self) -> bool {
        !self.labels.is_empty() || !self.fields.is_empty()
    }

    pub fn selects(&self, object: &Value) -> bool {
        let here =
            self.namespace.as_deref().is_none_or(|namespace| object["metadata"]["namespace"] == namespace);
        here && self.labels.matches(object) && self.fields.matches(object)
    }
}

/// The supported fields of field selectors for a kind, besides name and namespace.
fn fields_of(resource: &Resource) -> &'static [&'static str] {
    if resource.origin == Origin::Custom {
        return &[];
    }
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "pods") => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
        ("", "events") => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        ("events.k8s.io", "events") => &[
            "regarding.kind",
            "regarding.namespace",
            "regarding.name",
            "regarding.uid",
            "regarding.apiVersion",
            "regarding.resourceVersion",
            "regarding.fieldPath",
            "reason",
            "reportingController",
            "type",
        ],
        ("", "secrets") => &["type"],
        ("", "namespaces") => &["status.phase"],
        ("", "nodes") => &["spec.unschedulable"],
        ("", "services") => &["spec.clusterIP", "spec.type"],
        ("", "replicationcontrollers") | ("apps", "replicasets") => &["status.replicas"],
        ("batch", "jobs") => &["status.successful"],
        _ => &[],
    }
}

fn supported(resource: &Resource, field: &str) -> Result<(), String> {
    let own = fields_of(resource);
    let selectable = resource.selectable_fields.iter().any(|path| path.strip_prefix('.') == Some(field));
    if matches!(field, "metadata.name" | "metadata.namespace") || own.contains(&field) || selectable {
        return Ok(());
    }
    if own.is_empty() && resource.origin == Origin::Builtin {
        return Err(format!(
            "{field:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        ));
    }
    Err(format!("field label not supported: {field}"))
}
