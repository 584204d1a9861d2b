use crate::{
    Class, Error, Failure, Harbor, Message,
    client::{
        decode::decode,
        tests::standin::{Act, harbor},
    },
    configurations::Configurations,
    immutable_rules::ImmutableRule,
    members::Member,
    projects::Project,
    quotas::Quota,
    registries::Registry,
    replication::ReplicationPolicy,
    retention::RetentionPolicy,
    robots::Robot,
    scanners::Scanner,
    schedules::Job,
    system::{GeneralInfo, Health},
    users::User,
    webhooks::Webhook,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Reads a body as every type.
fn read_all(body: &[u8]) -> usize {
    [
        decode::<Project>(body).is_ok(),
        decode::<Vec<Member>>(body).is_ok(),
        decode::<Registry>(body).is_ok(),
        decode::<ReplicationPolicy>(body).ok().and_then(|policy| policy.sent()).is_some(),
        decode::<RetentionPolicy>(body).is_ok_and(|policy| policy.is_as(&policy)),
        decode::<ImmutableRule>(body).is_ok_and(|rule| rule.content() == rule.content()),
        decode::<Webhook>(body).is_ok(),
        decode::<Robot>(body).is_ok(),
        decode::<Quota>(body).is_ok(),
        decode::<Scanner>(body).is_ok(),
        decode::<Job>(body).is_ok(),
        decode::<User>(body).is_ok(),
        decode::<Health>(body).is_ok(),
        decode::<GeneralInfo>(body).is_ok(),
        decode::<Configurations>(body).is_ok(),
    ]
    .into_iter()
    .filter(|read| *read)
    .count()
}

/// Values with the names of real fields in wrong places.
fn confused() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    let name = prop::sample::select(vec![
        "id",
        "name",
        "project_id",
        "metadata",
        "cve_allowlist",
        "items",
        "role_id",
        "url",
        "credential",
        "filters",
        "trigger",
        "trigger_settings",
        "rules",
        "params",
        "tag_selectors",
        "scope_selectors",
        "extras",
        "targets",
        "permissions",
        "access",
        "hard",
        "ref",
        "storage",
        "schedule",
        "job_parameters",
        "components",
        "value",
        "editable",
        "creation_time",
        "src_registry",
        "speed",
        "dest_namespace_replace_count",
    ]);
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..6).prop_map(|fields| fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn bytes_are_read_or_refused(body in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&body);
    }

    #[test]
    fn confused_answers_are_read_or_refused(body in confused()) {
        read_all(body.to_string().as_bytes());
    }
}

#[test]
fn an_empty_object_is_everything_with_its_defaults() {
    assert_eq!(read_all(b"{}"), 14);
}

#[test]
fn deep_nesting_is_refused() {
    assert_eq!(read_all("[".repeat(100_000).as_bytes()), 0);
    assert_eq!(read_all("{\"a\":".repeat(100_000).as_bytes()), 0);
}

#[test]
fn a_wrong_value_is_located_but_not_shown() {
    let body = json!({"credential": {"type": {"secret": "hunter2"}}}).to_string();
    let problem = decode::<Registry>(body.as_bytes()).unwrap_err();
    assert_eq!(problem, Message::new("the body has an unexpected value at credential.type"));
}

async fn answered(status: u16, headers: Vec<(&'static str, String)>, body: &str) -> Vec<Error> {
    let body = body.to_owned();
    let (harbor, _) = harbor(move |_| Act::Answer(status, headers.clone(), body.clone()));
    failures(&harbor).await
}

async fn failures(harbor: &Harbor) -> Vec<Error> {
    let project = crate::projects::NewProject::named("a");
    [
        harbor.projects().list().await.err(),
        harbor.projects().get("a").await.err(),
        harbor.projects().create(&project).await.err(),
        harbor.system().ping().await.err(),
        harbor.server_info().await.err(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_harbor_is_an_unexpected_answer() {
    let page = "<!doctype html><html><body>Welcome</body></html>";
    for (status, headers) in [
        (200, vec![]),
        (201, vec![("location", "https://elsewhere.example.com/".to_owned())]),
        (302, vec![("location", "/login".to_owned())]),
        (404, vec![]),
        (418, vec![]),
    ] {
        let failures = answered(status, headers, page).await;
        assert_eq!(failures.len(), 5, "{status}");
        for error in failures {
            assert!(matches!(error.failure(), Failure::Unexpected(_)), "{status}: {error}");
            assert_eq!(error.class(), Class::Internal);
            assert!(!error.to_string().contains("Welcome"), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_object_without_a_number_is_unexpected() {
    for location in ["", "/", "/api/v2.0/projects/alpha", "/api/v2.0/projects/99999999999999999999"] {
        let failures = answered(201, vec![("location", location.to_owned())], "{}").await;
        assert!(failures.iter().any(|error| error.call().to_string() == "POST /projects"), "{location}");
    }
}
