//! A few kinds to discover.

use crate::{
    kinds::{Column, Origin, Resource, Scale, Subresources, Verb},
    schema::Schema,
};
use k8s_openapi::{
    api::{
        apps::v1::Deployment,
        authentication::v1::TokenRequest,
        autoscaling::v1::Scale as ScaleObject,
        core::v1::{Binding, ConfigMap, Namespace, Pod},
        policy::v1::Eviction,
    },
    apimachinery::pkg::apis::meta::v1::{DeleteOptions, ListMeta, Patch, Status},
};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

/// The schemas of the built-in kinds below, as Kubernetes publishes them.
pub(super) static DEFINITIONS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let mut generator = SchemaSettings::openapi3().into_generator();
    kind::<Deployment>(&mut generator);
    kind::<ConfigMap>(&mut generator);
    kind::<Namespace>(&mut generator);
    kind::<Pod>(&mut generator);
    kind::<Binding>(&mut generator);
    kind::<Eviction>(&mut generator);
    kind::<TokenRequest>(&mut generator);
    kind::<ScaleObject>(&mut generator);
    generator.subschema_for::<DeleteOptions>();
    generator.subschema_for::<ListMeta>();
    generator.subschema_for::<Patch>();
    generator.subschema_for::<Status>();
    generator.take_definitions(true).into_iter().collect()
});

fn kind<K: k8s_openapi::Resource + JsonSchema>(generator: &mut SchemaGenerator) {
    generator.subschema_for::<K>();
    let name = K::schema_name().into_owned();
    if let Some(definition) = generator.definitions_mut().get_mut(&name) {
        definition["x-kubernetes-group-version-kind"] =
            json!([{"group": K::GROUP, "version": K::VERSION, "kind": K::KIND}]);
    }
}

/// The custom kind's schema.
pub(super) fn harbor_schema() -> Value {
    json!({
        "type": "object",
        "description": "A Harbor and its parts.",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {
                "type": "object",
                "description": "What is wanted.",
                "required": ["version"],
                "properties": {
                    "version": {"type": "string", "description": "The version of Harbor.", "minLength": 1},
                    "replicas": {"type": "integer", "format": "int32", "minimum": 0, "default": 1},
                    "port": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
                    "settings": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                    "proxy": {"type": "object", "nullable": true, "properties": {"host": {"type": "string"}}},
                    "hosts": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"name": {"type": "string"}}},
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"],
                    },
                },
            },
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        },
    })
}

fn builtin(group: &str, kind: &str, plural: &str, short: &[&str]) -> Resource {
    Resource {
        group: group.into(),
        version: "v1".into(),
        kind: kind.into(),
        list_kind: format!("{kind}List"),
        plural: plural.into(),
        singular: kind.to_lowercase(),
        short_names: short.iter().map(|name| (*name).to_owned()).collect(),
        categories: Vec::new(),
        namespaced: true,
        subresources: Subresources::default(),
        counts_generations: false,
        unconditional_update: true,
        schema: Arc::new(Schema::default()),
        columns: Vec::new(),
        origin: Origin::Builtin,
        custom: None,
        structural: None,
        verbs: &[
            Verb::Create,
            Verb::Delete,
            Verb::DeleteCollection,
            Verb::Get,
            Verb::List,
            Verb::Patch,
            Verb::Update,
            Verb::Watch,
        ],
        definition: String::new(),
        storage_group: group.into(),
        storage_version: "v1".into(),
        storage_plural: plural.into(),
        selectable_fields: Vec::new(),
    }
}

/// The custom kind.
pub(super) fn harbor() -> Resource {
    Resource {
        version: "v1alpha1".into(),
        subresources: Subresources { status: true, scale: None, extra: &[] },
        columns: vec![Column {
            name: "Phase".into(),
            kind: "string".into(),
            format: String::new(),
            description: String::new(),
            priority: 0,
            json_path: Some(".status.phase".into()),
        }],
        origin: Origin::Custom,
        custom: Some(Arc::new(harbor_schema())),
        categories: vec!["harbor".into()],
        ..builtin("goharbor.example", "Harbor", "harbors", &["h"])
    }
}

/// All kinds there are.
pub(super) fn resources() -> Vec<Arc<Resource>> {
    let scale = Scale {
        spec_replicas: ".spec.replicas".into(),
        status_replicas: ".status.replicas".into(),
        label_selector: None,
    };
    let deployment = Resource {
        subresources: Subresources { status: true, scale: Some(scale), extra: &[] },
        categories: vec!["all".into()],
        ..builtin("apps", "Deployment", "deployments", &["deploy"])
    };
    let namespace = Resource {
        namespaced: false,
        subresources: Subresources { status: true, scale: None, extra: &[] },
        ..builtin("", "Namespace", "namespaces", &["ns"])
    };
    let pod = Resource {
        subresources: Subresources { status: true, scale: None, extra: &[] },
        categories: vec!["all".into()],
        ..builtin("", "Pod", "pods", &["po"])
    };
    let config_map = builtin("", "ConfigMap", "configmaps", &["cm"]);
    [deployment, namespace, pod, config_map, harbor()].map(Arc::new).to_vec()
}
