//! The rules in our definitions: what they refuse, with which messages, and what they accept.

use crate::world::{World, root};
use api::crds;
use envtest::{ControlPlane, Namespace, TIMEOUT};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, ResourceExt as _,
    api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams},
};
use plan::{ComponentKind, Placement};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::LazyLock,
    time::Duration,
};
use tokio::time::{sleep, timeout};

/// The field the API server names (none for the object itself), and part of what it says about it.
type Refusals = BTreeMap<String, String>;

/// A change to some objects, and what becomes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    title: String,
    bases: Vec<String>,
    change: Value,
    /// Whenever the change is made.
    #[serde(default)]
    refused: Refusals,
    /// When the object exists already.
    #[serde(default)]
    frozen: Refusals,
}

/// The longest names that leave room for the suffixes of Services.
const LONGEST: [(&str, usize); 13] = [
    ("chartmuseum", 51),
    ("cluster", 37),
    ("cluster-with-notary", 36),
    ("core", 58),
    ("exporter", 54),
    ("harbor", 44),
    ("harbor-with-notary", 43),
    ("jobservice", 52),
    ("notaryserver", 50),
    ("notarysigner", 50),
    ("portal", 56),
    ("registry", 51),
    ("trivy", 57),
];

fn fixture<T: DeserializeOwned>(name: &str) -> T {
    let path = root().join("crates/cli/tests/cluster/rules").join(name);
    serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn cases() -> BTreeMap<String, Vec<Case>> {
    fixture("cases.yaml")
}

/// An object of `bases.yaml`.
fn base(name: &str) -> Value {
    static BASES: LazyLock<Value> = LazyLock::new(|| fixture("bases.yaml"));
    let difference = BASES.get(name).expect(name);
    let mut object = match difference.get("like") {
        Some(like) => base(like.as_str().unwrap()),
        None => json!({"apiVersion": "goharbor.io/v1beta1"}),
    };
    object["metadata"]["name"] = json!(name);
    merge(&mut object, difference);
    object.as_object_mut().unwrap().remove("like");
    object
}

/// Does what the API server does with a merge patch.
fn merge(object: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *object = patch.clone();
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    for (key, value) in patch {
        if value.is_null() {
            object.as_object_mut().unwrap().remove(key);
        } else {
            merge(&mut object[key], value);
        }
    }
}

fn named(mut object: Value, length: usize) -> Value {
    object["metadata"]["name"] = json!("a".repeat(length));
    object
}

/// Tries things without doing them.
struct Attempts(Namespace);

impl Attempts {
    fn api(&self, object: &Value) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk("goharbor.io", "v1beta1", object["kind"].as_str().unwrap());
        Api::namespaced_with(self.0.plane.client(), &self.0.name, &ApiResource::from_gvk(&kind))
    }

    async fn create(&self, object: &Value, dry_run: bool) -> Vec<(String, String)> {
        let params = PostParams { dry_run, ..PostParams::default() };
        let created: DynamicObject = serde_json::from_value(object.clone()).unwrap();
        refusals(self.api(object).create(&params, &created).await)
    }

    /// Sends a merge patch, which must not contain unknown fields: a case about those would show nothing.
    async fn change(&self, object: &Value, change: &Value) -> Vec<(String, String)> {
        let params = PatchParams { dry_run: true, ..PatchParams::default() }.validation_strict();
        let name = object["metadata"]["name"].as_str().unwrap();
        refusals(self.api(object).patch(name, &params, &Patch::Merge(change)).await)
    }
}

/// The fields the API server complains about, and how.
fn refusals(result: kube::Result<DynamicObject>) -> Vec<(String, String)> {
    match result {
        Ok(_) => Vec::new(),
        Err(kube::Error::Api(status)) if status.code == 422 => {
            let causes = status.details.expect("a refusal has details").causes;
            causes.into_iter().map(|cause| (cause.field.replace("<nil>", ""), cause.message)).collect()
        }
        Err(error) => vec![("no refusal but an error".to_owned(), error.to_string())],
    }
}

/// Fails unless exactly the expected fields are complained about, in the expected words.
fn compare(what: &str, refusals: Vec<(String, String)>, expected: &[&Refusals]) {
    let expected: Vec<(&String, &String)> = expected.iter().copied().flatten().collect();
    let matches = expected.iter().all(|(field, part)| {
        refusals.iter().any(|(refused_field, message)| refused_field == *field && message.contains(*part))
    });
    assert!(
        matches && refusals.len() == expected.len(),
        "{what}: expected {expected:?}, but got {refusals:#?}"
    );
}

