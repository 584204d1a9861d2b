//! The answers of the page, without a browser.

use crate::support::{Answer, World, key};
use http::{Method, StatusCode, header};
use plan::{ObjectKey, System, Verdict};
use progress::{Planned, Stage, State};
use serde_json::json;

#[tokio::test]
async fn the_list_shows_state_version_url_and_reason() {
    let world = World::new().await;
    let stack = key("Stack", "harbor");
    world.see(&stack, json!({"spec": {"version": "2.15.0", "url": "https://registry.example"}}));
    world.plan(&stack, &[("Deployment", "harbor-core", &[])]);
    let message = "Deployment ns/harbor-core: 0 of 1 replicas are available".to_owned();
    world.report(&stack, Stage::Concluded(Verdict::Progressing { reason: Verdict::WAITING, message }));
    let list = world.get("/").await;
    assert_eq!(list.status, StatusCode::OK);
    for words in [
        r#"<span class="state waiting">"#,
        r#"href="/ns/Stack/harbor">harbor</a>"#,
        "2.15.0",
        r#"<a href="https://registry.example" rel="noopener noreferrer">https://registry.example</a>"#,
        "Deployment ns/harbor-core: 0 of 1 replicas are available",
        r#"<time datetime="2026-01-02T03:04:05Z" title="2026-01-02T03:04:05Z">0s</time>"#,
        "1 in all, 1 waiting",
    ] {
        assert!(list.text.contains(words), "{words}: {}", list.text);
    }
}

#[tokio::test]
async fn an_empty_list_explains_that_a_standby_shows_nothing() {
    let list = World::new().await.get("/").await;
    assert!(
        list.text.contains("A standby operator shows nothing until it becomes the leader."),
        "{}",
        list.text
    );
}

#[tokio::test]
async fn only_a_web_address_becomes_a_link() {
    let world = World::new().await;
    world.see(&key("Stack", "s"), json!({"spec": {"url": "javascript:alert(1)"}}));
    let list = world.get("/").await;
    assert!(
        list.text.contains("javascript:alert(1)") && !list.text.contains("href=\"javascript"),
        "{}",
        list.text
    );
}

#[tokio::test]
async fn an_installation_is_shown_as_a_tree_with_the_reason_at_its_cause() {
    let world = World::a_stack().await;
    let page = world.get("/ns/Stack/harbor").await;
    for words in [
        "1 of 3 objects ready, 1 waiting, 1 blocked",
        r#"<p id="why" class="notice waiting"><a href="/ns/Deployment/harbor-core" data-node>Deployment harbor-core</a>: 0 of 1 replicas are available</p>"#,
        r#"<a id="node-ns-Stack-harbor" class="box waiting" href="/ns/Stack/harbor#details" data-node aria-label="Stack harbor: waiting, 1 of 3 ready" aria-current="true">"#,
        r#"<a id="node-ns-Deployment-harbor-core" class="box waiting" href="/ns/Deployment/harbor-core#details" data-node aria-label="Deployment harbor-core: waiting, 0 of 1 replicas are available">"#,
        r#"<span class="name"><span class="shared">harbor-</span>jobs</span>"#,
        r#"<span class="word">waiting <time datetime="2026-01-02T03:04:05Z" title="2026-01-02T03:04:05Z">0s</time></span>"#,
        r#"<datalist id="kinds"><option value="Deployment"><option value="Secret"><option value="Stack"></datalist>"#,
        r#"<a class="harbor" href="https://registry.example" rel="noopener noreferrer">https://registry.example</a>"#,
    ] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
    let position = |name: &str| page.text.find(&format!("id=\"node-ns-{name}\""));
    assert!(position("Deployment-harbor-core") < position("Deployment-harbor-jobs"));
    assert!(position("Deployment-harbor-jobs") < position("Secret-harbor-keys"), "what is ready comes last");
}

