//! Components of test kinds: a ConfigMap that owns a Service that owns Deployments.

use super::*;
use crate::manifests::{Document, Object, Origin};
use crate::offline::dependency_graph;
use api::thirdparty::cert_manager::Certificate;
use k8s_openapi::{
    ByteString,
    api::{
        apps::v1::Deployment,
        core::v1::{ConfigMap, Secret, Service, ServiceAccount},
    },
};
use plan::{Builder, Children, Component, External, Issuance, Manifest, Recipe, Role, System, World};
use serde_json::json;

struct Outer;
struct Inner;
/// A ServiceAccount that owns a certificate, from cert-manager if that is served, and pods that use it.
struct Certified;

impl Component for Outer {
    type Owner = ConfigMap;

    const NAME: &'static str = "outer";

    fn children() -> Children {
        Children::none().and::<Secret>().and::<Service>()
    }

    fn desired(_: &ConfigMap, _: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let key =
            Desired::generated(secret("generated"), [("key".into(), Recipe::Alphanumeric { length: 3 })]);
        graph.add::<Service>(object::<Service>("v1", "web", json!({})), ());
        graph.add::<Secret>(key, ());
        graph.add::<Secret>(secret("later"), ());
        Ok(())
    }
}

impl Component for Inner {
    type Owner = Service;

    const NAME: &'static str = "inner";

    fn children() -> Children {
        Children::none().and::<Deployment>()
    }

    fn desired(_: &Service, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        world.require::<Secret>("later")?;
        graph.add::<Deployment>(deployment("random", "generated"), ());
        graph.add::<Deployment>(deployment("steady", "password"), ());
        Ok(())
    }
}

impl Component for Certified {
    type Owner = ServiceAccount;

    const NAME: &'static str = "certified";

    fn children() -> Children {
        Children::none().and::<Secret>().and::<Certificate>().and::<Deployment>()
    }

    fn desired(_: &ServiceAccount, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        if world.serves::<Certificate>()? {
            let spec = json!({"secretName": "tls", "issuerRef": {"name": "i"}});
            let certificate =
                object::<Certificate>("cert-manager.io/v1", "certificate", json!({"spec": spec}));
            graph.add::<Certificate>(certificate, ());
        } else {
            let (subject, role) = ("s".into(), Role::Leaf { authority: None, also_trusted: None });
            let issuance = Issuance { subject, dns_names: vec![], ip_addresses: vec![], role, days: 1 };
            graph.add::<Secret>(Desired::issued(secret("tls"), issuance), ());
        }
        let line = Recipe::Htpasswd { user: "u".into(), password: "password".into() };
        let recipes = [("password".into(), Recipe::Alphanumeric { length: 3 }), ("htpasswd".into(), line)];
        graph.add::<Secret>(Desired::generated(secret("users"), recipes), ());
        graph.add::<Deployment>(deployment("user", "tls"), ());
        Ok(())
    }
}

fn object<K: Manifest>(api_version: &str, name: &str, fields: Value) -> K {
    let mut object = fields;
    object["apiVersion"] = api_version.into();
    object["kind"] = K::kind(&()).into();
    object["metadata"] = json!({"name": name, "namespace": "ns"});
    serde_json::from_value(object).unwrap()
}

fn secret(name: &str) -> Secret {
    object("v1", name, json!({}))
}

fn deployment(name: &str, secret: &str) -> Deployment {
    let env = json!({"name": "KEY", "valueFrom": {"secretKeyRef": {"name": secret, "key": "key"}}});
    let pod = json!({"spec": {"containers": [{"name": "c", "env": [env]}]}});
    object("apps/v1", name, json!({"spec": {"selector": {}, "template": pod}}))
}

fn owner() -> Owner {
    let json = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "o", "namespace": "ns"}});
    Owner { place: "in.yaml".into(), key: ObjectKey::of::<ConfigMap>("ns", "o"), json }
}

fn given(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": {"key": "YWJj"}})
}

fn renderer(inputs: impl IntoIterator<Item = Value>, recursive: bool) -> Renderer {
    renderer_with(ObjectStore::default(), inputs, recursive)
}

