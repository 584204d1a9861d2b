//! Expansion, told with kinds of our own: a ConfigMap that owns a Service that owns Deployments.

use super::*;
use crate::{
    input::{Document, Origin},
    object::Object,
};
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
/// A ServiceAccount that owns a certificate, from cert-manager where that is, and pods that use it.
struct Certified;

impl Component for Outer {
    type Owner = ConfigMap;

    const NAME: &'static str = "outer";

    fn children() -> Children {
        Children::none().and::<Secret>().and::<Service>()
    }

    fn desired(_: &ConfigMap, _: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let key = Desired::generated(secret("made-up"), [("key".into(), Recipe::Alphanumeric { length: 3 })]);
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
        graph.add::<Deployment>(deployment("random", "made-up"), ());
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
            let (subject, role) = ("s".into(), Role::Leaf { authority: None });
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

fn expander(inputs: impl IntoIterator<Item = Value>, recursive: bool) -> Expander {
    expander_with(Known::default(), inputs, recursive)
}

fn expander_with(mut known: Known, inputs: impl IntoIterator<Item = Value>, recursive: bool) -> Expander {
    let components =
        vec![ComponentKind::of::<Outer>(), ComponentKind::of::<Inner>(), ComponentKind::of::<Certified>()];
    for content in inputs {
        let document = Document { origin: Origin::of("in.yaml"), content };
        Object::all(document).unwrap().into_iter().for_each(|object| known.give(object).unwrap());
    }
    Expander::new(components, known, Defaults::default(), recursive)
}

fn told(errors: &[Error]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

fn inner(expansion: &Expansion) -> &[Child] {
    &expansion.children[0].expansion.as_ref().unwrap().children
}

fn rendered(child: &Child) -> &Value {
    child.object.as_ref().unwrap()
}

fn annotation(child: &Child) -> Option<&str> {
    rendered(child)["spec"]["template"]["metadata"]["annotations"][INPUTS_ANNOTATION].as_str()
}

#[test]
fn a_child_of_a_kind_with_children_is_expanded_where_it_stands() {
    let mut expander = expander([given("password")], true);
    let expansion = expander.expand(owner()).unwrap();
    assert_eq!((told(&expander.errors), told(&expander.unmet)), (vec![], vec![]));
    let expected = "\
ConfigMap o
├── Service web
│   ├── Deployment random
│   └── Deployment steady
├── Secret made-up
└── Secret later
";
    assert_eq!(crate::graph::picture(&[expansion]).to_tree(Clone::clone), expected);
}

#[test]
fn without_recursion_children_are_left_alone() {
    let expansion = expander([], false).expand(owner()).unwrap();
    assert!(expansion.children.iter().all(|child| child.expansion.is_none()));
}

#[test]
fn what_pods_use_but_nobody_gives_is_named_with_its_owner() {
    let mut expander = expander([], true);
    assert!(expander.expand(owner()).is_some());
    let expected = "Service ns/web: Secret ns/password does not exist; \
                    put it into a file in --inputs DIR or give its file with -f";
    assert_eq!((told(&expander.errors), told(&expander.unmet)), (vec![], vec![expected.to_owned()]));
}

#[test]
fn the_digest_of_a_pods_inputs_is_left_to_the_operator_and_that_is_told() {
    let expansion = expander([given("password")], true).expand(owner()).unwrap();
    for child in inner(&expansion) {
        assert_eq!(annotation(child), None);
        let expected =
            "Without checksum.goharbor.io/inputs: the operator adds it, made with a key of its own.";
        assert_eq!(child.notes, [expected]);
    }
}

#[test]
fn a_generated_secret_is_rendered_without_the_values_to_be_made_up() {
    let expansion = expander([], false).expand(owner()).unwrap();
    let made_up = &expansion.children[1];
    assert_eq!(rendered(made_up).get("data"), None);
    let expected = "The operator makes up data.key when it creates this Secret. Do not apply it without.";
    assert_eq!(made_up.notes, [expected]);
}

#[test]
fn a_secret_that_would_be_generated_but_is_given_is_used_as_it_is() {
    let expansion = expander([given("made-up"), given("password")], true).expand(owner()).unwrap();
    let made_up = &expansion.children[1];
    assert_eq!(made_up.notes, ["Given as input: the operator uses it as it is."]);
    assert_eq!(rendered(made_up)["data"], json!({"key": "YWJj"}));
    assert_eq!(rendered(made_up)["metadata"]["namespace"], "ns");
}

#[test]
fn an_object_that_cannot_be_expanded_keeps_no_other_from_it() {
    let mut expander = expander([given("password")], true);
    let mut wrong = owner();
    wrong.json["data"] = json!({"a": 1});
    assert!(expander.expand(wrong).is_none());
    assert!(expander.expand(owner()).is_some());
    let expected = "in.yaml: data.a is not what it should be (invalid type: integer `1`, expected a string); \
                    see `kubectl explain configmap.data.a`";
    assert_eq!(told(&expander.errors), [expected]);
}

fn certified() -> Owner {
    let key = ObjectKey::of::<ServiceAccount>("ns", "o");
    let json =
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "o", "namespace": "ns"}});
    Owner { place: "in.yaml".into(), key, json }
}

