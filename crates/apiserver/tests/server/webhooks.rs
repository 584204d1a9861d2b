//! Requests with stored webhook configurations.

use crate::requests::Caller;
use apiserver::{ApiServer, WebhookTarget, Webhooks};
use futures::future::BoxFuture;
use k8s_openapi::ByteString;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use tower::BoxError;

type Respond = Box<dyn Fn(&str, &Value) -> Result<Value, BoxError> + Send + Sync>;

/// Answers by path as configured, and records the reviews.
struct Endpoint {
    respond: Respond,
    asked: Mutex<Vec<Value>>,
}

impl Endpoint {
    fn requests(&self) -> Vec<Value> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Webhooks for Endpoint {
    fn call<'a>(
        &'a self,
        target: &'a WebhookTarget,
        _: &'a [u8],
        review: Value,
    ) -> BoxFuture<'a, Result<Value, BoxError>> {
        Box::pin(async move {
            let WebhookTarget::Service { path, .. } = target else { panic!("{target}") };
            let request = review["request"].clone();
            self.asked.lock().unwrap().push(request.clone());
            // Lets others change the object under review.
            tokio::task::yield_now().await;
            let mut response = (self.respond)(path, &request)?;
            response["uid"] = request["uid"].clone();
            Ok(json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}))
        })
    }
}

fn world(
    respond: impl Fn(&str, &Value) -> Result<Value, BoxError> + Send + Sync + 'static,
) -> (Caller, Arc<Endpoint>) {
    let endpoint = Arc::new(Endpoint { respond: Box::new(respond), asked: Mutex::default() });
    let server = ApiServer::builder().seed(1).webhooks(endpoint.clone()).build().unwrap();
    (Caller::of(&server), endpoint)
}

/// Stores a configuration with one webhook at `/hook`, with these additional fields.
async fn configured(caller: &Caller, kind: &str, resource: (&str, &str), fields: Value) {
    let mut hook = json!({
        "name": "hook.test.io",
        "clientConfig": {"service": {"namespace": "ops", "name": "hooks", "path": "/hook"}},
        "rules": [{
            "operations": ["CREATE", "UPDATE", "DELETE"],
            "apiGroups": [resource.0],
            "apiVersions": ["v1"],
            "resources": [resource.1],
        }],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    });
    for (field, value) in fields.as_object().unwrap() {
        hook[field] = value.clone();
    }
    let configuration = json!({"metadata": {"name": "test"}, "webhooks": [hook]});
    let path = format!("/apis/admissionregistration.k8s.io/v1/{}webhookconfigurations", kind.to_lowercase());
    caller.created(&path, &configuration).await;
}

fn patching(patch: &Value) -> Value {
    let bytes = ByteString(patch.to_string().into_bytes());
    json!({"allowed": true, "patchType": "JSONPatch", "patch": bytes})
}

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn config_map(name: &str) -> Value {
    json!({"metadata": {"name": name}})
}

