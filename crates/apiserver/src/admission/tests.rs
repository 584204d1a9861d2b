use super::{Attributes, Equivalent, Operation, Target, Webhooks, mutate, validate};
use crate::access::User;
use crate::failure::Failure;
use futures::future::BoxFuture;
use k8s_openapi::ByteString;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tower::BoxError;

/// Answers as `respond` says, and records the reviews.
struct Endpoint<F> {
    respond: F,
    asked: Mutex<Vec<(Target, Value)>>,
}

impl<F: Fn(&str, &Value) -> Result<Value, BoxError> + Send + Sync> Endpoint<F> {
    fn new(respond: F) -> Self {
        Self { respond, asked: Mutex::default() }
    }

    /// The paths that were called, in order.
    fn paths(&self) -> Vec<String> {
        self.asked.lock().expect("a lock").iter().map(|(target, _)| path(target)).collect()
    }
}

fn path(target: &Target) -> String {
    match target {
        Target::Service { path, .. } => path.clone(),
        Target::Url(url) => url.clone(),
    }
}

impl<F: Fn(&str, &Value) -> Result<Value, BoxError> + Send + Sync> Webhooks for Endpoint<F> {
    fn call<'a>(
        &'a self,
        target: &'a Target,
        _: &'a [u8],
        review: Value,
    ) -> BoxFuture<'a, Result<Value, BoxError>> {
        Box::pin(async move {
            let request = review["request"].clone();
            self.asked.lock().expect("a lock").push((target.clone(), review));
            let mut response = (self.respond)(&path(target), &request)?;
            if response == "never" {
                std::future::pending::<()>().await;
            }
            response["uid"] = request["uid"].clone();
            Ok(
                json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response }),
            )
        })
    }
}

fn allowing() -> Endpoint<impl Fn(&str, &Value) -> Result<Value, BoxError> + Send + Sync> {
    Endpoint::new(|_: &str, _: &Value| Ok(json!({ "allowed": true })))
}

fn patching(patch: &Value) -> Value {
    let bytes = ByteString(patch.to_string().into_bytes());
    json!({ "allowed": true, "patchType": "JSONPatch", "patch": bytes })
}

/// A configuration with webhooks for deployments, each with its own fields.
fn configuration(webhooks: &[(&str, Value)]) -> Vec<Arc<Value>> {
    let webhooks: Vec<Value> = webhooks
        .iter()
        .map(|(name, fields)| {
            let mut hook = json!({
                "name": name,
                "clientConfig": { "service": { "namespace": "ops", "name": "hooks", "path": name } },
                "rules": [{
                    "operations": ["CREATE", "UPDATE"],
                    "apiGroups": ["apps"],
                    "apiVersions": ["v1"],
                    "resources": ["deployments"],
                }],
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
            });
            for (field, value) in fields.as_object().into_iter().flatten() {
                hook[field] = value.clone();
            }
            hook
        })
        .collect();
    vec![Arc::new(json!({ "metadata": { "name": "test" }, "webhooks": webhooks }))]
}

struct Write {
    user: User,
    options: Value,
    labels: Value,
    equivalents: Vec<Equivalent>,
}

impl Write {
    fn new() -> Self {
        Self {
            user: User::admin(),
            options: json!({ "kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1" }),
            labels: json!({ "team": "a" }),
            equivalents: Vec::new(),
        }
    }

    fn attributes(&self) -> Attributes<'_> {
        Attributes {
            operation: Operation::Create,
            group: "apps",
            version: "v1",
            kind: "Deployment",
            plural: "deployments",
            subresource: "",
            namespace: "ns",
            name: "web",
            user: &self.user,
            old: None,
            dry_run: false,
            options: &self.options,
            namespace_labels: Some(&self.labels),
            equivalents: &self.equivalents,
        }
    }
}

fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web", "labels": { "app": "web" } },
        "spec": { "replicas": 1 },
    })
}

fn code_reason_and_message(failure: Failure) -> (u16, String, String) {
    (failure.code.as_u16(), failure.reason.into_owned(), failure.message)
}

/// Whether a webhook with these fields is called for the write.
async fn asked(fields: Value, write: Attributes<'_>) -> bool {
    let endpoint = allowing();
    let object = deployment();
    validate(&endpoint, &configuration(&[("x", fields)]), &write, Some(&object))
        .await
        .expect("it is allowed");
    !endpoint.paths().is_empty()
}