fn without_cert_manager(inputs: impl IntoIterator<Item = Value>) -> Expander {
    expander_with(Known::without(["cert-manager.io".to_owned()]), inputs, false)
}

fn keys(expansion: &Expansion) -> Vec<String> {
    expansion.children.iter().map(|child| child.key.to_string()).collect()
}

fn text(expander: &Expander, secret: &str, key: &str) -> String {
    let secret = expander.known.read(&ObjectKey::of::<Secret>("ns", secret)).unwrap();
    let bytes: ByteString = serde_json::from_value(secret.data["data"][key].clone()).unwrap();
    String::from_utf8(bytes.0).unwrap()
}

#[test]
fn kinds_are_served_unless_the_user_says_otherwise() {
    let with = expander([], false).expand(certified()).unwrap();
    assert_eq!(keys(&with), ["Certificate ns/certificate", "Secret ns/users", "Deployment ns/user"]);
    let without = without_cert_manager([]).expand(certified()).unwrap();
    assert_eq!(keys(&without), ["Secret ns/tls", "Secret ns/users", "Deployment ns/user"]);
}

#[test]
fn a_certificate_counts_as_there_whoever_issues_it() {
    for mut expander in [expander([], false), without_cert_manager([])] {
        expander.expand(certified()).unwrap();
        assert!(text(&expander, "tls", "tls.key").starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
        for key in ["ca.crt", "tls.crt"] {
            assert!(text(&expander, "tls", key).starts_with("-----BEGIN CERTIFICATE-----\n"));
        }
        assert!(expander.known.is_generated(&ObjectKey::of::<Secret>("ns", "tls")));
    }
}

#[test]
fn an_issued_secret_is_rendered_without_its_certificate() {
    let expansion = without_cert_manager([]).expand(certified()).unwrap();
    let secret = &expansion.children[0];
    assert_eq!(
        (&rendered(secret)["type"], rendered(secret).get("data")),
        (&json!("kubernetes.io/tls"), None)
    );
    let expected = "The operator issues data.ca.crt, data.tls.crt, data.tls.key when it creates this Secret. \
                    Do not apply it without.";
    assert_eq!(secret.notes, [expected]);
}

#[test]
fn a_certificate_that_is_given_is_used_as_it_is() {
    let mut expander = expander([given("tls")], false);
    expander.expand(certified()).unwrap();
    assert_eq!(text(&expander, "tls", "key"), "abc");
    let expansion = without_cert_manager([given("tls")]).expand(certified()).unwrap();
    assert_eq!(expansion.children[0].notes, ["Given as input: the operator uses it as it is."]);
}

#[test]
fn an_htpasswd_line_has_the_shape_of_one() {
    let mut expander = expander([], false);
    expander.expand(certified()).unwrap();
    assert_eq!(text(&expander, "users", "password"), "xxx");
    let line = text(&expander, "users", "htpasswd");
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
    let mut expander = Expander::new(components, Known::default(), Defaults::default(), false);
    let expansion = expander.expand(owner()).unwrap();
    let alpha = &expansion.children[0];
    let expected = json!({
        "kind": "project", "name": "alpha", "system": "harbor ns/acme",
        "value": {"public": true, "password": "<masked>"},
    });
    assert_eq!((alpha.key.to_string().as_str(), rendered(alpha)), ("project acme/alpha", &expected));
    assert_eq!(alpha.notes, ["Lives in harbor ns/acme, not in the cluster: the operator keeps it there."]);
    assert_eq!((told(&expander.errors), told(&expander.unmet)), (vec![], vec![]));
}