#[tokio::test]
async fn what_a_webhook_adds_gets_defaults_and_belongs_to_the_writer() {
    let (caller, _) = world(|_, _| {
        Ok(patching(&json!([
            {"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "side", "image": "side:1"}},
            {"op": "add", "path": "/metadata/labels", "value": {"mutated": "yes"}},
        ])))
    });
    configured(&caller, "Mutating", ("apps", "deployments"), json!({})).await;
    let deployment = json!({
        "metadata": {"name": "d"},
        "spec": {
            "selector": {"matchLabels": {"app": "d"}},
            "template": {
                "metadata": {"labels": {"app": "d"}},
                "spec": {"containers": [{"name": "main", "image": "main:1"}]},
            },
        },
    });
    let made = caller.created("/apis/apps/v1/namespaces/default/deployments", &deployment).await;
    assert_eq!(made["metadata"]["labels"], json!({"mutated": "yes"}));
    assert_eq!(
        made["spec"]["template"]["spec"]["containers"][1],
        json!({
            "name": "side",
            "image": "side:1",
            "imagePullPolicy": "IfNotPresent",
            "resources": {},
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
        })
    );
    let owned = &made["metadata"]["managedFields"][0]["fieldsV1"];
    assert_eq!(owned["f:metadata"]["f:labels"], json!({".": {}, "f:mutated": {}}));
}

#[tokio::test]
async fn an_object_that_a_webhook_makes_invalid_is_refused() {
    let (caller, _) =
        world(|_, _| Ok(patching(&json!([{"op": "add", "path": "/data", "value": {"not a key": ""}}]))));
    configured(&caller, "Mutating", ("", "configmaps"), json!({})).await;
    let (code, answer) = caller.create(CONFIG_MAPS, &config_map("a")).await;
    assert_eq!((code, &answer["reason"]), (422, &json!("Invalid")), "{answer}");
}

#[tokio::test]
async fn a_denial_reads_as_that_of_a_real_server() {
    let (caller, endpoint) = world(|_, request| {
        Ok(match request["name"].as_str().unwrap() {
            "silent" => json!({"allowed": false}),
            "fine" => json!({"allowed": true, "warnings": ["think twice"]}),
            _ => {
                json!({"allowed": false, "status": {"code": 403, "reason": "Forbidden", "message": "not here"}})
            }
        })
    });
    configured(&caller, "Validating", ("", "configmaps"), json!({})).await;
    assert_eq!(
        caller.create(CONFIG_MAPS, &config_map("a")).await,
        (
            403,
            json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                "message": "admission webhook \"hook.test.io\" denied the request: not here",
                "reason": "Forbidden", "code": 403,
            })
        )
    );
    let (code, answer) = caller.create(CONFIG_MAPS, &config_map("silent")).await;
    assert_eq!(
        (code, answer["message"].as_str().unwrap()),
        (400, "admission webhook \"hook.test.io\" denied the request without explanation")
    );
    caller.created(CONFIG_MAPS, &config_map("fine")).await;
    assert_eq!(caller.names(CONFIG_MAPS).await, ["fine"]);
    let asked = &endpoint.requests()[2];
    assert_eq!(
        (&asked["operation"], &asked["namespace"], &asked["userInfo"]["username"], &asked["dryRun"]),
        (&json!("CREATE"), &json!("default"), &json!("system:admin"), &json!(false))
    );
    assert_eq!(asked["oldObject"], Value::Null);
    assert!(asked["object"]["metadata"]["uid"].is_string(), "validating webhooks see the whole object");
}

#[tokio::test]
async fn a_webhook_that_fails_is_ignored_or_fails_the_request() {
    for (policy, code) in [("Ignore", 201), ("Fail", 500)] {
        for kind in ["Mutating", "Validating"] {
            let (caller, _) = world(|_, _| Err("connection refused".into()));
            configured(&caller, kind, ("", "configmaps"), json!({"failurePolicy": policy})).await;
            let (got, answer) = caller.create(CONFIG_MAPS, &config_map("a")).await;
            assert_eq!(got, code, "{policy} {kind}: {answer}");
            if code == 500 {
                assert_eq!(
                    answer["message"],
                    "Internal error occurred: failed calling webhook \"hook.test.io\": failed to call webhook: Post \"https://hooks.ops.svc:443/hook?timeout=10s\": connection refused"
                );
                assert_eq!(answer["reason"], "InternalError");
            }
        }
    }
}

#[tokio::test]
async fn a_deletion_is_reviewed_with_the_old_object() {
    let (caller, endpoint) = world(|_, request| Ok(json!({"allowed": request["operation"] != "DELETE"})));
    caller.created(CONFIG_MAPS, &config_map("a")).await;
    configured(&caller, "Validating", ("", "configmaps"), json!({})).await;
    for path in [format!("{CONFIG_MAPS}/a"), CONFIG_MAPS.to_owned()] {
        let (code, answer) = caller.delete(&path, &json!({})).await;
        assert_eq!(code, 400, "{answer}");
    }
    assert_eq!(caller.names(CONFIG_MAPS).await, ["a"]);
    let asked = endpoint.requests();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0]["object"], Value::Null);
    assert_eq!(asked[0]["oldObject"], caller.object(&format!("{CONFIG_MAPS}/a")).await);
    assert_eq!(asked[0]["options"]["kind"], "DeleteOptions");
}

