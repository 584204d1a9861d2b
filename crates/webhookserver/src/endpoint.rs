//! The HTTP endpoint of the webhook.

use crate::{rules::Rules, settings::PATH};
use axum::{
    Router,
    body::Bytes,
    extract::DefaultBodyLimit,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::post,
};
use runtime::{Metrics, ReviewOutcome};
use std::{sync::Arc, time::Instant};
use webhook::admission::{Outcome, review};

/// Answers reviews by the rules.
pub(crate) fn router(rules: Arc<Rules>, metrics: Arc<Metrics>) -> Router {
    let answer = move |body: Bytes| async move { answer(&body, &rules, &metrics) };
    // The server has a limit for bodies.
    Router::new().route(PATH, post(answer)).layer(DefaultBodyLimit::disable())
}

fn answer(body: &[u8], rules: &Rules, metrics: &Metrics) -> Response {
    let begin = Instant::now();
    let (response, outcome, images) = match rules.read(|sources| review(body, sources)) {
        // Without rules, the API server must not take the pod for reviewed.
        None => {
            let why = "the operator has not read the rules yet\n";
            (refusal(StatusCode::SERVICE_UNAVAILABLE, why), ReviewOutcome::NotReady, 0)
        }
        Some(Err(error)) => {
            (refusal(StatusCode::BAD_REQUEST, &format!("{error}\n")), ReviewOutcome::BadRequest, 0)
        }
        Some(Ok(reviewed)) => {
            let (outcome, images) = match reviewed.outcome {
                Outcome::Rewritten(images) => (ReviewOutcome::Rewritten, images),
                Outcome::Unchanged => (ReviewOutcome::Unchanged, 0),
                Outcome::Skipped => (ReviewOutcome::Skipped, 0),
                Outcome::WrongRules => (ReviewOutcome::WrongRules, 0),
            };
            let json = [(header::CONTENT_TYPE, "application/json")];
            ((json, reviewed.body).into_response(), outcome, images)
        }
    };
    metrics.reviewed(outcome, begin.elapsed(), images);
    response
}

fn refusal(status: StatusCode, why: &str) -> Response {
    (status, why.to_owned()).into_response()
}
