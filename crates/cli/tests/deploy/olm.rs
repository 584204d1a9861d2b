//! The bundle for OLM, with the rules of `operator-sdk bundle validate`: those of operator-framework/api for bundles,
//! ClusterServiceVersions, OperatorHub, good practices, capabilities and categories.

use crate::{deploy, documents, manifests, only};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
};
use tempfile::TempDir;

/// The largest bundle that OLM can stage in a ConfigMap, compressed; a warning comes at 85%.
const LARGEST: usize = 1 << 20;

const CAPABILITIES: [&str; 5] =
    ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];
const CATEGORIES: [&str; 16] = [
    "AI/Machine Learning",
    "Application Runtime",
    "Big Data",
    "Cloud Provider",
    "Database",
    "Developer Tools",
    "Integration & Delivery",
    "Logging & Tracing",
    "Modernization & Migration",
    "Monitoring",
    "Networking",
    "Observability",
    "OpenShift Optional",
    "Security",
    "Storage",
    "Streaming & Messaging",
];

/// A bundle, as `hack/olm-bundle` writes it.
struct Bundle {
    folder: TempDir,
    /// The manifests, by the name of their file. Each file has one object.
    manifests: BTreeMap<String, Value>,
    annotations: Value,
}

impl Bundle {
    fn write() -> Self {
        let folder = TempDir::new().unwrap();
        let output = Command::new(deploy().join("../hack/olm-bundle")).arg(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut manifests = BTreeMap::new();
        for entry in fs::read_dir(folder.path().join("manifests")).unwrap() {
            let path = entry.unwrap().path();
            let mut objects = documents(&fs::read_to_string(&path).unwrap());
            assert_eq!(objects.len(), 1, "{}", path.display());
            manifests.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), objects.remove(0));
        }
        let annotations = fs::read_to_string(folder.path().join("metadata/annotations.yaml")).unwrap();
        let annotations = documents(&annotations).remove(0)["annotations"].clone();
        Self { folder, manifests, annotations }
    }

    fn objects(&self, kind: &str) -> Vec<&Value> {
        self.manifests.values().filter(|object| object["kind"] == kind).collect()
    }

    fn csv(&self) -> &Value {
        let found = self.objects("ClusterServiceVersion");
        let [csv] = found[..] else { panic!("{} ClusterServiceVersions", found.len()) };
        csv
    }
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no {pointer}"))
}

fn is_semver(version: &str) -> bool {
    let parts: Vec<_> = version.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u64>().is_ok())
}

#[test]
fn the_annotations_name_package_channel_and_folders() {
    let bundle = Bundle::write();
    let expected = json!({
        "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
        "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
        "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
        "operators.operatorframework.io.bundle.package.v1": "harbor-operator",
        "operators.operatorframework.io.bundle.channels.v1": "stable",
        "operators.operatorframework.io.bundle.channel.default.v1": "stable",
    });
    assert_eq!(bundle.annotations, expected);
    // The image has them as labels, too.
    let dockerfile = fs::read_to_string(bundle.folder.path().join("bundle.Dockerfile")).unwrap();
    for (name, value) in expected.as_object().unwrap() {
        assert!(dockerfile.contains(&format!("{name}={}", value.as_str().unwrap())), "{name}");
    }
}

#[test]
fn the_cluster_service_version_follows_the_rules() {
    let bundle = Bundle::write();
    let csv = bundle.csv();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(csv["apiVersion"], "operators.coreos.com/v1alpha1");
    // Used as a value of a label: 63 characters at most.
    let name = text(csv, "/metadata/name");
    assert_eq!(name, format!("harbor-operator.v{version}"));
    assert!(name.len() <= 63);
    assert_eq!(text(csv, "/spec/version"), version);
    assert!(is_semver(version) && is_semver(text(csv, "/spec/minKubeVersion")));
    for field in ["/spec/displayName", "/spec/description", "/spec/provider/name", "/spec/maturity"] {
        assert!(!text(csv, field).trim().is_empty(), "{field}");
    }
    for link in csv["spec"]["links"].as_array().unwrap() {
        assert!(!text(link, "/name").is_empty() && text(link, "/url").starts_with("https://"));
    }
    for maintainer in csv["spec"]["maintainers"].as_array().unwrap() {
        let (user, host) = text(maintainer, "/email").split_once('@').unwrap();
        assert!(!text(maintainer, "/name").is_empty() && !user.is_empty() && host.contains('.'));
    }
    let icons = csv["spec"]["icon"].as_array().unwrap();
    assert_eq!((icons.len(), text(&icons[0], "/mediatype")), (1, "image/svg+xml"));
    assert!(!text(&icons[0], "/base64data").is_empty());
    assert!(CAPABILITIES.contains(&text(csv, "/metadata/annotations/capabilities")));
    for category in text(csv, "/metadata/annotations/categories").split(',') {
        assert!(CATEGORIES.contains(&category), "{category}");
    }
    let modes = csv["spec"]["installModes"].as_array().unwrap();
    let types: BTreeSet<_> = modes.iter().map(|mode| text(mode, "/type")).collect();
    let all = BTreeSet::from(["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"]);
    assert_eq!((types, modes.len()), (all, 4));
    assert!(modes.iter().any(|mode| mode["supported"] == true));
    let channels = text(&bundle.annotations, "/operators.operatorframework.io.bundle.channels.v1");
    assert!(
        channels.split(',').all(|it| ["candidate", "fast", "stable"].iter().any(|kind| it.starts_with(kind)))
    );
}

