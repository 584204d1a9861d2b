//! The HTTP endpoints of the webhooks.

use crate::{configuration::PATH, rules::Rules};
use api::conversion::CONVERSION_PATH;
use axum::{
    Router,
    body::Bytes,
    extract::DefaultBodyLimit,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::post,
};
use runtime::{AdmissionOutcome, ConversionOutcome, Metrics};
use std::{sync::Arc, time::Instant};
use webhook::{admission, conversion};

/// Reviews pods by the rules.
pub(crate) fn rewriting(rules: Arc<Rules>, metrics: Arc<Metrics>) -> Router {
    let answer = move |body: Bytes| async move { rewrite(&body, &rules, &metrics) };
    // The server has a limit for bodies.
    Router::new().route(PATH, post(answer)).layer(DefaultBodyLimit::disable())
}

/// Converts objects.
pub(crate) fn converting(metrics: Arc<Metrics>) -> Router {
    let answer = move |body: Bytes| async move { convert(&body, &metrics) };
    Router::new().route(CONVERSION_PATH, post(answer)).layer(DefaultBodyLimit::disable())
}

fn rewrite(body: &[u8], rules: &Rules, metrics: &Metrics) -> Response {
    let begin = Instant::now();
    let (response, outcome, images) = match rules.read(|sources| admission::review(body, sources)) {
        // Without rules, the API server must not take the pod for reviewed.
        None => {
            let why = "the operator has not read the rules yet\n";
            (refusal(StatusCode::SERVICE_UNAVAILABLE, why), AdmissionOutcome::NotReady, 0)
        }
        Some(Err(error)) => {
            (refusal(StatusCode::BAD_REQUEST, &format!("{error}\n")), AdmissionOutcome::BadRequest, 0)
        }
        Some(Ok(reviewed)) => {
            let (outcome, images) = match reviewed.outcome {
                admission::Outcome::Rewritten(images) => (AdmissionOutcome::Rewritten, images),
                admission::Outcome::Unchanged => (AdmissionOutcome::Unchanged, 0),
                admission::Outcome::Skipped => (AdmissionOutcome::Skipped, 0),
                admission::Outcome::WrongRules => (AdmissionOutcome::WrongRules, 0),
            };
            (json(reviewed.body), outcome, images)
        }
    };
    metrics.reviewed(outcome, begin.elapsed(), images);
    response
}

fn convert(body: &[u8], metrics: &Metrics) -> Response {
    let begin = Instant::now();
    let (response, outcome, objects) = match conversion::review(body) {
        Err(error) => {
            (refusal(StatusCode::BAD_REQUEST, &format!("{error}\n")), ConversionOutcome::BadRequest, 0)
        }
        Ok(reviewed) => {
            let (outcome, objects) = match reviewed.outcome {
                conversion::Outcome::Converted(objects) => (ConversionOutcome::Converted, objects),
                conversion::Outcome::Failed => (ConversionOutcome::Failed, 0),
            };
            (json(reviewed.body), outcome, objects)
        }
    };
    metrics.converted(outcome, begin.elapsed(), objects);
    response
}

fn json(body: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

fn refusal(status: StatusCode, why: &str) -> Response {
    (status, why.to_owned()).into_response()
}

#[cfg(test)]
mod tests;
