use super::standin::{Act, Asked, harbor};
use crate::{
    Class, Credentials, Deletion, Dependency, Failure, Message,
    garbage_collection::Parameters,
    labels::LabelScope,
    users::{PasswordChange, Users},
};
use serde_json::json;
use std::time::Duration;
use tokio::time::{advance, sleep};

const GOOD: &str = "admin:Correct1";

/// Rejects all passwords but one.
fn strict(asked: &Asked) -> Act {
    match (asked.path.as_str(), asked.user.as_deref()) {
        ("/health", _) => health("healthy"),
        (_, Some(GOOD)) => Act::json(json!({})),
        _ => Act::status(401),
    }
}

fn health(database: &str) -> Act {
    Act::json(json!({"status": database, "components": [{"name": "database", "status": database}]}))
}

fn rejected() -> Failure {
    Failure::CredentialsRejected { user: "admin".to_owned() }
}

#[tokio::test(start_paused = true)]
async fn rejected_credentials_are_not_sent_again() {
    let (harbor, log) = harbor(strict);
    let error = harbor.users().current().await.unwrap_err();
    assert_eq!((error.failure(), error.class()), (&rejected(), Class::Forbidden));
    assert_eq!(log.take(), ["GET /users/current", "GET /health"]);
    for _ in 0..3 {
        assert_eq!(*harbor.projects().list().await.unwrap_err().failure(), rejected());
    }
    assert_eq!(log.take(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_second_rejection_counts_for_five_minutes() {
    let (harbor, log) = harbor(strict);
    let fails = async || assert_eq!(*harbor.users().current().await.unwrap_err().failure(), rejected());
    fails().await;
    advance(Duration::from_secs(15)).await;
    fails().await;
    assert_eq!(log.take().len(), 4);
    advance(Duration::from_secs(299)).await;
    fails().await;
    assert_eq!(log.take(), [""; 0]);
    advance(Duration::from_secs(1)).await;
    fails().await;
    assert_eq!(log.take(), ["GET /users/current", "GET /health"]);
}

#[tokio::test(start_paused = true)]
async fn new_credentials_are_sent_at_once() {
    let (harbor, log) = harbor(strict);
    harbor.users().current().await.unwrap_err();
    harbor.set_credentials(Credentials::new("admin", "Harbor12345"));
    assert_eq!(*harbor.users().current().await.unwrap_err().failure(), rejected());
    log.take();
    harbor.set_credentials(Credentials::new("admin", "Correct1"));
    harbor.users().current().await.unwrap();
    assert_eq!(log.take(), ["GET /users/current"]);
}

#[tokio::test(start_paused = true)]
async fn one_request_finds_out_whether_old_credentials_are_accepted_again() {
    let (harbor, log) = harbor(|asked| match asked.path.as_str() {
        "/health" => health("healthy"),
        _ if asked.at < Duration::from_secs(10) => Act::status(401),
        _ => Act::json(json!({})).after(Duration::from_secs(2)),
    });
    harbor.users().current().await.unwrap_err();
    advance(Duration::from_secs(16)).await;
    log.take();
    let trial = tokio::spawn({
        let harbor = harbor.clone();
        async move { harbor.users().current().await.map(drop) }
    });
    sleep(Duration::from_secs(1)).await;
    assert_eq!(*harbor.users().current().await.unwrap_err().failure(), rejected());
    trial.await.unwrap().unwrap();
    harbor.users().current().await.unwrap();
    assert_eq!(log.take().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn health_is_asked_for_once_when_several_requests_are_rejected() {
    let (harbor, log) = harbor(|asked| strict(asked).after(Duration::from_secs(2)));
    let ask = || harbor.users();
    let (a, b, c, d) = (ask(), ask(), ask(), ask());
    let answers = tokio::join!(a.current(), b.current(), c.current(), d.current());
    let failed = [answers.0, answers.1, answers.2, answers.3].map(|answer| answer.unwrap_err());
    assert!(failed.iter().all(|error| *error.failure() == rejected()));
    let asked = log.take();
    assert_eq!(asked.iter().filter(|line| *line == "GET /health").count(), 1, "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn a_rejection_is_not_believed_while_the_database_is_down() {
    let (harbor, log) = harbor(|asked| match asked.path.as_str() {
        "/health" => health("unhealthy"),
        _ => Act::status(401),
    });
    for _ in 0..2 {
        let error = harbor.users().current().await.unwrap_err();
        assert_eq!((error.failure(), error.class()), (&Failure::DatabaseDown, Class::Transient));
    }
    assert_eq!(log.take().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_rejection_by_jobservice_is_not_one_of_the_account() {
    let (harbor, log) = harbor(|asked| match asked.path.as_str() {
        "/health" => health("healthy"),
        "/users/current" => Act::status(412),
        _ => Act::status(401),
    });
    let error = harbor.garbage_collection().start(&Parameters::default()).await.unwrap_err();
    let expected = Failure::Dependency { on: Dependency::JobService, message: Message::default() };
    assert_eq!(*error.failure(), expected);
    assert_eq!(log.take(), ["POST /system/gc/schedule", "GET /health", "GET /users/current"]);
    assert!(harbor.garbage_collection().start(&Parameters::default()).await.is_err());
    assert_eq!(log.take().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_call_without_credentials_passes_an_open_circuit() {
    let (harbor, _) = harbor(strict);
    harbor.users().current().await.unwrap_err();
    assert!(harbor.system().health().await.unwrap().is_healthy());
}

/// Shows everyone the public projects, and tells everyone that a label does not exist.
fn public(asked: &Asked) -> Act {
    match asked.path.split('?').next() {
        Some("/labels" | "/projects") => Act::Answer(200, Vec::new(), "[]".to_owned()),
        Some("/labels/7") => Act::status(404),
        _ => strict(asked),
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_visitor_gets_is_not_taken_for_the_whole() {
    let (harbor, log) = harbor(public);
    assert_eq!(*harbor.projects().find("secret").await.unwrap_err().failure(), rejected());
    let list = "GET /projects?q=name%3Dsecret&page=1&page_size=100";
    assert_eq!(log.take(), [list, "GET /users/current", "GET /health"]);
    harbor.set_credentials(Credentials::new("admin", "Correct1"));
    assert_eq!(harbor.projects().find("secret").await.unwrap(), None);
    assert_eq!(log.take(), [list, "GET /users/current"]);
    assert_eq!(harbor.projects().find("secret").await.unwrap(), None);
    assert_eq!(log.take(), [list]);
    advance(Duration::from_secs(10)).await;
    assert_eq!(harbor.projects().find("secret").await.unwrap(), None);
    assert_eq!(log.take(), [list, "GET /users/current"]);
}

#[tokio::test(start_paused = true)]
async fn a_missing_object_is_believed_only_if_the_account_is_accepted() {
    let (harbor, log) = harbor(public);
    assert_eq!(*harbor.labels().delete(7.into()).await.unwrap_err().failure(), rejected());
    harbor.set_credentials(Credentials::new("admin", "Correct1"));
    assert_eq!(harbor.labels().delete(7.into()).await.unwrap(), Deletion::Absent);
    assert_eq!(log.take().last().unwrap(), "GET /users/current");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_anyone_gets_does_not_end_a_rejection() {
    let (harbor, log) = harbor(public);
    harbor.users().current().await.unwrap_err();
    advance(Duration::from_secs(15)).await;
    assert_eq!(harbor.labels().list(LabelScope::Global).await.err().map(|error| error.class()), None);
    harbor.users().current().await.unwrap_err();
    log.take();
    advance(Duration::from_secs(20)).await;
    harbor.users().current().await.unwrap_err();
    assert_eq!(log.take(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_with_the_old_password_while_a_new_one_is_set() {
    let slow = Duration::from_secs(2);
    let (harbor, log) = harbor(move |_| Act::json(json!({})).after(slow));
    let reads = harbor.clone();
    let read = || {
        let harbor = reads.clone();
        tokio::spawn(async move { harbor.users().current().await.map(drop) })
    };
    let before = read();
    sleep(Duration::from_millis(100)).await;
    let change = tokio::spawn({
        let harbor = harbor.clone();
        async move { harbor.users().set_own_password(Users::ADMIN, &"Another12345".into()).await }
    });
    sleep(Duration::from_millis(100)).await;
    let after = read();
    assert_eq!(change.await.unwrap().unwrap(), PasswordChange::Changed);
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    let asked: Vec<_> =
        log.all().into_iter().map(|asked| (asked.at.as_secs(), asked.line(), asked.user.unwrap())).collect();
    let line = |at, line: &str, user: &str| (at, line.to_owned(), user.to_owned());
    assert_eq!(
        asked,
        [
            line(0, "GET /users/current", "admin:Harbor12345"),
            line(2, "PUT /users/1/password", "admin:Harbor12345"),
            line(4, "GET /users/current", "admin:Another12345"),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_password_that_harbor_refuses_is_not_used() {
    let (harbor, log) = harbor(|asked| match asked.method.as_str() {
        "PUT" => Act::status(400),
        _ => Act::json(json!({})),
    });
    harbor.users().set_own_password(Users::ADMIN, &"weak".into()).await.unwrap_err();
    harbor.users().current().await.unwrap();
    let users: Vec<_> = log.all().into_iter().filter_map(|asked| asked.user).collect();
    assert_eq!(users, ["admin:Harbor12345", "admin:Harbor12345"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_client_learns_of_other_credentials_does_not_count_for_this_one() {
    let (harbor, log) = harbor(strict);
    harbor.set_credentials(Credentials::new("admin", "Correct1"));
    let other = harbor.acting_as(Credentials::new("admin", "Harbor12345"));
    assert_eq!(*other.users().current().await.unwrap_err().failure(), rejected());
    log.take();
    harbor.users().current().await.unwrap();
    assert_eq!(log.take(), ["GET /users/current"]);
}
