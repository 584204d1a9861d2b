//! Laws of conversion, for 1,000 objects of each kind.

use crate::{
    down,
    generate::{Choices, choices, edit, object},
    old_definitions::old_schema,
    up,
};
use api::names::V1BETA1_FIELDS_ANNOTATION;
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::Value;

macro_rules! laws_hold {
    ($($module:ident: $kind:literal,)*) => {
        $(
            mod $module {
                #[test]
                fn down_and_up_again_changes_nothing() {
                    super::down_and_up($kind);
                }

                #[test]
                fn up_and_down_again_changes_nothing_that_is_in_use() {
                    super::up_and_down($kind);
                }

                #[test]
                fn what_a_client_of_v1alpha3_changes_wins() {
                    super::edits_win($kind);
                }
            }
        )*
    };
}

laws_hold! {
    chart_museum: "ChartMuseum",
    core: "Core",
    exporter: "Exporter",
    harbor: "Harbor",
    harbor_cluster: "HarborCluster",
    job_service: "JobService",
    notary_server: "NotaryServer",
    notary_signer: "NotarySigner",
    portal: "Portal",
    registry: "Registry",
    registry_controller: "RegistryController",
    trivy: "Trivy",
}

#[test]
fn the_laws_are_tried_for_every_kind_that_is_converted() {
    let tried = [
        "ChartMuseum",
        "Core",
        "Exporter",
        "Harbor",
        "HarborCluster",
        "JobService",
        "NotaryServer",
        "NotarySigner",
        "Portal",
        "Registry",
        "RegistryController",
        "Trivy",
    ];
    assert_eq!(api::conversion::kinds().collect::<Vec<_>>(), tried);
}

/// Tries a law with 1,000 lists of choices.
fn for_all(law: impl Fn(Vec<u16>) -> Result<(), TestCaseError>) {
    let config = ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config).run(&choices(), law).unwrap();
}

/// The schema of a kind in v1beta1.
fn schema(kind: &str) -> Value {
    let definition = serde_json::to_value(api::crds::of(kind).unwrap()).unwrap();
    let versions = definition["spec"]["versions"].as_array().unwrap();
    let version = versions.iter().find(|version| version["name"] == "v1beta1").unwrap();
    version["schema"]["openAPIV3Schema"].clone()
}

fn v1beta1(kind: &str, schema: &Value, choices: Vec<u16>) -> Value {
    object("goharbor.io/v1beta1", kind, schema, choices)
}

fn down_and_up(kind: &str) {
    let schema = schema(kind);
    for_all(|choices| {
        let object = v1beta1(kind, &schema, choices);
        let lower = down(&object);

        prop_assert_eq!(&lower["apiVersion"], "goharbor.io/v1alpha3");
        prop_assert_eq!(&lower["status"], &object["status"]);
        for field in ["name", "namespace", "uid", "resourceVersion"] {
            prop_assert_eq!(&lower["metadata"][field], &object["metadata"][field]);
        }
        prop_assert_eq!(up(&lower), object);
        Ok(())
    });
}

fn up_and_down(kind: &str) {
    let schema = old_schema(kind);
    for_all(|choices| {
        let object = object("goharbor.io/v1alpha3", kind, &schema, choices);
        let upper = up(&object);

        prop_assert_eq!(&upper["apiVersion"], "goharbor.io/v1beta1");
        let again = down(&upper);
        prop_assert_eq!(&up(&again), &upper, "nothing is lost");
        prop_assert_eq!(in_use(again), in_use(object));
        Ok(())
    });
}

/// The object without settings that v1alpha3 ignores, and without what is kept of them.
fn in_use(mut object: Value) -> Value {
    let metadata = object["metadata"].as_object_mut().unwrap();
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.remove(V1BETA1_FIELDS_ANNOTATION);
        if annotations.is_empty() {
            metadata.remove("annotations");
        }
    }
    if object["kind"] != "HarborCluster" {
        return object;
    }
    let spec = object["spec"].as_object_mut().unwrap();
    for (in_cluster, external) in [
        ("inClusterCache", "redis"),
        ("inClusterDatabase", "database"),
        ("inClusterStorage", "imageChartStorage"),
    ] {
        if spec.contains_key(in_cluster) {
            spec.remove(external);
        }
    }
    if let Some(store) = spec.get_mut("imageChartStorage").and_then(Value::as_object_mut) {
        let used = ["filesystem", "s3", "swift"].into_iter().find(|driver| store.contains_key(*driver));
        store.retain(|field, _| field == "redirect" || used == Some(field));
        if used.is_none() {
            spec.remove("imageChartStorage");
        }
    }
    object
}

fn edits_win(kind: &str) {
    let schema = schema(kind);
    for_all(|choices| {
        let (first, second) = choices.split_at(choices.len() / 2);
        let mut edited = down(&v1beta1(kind, &schema, first.into()));
        edit(&mut edited["spec"], &mut Choices::from(second.to_vec()));
        // What a kind may be is not up to the client.
        for (service, kind) in
            [("inClusterCache", "Redis"), ("inClusterDatabase", "PostgresSQL"), ("inClusterStorage", "MinIO")]
        {
            if let Some(service) = edited["spec"].get_mut(service) {
                service["kind"] = kind.into();
            }
        }

        prop_assert_eq!(&down(&up(&edited))["spec"], &edited["spec"]);
        Ok(())
    });
}
