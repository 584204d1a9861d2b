//! Requests that no sane client sends: each is answered, and the server goes on.

use crate::caller::{Caller, NEWEST, admin_of};
use harborserver::{HarborServer, Image, Version};
use proptest::{
    collection::vec,
    prelude::{Just, Strategy, any, prop_oneof, proptest},
    sample::select,
    test_runner::Config,
};
use serde_json::{Value, json};

const COLLECTIONS: [&str; 20] = [
    "/projects",
    "/users",
    "/usergroups",
    "/robots",
    "/registries",
    "/replication/policies",
    "/replication/executions",
    "/retentions",
    "/labels",
    "/scanners",
    "/quotas",
    "/configurations",
    "/system/gc/schedule",
    "/system/scanAll/schedule",
    "/system/purgeaudit/schedule",
    "/system/CVEAllowlist",
    "/p2p/preheat/instances",
    "/projects/library/members",
    "/projects/library/webhook/policies",
    "/projects/library/immutabletagrules",
];

/// Asserts that an answer is a refusal in Harbor's shape or a success, and that the server goes on.
async fn goes_on(caller: &Caller, status: u16, body: &Value, what: &str) {
    // A crash of Harbor has no body.
    let refusal = body["errors"][0]["code"].is_string() && body["errors"][0]["message"].is_string();
    assert!(status < 400 || refusal || status == 500 || status == 404, "{what}: {status} {body}");
    assert_eq!(caller.get("/ping").await.body, "Pong", "{what}");
}

#[tokio::test]
async fn an_unknown_path_is_refused_in_harbors_shape() {
    let admin = admin_of(NEWEST);
    for path in ["/nonsense", "/projects/library/nonsense", "/api/v2.0", "/api/v2.0/..%2f..%2fetc", "/%00"] {
        let answer = admin.get(path).await;
        assert_eq!((answer.status, &answer.body["errors"][0]["code"]), (404, &json!("NOT_FOUND")), "{path}");
    }
    let message = admin.get("/nonsense").await;
    assert_eq!(message.message(), "path /api/v2.0/nonsense was not found");
}

#[tokio::test]
async fn bodies_that_are_not_what_they_should_be_are_refused_by_every_collection() {
    let admin = admin_of(NEWEST);
    let nested = format!("{}1{}", r#"{"a":"#.repeat(3_000), "}".repeat(3_000));
    let brackets = "[".repeat(20_000);
    let long = json!({ "name": "x".repeat(100_000), "project_name": "x".repeat(100_000) }).to_string();
    let numbers = r#"{"id":1e999,"role_id":99999999999999999999,"duration":-9223372036854775808}"#;
    let bodies = ["{", "[]", "null", "1", "\"x\"", "{}", "\u{0}", &nested, &brackets, &long, numbers];
    for path in COLLECTIONS {
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            for body in bodies {
                for content_type in ["application/json", "text/plain", "", "application/json; charset=x"] {
                    let answer = admin.send(method, path, &[("content-type", content_type)], body).await;
                    let what = format!("{method} {path} {content_type} {}", &body[..body.len().min(40)]);
                    goes_on(&admin, answer.status, &answer.body, &what).await;
                }
            }
        }
    }
}

#[tokio::test]
async fn queries_and_headers_may_be_anything() {
    let admin = admin_of(NEWEST);
    let queries = [
        "page=0&page_size=0",
        "page=-9223372036854775808&page_size=-9223372036854775808",
        "page=9223372036854775807&page_size=100",
        "page=x",
        "page_size=99999999999999999999",
        "q=%",
        "q=a%3D%25",
        "q=,,,",
        "q=name%3D%5B",
        "q=name%3D%5B~%5D",
        "q=name%3D%7B%7D",
        "q=Level%3Dproject,ProjectID%3Dx",
        "sort=-",
        "sort=,,-,",
        "&&&=&%ff=%ff",
        "scope=p&project_id=-1",
    ];
    for path in COLLECTIONS {
        for query in queries {
            let answer = admin.get(&format!("{path}?{query}")).await;
            goes_on(&admin, answer.status, &answer.body, &format!("{path}?{query}")).await;
        }
    }
    let anonymous = Caller::anonymous(admin.server());
    for header in
        ["", "Basic", "Basic !", "Basic Og==", "Basic YTo=", "Bearer x", "Harbor-Secret", "basic  YWRtaW4="]
    {
        let answer = anonymous.send("GET", "/users", &[("authorization", header)], "").await;
        assert_eq!(answer.status, 401, "{header}");
    }
    for header in ["", ";", "a/b;", "*/*", ",,,", "text/html, */*;q=0"] {
        let answer = admin.send("GET", "/projects", &[("accept", header)], "").await;
        goes_on(&admin, answer.status, &answer.body, header).await;
    }
}