/// Whether the server knows rules; if not, says that the test is skipped.
fn serves_rules(plane: &ControlPlane) -> bool {
    let version = plane.version();
    if !version.serves_cel() {
        println!("skipped: Kubernetes {}.{} has no CEL", version.major, version.minor);
    }
    version.serves_cel()
}

async fn attempts() -> Option<Attempts> {
    let World { namespace, .. } = World::new().await;
    serves_rules(&namespace.plane).then_some(Attempts(namespace))
}

/// Makes every change of these cases to new objects, then to existing ones.
async fn decide(group: &str) {
    let Some(attempts) = attempts().await else { return };
    let cases = cases().remove(group).unwrap();
    for case in &cases {
        for name in &case.bases {
            let mut object = base(name);
            merge(&mut object, &case.change);
            let refusals = attempts.create(&object, true).await;
            compare(&format!("{} (creation of {name})", case.title), refusals, &[&case.refused]);
        }
    }
    for name in cases.iter().flat_map(|case| &case.bases).collect::<BTreeSet<_>>() {
        compare(name, attempts.create(&base(name), false).await, &[]);
    }
    for case in &cases {
        for name in &case.bases {
            let refusals = attempts.change(&base(name), &case.change).await;
            compare(&format!("{} (update of {name})", case.title), refusals, &[&case.refused, &case.frozen]);
        }
    }
}

#[tokio::test]
async fn tracing_needs_the_settings_of_its_provider() {
    decide("trace").await;
}

#[tokio::test]
async fn an_installation_has_a_url_a_way_to_notary_and_one_place_for_the_registry_and_its_controller() {
    decide("installation").await;
}

#[tokio::test]
async fn a_cluster_has_the_settings_of_its_database_and_cache_and_keeps_them() {
    decide("cluster").await;
}

#[tokio::test]
async fn images_are_stored_in_one_place_whose_settings_are_there() {
    decide("storage").await;
}

#[tokio::test]
async fn job_services_log_somewhere_and_objects_inside_a_harbor_stay_what_they_are() {
    decide("work").await;
}

fn too_long(limit: usize) -> Refusals {
    Refusals::from([(String::new(), format!("metadata.name: at most {limit} characters"))])
}

#[tokio::test]
async fn a_name_leaves_room_for_the_suffix_of_its_service() {
    let Some(attempts) = attempts().await else { return };
    for (name, limit) in LONGEST {
        let refusals = attempts.create(&named(base(name), limit), true).await;
        compare(&format!("a {name} with a name of {limit} characters"), refusals, &[]);
        let refusals = attempts.create(&named(base(name), limit + 1), true).await;
        compare(&format!("a {name} with one character more"), refusals, &[&too_long(limit)]);
    }
}

#[tokio::test]
async fn a_path_is_no_name_and_a_list_ends_somewhere_on_a_server_of_any_version() {
    let attempts = Attempts(World::new().await.namespace);
    let many: Vec<String> = (0..65).map(|number| format!("authority-{number}")).collect();
    let mut core = base("core");
    core["spec"]["redis"]["passwordRef"] = json!("../../victim/secrets/creds");
    core["spec"]["certificateRefs"] = json!(many);
    core["spec"]["extraEnv"] =
        json!([{"name": "A", "valueFrom": {"secretKeyRef": {"name": "a/b", "key": "c"}}}]);
    core["spec"]["image"] = json!("x".repeat(513));
    let refusals = attempts.create(&core, true).await;
    let fields = [
        ("spec.redis.passwordRef", "should match"),
        ("spec.certificateRefs", "at most 64 items"),
        ("spec.extraEnv.valueFrom.secretKeyRef.name", "should match"),
        ("spec.image", "512"),
    ];
    for (field, part) in fields {
        // Old servers leave out which item it is.
        let is_refused = |(refused, message): &(String, String)| {
            refused.replace("[0]", "") == field && message.contains(part)
        };
        let is_refused = refusals.iter().any(is_refused);
        assert!(is_refused, "{field} ({part}): {refusals:#?}");
    }

    core["spec"]["redis"]["passwordRef"] = json!("creds");
    core["spec"]["certificateRefs"] = json!(many[..64]);
    core["spec"]["extraEnv"][0]["valueFrom"]["secretKeyRef"]["name"] = json!("a.b");
    core["spec"]["image"] = json!("x".repeat(512));
    compare("a Core at its bounds", attempts.create(&core, true).await, &[]);
}

