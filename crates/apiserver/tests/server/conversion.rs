//! A custom kind with two versions and a conversion webhook.

use crate::requests::{BOATS, Caller, DEFINITIONS};
use apiserver::{ApiServer, WebhookTarget, Webhooks};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The same collection in the version that is not stored.
const OLD: &str = "/apis/test.io/v1alpha1/namespaces/default/boats";

/// Converts boats, whose `spec.size` was called `spec.length`; counts its calls.
#[derive(Default)]
struct Converter {
    calls: AtomicUsize,
    broken: Option<fn(&mut Value)>,
}

impl Converter {
    fn answer(&self, target: &WebhookTarget, review: &Value) -> Value {
        assert_eq!(target.to_string(), "https://converter.ops.svc:443/convert");
        self.calls.fetch_add(1, Ordering::SeqCst);
        let request = &review["request"];
        let desired = request["desiredAPIVersion"].as_str().unwrap();
        let objects = request["objects"].as_array().unwrap().iter().map(|object| converted(object, desired));
        let mut answer = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
            "response": {
                "uid": request["uid"],
                "convertedObjects": objects.collect::<Vec<_>>(),
                "result": {"status": "Success"},
            },
        });
        if let Some(broken) = self.broken {
            broken(&mut answer["response"]);
        }
        answer
    }

    /// What a server calls.
    fn webhooks(self: &Arc<Self>) -> Arc<dyn Webhooks> {
        let converter = Arc::clone(self);
        Arc::new(move |target: &WebhookTarget, review: Value| Ok(converter.answer(target, &review)))
    }
}

fn converted(object: &Value, desired: &str) -> Value {
    let mut object = object.clone();
    let [from, to] = if desired == "test.io/v1" { ["length", "size"] } else { ["size", "length"] };
    object["apiVersion"] = desired.into();
    let value = object["spec"].as_object_mut().unwrap().remove(from);
    object["spec"][to] = value.unwrap_or_default();
    object["metadata"]["annotations"] = json!({"converted": desired});
    object["metadata"]["finalizers"] = json!(["must.be/ignored"]);
    object
}

async fn world(broken: Option<fn(&mut Value)>) -> (Caller, Arc<Converter>) {
    let converter = Arc::new(Converter { broken, ..Converter::default() });
    let server = ApiServer::builder().seed(1).webhooks(converter.webhooks()).build().unwrap();
    let caller = Caller::of(&server);
    caller.created(DEFINITIONS, &definition("v1")).await;
    (caller, converter)
}

/// The versions of boats, which are stored in this one.
fn versions(stored: &str) -> Value {
    let version = |name: &str, field: &str| {
        let fields = json!({"type": "object", "properties": {field: {"type": "integer"}}});
        let schema = json!({"type": "object", "properties": {"spec": fields}});
        let storage = name == stored;
        json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": schema}})
    };
    json!([version("v1alpha1", "length"), version("v1", "size")])
}

/// The definition of boats that are stored in this version.
fn definition(stored: &str) -> Value {
    let mut definition = crate::requests::boats(&json!({}));
    definition["spec"]["versions"] = versions(stored);
    definition["spec"]["conversion"] = json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {"service": {"namespace": "ops", "name": "converter", "path": "/convert"}},
            "conversionReviewVersions": ["v1"],
        },
    });
    definition
}

fn boat(version: &str, spec: Value) -> Value {
    json!({"apiVersion": format!("test.io/{version}"), "kind": "Boat", "metadata": {"name": "a"}, "spec": spec})
}