#[tokio::test]
async fn a_dry_run_is_announced_to_webhooks_and_stores_nothing() {
    let (caller, endpoint) = world(|_, _| Ok(json!({"allowed": true})));
    configured(&caller, "Validating", ("", "configmaps"), json!({"sideEffects": "NoneOnDryRun"})).await;
    let (code, _) = caller.create(&format!("{CONFIG_MAPS}?dryRun=All"), &config_map("a")).await;
    assert_eq!(code, 201);
    assert_eq!(endpoint.requests()[0]["dryRun"], true);
    assert_eq!(endpoint.requests()[0]["options"]["dryRun"], json!(["All"]));
    assert!(caller.names(CONFIG_MAPS).await.is_empty());

    let (code, answer) = caller
        .create(
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            &json!({"metadata": {"name": "x"}, "webhooks": [{
                "name": "x.test.io", "clientConfig": {"url": "https://x.test.io"}, "sideEffects": "Some",
                "admissionReviewVersions": ["v1"],
            }]}),
        )
        .await;
    assert_eq!(
        (code, answer["details"]["causes"][0]["field"].as_str()),
        (422, Some("webhooks[0].sideEffects")),
        "a webhook with side effects cannot even be configured: {answer}"
    );
}

#[tokio::test]
async fn selectors_of_namespaces_and_objects_decide_which_webhooks_are_called() {
    let (caller, endpoint) = world(|_, _| Ok(json!({"allowed": true})));
    for (name, label) in [("in", "yes"), ("out", "no")] {
        let namespace = json!({"metadata": {"name": name, "labels": {"watched": label}}});
        caller.created("/api/v1/namespaces", &namespace).await;
    }
    let fields = json!({
        "namespaceSelector": {"matchLabels": {"watched": "yes"}},
        "objectSelector": {"matchExpressions": [{"key": "skip", "operator": "DoesNotExist"}]},
    });
    configured(&caller, "Mutating", ("", "configmaps"), fields).await;
    for namespace in ["in", "out", "default"] {
        caller.created(&format!("/api/v1/namespaces/{namespace}/configmaps"), &config_map("a")).await;
    }
    let skipped = json!({"metadata": {"name": "b", "labels": {"skip": ""}}});
    caller.created("/api/v1/namespaces/in/configmaps", &skipped).await;
    let asked: Vec<Value> = endpoint.requests().iter().map(|one| one["namespace"].clone()).collect();
    assert_eq!(asked, ["in"]);
}

#[tokio::test]
async fn a_namespace_that_is_deleted_during_a_webhook_call_gets_no_new_object() {
    let (caller, _) = world(|_, _| Ok(json!({"allowed": true})));
    configured(&caller, "Validating", ("", "configmaps"), json!({})).await;
    caller.created("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await;
    let object = config_map("a");
    let creating = caller.create("/api/v1/namespaces/n/configmaps", &object);
    let options = json!({});
    let deleting = caller.delete("/api/v1/namespaces/n", &options);
    let ((created, answer), (deleted, _)) = tokio::join!(creating, deleting);
    assert_eq!((created, deleted), (404, 200), "{answer}");
    assert!(caller.names("/api/v1/configmaps").await.is_empty(), "nothing is left without a namespace");
}

#[tokio::test]
async fn an_object_that_changes_during_a_webhook_call_is_reviewed_again() {
    let (caller, endpoint) = world(|_, _| Ok(json!({"allowed": true})));
    caller.created(CONFIG_MAPS, &config_map("a")).await;
    configured(&caller, "Validating", ("", "configmaps"), json!({})).await;
    let path = format!("{CONFIG_MAPS}/a");
    let (one, other) = (json!({"data": {"one": ""}}), json!({"data": {"other": ""}}));
    let ((first, _), (second, _)) = tokio::join!(caller.merge(&path, &one), caller.merge(&path, &other));
    assert_eq!((first, second), (200, 200));
    assert_eq!(caller.object(&path).await["data"], json!({"one": "", "other": ""}));
    let asked = endpoint.requests();
    assert_eq!(asked.len(), 3, "one of the two was made again");
    assert_eq!(asked[2]["oldObject"]["data"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn webhooks_do_not_review_the_configurations() {
    let (caller, endpoint) = world(|_, _| Ok(json!({"allowed": false})));
    configured(&caller, "Validating", ("*", "*"), json!({})).await;
    let path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/test";
    assert_eq!(caller.delete(path, &json!({})).await.0, 200);
    assert!(endpoint.requests().is_empty());
}
