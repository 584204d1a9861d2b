use super::{LARGEST_LIST, LARGEST_POD, converting, rewriting};
use crate::rules::Rules;
use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Method, Request, StatusCode},
};
use runtime::{Format, Metrics};
use serde_json::{Value, json};
use std::sync::Arc;
use tower::ServiceExt as _;
use webhook::admission::Sources;

const REWRITING: &str = "/mutate-image-path";
const CONVERSION: &str = "/convert";

/// Both endpoints, as the server has them.
struct Endpoints {
    router: Router,
    metrics: Arc<Metrics>,
}

impl Endpoints {
    fn new(rules: Rules) -> Self {
        let metrics = Arc::<Metrics>::default();
        let router = rewriting(Arc::new(rules), Arc::clone(&metrics)).merge(converting(Arc::clone(&metrics)));
        Self { router, metrics }
    }

    /// With rules that have been read.
    fn ready() -> Self {
        Self::new(Rules::listed(Sources::default()))
    }

    async fn send(&self, method: Method, path: &str, body: impl Into<Body>) -> (StatusCode, String) {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let response = self.router.clone().oneshot(request.body(body.into()).unwrap()).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    async fn post(&self, path: &str, body: impl Into<Body>) -> (StatusCode, String) {
        self.send(Method::POST, path, body).await
    }

    /// Whether the metrics have this line.
    fn counted(&self, line: &str) -> bool {
        self.metrics.text(Format::Prometheus).lines().any(|it| it == line)
    }
}

/// What the API server sends to the endpoint: a new pod, or a Portal of v1alpha3.
fn review(path: &str) -> Value {
    if path == REWRITING {
        return json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u-1", "operation": "CREATE", "namespace": "team",
            "resource": { "group": "", "version": "v1", "resource": "pods" },
            "object": { "spec": { "containers": [{ "name": "web", "image": "nginx" }] } },
        } });
    }
    json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {
        "uid": "u-1", "desiredAPIVersion": "goharbor.io/v1beta1",
        "objects": [{ "apiVersion": "goharbor.io/v1alpha3", "kind": "Portal", "metadata": { "name": "acme" },
            "spec": {} }],
    } })
}

fn changed(path: &str, place: &str, value: &str) -> String {
    let mut review = review(path);
    *review.pointer_mut(place).unwrap() = value.into();
    review.to_string()
}

#[tokio::test]
async fn a_body_that_is_no_review_gets_a_400_and_no_answer_to_a_review() {
    let endpoints = Endpoints::ready();
    for (path, other, what) in [
        (REWRITING, CONVERSION, "the body is no AdmissionReview of admission.k8s.io/v1: "),
        (CONVERSION, REWRITING, "the body is no ConversionReview of apiextensions.k8s.io/v1: "),
    ] {
        let truncated = review(path).to_string();
        for body in [
            Vec::new(),
            b"\xff\x00".to_vec(),
            b"no JSON".to_vec(),
            b"[]".to_vec(),
            truncated.as_bytes()[..truncated.len() - 1].to_vec(),
            review(other).to_string().into_bytes(),
            changed(path, "/kind", "Pod").into_bytes(),
            changed(path, "/apiVersion", "admission.k8s.io/v1beta1").into_bytes(),
            changed(path, "/apiVersion", "apiextensions.k8s.io/v1beta1").into_bytes(),
            changed(path, "/request/uid", "").into_bytes(),
        ] {
            let shown = String::from_utf8_lossy(&body).into_owned();
            let (status, answer) = endpoints.post(path, body).await;
            assert_eq!(
                (status, answer.starts_with(what)),
                (StatusCode::BAD_REQUEST, true),
                "{shown}: {answer}"
            );
        }
    }
    assert!(endpoints.counted("harbor_operator_webhook_requests_total{outcome=\"BadRequest\"} 10"));
    assert!(endpoints.counted("harbor_operator_conversion_requests_total{outcome=\"BadRequest\"} 10"));
}

#[tokio::test]
async fn a_review_gets_an_answer_with_its_uid() {
    let endpoints = Endpoints::ready();
    for path in [REWRITING, CONVERSION] {
        let (status, answer) = endpoints.post(path, review(path).to_string()).await;
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!((status, &answer["response"]["uid"]), (StatusCode::OK, &json!("u-1")), "{answer}");
    }
}

#[tokio::test]
async fn before_the_rules_have_been_read_no_pod_is_admitted_and_objects_are_converted() {
    let endpoints = Endpoints::new(Rules::new([]));
    for body in [review(REWRITING).to_string(), "no JSON".to_owned()] {
        assert_eq!(
            endpoints.post(REWRITING, body).await,
            (StatusCode::SERVICE_UNAVAILABLE, "the operator has not read the rules yet\n".to_owned())
        );
    }
    let (status, answer) = endpoints.post(CONVERSION, review(CONVERSION).to_string()).await;
    assert_eq!((status, answer.contains("goharbor.io/v1beta1")), (StatusCode::OK, true), "{answer}");
    assert!(endpoints.counted("harbor_operator_webhook_requests_total{outcome=\"NotReady\"} 2"));
}

#[tokio::test]
async fn only_posts_to_the_two_paths_are_answered() {
    let endpoints = Endpoints::ready();
    for path in [REWRITING, CONVERSION] {
        let (status, _) = endpoints.send(Method::GET, path, review(path).to_string()).await;
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED);
    }
    assert_eq!(endpoints.post("/", review(REWRITING).to_string()).await.0, StatusCode::NOT_FOUND);
}

/// A review of Portals, each with an annotation of 200 KiB.
fn long_review(objects: usize) -> String {
    let mut review = review(CONVERSION);
    let portal = &mut review["request"]["objects"][0];
    portal["metadata"]["annotations"] = json!({ "large": "x".repeat(200 * 1024) });
    review["request"]["objects"] = vec![portal.take(); objects].into();
    review.to_string()
}

#[tokio::test]
async fn a_long_list_is_converted_and_one_beyond_the_limit_is_refused_with_the_remedy() {
    let endpoints = Endpoints::ready();
    let long = long_review(75);
    assert!(long.len() > 4 * LARGEST_POD && long.len() < LARGEST_LIST);
    let (status, answer) = endpoints.post(CONVERSION, long).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let objects = answer["response"]["convertedObjects"].as_array().unwrap();
    assert_eq!((status, objects.len()), (StatusCode::OK, 75));
    assert!(objects.iter().all(|object| object["apiVersion"] == "goharbor.io/v1beta1"));

    let longer = long_review(90);
    let known = Body::from(longer.clone());
    let unknown = Body::from_stream(futures::stream::iter([Ok::<_, std::io::Error>(longer)]));
    for body in [known, unknown] {
        let refused =
            "the review did not arrive, or is larger than 16777216 bytes; list fewer objects at once\n";
        let answer = endpoints.post(CONVERSION, body).await;
        assert_eq!(answer, (StatusCode::PAYLOAD_TOO_LARGE, refused.to_owned()));
    }
}

#[tokio::test]
async fn a_pod_that_no_api_server_stores_is_refused() {
    let endpoints = Endpoints::ready();
    let (status, answer) = endpoints.post(REWRITING, " ".repeat(LARGEST_POD + 1)).await;
    assert_eq!((status, answer.contains("limit")), (StatusCode::PAYLOAD_TOO_LARGE, true), "{answer}");
}
