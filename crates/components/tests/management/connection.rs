//! The connection between the operator and a Harbor in memory, and what goes wrong with it.

use apiserver::{Body, Faults};
use bytes::Bytes;
use harborserver::HarborServer;
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use tokio::sync::Notify;
use tower::{BoxError, Layer as _, Service};

/// The connection between the operator and Harbor. Clones share it.
#[derive(Clone)]
pub struct Connection {
    pub harbor: HarborServer,
    /// Faults of single requests, as on the way to the API server.
    pub faults: Faults,
    /// How many answers to writes get lost next, after Harbor has done what they ask for.
    pub lost_answers: Arc<AtomicUsize>,
    /// Whether Harbor cannot be reached.
    pub is_down: Arc<AtomicBool>,
    pub last: Arc<Last>,
}

/// Which requests are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    All,
    Writes,
}

/// The last request that a server serves: its answer does not arrive, nor does any later one.
#[derive(Default)]
pub struct Last {
    left: Mutex<Option<(Counted, usize)>>,
    reached: Notify,
}

impl Last {
    /// Lets this many requests arrive.
    pub fn set(&self, counted: Counted, number: usize) {
        *self.left.lock().unwrap() = Some((counted, number));
    }

    /// Lets all requests arrive.
    pub fn clear(&self) {
        *self.left.lock().unwrap() = None;
    }

    /// Waits for the last request.
    pub async fn reached(&self) {
        self.reached.notified().await;
    }

    /// The answer of a server to a request.
    pub async fn answer<T>(&self, is_write: bool, served: impl Future<Output = T>) -> T {
        let is_last = self.count(is_write);
        let answer = served.await;
        if is_last {
            self.reached.notify_one();
            std::future::pending::<()>().await;
        }
        answer
    }

    /// Counts a request. Whether it is the last one or comes after it.
    fn count(&self, is_write: bool) -> bool {
        let mut left = self.left.lock().unwrap();
        let Some((counted, number)) = &mut *left else { return false };
        if *counted == Counted::All || is_write {
            *number = number.saturating_sub(1);
        }
        *number == 0
    }
}

impl Connection {
    /// What the client of the operator sends its requests to.
    pub fn service(
        &self,
    ) -> impl Service<Request<Full<Bytes>>, Response = Response<Body>, Error = BoxError, Future: Send>
    + Clone
    + Send
    + Sync
    + 'static {
        let connection = self.clone();
        let harbor = tower::service_fn(move |request| {
            let connection = connection.clone();
            async move { connection.send(request).await }
        });
        self.faults.layer(harbor)
    }

    async fn send(mut self, request: Request<Full<Bytes>>) -> Result<Response<Body>, BoxError> {
        if self.is_down.load(Ordering::SeqCst) {
            return Err("connection refused".into());
        }
        let is_write = !matches!(*request.method(), Method::GET | Method::HEAD);
        let Ok(answer) = self.last.answer(is_write, self.harbor.call(request)).await;
        let lose = |left: usize| left.checked_sub(1);
        if is_write && self.lost_answers.fetch_update(Ordering::SeqCst, Ordering::SeqCst, lose).is_ok() {
            return Err("connection reset".into());
        }
        let (head, body) = answer.into_parts();
        Ok(Response::from_parts(head, Body::full(body.collect().await?.to_bytes())))
    }
}
