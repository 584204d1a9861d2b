//! The custom resource definitions a cluster installs.
//!
//! [`all`] is the only place definitions come from. It takes what the derives generate and settles what they cannot
//! express: which columns every kind shows, that optional fields are absent rather than null, that foreign Kubernetes
//! types come without their prose, which would make a definition too large for `kubectl apply`, and that nothing is
//! unbounded.

use crate::{
    bounds,
    names::{COMPONENT_LABEL, NAME_LABEL},
    v1beta1,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceColumnDefinition, CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray,
    JSONSchemaPropsOrBool,
};
use kube::CustomResourceExt;
use std::collections::BTreeMap;

/// Fields that hold a Kubernetes type; below them descriptions are Kubernetes' own and dropped.
const FOREIGN: [&str; 9] = [
    "imagePullSecrets",
    "initContainers",
    "namespaceSelector",
    "resources",
    "tolerations",
    "valueFrom",
    "volume",
    "volumeClaimTemplate",
    "volumeSource",
];

/// References within foreign types whose `name` Kubernetes does not require but k8s-openapi does.
const REFERENCES: [&str; 5] =
    ["configMap", "imagePullSecrets", "nodePublishSecretRef", "secret", "secretRef"];

/// The one field that was always allowed to be null: JobService's list of file loggers.
const NULLABLE: &str = "files";

/// Makes a definition as derived.
type Derived = fn() -> CustomResourceDefinition;

/// Every kind and its definition, which is made only when asked for: all of them take a while. A test of crate `components` compares
/// the kinds with its list.
const KINDS: [(&str, Derived); 25] = [
    ("ChartMuseum", v1beta1::ChartMuseum::crd),
    ("Core", v1beta1::Core::crd),
    ("Exporter", v1beta1::Exporter::crd),
    ("Harbor", v1beta1::Harbor::crd),
    ("HarborCluster", v1beta1::HarborCluster::crd),
    ("HarborConfiguration", v1beta1::HarborConfiguration::crd),
    ("HarborProject", v1beta1::HarborProject::crd),
    ("HarborPreheatInstance", v1beta1::HarborPreheatInstance::crd),
    ("HarborProjectMember", v1beta1::HarborProjectMember::crd),
    ("HarborRegistryEndpoint", v1beta1::HarborRegistryEndpoint::crd),
    ("HarborReplication", v1beta1::HarborReplication::crd),
    ("HarborRobot", v1beta1::HarborRobot::crd),
    ("HarborScanner", v1beta1::HarborScanner::crd),
    ("HarborServerConfiguration", v1beta1::HarborServerConfiguration::crd),
    ("HarborTask", v1beta1::HarborTask::crd),
    ("HarborUser", v1beta1::HarborUser::crd),
    ("HarborUserGroup", v1beta1::HarborUserGroup::crd),
    ("JobService", v1beta1::JobService::crd),
    ("NotaryServer", v1beta1::NotaryServer::crd),
    ("NotarySigner", v1beta1::NotarySigner::crd),
    ("Portal", v1beta1::Portal::crd),
    ("PullSecretBinding", v1beta1::PullSecretBinding::crd),
    ("Registry", v1beta1::Registry::crd),
    ("RegistryController", v1beta1::RegistryController::crd),
    ("Trivy", v1beta1::Trivy::crd),
];

/// Every definition, ordered by name.
pub fn all() -> Vec<CustomResourceDefinition> {
    let mut all: Vec<_> = KINDS.iter().map(|(_, crd)| installable(crd())).collect();
    all.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    all
}

/// The definition of one kind of ours.
pub fn of(kind: &str) -> Option<CustomResourceDefinition> {
    KINDS.iter().find(|(name, _)| *name == kind).map(|(_, crd)| installable(crd()))
}

