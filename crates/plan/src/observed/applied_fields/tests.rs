use super::{
    applied_digest, desired_digest,
    objects::{self, Sample},
};
use apiserver::ApiServer;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    core::{ApiResource, DynamicObject, GroupVersionKind, TypeMeta},
};
use serde_json::{Value, json};

const OPERATOR: &str = "harbor-operator/core";

/// Whether the operator would send nothing, because an object has the digest of what it would send.
fn is_applied(desired: &Value, stored: &Value) -> bool {
    let object: DynamicObject = serde_json::from_value(stored.clone()).unwrap();
    let applied = applied_digest(&object, desired["apiVersion"].as_str().unwrap());
    applied.is_some() && applied == desired_digest(desired, OPERATOR)
}

/// One object on an API server, which the operator and other managers change.
struct Bench {
    server: ApiServer,
    api: Api<DynamicObject>,
    desired: Value,
}

impl Bench {
    async fn new(desired: &Value) -> Self {
        let server = ApiServer::builder().without_controllers().build().unwrap();
        let client = Client::new(server.clone(), "default");
        let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
        let definition = serde_json::from_value(objects::definition()).unwrap();
        definitions.create(&PostParams::default(), &definition).await.unwrap();
        let text = |field: &str| desired[field].as_str().unwrap().to_owned();
        let types = TypeMeta { api_version: text("apiVersion"), kind: text("kind") };
        let resource = ApiResource::from_gvk(&GroupVersionKind::try_from(types).unwrap());
        Self { server, api: Api::default_namespaced_with(client, &resource), desired: desired.clone() }
    }

    /// The object after the operator's first apply.
    async fn applied(&self) -> Value {
        if self.api.get_opt("sample").await.unwrap().is_some() {
            let no_finalizers = Patch::Merge(json!({"metadata": {"finalizers": null}}));
            self.api.patch("sample", &PatchParams::default(), &no_finalizers).await.unwrap();
            self.api.delete("sample", &DeleteParams::default()).await.unwrap();
        }
        json!(self.apply().await.unwrap())
    }

    async fn apply(&self) -> kube::Result<DynamicObject> {
        self.api.patch("sample", &PatchParams::apply(OPERATOR).force(), &Patch::Apply(&self.desired)).await
    }

    /// The object after a change by another manager; `None` if the server refuses it.
    async fn changed(&self, operation: Value) -> Option<Value> {
        let patch = Patch::Json::<()>(serde_json::from_value(json!([operation])).unwrap());
        let params = PatchParams { field_manager: Some("kubectl-edit".into()), ..PatchParams::default() };
        self.api.patch("sample", &params, &patch).await.ok().map(|object| json!(object))
    }

    /// Whether an apply fails or changes the object, which [`is_applied`] must predict.
    async fn applying_changes(&self) -> bool {
        let before = self.server.revision();
        self.apply().await.is_err() || self.server.revision() != before
    }
}

/// Pointers to all scalars that the operator owns.
fn leaves(desired: &Value) -> Vec<String> {
    fn visit(value: &Value, pointer: &str, into: &mut Vec<String>) {
        let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
        match value {
            Value::Object(fields) => {
                fields
                    .iter()
                    .for_each(|(name, below)| visit(below, &format!("{pointer}/{}", escaped(name)), into));
            }
            Value::Array(items) => {
                (0..)
                    .zip(items)
                    .for_each(|(i, below): (usize, _)| visit(below, &format!("{pointer}/{i}"), into));
            }
            _ => into.push(pointer.to_owned()),
        }
    }
    let mut found = Vec::new();
    visit(desired, "", &mut found);
    found.retain(|pointer| {
        !["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace"].contains(&pointer.as_str())
    });
    found
}

/// Other values; the server may accept one of them.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(value) => vec![json!(!value)],
        Value::Number(number) => vec![json!(number.as_i64().unwrap() + 1)],
        Value::String(text) => [&format!("{text}x"), "b3RoZXI=", "UDP", "4Gi", "test.io/theirs"]
            .into_iter()
            .filter(|other| other != text)
            .map(Value::from)
            .collect(),
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn an_applied_object_stays_applied_when_other_managers_change_their_fields() {
    for Sample { desired, theirs } in objects::all() {
        let bench = Bench::new(&desired).await;
        let kind = &desired["kind"];
        assert!(is_applied(&desired, &bench.applied().await), "{kind}");
        let stored =
            bench.api.patch("sample", &PatchParams::default(), &Patch::Merge(&theirs)).await.unwrap();
        assert!(is_applied(&desired, &json!(stored)), "{kind} changed by others");
        assert!(!bench.applying_changes().await, "{kind} changed by others");
    }
}

