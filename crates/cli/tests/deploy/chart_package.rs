//! The chart as platform teams get it: what they can set for all objects, which clusters it accepts, and how it presents
//! itself.

use crate::{
    deploy, documents,
    helm::{complaints, name, rendered, rendered_on},
    manifests, only,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs};

const DIGEST: &str = "sha256:606fd313a0f49743ee2a7bd49a0914bab7deedb12791f3a846a34a4711db7ed2";

fn chart() -> Value {
    let file = deploy().join("chart/harbor-operator/Chart.yaml");
    documents(&fs::read_to_string(file).unwrap()).remove(0)
}

#[test]
fn an_image_can_be_pinned_by_its_digest() {
    let objects = rendered(&json!({"image": {"digest": DIGEST}})).unwrap();
    let container = &only(&objects, "Deployment")["spec"]["template"]["spec"]["containers"][0];
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(container["image"], format!("docker.io/goharbor/harbor-operator:{version}@{DIGEST}"));
    for wrong in ["sha256:606fd313", "606fd313a0f49743", "latest"] {
        let error = rendered(&json!({"image": {"digest": wrong}})).unwrap_err();
        assert!(error.contains("digest"), "{error}");
    }
}

#[test]
fn labels_and_annotations_are_on_every_object_and_never_in_selectors() {
    let everything_on = json!({
        "commonLabels": {"team": "platform", "app.kubernetes.io/name": "other"},
        "commonAnnotations": {"owner": "platform", "a": "common"},
        "podLabels": {"pod": "yes"},
        "serviceAccount": {"annotations": {"a": "own"}},
        "metrics": {
            "auth": {"enabled": true}, "serviceMonitor": {"enabled": true}, "prometheusRule": {"enabled": true},
            "dashboard": {"enabled": true},
        },
        "bindNamespaces": {"enabled": true},
        "rewriteImages": {"enabled": true},
    });
    assert_eq!(complaints(&everything_on), Vec::<Value>::new());
    let objects = rendered(&everything_on).unwrap();
    let ours = objects.iter().filter(|object| object["kind"] != "CustomResourceDefinition");
    let mut count = 0;
    for object in ours {
        count += 1;
        let metadata = &object["metadata"];
        assert_eq!(metadata["labels"]["team"], "platform", "{}", name(object));
        assert_eq!(metadata["labels"]["app.kubernetes.io/name"], "harbor-operator", "{}", name(object));
        assert_eq!(metadata["annotations"]["owner"], "platform", "{}", name(object));
    }
    assert!(count > 15, "{count} objects");
    let account = only(&objects, "ServiceAccount");
    assert_eq!(account["metadata"]["annotations"], json!({"owner": "platform", "a": "own"}));
    let deployment = &only(&objects, "Deployment")["spec"];
    let selector = json!({
        "app.kubernetes.io/instance": "harbor-operator", "app.kubernetes.io/name": "harbor-operator",
    });
    assert_eq!(deployment["selector"]["matchLabels"], selector);
    assert_eq!(only(&objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"], selector);
    let labels = &deployment["template"]["metadata"]["labels"];
    assert_eq!((&labels["team"], &labels["pod"]), (&json!("platform"), &json!("yes")));
}

#[test]
fn arguments_and_topology_can_be_chosen() {
    let objects = rendered(&json!({
        "extraArgs": ["--otlp-endpoint=http://collector:4318"],
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"},
            {"maxSkew": 2, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}},
        ],
    }))
    .unwrap();
    let pod = &only(&objects, "Deployment")["spec"]["template"]["spec"];
    let arguments = pod["containers"][0]["args"].as_array().unwrap();
    assert_eq!(arguments.last().unwrap(), "--otlp-endpoint=http://collector:4318");
    let constraints = &pod["topologySpreadConstraints"];
    let own = &constraints[0]["labelSelector"]["matchLabels"]["app.kubernetes.io/name"];
    assert_eq!((own, &constraints[1]["labelSelector"]), (&json!("harbor-operator"), &json!({})));
    let none = rendered(&json!({"topologySpreadConstraints": []})).unwrap();
    let pod = &only(&none, "Deployment")["spec"]["template"]["spec"];
    assert_eq!(pod.get("topologySpreadConstraints"), None);
    assert!(rendered(&json!({"extraArgs": ["serve"]})).unwrap_err().contains("extraArgs"));
}

