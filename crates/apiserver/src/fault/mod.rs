//! Injects faults between a client and a server, reproducibly.
//!
//! Whether a request fails depends only on the seed, on the method and path of the request, and on the number
//! of earlier requests with the same method and path. So a seed reproduces a run, however its requests
//! interleave. Events of one watch are never reordered.

mod answer;
mod chance;
mod plan;
mod stale;
#[cfg(test)]
mod tests;
mod watch;

pub use plan::{Mishap, Plan};

use crate::body::Body;
use answer::Answer;
use chance::Chance;
use futures::future::BoxFuture;
use http::{Method, Request, Response, StatusCode};
use stale::Answers;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::time::{Instant, sleep};
use tower::{BoxError, Layer, Service, ServiceExt};

/// How many incidents are kept, the latest.
const REMEMBERED: usize = 10_000;

/// A layer that injects faults into requests. Clones share their state.
#[derive(Clone)]
pub struct Faults(Arc<Shared>);

struct Shared {
    seed: u64,
    plan: Plan,
    off: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    requests: u64,
    asked: HashMap<String, u64>,
    answers: Answers,
    log: VecDeque<Incident>,
}

/// One fault that occurred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    /// The request's verb and path.
    pub request: String,
    /// How many requests had the same verb and path before.
    pub occurrence: u64,
    /// Which event of a watch it was; None for a request.
    pub event: Option<u64>,
    /// The kind of fault.
    pub mishap: Mishap,
}

impl fmt::Display for Incident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (#{}): {}", self.request, self.occurrence, self.mishap)?;
        self.event.map_or(Ok(()), |event| write!(f, " at event {event}"))
    }
}

impl Faults {
    /// Faults as planned, with this seed.
    pub fn new(seed: u64, plan: Plan) -> Self {
        Self(Arc::new(Shared { seed, plan, off: AtomicBool::new(false), state: Mutex::default() }))
    }

    /// The seed that reproduces the run.
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Stops injecting faults. Requests are still counted.
    pub fn switch_off(&self) {
        self.0.off.store(true, Ordering::SeqCst);
    }

    /// Injects faults again.
    pub fn switch_on(&self) {
        self.0.off.store(false, Ordering::SeqCst);
    }

    /// The faults so far, the oldest first.
    pub fn log(&self) -> Vec<Incident> {
        self.state().log.iter().cloned().collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request and returns its chances.
    fn chances(&self, request: String) -> Chances {
        let mut state = self.state();
        state.requests += 1;
        let asked = state.asked.entry(request.clone()).or_default();
        let occurrence = *asked;
        *asked += 1;
        let requests = state.requests;
        drop(state);
        Chances { faults: self.clone(), request, occurrence, requests }
    }
}

/// The chances of one request.
#[derive(Clone)]
struct Chances {
    faults: Faults,
    request: String,
    occurrence: u64,
    /// The number of this request among all.
    requests: u64,
}

impl Chances {
    /// Whether a mishap happens to the request, or to an event of its watch. If so, it is logged.
    fn strikes(&self, mishap: Mishap, event: Option<u64>) -> bool {
        let plan = &self.faults.0.plan;
        let over = self.faults.0.off.load(Ordering::SeqCst)
            || plan.requests.is_some_and(|last| self.requests > last)
            || plan.instant.is_some_and(|last| Instant::now() >= last);
        let rate = plan.rate(mishap);
        if over || rate <= 0.0 || self.chance(mishap, event).fraction() >= rate {
            return false;
        }
        let mut state = self.faults.state();
        if state.log.len() == REMEMBERED {
            state.log.pop_front();
        }
        let request = self.request.clone();
        state.log.push_back(Incident { request, occurrence: self.occurrence, event, mishap });
        true
    }

    /// A number for the details of a mishap, independent of whether it happens.
    fn detail(&self, mishap: Mishap, event: Option<u64>) -> Chance {
        self.chance(mishap, event).another()
    }

    fn chance(&self, mishap: Mishap, event: Option<u64>) -> Chance {
        Chance::new(self.faults.0.seed, &self.request, self.occurrence, mishap, event)
    }

    async fn delay(&self, mishap: Mishap, event: Option<u64>) {
        if self.strikes(mishap, event) {
            let longest = self.faults.0.plan.longest_delay;
            sleep(longest.mul_f64(self.detail(mishap, event).fraction())).await;
        }
    }
}

impl<S> Layer<S> for Faults {
    type Service = Faulty<S>;

    fn layer(&self, inner: S) -> Faulty<S> {
        Faulty { inner, faults: self.clone() }
    }
}

/// A service whose answers may be lost, late or wrong.
#[derive(Clone)]
pub struct Faulty<S> {
    inner: S,
    faults: Faults,
}

impl<S, B> Service<Request<B>> for Faulty<S>
where
    S: Service<Request<B>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Send + 'static,
{
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<Body>, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = self.inner.clone();
        let question = Question::of(&request);
        let chances = self.faults.chances(question.name());
        Box::pin(async move {
            let call = async || inner.oneshot(request).await.map_err(Into::into);
            chances.delay(Mishap::Delay, None).await;
            if chances.strikes(Mishap::DropBefore, None) {
                return Err(dropped());
            }
            if let Some(answer) = Answer::instead(&question, &chances) {
                if answer.comes_after_commit(&chances) {
                    call().await?;
                }
                return Ok(answer.response(&question));
            }
            if question.is_watch {
                let response: Response<Body> = call().await?;
                return Ok(watch::disturbed(response, &question, chances));
            }
            let response = call().await?;
            if chances.strikes(Mishap::DropAfter, None) {
                return Err(dropped());
            }
            Ok(stale::answered(response, &question, &chances))
        })
    }
}

fn dropped() -> BoxError {
    io::Error::new(io::ErrorKind::ConnectionReset, "connection reset by the fault layer").into()
}

/// The parts of a request that matter here.
struct Question {
    method: Method,
    path: String,
    query: String,
    is_watch: bool,
    /// Everything that the answer depends on.
    identity: String,
}

impl Question {
    fn of<B>(request: &Request<B>) -> Self {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let is_watch =
            parameter(&query, "watch").is_some_and(|value| matches!(value.as_str(), "" | "true" | "1"));
        let header = |name: http::HeaderName| {
            request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
        };
        Self {
            identity: format!(
                "{}\n{}\n{}",
                request.uri(),
                header(http::header::ACCEPT),
                header(http::header::AUTHORIZATION)
            ),
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            is_watch: is_watch && request.method() == Method::GET,
            query,
        }
    }

    fn name(&self) -> String {
        let verb = if self.is_watch { "WATCH" } else { self.method.as_str() };
        format!("{verb} {}", self.path)
    }

    fn parameter(&self, name: &str) -> Option<String> {
        parameter(&self.query, name)
    }

    /// Whether the client accepts an answer from a cache.
    fn accepts_any_age(&self) -> bool {
        self.method == Method::GET
            && !self.is_watch
            && self.parameter("resourceVersion").as_deref() == Some("0")
    }
}

fn parameter(query: &str, name: &str) -> Option<String> {
    form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

fn is_success(response: &Response<Body>) -> bool {
    response.status() == StatusCode::OK
}
