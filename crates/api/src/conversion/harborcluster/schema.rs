//! The schema of the spec of a HarborCluster in v1alpha3, made from that of v1beta1.

use super::{SERVICES, STORE};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps};
use std::collections::BTreeMap;

type Properties = BTreeMap<String, JSONSchemaProps>;

/// Moves the schemas of services to where v1alpha3 has them.
pub fn lower_schema(spec: &mut JSONSchemaProps) {
    let Some(properties) = &mut spec.properties else { return };
    let mut moved = Properties::new();
    for service in &SERVICES {
        let mut of_kinds = properties
            .remove(service.field)
            .and_then(|schema| schema.properties?.remove("spec")?.properties)
            .unwrap_or_default();
        let in_cluster = &service.in_cluster;
        let mut outer = Properties::from([("kind".to_owned(), one_of(in_cluster.kind))]);
        outer.extend(
            of_kinds.remove(in_cluster.choice.settings).map(|of| (in_cluster.settings.to_owned(), of)),
        );
        moved.insert(in_cluster.field.to_owned(), object(outer));
        for external in service.external {
            let Some(of_kind) = of_kinds.remove(external.choice.settings) else { continue };
            let within = match external.within {
                Some(within) => {
                    let store = moved.entry(within.to_owned()).or_insert_with(|| object(Properties::new()));
                    store.properties.get_or_insert_default()
                }
                None => &mut moved,
            };
            within.insert(external.settings.to_owned(), of_kind);
        }
    }
    if let Some(store) = moved.get_mut(STORE) {
        let redirect = object(Properties::from([("disable".to_owned(), of_type("boolean"))]));
        store.properties.get_or_insert_default().insert("redirect".to_owned(), redirect);
    }
    properties.append(&mut moved);
}

fn object(properties: Properties) -> JSONSchemaProps {
    JSONSchemaProps { properties: Some(properties), ..of_type("object") }
}

fn one_of(value: &str) -> JSONSchemaProps {
    JSONSchemaProps { enum_: Some(vec![JSON(value.into())]), ..of_type("string") }
}

fn of_type(type_: &str) -> JSONSchemaProps {
    JSONSchemaProps { type_: Some(type_.to_owned()), ..JSONSchemaProps::default() }
}
