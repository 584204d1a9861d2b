//! What an API server asks of definitions, and what people ask of them.

#![allow(clippy::unwrap_used, clippy::panic)] // this is a test, helpers included

use api::crds;
use serde_json::Value;

/// `kubectl apply` keeps a copy in an annotation, and annotations end here.
const LIMIT: usize = 256 * 1024;

fn definitions() -> Vec<(String, Value)> {
    crds::all()
        .iter()
        .map(|crd| (crd.metadata.name.clone().unwrap(), serde_json::to_value(crd).unwrap()))
        .collect()
}

#[test]
fn there_are_twenty_five_definitions_in_the_order_of_their_names() {
    let names: Vec<String> = definitions().into_iter().map(|(name, _)| name).collect();

    assert_eq!(
        names,
        [
            "chartmuseums",
            "cores",
            "exporters",
            "harborclusters",
            "harborconfigurations",
            "harborpreheatinstances",
            "harborprojectmembers",
            "harborprojects",
            "harborregistryendpoints",
            "harborreplications",
            "harborrobots",
            "harbors",
            "harborscanners",
            "harborserverconfigurations",
            "harbortasks",
            "harborusergroups",
            "harborusers",
            "jobservices",
            "notaryservers",
            "notarysigners",
            "portals",
            "pullsecretbindings",
            "registries",
            "registrycontrollers",
            "trivies",
        ]
        .map(|plural| format!("{plural}.goharbor.io"))
    );
}

#[test]
fn definitions_are_the_same_every_time() {
    for crd in crds::all() {
        assert_eq!(crds::of(&crd.spec.names.kind), Some(crd));
    }
    assert_eq!(serde_json::to_string(&crds::all()).unwrap(), serde_json::to_string(&crds::all()).unwrap());
}

#[test]
fn a_definition_is_small_enough_for_kubectl_apply() {
    for (name, crd) in definitions() {
        let size = crd.to_string().len();
        println!("{size:>7} {name}");
        assert!(size < LIMIT, "{name} has {size} bytes");
    }
}

#[test]
fn schemas_are_structural() {
    for (name, crd) in definitions() {
        for version in crd["spec"]["versions"].as_array().unwrap() {
            structural(&version["schema"]["openAPIV3Schema"], &name);
        }
    }
}

/// A schema the API server prunes and defaults with: a type at every node, and nothing it would refuse.
fn structural(schema: &Value, path: &str) {
    let fields = schema.as_object().unwrap_or_else(|| panic!("{path} is no schema but {schema}"));
    for forbidden in ["$ref", "definitions", "$defs", "const", "title", "not", "allOf", "oneOf", "anyOf"] {
        assert!(!fields.contains_key(forbidden), "{path} has {forbidden}");
    }
    let is_int_or_string = schema["x-kubernetes-int-or-string"] == true;
    assert!(schema["type"].is_string() || is_int_or_string, "{path} has no type");
    if let Some(format) = schema["format"].as_str() {
        assert!(["int32", "int64", "date-time"].contains(&format), "{path} has format {format}");
    }
    let typed =
        |key: &str, type_: &str| assert!(schema[key].is_null() || schema["type"] == type_, "{path} {key}");
    typed("properties", "object");
    typed("items", "array");
    assert!(schema["type"] != "array" || schema["items"].is_object(), "{path} has no items");
    assert!(
        schema["properties"].is_null() || schema["additionalProperties"].is_null(),
        "{path} is both map and object"
    );
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        structural(property, &format!("{path}.{name}"));
    }
    for required in schema["required"].as_array().into_iter().flatten() {
        assert!(
            !schema["properties"][required.as_str().unwrap()].is_null(),
            "{path} requires unknown {required}"
        );
    }
    for (key, suffix) in [("items", "[]"), ("additionalProperties", "{}")] {
        if !schema[key].is_null() {
            structural(&schema[key], &format!("{path}{suffix}"));
        }
    }
}

#[test]
fn every_field_of_ours_is_explained() {
    fn explained(schema: &Value, path: &str) {
        let foreign = [
            "imagePullSecrets",
            "initContainers",
            "namespaceSelector",
            "resources",
            "tolerations",
            "valueFrom",
            "volumeClaimTemplate",
        ];
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            assert!(property["description"].is_string(), "{path} is not explained");
            if !foreign.contains(&name.as_str()) && !name.starts_with("volume") {
                explained(property, &path);
                explained(&property["items"], &path);
            }
        }
    }
    for (name, crd) in definitions() {
        explained(&crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"], &name);
    }
}

