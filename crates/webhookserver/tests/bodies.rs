//! Bodies that are no review get a 400 from the endpoints, never a panic, and never an answer that admits a pod.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test fails by panicking")]

use axum::{
    body::{Body, to_bytes},
    http::{Request, StatusCode},
};
use proptest::{prelude::*, sample::Index};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{fs, path::Path};
use tower::ServiceExt as _;
use webhook::admission::Sources;
use webhookserver::endpoints;

const PATHS: [(&str, &str); 2] =
    [("/mutate-image-path", "AdmissionReview"), ("/convert", "ConversionReview")];

/// The part that every review has.
#[derive(Deserialize)]
struct Review {
    kind: String,
    request: ReviewRequest,
}

#[derive(Deserialize)]
struct ReviewRequest {
    uid: String,
}

/// Sends a body to an endpoint.
fn send(path: &str, body: &[u8]) -> (StatusCode, Vec<u8>) {
    let request = Request::post(path).body(Body::from(body.to_owned())).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let response = endpoints(Sources::default()).oneshot(request).await.unwrap();
        let status = response.status();
        (status, to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec())
    })
}

/// Sends a body to both endpoints. One that is answered is a review of the right kind, and the answer has its uid.
fn check(body: &[u8]) -> Result<(), TestCaseError> {
    for (path, kind) in PATHS {
        let (status, answer) = send(path, body);
        if status == StatusCode::BAD_REQUEST {
            let answer = String::from_utf8(answer).unwrap();
            prop_assert!(answer.starts_with(&format!("the body is no {kind} ")), "{}", answer);
            continue;
        }
        prop_assert_eq!(status, StatusCode::OK);
        let review: Review = serde_json::from_slice(body).unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        prop_assert_eq!((&*review.kind, &answer["kind"]), (kind, &json!(kind)));
        prop_assert!(!review.request.uid.is_empty());
        prop_assert_eq!(&answer["response"]["uid"], &json!(review.request.uid));
    }
    Ok(())
}

/// A review that is answered.
fn review(kind: &str) -> Vec<u8> {
    let review = if kind == "AdmissionReview" {
        json!({ "apiVersion": "admission.k8s.io/v1", "kind": kind, "request": {
            "uid": "u-1", "operation": "CREATE", "namespace": "team",
            "resource": { "group": "", "version": "v1", "resource": "pods" },
            "object": { "spec": { "containers": [{ "name": "web", "image": "nginx" }] } },
        } })
    } else {
        json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": kind, "request": {
            "uid": "u-1", "desiredAPIVersion": "goharbor.io/v1beta1", "objects": [
                { "apiVersion": "goharbor.io/v1alpha3", "kind": "Portal", "metadata": { "name": "a" }, "spec": {} },
            ],
        } })
    };
    review.to_string().into_bytes()
}

/// Any JSON.
fn json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just("AdmissionReview".to_owned()),
        Just("ConversionReview".to_owned()),
        Just("admission.k8s.io/v1".to_owned()),
        "[a-z./ ]{0,12}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    let field = prop_oneof![
        Just("apiVersion".to_owned()),
        Just("kind".to_owned()),
        Just("request".to_owned()),
        Just("uid".to_owned()),
        Just("objects".to_owned()),
        "[a-z]{0,6}",
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(field.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_get_a_400(body in prop::collection::vec(any::<u8>(), 0..400)) {
        for (path, _) in PATHS {
            prop_assert_eq!(send(path, &body).0, StatusCode::BAD_REQUEST);
        }
    }

    #[test]
    fn any_json_gets_a_400_unless_it_is_a_review(body in json()) {
        check(body.to_string().as_bytes())?;
    }

    #[test]
    fn a_review_with_changed_bytes_gets_a_400_unless_it_still_is_one(
        (_, kind) in prop::sample::select(PATHS.to_vec()),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..6),
    ) {
        let mut body = review(kind);
        for (at, byte) in changes {
            let at = at.index(body.len());
            body[at] = byte;
        }
        check(&body)?;
    }

    #[test]
    fn a_review_that_is_cut_off_gets_a_400(
        (path, kind) in prop::sample::select(PATHS.to_vec()),
        at in any::<Index>(),
    ) {
        let body = review(kind);
        prop_assert_eq!(send(path, &body).0, StatusCode::OK);
        prop_assert_eq!(send(path, &body[..at.index(body.len())]).0, StatusCode::BAD_REQUEST);
    }
}

#[test]
fn the_reviews_with_which_fuzzing_begins_are_answered() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    for (folder, (path, _)) in ["admission", "conversion"].into_iter().zip(PATHS) {
        for seed in fs::read_dir(seeds.join(folder)).unwrap() {
            let seed = seed.unwrap().path();
            let body = fs::read(&seed).unwrap();
            assert_eq!(send(path, &body).0, StatusCode::OK, "{}", seed.display());
            check(&body).unwrap();
        }
    }
}