#[tokio::test]
async fn an_object_that_differs_from_the_desired_one_in_any_field_is_not_applied() {
    for Sample { desired, .. } in objects::all() {
        let stored = Bench::new(&desired).await.applied().await;
        for pointer in leaves(&desired) {
            let mut other = desired.clone();
            let value = other.pointer_mut(&pointer).unwrap();
            *value = others(value).remove(0);
            assert!(!is_applied(&other, &stored), "{} with another {pointer}", desired["kind"]);

            let mut less = desired.clone();
            remove(&mut less, &pointer);
            assert!(!is_applied(&less, &stored), "{} without {pointer}", desired["kind"]);
            assert!(!is_applied(&desired, &without(&stored, &pointer)), "{} lost {pointer}", desired["kind"]);
        }
    }
}

fn remove(object: &mut Value, pointer: &str) {
    let (parent, last) = pointer.rsplit_once('/').unwrap();
    match object.pointer_mut(parent).unwrap() {
        Value::Object(fields) => drop(fields.remove(&last.replace("~1", "/"))),
        Value::Array(items) => drop(items.remove(last.parse().unwrap())),
        _ => {}
    }
}

fn without(object: &Value, pointer: &str) -> Value {
    let mut object = object.clone();
    remove(&mut object, pointer);
    object
}

/// The law: the answer predicts whether an apply changes the object, whichever field another manager replaces or
/// removes.
#[tokio::test]
async fn an_object_is_not_applied_when_another_manager_changed_a_field_of_the_operator() {
    for Sample { desired, .. } in objects::all() {
        let bench = Bench::new(&desired).await;
        let (mut replaced, mut all) = (0, 0);
        for pointer in leaves(&desired) {
            all += 1;
            for value in others(desired.pointer(&pointer).unwrap()) {
                bench.applied().await;
                let Some(stored) =
                    bench.changed(json!({"op": "replace", "path": pointer, "value": value})).await
                else {
                    continue;
                };
                replaced += 1;
                assert!(!is_applied(&desired, &stored), "{} {pointer} became {value}", desired["kind"]);
                break;
            }
            bench.applied().await;
            if let Some(stored) = bench.changed(json!({"op": "remove", "path": pointer})).await {
                let predicted = !is_applied(&desired, &stored);
                assert_eq!(
                    predicted,
                    bench.applying_changes().await,
                    "{} without {pointer}",
                    desired["kind"]
                );
            }
        }
        assert!(
            replaced * 10 >= all * 6,
            "{}: only {replaced} of {all} fields could be changed",
            desired["kind"]
        );
    }
}

#[tokio::test]
async fn an_object_is_not_applied_when_another_manager_changed_a_field_and_changed_it_back() {
    let Sample { desired, .. } = objects::all().into_iter().next().unwrap();
    let bench = Bench::new(&desired).await;
    bench.applied().await;
    bench.changed(json!({"op": "replace", "path": "/data/empty", "value": "x"})).await.unwrap();
    let back = bench.changed(json!({"op": "replace", "path": "/data/empty", "value": ""})).await.unwrap();
    assert!(!is_applied(&desired, &back));
    assert!(bench.applying_changes().await, "the operator owns the field again");
}

#[tokio::test]
async fn items_of_a_keyed_list_may_have_items_of_other_managers_between_them_but_must_keep_their_order() {
    let desired =
        objects::all().into_iter().map(|sample| sample.desired).find(|o| o["kind"] == "Deployment").unwrap();
    let bench = Bench::new(&desired).await;
    bench.applied().await;
    let env = "/spec/template/spec/containers/0/env";
    let theirs = json!({"op": "add", "path": format!("{env}/1"), "value": {"name": "THEIRS", "value": "1"}});
    let stored = bench.changed(theirs).await.unwrap();
    assert!(is_applied(&desired, &stored), "another manager's variable in between");
    let moved = json!({"op": "move", "from": format!("{env}/0"), "path": format!("{env}/2")});
    let stored = bench.changed(moved).await.unwrap();
    assert!(!is_applied(&desired, &stored), "in another order");
}

#[tokio::test]
async fn an_equal_object_that_was_not_applied_is_not_applied() {
    for Sample { desired, .. } in objects::all() {
        let bench = Bench::new(&desired).await;
        let params = PostParams { field_manager: Some(OPERATOR.into()), ..PostParams::default() };
        let object: DynamicObject = serde_json::from_value(desired.clone()).unwrap();
        let stored = json!(bench.api.create(&params, &object).await.unwrap());
        assert!(!is_applied(&desired, &stored), "{}", desired["kind"]);
    }
}