#[test]
fn every_kind_is_in_the_category_has_a_status_and_shows_whether_it_is_ready() {
    for (name, crd) in definitions() {
        let version = &crd["spec"]["versions"][0];
        assert_eq!(crd["spec"]["names"]["categories"], serde_json::json!(["goharbor"]), "{name}");
        assert_eq!(version["subresources"]["status"], serde_json::json!({}), "{name}");
        let columns = version["additionalPrinterColumns"].as_array().unwrap();
        for column in ["Ready", "Reason", "Age", "Message"] {
            assert!(columns.iter().any(|listed| listed["name"] == column), "{name} does not show {column}");
        }
    }
}

#[test]
fn short_names_and_the_scale_of_registries_are_as_they_were() {
    let shown: Vec<(String, Value)> = definitions()
        .into_iter()
        .map(|(name, crd)| (name, crd["spec"]["names"]["shortNames"].clone()))
        .filter(|(_, short)| !short.is_null() && *short != serde_json::json!([]))
        .collect();
    let expected = [
        ("harborclusters", "hcl"),
        ("harborconfigurations", "hc"),
        ("harborpreheatinstances", "hpi"),
        ("harborprojectmembers", "hpm"),
        ("harborprojects", "hp"),
        ("harborregistryendpoints", "hre"),
        ("harborreplications", "hrp"),
        ("harborrobots", "hrb"),
        ("harbors", "h"),
        ("harborscanners", "hs"),
        ("harborserverconfigurations", "hsc"),
        ("harbortasks", "ht"),
        ("harborusergroups", "hug"),
        ("harborusers", "hu"),
        ("pullsecretbindings", "psb"),
    ];
    assert_eq!(
        shown,
        expected.map(|(plural, short)| (format!("{plural}.goharbor.io"), serde_json::json!([short])))
    );

    for (name, crd) in definitions() {
        let scale = &crd["spec"]["versions"][0]["subresources"]["scale"];
        assert_eq!(scale.is_object(), name == "registries.goharbor.io", "{name}");
    }
}

#[test]
fn every_rule_says_what_is_wrong_and_what_to_do() {
    fn rules(schema: &Value, messages: &mut Vec<String>) {
        for rule in schema["x-kubernetes-validations"].as_array().into_iter().flatten() {
            messages.push(rule["message"].as_str().unwrap_or_default().to_owned());
        }
        for property in schema["properties"].as_object().into_iter().flatten() {
            rules(property.1, messages);
        }
    }
    let mut messages = Vec::new();
    for (_, crd) in definitions() {
        rules(&crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"], &mut messages);
    }

    assert!(messages.len() > 40, "{}", messages.len());
    for message in messages {
        let (problem, remedy) =
            message.split_once("; ").unwrap_or_else(|| panic!("no remedy in {message:?}"));
        assert!(!problem.is_empty() && !remedy.ends_with('.'), "{message}");
    }
}

#[test]
fn no_kind_is_so_large_that_a_watch_of_it_overflows_the_stack() {
    // kube moves objects by value through several futures; without optimisation each of them has a copy of its own.
    macro_rules! sizes {
        ($($kind:ident),+) => { [$((stringify!($kind), size_of::<api::v1beta1::$kind>())),+] };
    }
    let sizes = sizes!(
        ChartMuseum,
        Core,
        Exporter,
        Harbor,
        HarborCluster,
        HarborConfiguration,
        HarborPreheatInstance,
        HarborProject,
        HarborProjectMember,
        HarborRegistryEndpoint,
        HarborReplication,
        HarborRobot,
        HarborScanner,
        HarborServerConfiguration,
        HarborTask,
        HarborUser,
        HarborUserGroup,
        JobService,
        NotaryServer,
        NotarySigner,
        Portal,
        PullSecretBinding,
        Registry,
        RegistryController,
        Trivy
    );
    let large: Vec<_> = sizes.into_iter().filter(|(_, size)| *size > 4500).collect();
    assert!(large.is_empty(), "{large:?}; box the largest fields");
}

#[test]
fn a07_no_service_can_be_without_settings() {
    let definition = serde_json::to_value(crds::of("HarborCluster").unwrap()).unwrap();
    let spec = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    for service in ["cache", "database", "storage"] {
        assert!(spec["required"].as_array().unwrap().contains(&service.into()), "{service}");
        let required = &spec["properties"][service]["required"];
        assert_eq!(*required, serde_json::json!(["kind", "spec"]), "{service}");
    }
}
