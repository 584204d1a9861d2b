use super::standin::{Act, harbor};
use crate::{Class, Failure, Message, Unreachable, projects::NewProject};
use http::StatusCode;
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Does these acts, one for each request, and the last one from then on.
fn acts(acts: Vec<Act>) -> impl Fn(&super::standin::Asked) -> Act + Clone + Send + Sync + 'static {
    let asked = Arc::new(AtomicUsize::new(0));
    let acts = Arc::new(acts);
    move |_| acts[asked.fetch_add(1, Ordering::Relaxed).min(acts.len() - 1)].clone()
}

#[tokio::test(start_paused = true)]
async fn a_read_is_repeated_until_it_succeeds() {
    let (harbor, log) = harbor(acts(vec![Act::status(502), Act::Break, Act::json(json!({"user_id": 1}))]));
    assert_eq!(harbor.users().current().await.unwrap().id.0, 1);
    let starts: Vec<_> = log.all().iter().map(|asked| asked.at.as_millis()).collect();
    assert_eq!(starts, [0, 250, 1250]);
}

#[tokio::test(start_paused = true)]
async fn a_read_is_sent_three_times_at_most() {
    let (harbor, log) = harbor(|_| Act::status(500));
    let error = harbor.users().current().await.unwrap_err();
    let message = Message::new("status 500");
    let expected = Failure::ServerFailure { status: StatusCode::INTERNAL_SERVER_ERROR, message };
    assert_eq!((error.failure(), error.class()), (&expected, Class::Transient));
    assert_eq!(log.take().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_read_that_harbor_refuses_is_not_repeated() {
    for status in [400, 403, 409, 412, 422] {
        let (harbor, log) = harbor(move |_| Act::status(status));
        harbor.users().current().await.unwrap_err();
        assert_eq!(log.take().len(), 1, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_is_sent_once() {
    for act in [Act::status(500), Act::status(503), Act::Break, Act::Stall] {
        let (harbor, log) = harbor(move |_| act.clone());
        harbor.projects().create(&NewProject::named("a")).await.unwrap_err();
        harbor.projects().update("a", &crate::projects::ProjectUpdate::default()).await.unwrap_err();
        harbor.robots().set_secret(1.into(), &"Abcdefg1".into()).await.unwrap_err();
        harbor.projects().delete("a").await.unwrap_err();
        assert_eq!(
            log.take(),
            ["POST /projects", "PUT /projects/a", "PATCH /robots/1", "DELETE /projects/a"]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_is_told_with_the_call() {
    let (harbor, _) = harbor(|_| Act::Break);
    let error = harbor.projects().delete("a").await.unwrap_err();
    let broken = Failure::Unreachable(Unreachable::Broken(Message::new("connection reset")));
    assert_eq!(*error.failure(), broken);
    assert_eq!(
        error.to_string(),
        "DELETE /projects/a: Harbor cannot be reached: the connection broke: connection reset"
    );
}

#[tokio::test(start_paused = true)]
async fn an_error_shows_neither_the_password_nor_a_secret_of_the_request() {
    let message = "Harbor12345 and Abcdefg1 and more";
    let body = json!({"errors": [{"code": "BAD_REQUEST", "message": message}]}).to_string();
    let (harbor, _) = harbor(move |_| Act::Answer(400, Vec::new(), body.clone()));
    let error = harbor.robots().set_secret(1.into(), &"Abcdefg1".into()).await.unwrap_err();
    assert_eq!(*error.failure(), Failure::Invalid(Message::new("***** and ***** and more")));
    assert!(!format!("{error:?}").contains("Harbor12345"));
}
