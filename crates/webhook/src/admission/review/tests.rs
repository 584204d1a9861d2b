use super::{NotAReview, Outcome, review};
use crate::admission::{
    Sources,
    fixture::{server, sources},
};
use k8s_openapi::ByteString;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

fn hub() -> Sources {
    sources(None, &[server("harbor", json!({ "default": true, "rules": ["docker.io=>hub"] }))])
}

/// The review of a pod that is created in namespace `team`.
fn creation(pod: &Value) -> Value {
    json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "u-1",
            "kind": { "group": "", "version": "v1", "kind": "Pod" },
            "resource": { "group": "", "version": "v1", "resource": "pods" },
            "operation": "CREATE",
            "namespace": "team",
            "userInfo": { "username": "user" },
            "object": pod,
            "oldObject": null,
            "dryRun": false,
            "options": { "kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1" },
        },
    })
}

/// The answer, with its patch decoded.
fn answer(review_body: &Value, sources: &Sources) -> (Value, Outcome) {
    let reviewed = review(review_body.to_string().as_bytes(), sources).unwrap();
    let mut answer: Value = serde_json::from_slice(&reviewed.body).unwrap();
    assert_eq!(answer["apiVersion"], "admission.k8s.io/v1");
    assert_eq!(answer["kind"], "AdmissionReview");
    let mut response = answer["response"].take();
    if let Some(patch) = response.get("patch") {
        let ByteString(patch) = ByteString::deserialize(patch).unwrap();
        response["patch"] = serde_json::from_slice(&patch).unwrap();
    }
    (response, reviewed.outcome)
}

fn patched(pod: &Value, response: &Value) -> Value {
    let mut pod = pod.clone();
    let patch: json_patch::Patch = serde_json::from_value(response["patch"].clone()).unwrap();
    json_patch::patch(&mut pod, &patch).unwrap();
    pod
}

#[test]
fn every_image_of_a_new_pod_is_rewritten_and_counted_and_nothing_else_changes() {
    let pod = json!({
        "metadata": { "name": "web", "annotations": { "a": "b" } },
        "spec": {
            "initContainers": [{ "name": "i", "image": "busybox" }],
            "containers": [
                { "name": "a", "image": "nginx:1.27", "imagePullPolicy": "Never" },
                { "name": "b", "image": "quay.io/a/b:1" },
                { "name": "c" },
            ],
            "volumes": [
                { "name": "v", "emptyDir": {} },
                { "name": "w", "image": { "reference": "library/model:2", "pullPolicy": "Always" } },
            ],
        },
    });
    let (response, outcome) = answer(&creation(&pod), &hub());
    assert_eq!(outcome, Outcome::Rewritten(3));
    let patch = response["patch"].clone();
    assert_eq!(response, json!({ "uid": "u-1", "allowed": true, "patchType": "JSONPatch", "patch": patch }));
    assert_eq!(
        patch,
        json!([
            { "op": "replace", "path": "/spec/initContainers/0/image",
              "value": "harbor.example.com/hub/library/busybox:latest" },
            { "op": "replace", "path": "/spec/containers/0/image",
              "value": "harbor.example.com/hub/library/nginx:1.27" },
            { "op": "replace", "path": "/spec/volumes/1/image/reference",
              "value": "harbor.example.com/hub/library/model:2" },
            { "op": "add", "path": "/metadata/annotations/goharbor.io~1rewritten", "value": "3" },
        ])
    );
    let rewritten = patched(&pod, &response);
    assert_eq!(rewritten["metadata"]["annotations"], json!({ "a": "b", "goharbor.io/rewritten": "3" }));
    assert_eq!(rewritten["spec"]["containers"][0]["imagePullPolicy"], "Never");
}