#[tokio::test]
async fn a_filter_in_the_address_leaves_what_matches_and_its_owners() {
    let world = World::a_stack().await;
    let boxes = async |query: &str| {
        let text = world.get(&format!("/ns/Stack/harbor{query}")).await.text;
        let ids = text.split("<a id=\"node-ns-").skip(1).filter_map(|rest| rest.split('"').next());
        (ids.map(str::to_owned).collect::<Vec<_>>(), text)
    };
    let (all, text) = boxes("").await;
    assert_eq!(
        all,
        ["Stack-harbor", "Deployment-harbor-core", "Deployment-harbor-jobs", "Secret-harbor-keys"]
    );
    assert!(text.contains("role=\"status\"></p>\n</div>"), "{text}");
    let (found, text) = boxes("?q=deployment+CORE").await;
    assert_eq!(found, ["Stack-harbor", "Deployment-harbor-core"]);
    for words in [
        "<p id=\"found\" class=\"muted\" role=\"status\">1 object matches</p>",
        "value=\"deployment CORE\"",
        "class=\"box waiting context\" href=\"/ns/Stack/harbor?q=deployment+CORE#details\"",
        "href=\"/ns/Stack/harbor?state=blocked&#38;q=deployment+CORE\"",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(boxes("?state=ready").await.0, ["Stack-harbor", "Secret-harbor-keys"]);
    let (found, text) = boxes("?q=nothing").await;
    assert_eq!(found, ["Stack-harbor"]);
    assert!(text.contains("No match. <a href=\"/ns/Stack/harbor\">Show all.</a>"), "{text}");
}

#[tokio::test]
async fn order_is_marked_on_the_boxes_and_told_apart_from_ownership() {
    let world = World::a_stack().await;
    let page = world.get("/ns/Deployment/harbor-core").await;
    for words in [
        "aria-label=\"Secret harbor-keys: ready, created before the selected object\"",
        "aria-label=\"Deployment harbor-jobs: blocked, waits for Deployment harbor-core, created after the selected object\"",
        "<dt>Waits for</dt><dd><ul class=\"plain\"><li><span class=\"signed ready\">",
        "<dt>Wait for it</dt><dd><ul class=\"plain\"><li><span class=\"signed blocked\">",
        "<span class=\"order\">before</span>",
    ] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
    let page = world.get("/ns/Stack/harbor").await;
    assert!(!page.text.contains("class=\"order\""), "nothing is before or after the whole: {}", page.text);
}

#[tokio::test]
async fn commands_name_the_object_and_its_namespace() {
    let world = World::a_stack().await;
    let lines = async |path: &str| {
        let text = world.get(path).await.text;
        let lines = text.split("class=\"line\">").skip(1).filter_map(|rest| rest.split("</code>").next());
        lines.map(|line| line.replace("<span>", "").replace("</span>", "")).collect::<Vec<_>>()
    };
    assert_eq!(
        lines("/ns/Deployment/harbor-core").await,
        [
            "kubectl -n ns describe deployments.apps/harbor-core",
            "kubectl -n ns get deployments.apps/harbor-core -o yaml",
            "kubectl -n ns events --for deployments.apps/harbor-core",
            "kubectl -n ns logs deployments.apps/harbor-core --all-containers --tail=100",
        ]
    );
    assert_eq!(lines("/ns/Stack/harbor").await[0], "operator status stack/harbor -n ns");
}

#[tokio::test]
async fn what_happened_is_told_from_conditions_events_and_states() {
    let world = World::a_stack().await;
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "harbor-core", "namespace": "ns"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
            "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "core", "image": "core"}]},
        }},
    });
    world.create("/apis/apps/v1/namespaces/ns/deployments", deployment).await;
    let condition = json!({"status": {"conditions": [{
        "type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable", "message": "none is ready",
        "lastTransitionTime": "2026-01-02T03:03:05Z",
    }]}});
    world.patch_status("/apis/apps/v1/namespaces/ns/deployments/harbor-core", condition).await;
    let event = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "ns"},
        "involvedObject": {"kind": "Deployment", "name": "harbor-core", "namespace": "ns"},
        "reason": "ScalingReplicaSet", "message": "scaled up", "type": "Normal", "lastTimestamp": "2026-01-02T03:03:35Z",
    });
    world.create("/api/v1/namespaces/ns/events", event).await;
    let page = world.get("/ns/Deployment/harbor-core").await;
    let timeline = page.text.split("<ol class=\"timeline\">").nth(1).unwrap().split("</ol>").next().unwrap();
    let told: Vec<_> =
        timeline.split("<strong>").skip(1).filter_map(|rest| rest.split("</strong>").next()).collect();
    assert_eq!(told, ["State: waiting", "Created", "ScalingReplicaSet", "Available: False"], "{timeline}");
    assert!(timeline.contains("MinimumReplicasUnavailable: none is ready"), "{timeline}");
    let page = world.get("/ns/Stack/harbor").await;
    assert!(page.text.contains("<strong>Deployment harbor-core: waiting</strong>"), "{}", page.text);
}

