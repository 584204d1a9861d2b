//! Ephemeral containers of pods: an endpoint of their own, through which they can only be added.

use crate::requests::{Answer, Caller};
use apiserver::ApiServer;
use serde_json::{Value, json};

const PODS: &str = "/api/v1/namespaces/default/pods";
const POD: &str = "/api/v1/namespaces/default/pods/web";
const ENDPOINT: &str = "/api/v1/namespaces/default/pods/web/ephemeralcontainers";

/// A server with the pod `web`.
async fn with_pod() -> Caller {
    let caller = Caller::of(&ApiServer::builder().seed(1).build().unwrap());
    let spec = json!({"containers": [{"name": "web", "image": "nginx"}]});
    caller.created(PODS, &json!({"metadata": {"name": "web"}, "spec": spec})).await;
    caller
}

/// Sends these ephemeral containers in a merge patch.
async fn patch(caller: &Caller, containers: Value) -> Answer {
    caller.merge(ENDPOINT, &json!({"spec": {"ephemeralContainers": containers}})).await
}

/// Name, image and policy of the ephemeral containers.
fn shown(pod: &Value) -> Vec<(&str, &str, &str)> {
    let containers = pod["spec"]["ephemeralContainers"].as_array().into_iter().flatten();
    let shown = containers
        .map(|it| ["name", "image", "imagePullPolicy"].map(|field| it[field].as_str().unwrap_or("")));
    shown.map(|[name, image, policy]| (name, image, policy)).collect()
}

fn message((code, status): Answer) -> (u16, String) {
    (code, status["message"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn they_are_added_by_a_patch_and_by_a_put_of_the_whole_pod() {
    let caller = with_pod().await;
    let first = json!({"name": "first", "image": "busybox:1.36", "targetContainerName": "web"});
    let (code, pod) = patch(&caller, json!([first])).await;
    assert_eq!((code, shown(&pod)), (200, vec![("first", "busybox:1.36", "IfNotPresent")]));

    let mut pod = caller.object(ENDPOINT).await;
    let second = json!({"name": "second", "image": "alpine"});
    pod["spec"]["ephemeralContainers"].as_array_mut().unwrap().push(second);
    let (code, answer) = caller.send("PUT", ENDPOINT, "application/json", pod.to_string()).await;
    assert_eq!(code, 200, "{answer}");
    let expected = [("first", "busybox:1.36", "IfNotPresent"), ("second", "alpine", "Always")];
    assert_eq!(shown(&caller.object(POD).await), expected);
}

#[tokio::test]
async fn nothing_else_is_changed_through_their_endpoint() {
    let caller = with_pod().await;
    let before = caller.object(POD).await;
    let change = json!({
        "metadata": {"labels": {"a": "b"}, "annotations": {"a": "b"}, "finalizers": ["example.com/f"]},
        "spec": {
            "containers": [{"name": "web", "image": "other"}],
            "ephemeralContainers": [{"name": "first", "image": "busybox"}],
        },
        "status": {"phase": "Failed"},
    });
    let (code, answer) = caller.merge(ENDPOINT, &change).await;
    assert_eq!(code, 200, "{answer}");
    let mut after = caller.object(POD).await;
    assert_eq!(shown(&after), [("first", "busybox", "Always")]);
    after["spec"].as_object_mut().unwrap().remove("ephemeralContainers");
    for (metadata, field) in
        [(true, "labels"), (true, "annotations"), (true, "finalizers"), (false, "spec"), (false, "status")]
    {
        let part = |pod: &Value| if metadata { pod["metadata"][field].clone() } else { pod[field].clone() };
        assert_eq!(part(&after), part(&before), "{field}");
    }
}

#[tokio::test]
async fn they_stay_as_they_are() {
    let caller = with_pod().await;
    let (code, _) = patch(&caller, json!([{"name": "first", "image": "busybox"}])).await;
    assert_eq!(code, 200);
    let changed = patch(&caller, json!([{"name": "first", "image": "alpine"}])).await;
    let why = r#"Pod "web" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers "first" may not be "#;
    assert_eq!(message(changed), (422, format!("{why}changed")));
    let removed = patch(&caller, json!([])).await;
    assert_eq!(message(removed), (422, format!("{why}removed\n")));
    assert_eq!(shown(&caller.object(POD).await), [("first", "busybox", "Always")]);
}

#[tokio::test]
async fn a_wrong_one_is_refused_with_its_place() {
    let caller = with_pod().await;
    let place = r#"Pod "web" is invalid: spec.ephemeralContainers[0]"#;
    for (container, why) in [
        (json!({"name": "web", "image": "busybox"}), r#".name: Duplicate value: "web""#),
        (json!({"name": "a"}), ".image: Required value"),
        (
            json!({"name": "a", "image": "busybox", "targetContainerName": "none"}),
            r#".targetContainerName: Not found: "none""#,
        ),
        (
            json!({"name": "a", "image": "busybox", "ports": [{"containerPort": 80}]}),
            ".ports: Forbidden: cannot be set for an Ephemeral Container",
        ),
    ] {
        assert_eq!(message(patch(&caller, json!([container])).await), (422, format!("{place}{why}")));
    }
}

#[tokio::test]
async fn they_are_neither_created_with_a_pod_nor_changed_through_it() {
    let caller = with_pod().await;
    let spec = json!({
        "containers": [{"name": "web", "image": "nginx"}],
        "ephemeralContainers": [{"name": "first", "image": "busybox"}],
    });
    let refused = caller.create(PODS, &json!({"metadata": {"name": "other"}, "spec": spec})).await;
    let why = r#"Pod "other" is invalid: spec.ephemeralContainers: Forbidden: cannot be set on create"#;
    assert_eq!(message(refused), (422, why.to_owned()));
    let (code, _) =
        caller.merge(POD, &json!({"spec": {"ephemeralContainers": spec["ephemeralContainers"]}})).await;
    assert_eq!(code, 422);
    let missing = caller.get("/api/v1/namespaces/default/pods/none/ephemeralcontainers").await;
    assert_eq!(missing.0, 404);
}