#[test]
fn every_definition_is_owned_and_every_kind_of_users_has_an_example() {
    let bundle = Bundle::write();
    let csv = bundle.csv();
    let owned = csv["spec"]["customresourcedefinitions"]["owned"].as_array().unwrap();
    let key = |name: &str, kind: &str, version: &str| [name, kind, version].map(str::to_owned);
    let named: BTreeSet<_> =
        owned.iter().map(|it| key(text(it, "/name"), text(it, "/kind"), text(it, "/version"))).collect();
    assert_eq!(named.len(), owned.len(), "none is owned twice");
    for definition in owned {
        assert!(!text(definition, "/description").is_empty() && !text(definition, "/displayName").is_empty());
    }
    let shipped = bundle.objects("CustomResourceDefinition");
    let versions = shipped.iter().flat_map(|definition| {
        let versions = definition["spec"]["versions"].as_array().unwrap();
        let (name, kind) = (text(definition, "/metadata/name"), text(definition, "/spec/names/kind"));
        versions.iter().map(move |version| key(name, kind, text(version, "/name")))
    });
    assert_eq!(named, versions.collect::<BTreeSet<_>>());
    let objects = manifests();
    let plain = objects.iter().filter(|object| object["kind"] == "CustomResourceDefinition");
    assert_eq!(plain.count(), shipped.len());

    let examples: Vec<Value> = serde_json::from_str(text(csv, "/metadata/annotations/alm-examples")).unwrap();
    let shown: BTreeSet<_> = examples.iter().map(|example| text(example, "/kind")).collect();
    let by_operator = |it: &&Value| text(it, "/description").contains("Written by the operator");
    let by_users: BTreeSet<_> =
        owned.iter().filter(|it| !by_operator(it)).map(|it| text(it, "/kind")).collect();
    assert_eq!(shown, by_users);
    assert!(examples.iter().all(|example| example["apiVersion"] == "goharbor.io/v1beta1"));
}

#[test]
fn the_deployment_and_its_permissions_are_those_of_the_manifests() {
    let bundle = Bundle::write();
    let install = &bundle.csv()["spec"]["install"];
    assert_eq!(install["strategy"], "deployment");
    let objects = manifests();
    let deployment = only(&objects, "Deployment");
    let expected = json!([{
        "name": "harbor-operator", "label": deployment["metadata"]["labels"], "spec": deployment["spec"],
    }]);
    assert_eq!(install["spec"]["deployments"], expected);
    let account = "harbor-operator";
    let granted = |object: &Value| json!({"serviceAccountName": account, "rules": object["rules"]});
    assert_eq!(install["spec"]["clusterPermissions"], json!([granted(only(&objects, "ClusterRole"))]));
    let roles: Vec<_> = objects.iter().filter(|object| object["kind"] == "Role").map(granted).collect();
    assert_eq!(install["spec"]["permissions"], json!(roles));
    // OLM makes the account; one in the bundle would be refused.
    assert!(bundle.objects("ServiceAccount").is_empty());
    for container in deployment["spec"]["template"]["spec"]["containers"].as_array().unwrap() {
        let requests = &container["resources"]["requests"];
        assert!(requests["cpu"].is_string() && requests["memory"].is_string());
        assert_eq!(bundle.csv()["spec"]["relatedImages"][0]["image"], container["image"]);
        assert_eq!(bundle.csv()["metadata"]["annotations"]["containerImage"], container["image"]);
    }
    let cluster_rules = &install["spec"]["clusterPermissions"][0]["rules"];
    let creates_definitions = cluster_rules.as_array().unwrap().iter().any(|rule| {
        let has =
            |field: &str, word: &str| rule[field].as_array().is_some_and(|all| all.contains(&json!(word)));
        has("resources", "customresourcedefinitions") && (has("verbs", "create") || has("verbs", "patch"))
    });
    assert!(!creates_definitions, "definitions are OLM's");
}

#[test]
fn the_bundle_has_kinds_that_olm_accepts_in_no_namespace_and_fits_into_a_config_map() {
    let bundle = Bundle::write();
    let kinds: BTreeSet<_> = bundle.manifests.values().map(|object| text(object, "/kind")).collect();
    let expected = ["ClusterServiceVersion", "CustomResourceDefinition", "PodDisruptionBudget", "Service"];
    assert_eq!(kinds, BTreeSet::from(expected));
    for (file, object) in &bundle.manifests {
        assert_eq!(object["metadata"].get("namespace"), None, "{file}");
        assert!(
            !file.starts_with('.') && file.rsplit_once('.').is_some_and(|(_, it)| it == "yaml"),
            "{file}"
        );
    }
    let archive =
        Command::new("tar").args(["-cz", "-C"]).arg(bundle.folder.path()).arg(".").output().unwrap();
    assert!(archive.stdout.len() < LARGEST * 85 / 100, "{} bytes", archive.stdout.len());
}