#[tokio::test]
async fn an_object_that_got_a_long_name_before_there_was_a_rule_can_still_be_changed() {
    if !serves_rules(&ControlPlane::shared().await.unwrap()) {
        return;
    }
    let plane = ControlPlane::start().await.unwrap();
    let attempts = Attempts(Namespace::create(plane, "rules").await);
    install(&attempts, crds::without_rules(crds::all())).await;
    for (name, limit) in LONGEST {
        let refusals = attempts.create(&named(base(name), limit + 1), false).await;
        compare(&format!("a {name} without rules"), refusals, &[]);
    }
    install(&attempts, crds::all()).await;
    for (name, limit) in LONGEST {
        let enforced = async {
            while attempts.create(&named(base(name), limit + 2), true).await.is_empty() {
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(TIMEOUT, enforced).await.expect("the rule is enforced in time");
        let mut object = named(base(name), limit + 1);
        object["spec"]["network"] = json!({"ipFamilies": ["IPv4"]});
        let refusals = attempts.change(&object, &object).await;
        compare(&format!("a change of a {name} with a name that has become too long"), refusals, &[]);
    }
}

#[tokio::test]
async fn a_harbor_that_named_several_servers_before_there_was_a_rule_can_still_be_changed() {
    if !serves_rules(&ControlPlane::shared().await.unwrap()) {
        return;
    }
    let plane = ControlPlane::start().await.unwrap();
    let attempts = Attempts(Namespace::create(plane, "rules").await);
    install(&attempts, crds::without_rules(crds::all())).await;
    let mut harbor = base("harbor");
    harbor["spec"]["database"]["hosts"] = json!([{"host": "a"}, {"host": "b"}]);
    compare("a Harbor without rules", attempts.create(&harbor, false).await, &[]);
    install(&attempts, crds::all()).await;
    let enforced = async {
        let mut another = harbor.clone();
        another["metadata"]["name"] = json!("another");
        while attempts.create(&another, true).await.is_empty() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(TIMEOUT, enforced).await.expect("the rule is enforced in time");
    harbor["spec"]["database"]["hosts"] = json!([{"host": "a"}, {"host": "c"}, {"host": "d"}]);
    compare("a change of a Harbor with several servers", attempts.change(&harbor, &harbor).await, &[]);
}

async fn install(attempts: &Attempts, definitions: Vec<CustomResourceDefinition>) {
    let api: Api<CustomResourceDefinition> = Api::all(attempts.0.plane.client());
    for crd in definitions {
        api.patch(&crd.name_any(), &PatchParams::apply("test").force(), &Patch::Apply(&crd)).await.unwrap();
    }
    attempts.0.kubectl(&["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]).await;
}

#[test]
fn every_rule_is_broken_by_a_case() {
    let mut broken: BTreeSet<(String, String, String)> = BTreeSet::new();
    let mut add = |name: &str, refusals: &Refusals| {
        let kind = base(name)["kind"].as_str().unwrap().to_owned();
        broken.extend(refusals.iter().map(|(field, part)| (kind.clone(), field.clone(), part.clone())));
    };
    for case in cases().into_values().flatten() {
        for name in &case.bases {
            add(name, &case.refused);
            add(name, &case.frozen);
        }
    }
    for (name, limit) in LONGEST {
        add(name, &too_long(limit));
    }
    let mut rules = 0;
    for crd in crds::all() {
        let crd = serde_json::to_value(crd).unwrap();
        visit(&crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"], "", &mut |field, message| {
            rules += 1;
            let kind = crd["spec"]["names"]["kind"].as_str().unwrap();
            if is_inside_harbor(kind) {
                return;
            }
            let covered = broken.iter().any(|(k, f, part)| k == kind && f == field && message.contains(part));
            assert!(covered, "{kind} {field}: no case expects {message:?}");
        });
    }
    assert!(rules > 0, "rules are found at all");
}

/// Whether objects of this kind describe what is inside a Harbor. `api/tests/day2.rs` breaks their rules.
fn is_inside_harbor(kind: &str) -> bool {
    let is_it = |component: &ComponentKind| component.resource().kind == kind;
    let component = components::all().into_iter().find(is_it);
    component.is_some_and(|it| it.children.live_outside() || it.placement() == Placement::ClusterWide)
}

/// Calls back with the field and message of every rule.
fn visit(schema: &Value, field: &str, rule: &mut impl FnMut(&str, &str)) {
    for validation in schema["x-kubernetes-validations"].as_array().into_iter().flatten() {
        rule(field, validation["message"].as_str().unwrap());
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        visit(property, format!("{field}.{name}").trim_start_matches('.'), rule);
    }
    for (below, suffix) in [("items", "[*]"), ("additionalProperties", ".*")] {
        if schema[below].is_object() {
            visit(&schema[below], &format!("{field}{suffix}"), rule);
        }
    }
}