#[test]
fn the_chart_accepts_the_versions_of_kubernetes_that_the_documentation_names() {
    assert_eq!(chart()["kubeVersion"], ">=1.20.0-0");
    for version in ["1.30.0", "1.37.1"] {
        assert!(rendered_on(&json!({}), Some(version)).is_ok(), "{version}");
    }
    let without = json!({"crds": {"install": false}});
    for (version, budget) in [("1.20.15", "policy/v1beta1"), ("1.29.9", "policy/v1")] {
        let words = rendered_on(&json!({}), Some(version)).unwrap_err();
        assert!(words.contains("harbor-operator crds --without-rules"), "{version}: {words}");
        let objects = rendered_on(&without, Some(version)).unwrap();
        assert_eq!(only(&objects, "PodDisruptionBudget")["apiVersion"], budget, "{version}");
    }
    let support = fs::read_to_string(deploy().join("../docs/support.md")).unwrap();
    assert!(support.contains("1.30 and later; 1.20 to 1.29"), "docs/support.md names other versions");
}

#[test]
fn artifact_hub_gets_what_it_shows() {
    let chart = chart();
    let annotation = |name: &str| {
        let text = chart["annotations"][format!("artifacthub.io/{name}")].as_str();
        text.unwrap_or_else(|| panic!("no annotation {name}")).to_owned()
    };
    assert_eq!((annotation("license"), annotation("operator")), ("Apache-2.0".into(), "true".into()));
    // The levels that Artifact Hub knows.
    let levels = ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];
    assert!(levels.contains(&annotation("operatorCapabilities").as_str()));
    let parsed = |name: &str| documents(&annotation(name)).remove(0);
    let container = &only(&manifests(), "Deployment")["spec"]["template"]["spec"]["containers"][0].clone();
    assert_eq!(parsed("images")[0]["image"], container["image"]);
    for link in parsed("links").as_array().unwrap() {
        assert!(link["name"].is_string() && link["url"].as_str().unwrap().starts_with("https://"));
    }
    assert_eq!(parsed("crdsExamples")[0]["kind"], "HarborCluster");

    let shown: BTreeSet<_> = parsed("crds").as_array().unwrap().iter().map(described).collect();
    let definitions = manifests();
    let definitions = definitions.iter().filter(|it| it["kind"] == "CustomResourceDefinition");
    let written_by_users: BTreeSet<_> = definitions
        .filter(|definition| !description(definition).contains("Written by the operator"))
        .map(|definition| {
            let names = &definition["spec"]["names"];
            let first = description(definition).split(". ").next().unwrap().trim_end_matches('.');
            [&definition["metadata"]["name"], &names["kind"]]
                .map(|text| text.as_str().unwrap().to_owned())
                .into_iter()
                .chain([first.to_owned()])
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(shown, written_by_users);
}

fn description(definition: &Value) -> &str {
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"].as_str().unwrap()
}

/// Name, kind and description of a definition, as the chart presents it.
fn described(entry: &Value) -> Vec<String> {
    ["name", "kind", "description"].map(|field| entry[field].as_str().unwrap().to_owned()).to_vec()
}

#[test]
fn the_readme_explains_every_value() {
    let folder = deploy().join("chart/harbor-operator");
    let values = documents(&fs::read_to_string(folder.join("values.yaml")).unwrap()).remove(0);
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let mut missing = Vec::new();
    leaves(&values, "", &mut |path| {
        if !readme.contains(&format!("| `{path}` | ")) {
            missing.push(path.to_owned());
        }
    });
    assert_eq!(missing, Vec::<String>::new(), "run hack/generate");
}

/// Calls `found` with the path of every value that is not a map of further ones.
fn leaves(value: &Value, at: &str, found: &mut dyn FnMut(&str)) {
    match value.as_object().filter(|map| !map.is_empty()) {
        Some(map) => {
            for (key, below) in map {
                let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                leaves(below, &path, found);
            }
        }
        None => found(at),
    }
}