/// The definitions without their validation rules, for API servers before 1.30, which refuse what they do not know.
///
/// The operator finds out itself what a rule would have refused, but only after the object has been stored.
pub fn without_rules(mut definitions: Vec<CustomResourceDefinition>) -> Vec<CustomResourceDefinition> {
    for version in definitions.iter_mut().flat_map(|crd| &mut crd.spec.versions) {
        if let Some(schema) = version.schema.as_mut().and_then(|schema| schema.open_api_v3_schema.as_mut()) {
            drop_rules(schema);
        }
    }
    definitions
}

fn drop_rules(schema: &mut JSONSchemaProps) {
    schema.x_kubernetes_validations = None;
    for (_, below) in below(schema) {
        drop_rules(below);
    }
}

fn installable(mut crd: CustomResourceDefinition) -> CustomResourceDefinition {
    crd.metadata.labels = Some(BTreeMap::from([
        (NAME_LABEL.to_owned(), "harbor-operator".to_owned()),
        (COMPONENT_LABEL.to_owned(), "crd".to_owned()),
    ]));
    for version in &mut crd.spec.versions {
        version.additional_printer_columns.get_or_insert_default().extend(columns());
        if let Some(schema) = version.schema.as_mut().and_then(|schema| schema.open_api_v3_schema.as_mut()) {
            settle("", schema, false);
            // Only the operator writes statuses; a copy of a spec in one was checked as a spec.
            if let Some(status) = schema.properties.as_mut().and_then(|fields| fields.get_mut("status")) {
                drop_rules(status);
            }
            bounds::bound(schema);
        }
    }
    crd
}

/// The columns every kind ends with. `Failed` is how the Go operator reported trouble; objects it left behind have it
/// until they are reconciled.
fn columns() -> Vec<CustomResourceColumnDefinition> {
    let condition = |type_: &str, field: &str| format!(".status.conditions[?(@.type==\"{type_}\")].{field}");
    [
        ("Ready", condition("Ready", "status"), "string", 0, "Whether the object is as its spec says"),
        ("Reason", condition("Ready", "reason"), "string", 0, "Why it is ready or not, in one word"),
        ("Age", ".metadata.creationTimestamp".to_owned(), "date", 0, "Time since the object was created"),
        ("Message", condition("Ready", "message"), "string", 1, "Why it is ready or not, in a sentence"),
        (
            "Failure",
            condition("Failed", "message"),
            "string",
            5,
            "What went wrong, as older operators reported it",
        ),
    ]
    .map(|(name, json_path, type_, priority, description)| CustomResourceColumnDefinition {
        name: name.to_owned(),
        json_path,
        type_: type_.to_owned(),
        priority: (priority != 0).then_some(priority),
        description: Some(description.to_owned()),
        format: None,
    })
    .into()
}

/// Settles `schema`, which is the value of `field`, and everything below it.
fn settle(field: &str, schema: &mut JSONSchemaProps, foreign: bool) {
    schema.title = None;
    if field != NULLABLE {
        schema.nullable = None;
    }
    if foreign && REFERENCES.contains(&field) {
        schema.required = None;
    }
    let below_is_foreign = foreign || FOREIGN.contains(&field);
    for (name, below) in below(schema) {
        if below_is_foreign {
            below.description = None;
        }
        // The items of a list are what the field is called after.
        settle(name.unwrap_or(field), below, below_is_foreign);
    }
}

/// The schemas directly below one, with the name of the field for those that have one of their own.
pub(crate) fn below(schema: &mut JSONSchemaProps) -> Vec<(Option<&str>, &mut JSONSchemaProps)> {
    let properties =
        schema.properties.iter_mut().flatten().map(|(name, property)| (Some(name.as_str()), property));
    let items: Vec<_> = match &mut schema.items {
        Some(JSONSchemaPropsOrArray::Schema(items)) => vec![&mut **items],
        Some(JSONSchemaPropsOrArray::Schemas(schemas)) => schemas.iter_mut().collect(),
        None => Vec::new(),
    };
    let values = match &mut schema.additional_properties {
        Some(JSONSchemaPropsOrBool::Schema(values)) => Some((Some(""), &mut **values)),
        _ => None,
    };
    properties.chain(items.into_iter().map(|items| (None, items))).chain(values).collect()
}