fn renderer_with(
    mut store: ObjectStore,
    inputs: impl IntoIterator<Item = Value>,
    recursive: bool,
) -> Renderer {
    let components =
        vec![ComponentKind::of::<Outer>(), ComponentKind::of::<Inner>(), ComponentKind::of::<Certified>()];
    for content in inputs {
        let document = Document { origin: Origin::of("in.yaml"), content };
        Object::all(document).unwrap().into_iter().for_each(|object| store.insert_given(object).unwrap());
    }
    Renderer::new(components, store, Defaults::default(), recursive)
}

fn messages(errors: &[Error]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

fn inner(below: &OwnedObjects) -> &[Child] {
    &below.children[0].below.as_ref().unwrap().children
}

fn json_of(child: &Child) -> &Value {
    child.object.as_ref().unwrap()
}

fn annotation(child: &Child) -> Option<&str> {
    json_of(child)["spec"]["template"]["metadata"]["annotations"][INPUTS_ANNOTATION].as_str()
}

#[test]
fn the_children_of_a_child_follow_it() {
    let mut renderer = renderer([given("password")], true);
    let below = renderer.render(owner()).unwrap();
    assert_eq!((messages(&renderer.errors), messages(&renderer.unmet)), (vec![], vec![]));
    let expected = "\
ConfigMap o
├── Service web
│   ├── Deployment random
│   └── Deployment steady
├── Secret generated
└── Secret later
";
    assert_eq!(dependency_graph(&[below]).to_tree(Clone::clone), expected);
}

#[test]
fn without_recursion_children_of_children_are_not_rendered() {
    let below = renderer([], false).render(owner()).unwrap();
    assert!(below.children.iter().all(|child| child.below.is_none()));
}

#[test]
fn an_input_of_pods_that_is_not_given_is_named_with_its_owner() {
    let mut renderer = renderer([], true);
    assert!(renderer.render(owner()).is_some());
    let expected = "Service ns/web: Secret ns/password does not exist; \
                    put it into a file in --inputs DIR or give its file with -f";
    assert_eq!((messages(&renderer.errors), messages(&renderer.unmet)), (vec![], vec![expected.to_owned()]));
}

#[test]
fn the_digest_of_a_pods_inputs_is_left_to_the_operator_and_a_note_says_so() {
    let below = renderer([given("password")], true).render(owner()).unwrap();
    for child in inner(&below) {
        assert_eq!(annotation(child), None);
        let expected =
            "Without checksum.goharbor.io/inputs: the operator adds it, made with a key of its own.";
        assert_eq!(child.notes, [expected]);
    }
}

#[test]
fn a_generated_secret_is_rendered_without_the_values_to_be_generated() {
    let below = renderer([], false).render(owner()).unwrap();
    let generated = &below.children[1];
    assert_eq!(json_of(generated).get("data"), None);
    let expected =
        "The operator generates data.key when it creates this Secret. Do not apply the Secret without it.";
    assert_eq!(generated.notes, [expected]);
}

#[test]
fn a_secret_that_would_be_generated_but_is_given_is_used_as_it_is() {
    let below = renderer([given("generated"), given("password")], true).render(owner()).unwrap();
    let generated = &below.children[1];
    assert_eq!(generated.notes, ["Given as input: the operator uses it as it is."]);
    assert_eq!(json_of(generated)["data"], json!({"key": "YWJj"}));
    assert_eq!(json_of(generated)["metadata"]["namespace"], "ns");
}

#[test]
fn an_object_that_cannot_be_rendered_keeps_no_other_from_it() {
    let mut renderer = renderer([given("password")], true);
    let mut wrong = owner();
    wrong.json["data"] = json!({"a": 1});
    assert!(renderer.render(wrong).is_none());
    assert!(renderer.render(owner()).is_some());
    let expected = "in.yaml: data.a has a wrong value (invalid type: integer `1`, expected a string); \
                    see `kubectl explain configmap.data.a`";
    assert_eq!(messages(&renderer.errors), [expected]);
}

fn certified() -> Owner {
    let key = ObjectKey::of::<ServiceAccount>("ns", "o");
    let json =
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "o", "namespace": "ns"}});
    Owner { place: "in.yaml".into(), key, json }
}

fn without_cert_manager(inputs: impl IntoIterator<Item = Value>) -> Renderer {
    renderer_with(ObjectStore::without(["cert-manager.io".to_owned()]), inputs, false)
}

fn keys(below: &OwnedObjects) -> Vec<String> {
    below.children.iter().map(|child| child.key.to_string()).collect()
}