#[tokio::test]
async fn a_child_is_shown_with_its_manifest_its_events_and_its_owner() {
    let world = World::a_stack().await;
    world
        .create(
            "/api/v1/namespaces/ns/events",
            json!({
                "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "ns"},
                "involvedObject": {"kind": "Secret", "name": "harbor-keys", "namespace": "ns"},
                "reason": "Turned", "message": "the key was turned", "type": "Warning", "count": 3,
                "lastTimestamp": "2026-01-02T03:02:05Z",
            }),
        )
        .await;
    world
        .create("/api/v1/namespaces/ns/events", json!({
            "apiVersion": "v1", "kind": "Event", "metadata": {"name": "other", "namespace": "ns"},
            "involvedObject": {"kind": "Secret", "name": "another", "namespace": "ns"}, "message": "not this one",
        }))
        .await;
    let page = world.get("/ns/Secret/harbor-keys").await;
    for words in [
        r#"<li><a href="/ns/Stack/harbor">Stack harbor</a></li>"#,
        "Turned",
        "the key was turned",
        "(3 times)",
        r#"<time datetime="2026-01-02T03:02:05Z" title="2026-01-02T03:02:05Z">2m</time>"#,
        "kind: Secret\nmetadata:\n  name: harbor-keys\n",
        "password: (hidden)",
    ] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
    for words in ["hunter2", "aHVudGVyMg==", "last-applied", "managedFields", "not this one"] {
        assert!(!page.text.contains(words), "{words}: {}", page.text);
    }
}

#[tokio::test]
async fn an_object_of_the_whole_cluster_has_a_page_on_this_host() {
    let world = World::new().await;
    let settings = ObjectKey::new("example.com", "Settings", "", "main");
    world.see(&settings, json!({}));
    world.report(&settings, Stage::Concluded(Verdict::Ready));
    let list = world.get("/").await;
    let line = r#"href="/-/Settings/main">main</a> <span class="muted">Settings</span>"#;
    assert!(list.text.contains(line), "{}", list.text);
    let page = world.get("/-/Settings/main").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(!page.text.contains("<dt>Namespace</dt>"), "{}", page.text);
    assert!(page.text.contains("data-changes=\"/-/Settings/main/changes\""), "{}", page.text);
    world.stream("/-/Settings/main/changes").await;
    let unknown = world.get("/-/Settings/other").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    assert!(unknown.text.contains("does not know Settings other."), "{}", unknown.text);
}

