use super::standin::{Act, Asked, Log, harbor};
use crate::projects::NewProject;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::json;

fn header<'a>(asked: &'a Asked, name: &str) -> Option<&'a str> {
    asked.headers.get(name).map(|value| value.to_str().unwrap())
}

fn last(log: &Log) -> Asked {
    log.all().pop().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_ping_accepts_anything_and_has_no_credentials() {
    let (harbor, log) = harbor(|_| Act::Answer(200, Vec::new(), "Pong".to_owned()));
    harbor.system().ping().await.unwrap();
    let asked = last(&log);
    assert_eq!((asked.line().as_str(), asked.user), ("GET /ping", None));
    assert_eq!(asked.headers.get(ACCEPT).unwrap(), "*/*");
}

#[tokio::test(start_paused = true)]
async fn a_name_that_looks_like_a_number_is_a_name() {
    let (harbor, log) = harbor(|_| Act::json(json!({"name": "1234"})));
    harbor.projects().get("1234").await.unwrap();
    assert_eq!(header(&last(&log), "x-is-resource-name"), Some("true"));
    harbor.users().current().await.unwrap();
    assert_eq!(header(&last(&log), "x-is-resource-name"), None);
}

#[tokio::test(start_paused = true)]
async fn requests_carry_the_identifier_of_their_clone() {
    let (harbor, log) = harbor(|_| Act::json(json!({})));
    let tagged = harbor.with_request_id("HarborProject/a b/c\u{e9}@3");
    tagged.users().current().await.unwrap();
    assert_eq!(header(&last(&log), "x-request-id"), Some("HarborProject/a_b/c_@3"));
    harbor.users().current().await.unwrap();
    assert_eq!(header(&last(&log), "x-request-id"), None);
    assert_eq!((tagged.sent(), harbor.sent()), (1, 1), "each counts its own requests");
}

#[tokio::test(start_paused = true)]
async fn a_body_is_json_and_an_account_is_basic() {
    let (harbor, log) = harbor(|_| Act::created("/api/v2.0/projects/2"));
    let id = harbor.projects().create(&NewProject::named("alpha")).await.unwrap();
    assert_eq!(id.0, 2);
    let asked = last(&log);
    assert_eq!(asked.headers.get(CONTENT_TYPE).unwrap(), "application/json");
    assert_eq!(asked.user.as_deref(), Some("admin:Harbor12345"));
}

#[tokio::test(start_paused = true)]
async fn no_debug_output_shows_the_password() {
    let (harbor, _) = harbor(|_| Act::Break);
    let shown = format!("{harbor:?}");
    assert_eq!(shown, r#"Harbor { address: Address("http://core.example.com"), user: "admin", .. }"#);
}
