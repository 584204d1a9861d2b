//! Records the requests of a client.

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

/// How long a client must send nothing to be quiet: much longer than a request on loopback takes.
const SILENCE: Duration = Duration::from_millis(500);

/// Records every request of a client as `METHOD path`, and watches, which stay open, separately.
#[derive(Clone, Debug, Default)]
pub struct Requests(Arc<Mutex<Noted>>);

#[derive(Debug, Default)]
struct Noted {
    requests: Vec<String>,
    watches: Vec<String>,
}

impl Requests {
    /// A client whose requests are recorded.
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

    /// Takes the requests since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.noted().requests)
    }

    /// The paths of all watches so far.
    pub fn watches(&self) -> Vec<String> {
        self.noted().watches.clone()
    }

    /// Waits until the client is quiet, and returns its requests until then.
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

/// The requests that are not reads.
pub fn writes(requests: &[String]) -> Vec<&str> {
    requests.iter().map(String::as_str).filter(|request| !request.starts_with("GET ")).collect()
}