#[tokio::test]
async fn a_webhook_is_sent_all_attributes_of_the_write() {
    let endpoint = allowing();
    let write = Write::new();
    validate(&endpoint, &configuration(&[("x", json!({}))]), &write.attributes(), Some(&deployment()))
        .await
        .expect("it is allowed");

    let (target, mut review) = endpoint.asked.lock().expect("a lock").pop().expect("one call");
    assert_eq!(target.to_string(), "https://hooks.ops.svc:443/x");
    review["request"]["uid"] = Value::Null;
    assert_eq!(
        review,
        json!({
            "kind": "AdmissionReview",
            "apiVersion": "admission.k8s.io/v1",
            "request": {
                "uid": null,
                "kind": { "group": "apps", "version": "v1", "kind": "Deployment" },
                "resource": { "group": "apps", "version": "v1", "resource": "deployments" },
                "requestKind": { "group": "apps", "version": "v1", "kind": "Deployment" },
                "requestResource": { "group": "apps", "version": "v1", "resource": "deployments" },
                "name": "web",
                "namespace": "ns",
                "operation": "CREATE",
                "userInfo": { "username": "system:admin", "groups": ["system:masters", "system:authenticated"] },
                "object": deployment(),
                "oldObject": null,
                "dryRun": false,
                "options": { "kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1" },
            },
        })
    );
}

#[tokio::test]
async fn only_webhooks_whose_rules_and_selectors_match_are_called() {
    let write = Write::new();
    let rule = |operations: &str, resource: &str, scope: &str| {
        json!({ "rules": [{
            "operations": [operations], "apiGroups": ["*"], "apiVersions": ["*"], "resources": [resource], "scope": scope,
        }] })
    };
    let status = Attributes { subresource: "status", ..write.attributes() };
    assert!(asked(rule("*", "*", "*"), write.attributes()).await);
    assert!(asked(rule("CREATE", "deployments", "Namespaced"), write.attributes()).await);
    assert!(!asked(rule("UPDATE", "deployments", "*"), write.attributes()).await);
    assert!(!asked(rule("*", "deployments", "Cluster"), write.attributes()).await);
    assert!(!asked(rule("*", "deployments", "*"), status).await);
    assert!(asked(rule("*", "deployments/*", "*"), status).await);
    assert!(asked(rule("*", "*/status", "*"), status).await);

    assert!(
        asked(json!({ "namespaceSelector": { "matchLabels": { "team": "a" } } }), write.attributes()).await
    );
    assert!(
        !asked(json!({ "namespaceSelector": { "matchLabels": { "team": "b" } } }), write.attributes()).await
    );
    assert!(
        asked(json!({ "objectSelector": { "matchLabels": { "app": "web" } } }), write.attributes()).await
    );
    assert!(
        !asked(json!({ "objectSelector": { "matchLabels": { "app": "db" } } }), write.attributes()).await
    );
}

#[tokio::test]
async fn a_write_of_an_equivalent_version_is_reviewed_in_the_version_of_the_webhook() {
    let mut write = Write::new();
    write.equivalents = vec![Equivalent {
        group: "apps".into(),
        version: "v1beta1".into(),
        kind: "Deployment".into(),
        plural: "deployments".into(),
    }];
    let rules = json!([{
        "operations": ["*"], "apiGroups": ["apps"], "apiVersions": ["v1beta1"], "resources": ["deployments"],
    }]);
    assert!(!asked(json!({ "rules": rules, "matchPolicy": "Exact" }), write.attributes()).await);

    let endpoint = Endpoint::new(|_: &str, request: &Value| {
        assert_eq!(request["object"]["apiVersion"], "apps/v1beta1");
        assert_eq!(request["requestKind"]["version"], "v1");
        Ok(patching(&json!([{ "op": "replace", "path": "/spec/replicas", "value": 2 }])))
    });
    let hooks = configuration(&[("x", json!({ "rules": rules }))]);
    let (object, _) =
        mutate(&endpoint, &hooks, &write.attributes(), Some(deployment())).await.expect("allowed");
    let mut wanted = deployment();
    wanted["spec"]["replicas"] = 2.into();
    assert_eq!(object, Some(wanted));
}

#[tokio::test]
async fn patches_are_applied_in_order_and_earlier_webhooks_are_reinvoked_if_needed() {
    let endpoint = Endpoint::new(|path: &str, request: &Value| {
        let seen = request["object"]["metadata"]["labels"][path].as_u64().unwrap_or_default();
        let pointer = format!("/metadata/labels/{path}");
        Ok(patching(&json!([{ "op": "add", "path": pointer, "value": seen + 1 }])))
    });
    let hooks = configuration(&[
        ("a", json!({ "reinvocationPolicy": "IfNeeded" })),
        ("b", json!({})),
        ("c", json!({ "reinvocationPolicy": "IfNeeded" })),
    ]);
    let write = Write::new();
    let (object, _) =
        mutate(&endpoint, &hooks, &write.attributes(), Some(deployment())).await.expect("allowed");

    // The second change of `a` comes after `c`, so `c` is called again, too.
    assert_eq!(endpoint.paths(), ["a", "b", "c", "a", "c"]);
    assert_eq!(
        object.expect("an object")["metadata"]["labels"],
        json!({ "app": "web", "a": 2, "b": 1, "c": 2 })
    );
}