fn text(renderer: &Renderer, secret: &str, key: &str) -> String {
    let secret = renderer.store.read(&ObjectKey::of::<Secret>("ns", secret)).unwrap();
    let bytes: ByteString = serde_json::from_value(secret.data["data"][key].clone()).unwrap();
    String::from_utf8(bytes.0).unwrap()
}

#[test]
fn kinds_are_served_unless_the_user_says_otherwise() {
    let with = renderer([], false).render(certified()).unwrap();
    assert_eq!(keys(&with), ["Certificate ns/certificate", "Secret ns/users", "Deployment ns/user"]);
    let without = without_cert_manager([]).render(certified()).unwrap();
    assert_eq!(keys(&without), ["Secret ns/tls", "Secret ns/users", "Deployment ns/user"]);
}

#[test]
fn a_certificate_exists_whether_cert_manager_or_the_operator_issues_it() {
    for mut renderer in [renderer([], false), without_cert_manager([])] {
        renderer.render(certified()).unwrap();
        assert!(text(&renderer, "tls", "tls.key").starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
        for key in ["ca.crt", "tls.crt"] {
            assert!(text(&renderer, "tls", key).starts_with("-----BEGIN CERTIFICATE-----\n"));
        }
        assert!(renderer.store.is_generated(&ObjectKey::of::<Secret>("ns", "tls")));
    }
}

#[test]
fn an_issued_secret_is_rendered_without_its_certificate() {
    let below = without_cert_manager([]).render(certified()).unwrap();
    let secret = &below.children[0];
    assert_eq!((&json_of(secret)["type"], json_of(secret).get("data")), (&json!("kubernetes.io/tls"), None));
    let expected = "The operator issues data.ca.crt, data.tls.crt and data.tls.key when it creates this Secret. \
                    Do not apply the Secret without them.";
    assert_eq!(secret.notes, [expected]);
}

#[test]
fn a_certificate_that_is_given_is_used_as_it_is() {
    let mut renderer = renderer([given("tls")], false);
    renderer.render(certified()).unwrap();
    assert_eq!(text(&renderer, "tls", "key"), "abc");
    let below = without_cert_manager([given("tls")]).render(certified()).unwrap();
    assert_eq!(below.children[0].notes, ["Given as input: the operator uses it as it is."]);
}

#[test]
fn an_htpasswd_line_has_the_shape_of_one() {
    let mut renderer = renderer([], false);
    renderer.render(certified()).unwrap();
    assert_eq!(text(&renderer, "users", "password"), "xxx");
    let line = text(&renderer, "users", "htpasswd");
    assert!(line.starts_with("u:$2b$10$") && line.len() == 2 + 60, "{line}");
}

/// A ConfigMap that owns a project of a Harbor, and reads another.
struct Outside;

impl Component for Outside {
    type Owner = ConfigMap;

    const NAME: &'static str = "outside";

    fn children() -> Children {
        Children::none().and_external()
    }

    fn desired(_: &ConfigMap, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let system = System::new("harbor", "ns", "acme");
        let is_first = world.external(&system, "project", "other")?.is_none();
        let mut alpha = External::new(&system, "project", "alpha", json!({ "public": is_first }));
        alpha.write_only.insert("password".into(), "hunter2".into());
        graph.add::<External>(alpha, ());
        Ok(())
    }
}

#[test]
fn what_lives_outside_the_cluster_is_rendered_with_where_it_lives_and_without_write_only_values() {
    let components = vec![ComponentKind::of::<Outside>()];
    let mut renderer = Renderer::new(components, ObjectStore::default(), Defaults::default(), false);
    let below = renderer.render(owner()).unwrap();
    let alpha = &below.children[0];
    let expected = json!({
        "kind": "project", "name": "alpha", "system": "harbor ns/acme",
        "value": {"public": true, "password": "<masked>"},
    });
    assert_eq!((alpha.key.to_string().as_str(), json_of(alpha)), ("project acme/alpha", &expected));
    assert_eq!(alpha.notes, ["Lives in harbor ns/acme, not in the cluster: the operator keeps it there."]);
    assert_eq!((messages(&renderer.errors), messages(&renderer.unmet)), (vec![], vec![]));
    let graph = dependency_graph(&[below]);
    assert_eq!(graph.to_tree(Clone::clone), "ConfigMap o\n└── project alpha in harbor ns/acme\n");
}