#[tokio::test]
async fn a_body_without_end_is_refused() {
    let admin = admin_of(NEWEST);
    let answer = admin.send("POST", "/projects", &[], &" ".repeat(4 * 1024 * 1024 + 1)).await;
    assert_eq!(answer.status, 413);
}

/// Pieces of paths that mean something, and pieces that do not.
fn piece() -> impl Strategy<Value = String> {
    const KNOWN: [&str; 55] = [
        "projects",
        "library",
        "1",
        "0",
        "-1",
        "members",
        "robots",
        "metadatas",
        "public",
        "webhook",
        "policies",
        "executions",
        "immutabletagrules",
        "repositories",
        "app",
        "artifacts",
        "v1",
        "tags",
        "labels",
        "scan",
        "scanner",
        "summary",
        "_deletable",
        "users",
        "current",
        "search",
        "password",
        "sysadmin",
        "system",
        "gc",
        "schedule",
        "log",
        "purgeaudit",
        "jobservice",
        "queues",
        "all",
        "retentions",
        "tasks",
        "registries",
        "ping",
        "info",
        "replication",
        "quotas",
        "schedules",
        "paused",
        "p2p",
        "preheat",
        "instances",
        "usergroups",
        "systeminfo",
        "configurations",
        "99999999999999999999",
        "%2F",
        "%252F",
        "..",
    ];
    prop_oneof![8 => select(&KNOWN[..]).prop_map(str::to_owned), 1 => "[a-z0-9%.~-]{0,8}"]
}

/// Any JSON, with the names of fields that the API knows.
fn value() -> impl Strategy<Value = Value> {
    const NAMES: [&str; 38] = [
        "name",
        "project_name",
        "metadata",
        "public",
        "level",
        "duration",
        "permissions",
        "kind",
        "namespace",
        "access",
        "resource",
        "action",
        "schedule",
        "type",
        "cron",
        "parameters",
        "workers",
        "rules",
        "scope",
        "ref",
        "trigger",
        "settings",
        "targets",
        "event_types",
        "role_id",
        "member_user",
        "member_group",
        "hard",
        "storage",
        "id",
        "url",
        "credential",
        "filters",
        "value",
        "items",
        "cve_id",
        "secret",
        "enabled",
    ];
    const TEXTS: [&str; 12] = [
        "",
        "system",
        "project",
        "library",
        "/",
        "*",
        "Custom",
        "None",
        "Manual",
        "0 0 0 * * *",
        "true",
        "http",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        select(&TEXTS[..]).prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((select(&NAMES[..]), inner), 0..6).prop_map(|fields| fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    #[test]
    fn whatever_is_sent_is_answered(
        requests in vec((select(vec!["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]), vec(piece(), 1..7), value()), 1..12),
        minor in select(vec![5_u8, 9, 15]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let server = HarborServer::new(Version::new(minor, 2), crate::caller::ADMIN_PASSWORD);
            server.push(&Image::new("library/app", "v1"), "admin").unwrap();
            let admin = Caller::admin(&server);
            for (method, pieces, body) in requests {
                let path = format!("/{}", pieces.join("/"));
                let answer = admin.send(method, &path, &[], &body.to_string()).await;
                assert!((200..=599).contains(&answer.status));
                goes_on(&admin, 200, &Value::Null, &path).await;
            }
        });
    }
}