#[test]
fn a_rewritten_pod_is_not_rewritten_again() {
    let pod = json!({ "metadata": { "name": "web" }, "spec": { "containers": [{ "name": "a", "image": "nginx" }] } });
    let sources = sources(None, &[server("harbor", json!({ "default": true, "rules": ["*=>hub"] }))]);
    let (response, _) = answer(&creation(&pod), &sources);
    let once = patched(&pod, &response);
    assert_eq!(once["metadata"]["annotations"], json!({ "goharbor.io/rewritten": "1" }));
    let (again, outcome) = answer(&creation(&once), &sources);
    assert_eq!((again, outcome), (json!({ "uid": "u-1", "allowed": true }), Outcome::Unchanged));

    let mut with_sidecar = once;
    let sidecar = json!({ "name": "sidecar", "image": "envoy" });
    with_sidecar["spec"]["containers"].as_array_mut().unwrap().push(sidecar);
    let (response, outcome) = answer(&creation(&with_sidecar), &sources);
    assert_eq!(outcome, Outcome::Rewritten(1));
    let twice = patched(&with_sidecar, &response);
    assert_eq!(twice["metadata"]["annotations"], json!({ "goharbor.io/rewritten": "2" }));
}

#[test]
fn only_added_ephemeral_containers_are_rewritten() {
    let old = json!({ "metadata": { "name": "web" }, "spec": {
        "containers": [{ "name": "a", "image": "nginx" }],
        "ephemeralContainers": [{ "name": "first", "image": "busybox" }],
    } });
    let mut new = old.clone();
    let second = json!({ "name": "second", "image": "alpine" });
    new["spec"]["ephemeralContainers"].as_array_mut().unwrap().push(second);
    let mut body = creation(&new);
    body["request"]["operation"] = "UPDATE".into();
    body["request"]["subResource"] = "ephemeralcontainers".into();
    body["request"]["oldObject"] = old;
    let (response, outcome) = answer(&body, &hub());
    assert_eq!(outcome, Outcome::Rewritten(1));
    assert_eq!(
        response["patch"],
        json!([{ "op": "replace", "path": "/spec/ephemeralContainers/1/image",
                 "value": "harbor.example.com/hub/library/alpine:latest" }])
    );
}

#[test]
fn other_requests_are_admitted_unchanged_with_a_reason() {
    let pod = json!({ "spec": { "containers": [{ "name": "a", "image": "nginx" }] } });
    let reviewed = |place: &str, value: Value| {
        let mut body = creation(&pod);
        *body.pointer_mut(place).unwrap() = value;
        answer(&body, &hub())
    };
    let reason = "only new pods and new ephemeral containers are reviewed";
    let skipped = |reason: &str| {
        let response = json!({ "uid": "u-1", "allowed": true, "status": { "message": reason } });
        (response, Outcome::Skipped)
    };
    assert_eq!(reviewed("/request/operation", "UPDATE".into()), skipped(reason));
    assert_eq!(reviewed("/request/operation", "CONNECT".into()), skipped(reason));
    assert_eq!(reviewed("/request/resource/resource", "deployments".into()), skipped(reason));
    assert_eq!(reviewed("/request/resource/version", "v2".into()), skipped(reason));
    let mirror = json!({ "annotations": { "kubernetes.io/config.mirror": "x" } });
    let mut static_pod = pod.clone();
    static_pod["metadata"] = mirror;
    assert_eq!(answer(&creation(&static_pod), &hub()), skipped("the pod shows a static pod"));
    let mut exempt = hub();
    exempt.excluded.insert("team".into());
    assert_eq!(answer(&creation(&pod), &exempt), skipped("images in this namespace are never rewritten"));
}

#[test]
fn a_wrong_rule_set_admits_the_pod_unchanged_with_a_warning() {
    let pod = json!({ "spec": { "containers": [{ "name": "a", "image": "nginx" }] } });
    let wrong = sources(Some(json!({ "rewriting": "maybe" })), &[]);
    let warning = "images are not rewritten by all rules: ConfigMap team/rules: key `rewriting` is neither `on` nor `off`; \
                   write one of them";
    let response = json!({ "uid": "u-1", "allowed": true, "warnings": [warning] });
    assert_eq!(answer(&creation(&pod), &wrong), (response, Outcome::WrongRules));

    let (response, outcome) = answer(&creation(&pod), &Sources::default());
    assert_eq!(outcome, Outcome::WrongRules);
    assert_eq!(response["warnings"].as_array().map(Vec::len), Some(1));
    assert_eq!(response.get("patch"), None);
}

