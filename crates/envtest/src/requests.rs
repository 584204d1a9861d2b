//! Counting what a client sends.

use http::Request;
use kube::{
    Client, Config,
    client::{Body, ClientBuilder},
};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tower::util::MapRequestLayer;

/// How long a client must be silent to be called quiet: long against the latency of a request on loopback, so that
/// one that is going to come has come.
const SILENCE: Duration = Duration::from_millis(500);

/// Notes every request of a client as `METHOD path`, and watches, which stay open, by themselves.
#[derive(Clone, Debug, Default)]
pub struct Requests(Arc<Mutex<Noted>>);

#[derive(Debug, Default)]
struct Noted {
    requests: Vec<String>,
    watches: Vec<String>,
}

impl Requests {
    /// A client whose requests are noted.
    pub fn client(&self, config: Config) -> kube::Result<Client> {
        let log = self.clone();
        let note = MapRequestLayer::new(move |request: Request<Body>| {
            if request.uri().query().is_some_and(|query| query.contains("watch=true")) {
                log.noted().watches.push(request.uri().path().to_owned());
            } else {
                log.noted().requests.push(format!("{} {}", request.method(), request.uri().path()));
            }
            request
        });
        Ok(ClientBuilder::try_from(config)?.with_layer(&note).build())
    }

    /// What was sent since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.noted().requests)
    }

    /// The paths watched so far.
    pub fn watches(&self) -> Vec<String> {
        self.noted().watches.clone()
    }

    /// Waits until nothing has been sent for a while, and returns what was until then.
    pub async fn until_quiet(&self) -> Vec<String> {
        let mut all = self.take();
        loop {
            tokio::time::sleep(SILENCE).await;
            let more = self.take();
            if more.is_empty() {
                return all;
            }
            all.extend(more);
        }
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Those of some requests that change something.
pub fn writes(requests: &[String]) -> Vec<&str> {
    requests.iter().map(String::as_str).filter(|request| !request.starts_with("GET ")).collect()
}