#[tokio::test]
async fn an_object_outside_the_cluster_is_shown_with_its_system_its_state_and_the_object_that_describes_it() {
    let world = World::new().await;
    world.build().await;
    let owner = key("Secret", "harbor-keys");
    let project =
        |harbor: &str| ObjectKey::external(&System::new("harbor", harbor, "acme"), "project", "alpha");
    let (here, there) = (project("registry"), project("other"));
    let planned = [&here, &there].map(|object| Planned { object: object.clone(), after: vec![] });
    world.report(&owner, Stage::Planned(planned.into()));
    let why = "differs in public".to_owned();
    world.report(&owner, Stage::Child { object: here, state: State::Waiting(why) });
    world.report(&owner, Stage::Child { object: there, state: State::Ready });
    let page = world.get("/ns/Secret/harbor-keys").await;
    assert!(page.text.contains(r#"href="/harbor%3Aregistry%2Facme/project/alpha""#), "{}", page.text);

    let page = world.get("/harbor%3Aregistry%2Facme/project/alpha").await;
    for words in [
        r#"<span class="state waiting">"#,
        "differs in public",
        "<dt>Lives in</dt><dd>harbor registry/acme</dd>",
        r#"<dt>Described by</dt><dd><a href="/ns/Secret/harbor-keys" data-node>Secret harbor-keys</a></dd>"#,
        r#"<h3 id="manifest">What is desired</h3>"#,
        "kind: Secret\nmetadata:\n  name: harbor-keys\n",
    ] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
    for words in ["· event", "cannot be shown", "<dt>Namespace</dt>", "hunter2", "kubectl"] {
        assert!(!page.text.contains(words), "{words}: {}", page.text);
    }
    let page = world.get("/harbor%3Aother%2Facme/project/alpha").await;
    assert!(page.text.contains(r#"<span class="state ready">"#), "of the same name, in another Harbor");
}

#[tokio::test]
async fn a_failed_read_is_reported_and_the_rest_is_shown() {
    let world = World::a_stack().await;
    let page = world.get("/ns/Deployment/harbor-core").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("The manifest cannot be shown: it does not exist"), "{}", page.text);
    let page = world.forbid().get("/ns/Deployment/harbor-core").await;
    assert!(page.text.contains("the operator may not list events (API group &#34;&#34;)"), "{}", page.text);
    assert!(page.text.contains("the operator may not get deployments (API group apps)"), "{}", page.text);
}

#[tokio::test]
async fn objects_that_the_operator_does_not_report_are_not_shown() {
    let world = World::a_stack().await;
    world
        .create(
            "/api/v1/namespaces/ns/secrets",
            json!({
                "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "foreign", "namespace": "ns"},
                "stringData": {"key": "hunter2"},
            }),
        )
        .await;
    let page = world.get("/ns/Secret/foreign").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert!(!page.text.contains("hidden)"), "{}", page.text);
}

#[tokio::test]
async fn hostile_names_and_messages_stay_text() {
    let world = World::new().await;
    let hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";
    let stack = key("Stack", hostile);
    world.see(&stack, json!({"spec": {"version": hostile, "url": format!("https://x/{hostile}")}}));
    world.plan(&stack, &[("Secret", hostile, &[])]);
    world.child(&stack, ("Secret", hostile), State::Waiting(hostile.into()));
    world.report(&stack, Stage::Concluded(Verdict::Stalled { reason: "Invalid", message: hostile.into() }));
    let path = "/ns/Stack/%3Cscript%3Ealert%281%29%3C%2Fscript%3E%22%27%3E%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E";
    let query = "/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E";
    for address in ["/", path, query] {
        let page = world.get(address).await;
        assert_eq!(page.status, StatusCode::OK, "{address}");
        assert!(!page.text.contains("<script>") && !page.text.contains("<img"), "{}", page.text);
        assert!(!page.text.contains("\"'>"), "{}", page.text);
    }
    assert!(world.get(path).await.text.contains("&#60;script&#62;alert(1)"), "it is shown as it is");
}

#[tokio::test]
async fn every_answer_has_strict_security_headers() {
    let world = World::a_stack().await;
    for address in
        ["/", "/ns/Stack/harbor", "/ns/Stack/none", "/nowhere", "/page.css", "/page.js", "/icon.svg"]
    {
        let Answer { headers, .. } = world.get(address).await;
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'"), "{address}");
        assert!(!policy.contains("unsafe"), "{address}");
        let plain = [
            header::X_CONTENT_TYPE_OPTIONS,
            header::X_FRAME_OPTIONS,
            header::REFERRER_POLICY,
            header::CACHE_CONTROL,
        ];
        let plain = plain.map(|name| headers[name].to_str().unwrap().to_owned());
        assert_eq!(plain, ["nosniff", "DENY", "no-referrer", "no-store"], "{address}");
    }
}

#[tokio::test]
async fn it_is_read_only() {
    let world = World::a_stack().await;
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS] {
        let answer = world.ask(&method, "/ns/Stack/harbor", "localhost").await;
        assert_eq!(
            (answer.status, &answer.headers[header::ALLOW]),
            (StatusCode::METHOD_NOT_ALLOWED, &"GET, HEAD".parse().unwrap())
        );
    }
    let head = world.ask(&Method::HEAD, "/ns/Stack/harbor", "localhost").await;
    assert_eq!((head.status, head.text.as_str()), (StatusCode::OK, ""));
}

#[tokio::test]
async fn on_the_loopback_address_only_hosts_of_this_machine_are_accepted() {
    let world = World::new().await;
    for host in ["localhost", "LOCALHOST:8090", "127.0.0.1:1", "127.1.2.3", "[::1]:8090"] {
        assert_eq!(world.ask(&Method::GET, "/", host).await.status, StatusCode::OK, "{host}");
    }
    for host in
        ["evil.example", "localhost.evil.example", "10.0.0.1", "[::2]", "", "127.0.0.1@evil.example:80x"]
    {
        assert_eq!(world.ask(&Method::GET, "/", host).await.status, StatusCode::FORBIDDEN, "{host}");
    }
}

#[tokio::test]
async fn the_stream_begins_with_an_event_and_then_has_the_changes_of_its_object_only() {
    let world = World::a_stack().await;
    let mut stream = world.stream("/ns/Stack/harbor/changes").await;
    let first = stream.next().await;
    world.report(&key("Stack", "another"), Stage::Paused);
    world.report(&key("Stack", "harbor"), Stage::Concluded(Verdict::Ready));
    let second = stream.next().await;
    assert_ne!(first, second);
    world.report(&key("Stack", "harbor"), Stage::Deleted);
    world.report(&key("Stack", "another"), Stage::Deleted);
    assert_eq!(stream.next().await, "data: gone\n\n");
}

#[tokio::test]
async fn the_number_of_streams_is_limited() {
    let world = World::new().await;
    let mut streams = Vec::new();
    for _ in 0..64 {
        streams.push(world.stream("/changes").await);
    }
    assert_eq!(world.get("/changes").await.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(world.get("/").await.status, StatusCode::OK, "the page itself is still served");
    streams.pop();
    world.stream("/changes").await;
}

#[tokio::test]
async fn an_object_that_another_operator_created_names_its_owner_and_what_waits_for_it() {
    let world = World::a_stack().await;
    let labels = json!({"app": "jobs"});
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "jobs", "image": "jobs:1"}]}});
    let deployment = |name: &str, owners: serde_json::Value| {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "ownerReferences": owners},
            "spec": {"selector": {"matchLabels": labels}, "template": template},
        })
    };
    let deployments = "/apis/apps/v1/namespaces/ns/deployments";
    let core = world.create(deployments, deployment("harbor-core", json!([]))).await;
    let uid = &core["metadata"]["uid"];
    let owner = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "harbor-core", "uid": uid, "controller": true});
    world.create(deployments, deployment("harbor-jobs", json!([owner]))).await;
    let page = world.get("/ns/Deployment/harbor-jobs").await;
    for words in [
        r#"<dt>Owned by</dt><dd><a href="/ns/Deployment/harbor-core" data-node>Deployment harbor-core</a></dd>"#,
        r#"<dt>Awaited by</dt><dd><a href="/ns/Stack/harbor" data-node>Stack harbor</a></dd>"#,
    ] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
    let secret = world.get("/ns/Secret/harbor-keys").await;
    let by_stack = r#"<dt>Owned by</dt><dd><a href="/ns/Stack/harbor" data-node>Stack harbor</a></dd>"#;
    assert!(secret.text.contains(by_stack) && !secret.text.contains("Awaited by"), "{}", secret.text);
}

#[tokio::test]
async fn a_reason_does_not_repeat_the_name_of_its_object() {
    let world = World::a_stack().await;
    let core = ("Deployment", "harbor-core");
    let why = "Deployment ns/harbor-core: ReplicaSet \"core-1\" has timed out progressing".to_owned();
    world.child(&key("Stack", "harbor"), core, State::Waiting(why));
    let page = world.get("/ns/Stack/harbor").await;
    let said =
        "data-node>Deployment harbor-core</a>: ReplicaSet &#34;core-1&#34; has timed out progressing</p>";
    assert!(page.text.contains(said), "{}", page.text);
    assert!(!page.text.contains("Deployment ns/harbor-core: ReplicaSet"), "{}", page.text);
}