#[test]
fn an_image_that_is_no_reference_is_left_alone_with_a_warning() {
    let images = ["nginx", "Not An Image", "a:b:c", "x@y", "A", "B", "C"];
    let containers: Vec<_> = images.iter().map(|image| json!({ "name": "x", "image": image })).collect();
    let pod = json!({ "spec": { "containers": containers } });
    let (response, outcome) = answer(&creation(&pod), &hub());
    assert_eq!(outcome, Outcome::Rewritten(1));
    let warnings = response["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 5);
    assert_eq!(
        warnings[0],
        "spec.containers.1.image is not rewritten: its path may have only lower-case letters, digits and single \
         separators between slashes"
    );
}

#[test]
fn a_body_that_is_no_review_is_an_error_and_admits_nothing() {
    let pod = json!({ "spec": { "containers": [{ "name": "a", "image": "nginx" }] } });
    let error = |body: &[u8]| review(body, &hub()).unwrap_err().to_string();
    let whole = "the body is no AdmissionReview of admission.k8s.io/v1: ";
    assert_eq!(error(b""), format!("{whole}it is not JSON at line 1, column 0"));
    assert_eq!(error(b"\xff"), format!("{whole}it is not UTF-8"));
    assert_eq!(error(b"[]"), format!("{whole}a field is missing or has the wrong type at line 1, column 2"));
    let changed = |place: &str, value: Value| {
        let mut body = creation(&pod);
        *body.pointer_mut(place).unwrap() = value;
        error(body.to_string().as_bytes())
    };
    assert_eq!(changed("/kind", "Pod".into()), format!("{whole}it has another apiVersion or kind"));
    assert_eq!(
        changed("/apiVersion", "admission.k8s.io/v1beta1".into()),
        format!("{whole}it has another apiVersion or kind")
    );
    assert_eq!(changed("/request/uid", "".into()), format!("{whole}request.uid is empty"));
    assert_eq!(changed("/request/namespace", "".into()), format!("{whole}request.namespace is empty"));
    for (place, value) in [
        ("/request", Value::Null),
        ("/request/uid", 1.into()),
        ("/request/object", Value::Null),
        ("/request/object/spec/containers", "x".into()),
        ("/request/object/spec/containers/0/image", 1.into()),
    ] {
        assert!(changed(place, value).contains("a field is missing or has the wrong type"), "{place}");
    }
    let trailing = format!("{} x", creation(&pod));
    assert!(error(trailing.as_bytes()).contains("it is not JSON"));
}

#[derive(Deserialize)]
struct Asked {
    kind: String,
    request: AskedRequest,
}

#[derive(Deserialize)]
struct AskedRequest {
    uid: String,
}

proptest! {
    #[test]
    fn no_body_causes_a_panic_and_what_is_answered_is_an_answer_to_its_uid(
        place in 0_usize..400, byte in any::<u8>(), image in ".{0,60}"
    ) {
        let pod = json!({ "spec": { "containers": [{ "name": "a", "image": image }] } });
        let mut body = creation(&pod).to_string().into_bytes();
        let place = place % body.len();
        body[place] = byte;
        let result: Result<_, NotAReview> = review(&body, &hub());
        if let Ok(reviewed) = result {
            let asked: Asked = serde_json::from_slice(&body).unwrap();
            let answer: Value = serde_json::from_slice(&reviewed.body).unwrap();
            prop_assert_eq!(&answer["response"]["uid"], &asked.request.uid);
            prop_assert_eq!(asked.kind, "AdmissionReview");
        }
    }
}
