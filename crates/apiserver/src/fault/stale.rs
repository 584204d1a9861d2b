//! Reads that get an earlier answer to the same request.

use super::{Chances, Mishap, Question, is_success};
use crate::body::Body;
use bytes::Bytes;
use http::{HeaderMap, Response};
use std::collections::{HashMap, VecDeque};

/// How many answers to a request are kept.
const REMEMBERED: usize = 8;

/// Earlier answers, by request.
#[derive(Default)]
pub(super) struct Answers(HashMap<String, VecDeque<(HeaderMap, Bytes)>>);

impl Answers {
    /// The answer before `back` others; None if there is none.
    fn earlier(&self, question: &str, back: impl FnOnce(usize) -> usize) -> Option<(HeaderMap, Bytes)> {
        let answers = self.0.get(question).filter(|answers| !answers.is_empty())?;
        answers.get(back(answers.len())).cloned()
    }

    fn remember(&mut self, question: &str, headers: HeaderMap, bytes: Bytes) {
        let answers = self.0.entry(question.to_owned()).or_default();
        // Repeating the same answer would change nothing.
        if answers.back().is_some_and(|(_, last)| *last == bytes) {
            return;
        }
        if answers.len() == REMEMBERED {
            answers.pop_front();
        }
        answers.push_back((headers, bytes));
    }
}

/// The response, or an earlier one if the client accepts that and chance decides so.
pub(super) fn answered(response: Response<Body>, question: &Question, chances: &Chances) -> Response<Body> {
    let planned = chances.faults.0.plan.rate(Mishap::StaleRead) > 0.0;
    if !planned || !question.accepts_any_age() || !is_success(&response) {
        return response;
    }
    let (parts, body) = response.into_parts();
    let bytes = match body.try_full() {
        Ok(bytes) => bytes,
        Err(stream) => return Response::from_parts(parts, stream),
    };
    let identity = &question.identity;
    let earlier = {
        let mut state = chances.faults.state();
        let detail = chances.detail(Mishap::StaleRead, None);
        let earlier = state.answers.earlier(identity, |count| detail.below(count));
        state.answers.remember(identity, parts.headers.clone(), bytes.clone());
        earlier.filter(|(_, earlier)| *earlier != bytes)
    };
    match earlier {
        Some((headers, earlier)) if chances.strikes(Mishap::StaleRead, None) => {
            let mut response = Response::new(Body::full(earlier));
            *response.headers_mut() = headers;
            response
        }
        _ => Response::from_parts(parts, Body::full(bytes)),
    }
}