#[test]
fn only_the_entry_of_the_operators_apply_counts() {
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "a", "namespace": "ns"},
        "data": {"a": "1"},
    });
    let entry = |manager: &str, operation: &str, version: &str, subresource: &str, fields: Value| {
        json!({
            "manager": manager, "operation": operation, "apiVersion": version, "subresource": subresource,
            "fieldsType": "FieldsV1", "fieldsV1": fields,
        })
    };
    let with = |entries: Value| {
        let mut stored = object.clone();
        stored["metadata"]["managedFields"] = entries;
        is_applied(&object, &stored)
    };
    let data = json!({"f:data": {"f:a": {}}});
    let managed = |manager: &str, operation: &str, version: &str, subresource: &str| {
        with(json!([entry(manager, operation, version, subresource, data.clone())]))
    };
    assert!(managed(OPERATOR, "Apply", "v1", ""));
    assert!(!managed("another", "Apply", "v1", ""));
    assert!(!managed("harbor-operator/portal", "Apply", "v1", ""), "another component");
    assert!(!managed(OPERATOR, "Update", "v1", ""));
    assert!(!managed(OPERATOR, "Apply", "v2", ""));
    assert!(!managed(OPERATOR, "Apply", "v1", "status"));
    assert!(!is_applied(&object, &object), "no manager");

    let ours = entry(OPERATOR, "Apply", "v1", "", data.clone());
    let status = entry("harbor-operator/portal", "Apply", "v1", "", json!({"f:status": {"f:phase": {}}}));
    assert!(with(json!([ours, status])), "a status, as servers before 1.22 record it");
    let second = entry("harbor-operator/portal", "Apply", "v1", "", data.clone());
    assert!(!with(json!([ours, second])), "two components");
}

/// An object as the API server stores it after an apply that owns `fields`.
fn stored_as(object: &Value, spec: Value, fields: Value) -> Value {
    let mut stored = object.clone();
    stored["spec"] = spec;
    stored["metadata"]["managedFields"] = json!([{
        "manager": OPERATOR, "operation": "Apply", "apiVersion": object["apiVersion"],
        "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": fields},
    }]);
    stored
}

/// Kubernetes 1.20 drops the policy, and says that the operator owns it.
#[test]
fn a_service_whose_address_family_policy_was_dropped_has_one_family() {
    let service = |policy: &str| {
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "ns"},
            "spec": {"selector": {"a": "b"}, "ipFamilyPolicy": policy},
        })
    };
    let fields = json!({"f:selector": {"f:a": {}}, "f:ipFamilyPolicy": {}});
    let is_applied = |policy: &str, spec: Value| {
        let desired = service(policy);
        is_applied(&desired, &stored_as(&desired, spec, fields.clone()))
    };
    assert!(is_applied("SingleStack", json!({"selector": {"a": "b"}})));
    assert!(!is_applied("PreferDualStack", json!({"selector": {"a": "b"}})), "it has no second family");
    assert!(!is_applied("SingleStack", json!({"selector": {"a": "c"}})), "the rest is compared as ever");
    let both = json!({"selector": {"a": "b"}, "ipFamilyPolicy": "PreferDualStack"});
    assert!(!is_applied("SingleStack", both), "changed by another program");
}

/// Kubernetes 1.20 does not say who owns an empty object.
#[test]
fn an_empty_volume_is_applied_whether_the_server_records_its_owner_or_not() {
    let with = |volumes: Value| json!({"template": {"spec": {"volumes": volumes}}});
    let desired = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "ns"},
        "spec": with(json!([{"name": "tmp", "emptyDir": {}}])),
    });
    let is_applied = |volume: Value, source: Value| {
        let mut parts = json!({".": {}, "f:name": {}});
        parts.as_object_mut().unwrap().extend(source.as_object().unwrap().clone());
        let fields = json!({"f:template": {"f:spec": {"f:volumes": {"k:{\"name\":\"tmp\"}": parts}}}});
        is_applied(&desired, &stored_as(&desired, with(json!([volume])), fields))
    };
    let scratch = || json!({"name": "tmp", "emptyDir": {}});
    assert!(is_applied(scratch(), json!({"f:emptyDir": {}})));
    assert!(is_applied(scratch(), json!({})), "Kubernetes 1.20");
    assert!(!is_applied(json!({"name": "tmp", "emptyDir": {"medium": "Memory"}}), json!({})));
    assert!(!is_applied(json!({"name": "tmp", "hostPath": {"path": "/"}}), json!({})));
    assert!(!is_applied(json!({"name": "tmp"}), json!({})));
}
