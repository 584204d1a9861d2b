//! The HTTP endpoints of the webhooks.

use crate::{configuration::PATH, rules::Rules};
use api::conversion::CONVERSION_PATH;
use axum::{
    Router,
    body::{Body, Bytes, HttpBody as _, to_bytes},
    extract::{DefaultBodyLimit, State},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::post,
};
use runtime::{AdmissionOutcome, ConversionOutcome, Metrics};
use std::{sync::Arc, time::Instant};
use tokio::sync::Semaphore;
use webhook::{
    admission::{self, Sources},
    conversion,
};

/// The largest review of a pod: no object that the API server stores is larger.
pub(crate) const LARGEST_POD: usize = 3 * 1024 * 1024;

/// The largest review of objects to convert, which has all objects of a list: more than a thousand HarborClusters, or ten
/// objects as large as etcd accepts. While it is answered, about three times as much memory is in use.
pub(crate) const LARGEST_LIST: usize = 16 * 1024 * 1024;

/// The endpoints of all webhooks, with rules that never change: for tests that send any request.
pub fn endpoints(sources: Sources) -> Router {
    let metrics = Arc::<Metrics>::default();
    rewriting(Arc::new(Rules::listed(sources)), Arc::clone(&metrics)).merge(converting(metrics))
}

/// Reviews pods by the rules.
pub(crate) fn rewriting(rules: Arc<Rules>, metrics: Arc<Metrics>) -> Router {
    let answer = move |body: Bytes| async move { rewrite(&body, &rules, &metrics) };
    Router::new().route(PATH, post(answer)).layer(DefaultBodyLimit::max(LARGEST_POD))
}

/// Converts objects.
pub(crate) fn converting(metrics: Arc<Metrics>) -> Router {
    let conversions = Conversions { metrics, turn: Arc::new(Semaphore::new(1)) };
    Router::new().route(CONVERSION_PATH, post(converted)).with_state(conversions)
}

/// What conversions share.
#[derive(Clone)]
struct Conversions {
    metrics: Arc<Metrics>,
    /// Held while a long list is read and converted: one after the other, so that memory is bounded.
    turn: Arc<Semaphore>,
}

/// Answers a ConversionReview. A long list takes a turn, and its time is not taken from reviews of pods.
async fn converted(State(Conversions { metrics, turn }): State<Conversions>, body: Body) -> Response {
    let is_short = body.size_hint().upper().is_some_and(|longest| longest <= LARGEST_POD as u64);
    // The semaphore is never closed.
    let turn = if is_short { None } else { turn.acquire_owned().await.ok() };
    let Ok(body) = to_bytes(body, LARGEST_LIST).await else {
        let why = format!(
            "the review did not arrive, or is larger than {LARGEST_LIST} bytes; list fewer objects at once\n"
        );
        return refusal(StatusCode::PAYLOAD_TOO_LARGE, &why);
    };
    if is_short {
        return convert(&body, &metrics);
    }
    let converting = tokio::task::spawn_blocking(move || {
        let answer = convert(&body, &metrics);
        drop(turn);
        answer
    });
    let interrupted = |_| refusal(StatusCode::INTERNAL_SERVER_ERROR, "the conversion was interrupted\n");
    converting.await.unwrap_or_else(interrupted)
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