#[tokio::test]
async fn an_object_is_read_in_the_version_that_a_client_asks_for() {
    let (caller, converter) = world(None).await;
    caller.created(BOATS, &boat("v1", json!({"size": 5}))).await;
    let stored = caller.object(&format!("{BOATS}/a")).await;
    assert_eq!(converter.calls.load(Ordering::SeqCst), 0, "the version is the stored one");

    let old = caller.object(&format!("{OLD}/a")).await;

    assert_eq!((&old["apiVersion"], &old["spec"]), (&json!("test.io/v1alpha1"), &json!({"length": 5})));
    let mut metadata = stored["metadata"].clone();
    metadata["annotations"] = json!({"converted": "test.io/v1alpha1"});
    assert_eq!(old["metadata"], metadata, "labels and annotations are all that a webhook may change");
    let list = caller.object(OLD).await;
    assert_eq!(list["items"], json!([old]));
    assert_eq!(converter.calls.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn an_object_is_stored_in_one_version_whatever_a_client_writes() {
    let (caller, _) = world(None).await;
    let made = caller.created(OLD, &boat("v1alpha1", json!({"length": 5}))).await;
    assert_eq!((&made["apiVersion"], &made["spec"]), (&json!("test.io/v1alpha1"), &json!({"length": 5})));
    assert_eq!(caller.object(&format!("{BOATS}/a")).await["spec"], json!({"size": 5}));

    let (code, changed) = caller.merge(&format!("{OLD}/a"), &json!({"spec": {"length": 6}})).await;

    assert_eq!((code, &changed["spec"]), (200, &json!({"length": 6})));
    assert_eq!(caller.object(&format!("{BOATS}/a")).await["spec"], json!({"size": 6}));
    let (code, _) = caller.delete(&format!("{OLD}/a"), &json!({})).await;
    assert_eq!(code, 200);
    assert_eq!(caller.names(BOATS).await, Vec::<String>::new());
}

#[tokio::test]
async fn an_object_stays_in_its_version_until_it_is_written_even_if_nothing_changes() {
    let converter = Arc::<Converter>::default();
    let server = ApiServer::builder().seed(1).webhooks(converter.webhooks()).build().unwrap();
    let caller = Caller::of(&server);
    let place = format!("{DEFINITIONS}/boats.test.io");
    caller.created(DEFINITIONS, &definition("v1alpha1")).await;
    caller.created(BOATS, &boat("v1", json!({"size": 5}))).await;
    let (code, _) = caller.merge(&place, &json!({"spec": {"versions": versions("v1")}})).await;
    assert_eq!(code, 200);
    assert_eq!(caller.object(&place).await["status"]["storedVersions"], json!(["v1alpha1", "v1"]));
    let calls = || converter.calls.swap(0, Ordering::SeqCst);
    calls();
    let before = caller.object(&format!("{BOATS}/a")).await;
    assert_eq!(calls(), 1, "the object is stored in the old version");

    let (code, after) = caller.merge(&format!("{BOATS}/a"), &json!({})).await;

    assert_eq!((code, &after["spec"]), (200, &before["spec"]));
    assert_ne!(after["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"]);
    calls();
    caller.object(&format!("{BOATS}/a")).await;
    assert_eq!(calls(), 0, "the object is stored in the new version");
    let (_, again) = caller.merge(&format!("{BOATS}/a"), &json!({})).await;
    assert_eq!(again["metadata"]["resourceVersion"], after["metadata"]["resourceVersion"]);

    let stored = json!({"status": {"storedVersions": ["v1"]}});
    let (code, _) = caller.merge(&format!("{place}/status"), &stored).await;
    assert_eq!(code, 200);
    assert_eq!(caller.object(&place).await["status"]["storedVersions"], json!(["v1"]));
}

#[tokio::test]
async fn events_of_a_watch_are_converted() {
    let (caller, _) = world(None).await;
    caller.created(BOATS, &boat("v1", json!({"size": 5}))).await;

    let (_, events) = caller.get(&format!("{OLD}?watch=true&timeoutSeconds=1")).await;

    assert_eq!((&events["type"], &events["object"]["spec"]), (&json!("ADDED"), &json!({"length": 5})));
}

#[tokio::test]
async fn a_webhook_that_fails_or_lies_fails_the_request() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 5] = [
        (
            |response| response["result"] = json!({"status": "Failure", "message": "too long"}),
            "failed: too long",
        ),
        (
            |response| response["result"] = json!({"status": "Failure"}),
            "failed: response.result.status was \"Failure\", not \"Success\"",
        ),
        (|response| response["convertedObjects"] = json!([]), "returned 0 objects, expected 1"),
        (
            |response| response["convertedObjects"][0]["metadata"]["name"] = "b".into(),
            "returned invalid converted object at index 0: must have the same name: \"b\" != \"a\"",
        ),
        (
            |response| response["convertedObjects"][0]["apiVersion"] = "test.io/v2".into(),
            "returned invalid converted object at index 0: invalid groupVersion: expected test.io/v1alpha1, got \"test.io/v2\"",
        ),
    ];
    for (broken, expected) in cases {
        let (caller, _) = world(Some(broken)).await;
        caller.created(BOATS, &boat("v1", json!({"size": 5}))).await;
        let (code, answer) = caller.get(&format!("{OLD}/a")).await;
        let message = format!("conversion webhook for test.io/v1, Kind=Boat {expected}");
        assert_eq!((code, answer["message"].as_str().unwrap()), (500, message.as_str()));

        let (_, event) = caller.get(&format!("{OLD}?watch=true&timeoutSeconds=1")).await;
        assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(500)));
    }
}

#[tokio::test]
async fn while_the_webhook_cannot_be_reached_only_the_stored_version_is_served() {
    let (_, converter) = world(None).await;
    drop(converter);
    let caller = Caller::of(&ApiServer::builder().seed(1).build().unwrap());
    let (with_webhook, _) = world(None).await;
    let definition = with_webhook.object(&format!("{DEFINITIONS}/boats.test.io")).await;
    let definition = json!({"metadata": {"name": "boats.test.io"}, "spec": definition["spec"]});
    caller.created(DEFINITIONS, &definition).await;
    caller.created(BOATS, &boat("v1", json!({"size": 5}))).await;

    let (code, answer) = caller.get(&format!("{OLD}/a")).await;

    assert_eq!(code, 500);
    let expected = "conversion webhook for test.io/v1, Kind=Boat failed: \
                    Post \"https://converter.ops.svc:443/convert?timeout=30s\": service \"converter\" not found";
    assert_eq!(answer["message"], expected);
    assert_eq!(caller.object(&format!("{BOATS}/a")).await["spec"], json!({"size": 5}));
}