async fn refusal(response: Value, fields: Value, write: Attributes<'_>) -> (u16, String, String) {
    let endpoint = Endpoint::new(move |_: &str, _: &Value| Ok(response.clone()));
    let hooks = configuration(&[("policy.example.org", fields)]);
    let object = deployment();
    validate(&endpoint, &hooks, &write, Some(&object))
        .await
        .map_err(code_reason_and_message)
        .expect_err("it is refused")
}

#[tokio::test]
async fn a_refusal_names_the_webhook_and_keeps_its_code() {
    let write = Write::new();
    let denied =
        |status: Value| refusal(json!({ "allowed": false, "status": status }), json!({}), write.attributes());
    let expected = |code: u16, reason: &str, rest: &str| {
        (
            code,
            reason.to_owned(),
            format!("admission webhook \"policy.example.org\" denied the request{rest}"),
        )
    };
    assert_eq!(
        denied(json!({ "code": 403, "reason": "Forbidden", "message": "no" })).await,
        expected(403, "Forbidden", ": no")
    );
    assert_eq!(denied(json!({ "reason": "TooBig" })).await, expected(400, "TooBig", ": TooBig"));
    assert_eq!(denied(json!({ "code": 200 })).await, expected(400, "", " without explanation"));
}

#[tokio::test(start_paused = true)]
async fn a_webhook_that_fails_refuses_the_write_unless_its_policy_is_ignore() {
    let write = Write::new();
    let internal = |rest: &str| {
        let message =
            format!("Internal error occurred: failed calling webhook \"policy.example.org\": {rest}");
        (500, "InternalError".to_owned(), message)
    };
    assert_eq!(
        refusal(json!("never"), json!({ "timeoutSeconds": 3 }), write.attributes()).await,
        internal(
            "failed to call webhook: Post \"https://hooks.ops.svc:443/policy.example.org?timeout=3s\": context \
             deadline exceeded"
        )
    );
    assert_eq!(
        refusal(json!({ "allowed": true, "patchType": "JSONPatch" }), json!({}), write.attributes()).await,
        internal("received invalid webhook response: validating webhook may not return response.patchType")
    );

    let endpoint = Endpoint::new(|_: &str, _: &Value| Err("connection refused".into()));
    let ignorable = configuration(&[("x", json!({ "failurePolicy": "Ignore" }))]);
    let kept = mutate(&endpoint, &ignorable, &write.attributes(), Some(deployment())).await;
    assert_eq!(kept.map_err(code_reason_and_message), Ok((Some(deployment()), Vec::new())));
}

#[tokio::test]
async fn a_dry_run_is_refused_if_a_webhook_does_not_support_it() {
    let write = Write::new();
    let dry = Attributes { dry_run: true, ..write.attributes() };
    assert_eq!(
        refusal(json!({ "allowed": true }), json!({ "sideEffects": "Some" }), dry).await,
        (
            400,
            "BadRequest".to_owned(),
            "admission webhook \"policy.example.org\" does not support dry run".to_owned()
        )
    );
    assert!(asked(json!({ "sideEffects": "NoneOnDryRun" }), dry).await);
}

#[tokio::test]
async fn warnings_of_all_webhooks_are_passed_on() {
    let endpoint = Endpoint::new(|path: &str, _: &Value| {
        Ok(json!({ "allowed": true, "warnings": [format!("{path}!")] }))
    });
    let hooks = configuration(&[("a", json!({})), ("b", json!({}))]);
    let write = Write::new();
    let warnings = validate(&endpoint, &hooks, &write.attributes(), Some(&deployment()))
        .await
        .map_err(code_reason_and_message);
    assert_eq!(warnings, Ok(vec!["a!".to_owned(), "b!".to_owned()]));
}

#[tokio::test]
async fn webhooks_do_not_review_webhook_configurations() {
    let write = Write::new();
    let about = Attributes {
        group: "admissionregistration.k8s.io",
        kind: "MutatingWebhookConfiguration",
        plural: "mutatingwebhookconfigurations",
        namespace: "",
        ..write.attributes()
    };
    let everything =
        json!([{ "operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"] }]);
    assert!(!asked(json!({ "rules": everything }), about).await);
}

#[tokio::test]
async fn a_missing_namespace_fails_only_writes_that_a_webhook_reviews() {
    let write = Write::new();
    let nowhere = Attributes { namespace_labels: None, ..write.attributes() };
    let fields = json!({ "namespaceSelector": { "matchLabels": { "team": "a" } } });
    assert_eq!(
        refusal(json!({ "allowed": true }), fields, nowhere).await,
        (404, "NotFound".to_owned(), "namespaces \"ns\" not found".to_owned())
    );
}
