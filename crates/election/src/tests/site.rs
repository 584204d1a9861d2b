//! A server, and candidates that write while they are the leader.

use super::super::{Election, Elector, Leadership, Lost, Timing};
use apiserver::{ApiServer, Body};
use envtest::clock;
use futures::StreamExt as _;
use http::{Method, Request, Response};
use jiff::Timestamp;
use k8s_openapi::api::{coordination::v1::Lease, core::v1::ConfigMap};
use kube::{
    Api, Client,
    api::{Patch, PatchParams, PostParams},
    core::{ObjectMeta, Status},
};
use serde_json::Value;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{task::JoinHandle, time::sleep};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// How often a leader writes.
const WRITE_PERIOD: Duration = Duration::from_secs(1);

/// A server, and the candidates that wrote to it, in order.
#[derive(Clone)]
pub struct Site {
    server: ApiServer,
    writers: Arc<Mutex<Vec<String>>>,
}

/// The connection from one candidate to the server.
#[derive(Clone, Default)]
pub struct Link(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    cut: bool,
    lists_nothing: bool,
    latency: Duration,
    requests: Vec<String>,
}

impl Link {
    /// Interrupts the connection in both directions, without an error.
    pub fn cut(&self) {
        self.0.lock().unwrap().cut = true;
    }

    pub fn mend(&self) {
        self.0.lock().unwrap().cut = false;
    }

    /// Sets how long a request and an answer take each.
    pub fn slow(&self, latency: Duration) {
        self.0.lock().unwrap().latency = latency;
    }

    /// From now on leases can be read by name only.
    pub fn forbid_lists(&self) {
        self.0.lock().unwrap().lists_nothing = true;
    }

    /// The requests for leases: the method, and the name of one or `leases` for all.
    pub fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().requests)
    }

    /// Delays or blocks a message in one direction.
    async fn travel(&self) {
        let latency = self.0.lock().unwrap().latency;
        sleep(latency).await;
        if self.0.lock().unwrap().cut {
            std::future::pending::<()>().await;
        }
    }
}

impl Site {
    pub fn new() -> Self {
        let server = ApiServer::builder().seed(1).start(Timestamp::UNIX_EPOCH).build().unwrap();
        Self { server, writers: Arc::default() }
    }

    pub fn metadata() -> ObjectMeta {
        ObjectMeta {
            name: Some("operator".into()),
            namespace: Some("default".into()),
            ..ObjectMeta::default()
        }
    }

    pub fn leases(&self) -> Api<Lease> {
        Api::namespaced(Client::new(self.server.clone(), "default"), "default")
    }

    pub async fn lease(&self) -> Lease {
        self.leases().get("operator").await.unwrap()
    }

    pub async fn patch(&self, patch: Value) {
        self.leases().patch("operator", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }

    /// A client with a connection of its own. A request that was sent cannot be cancelled.
    pub fn linked(&self, writer: &str) -> (Client, Link) {
        let link = Link::default();
        let (site, way, writer) = (self.clone(), link.clone(), writer.to_owned());
        let service = tower::service_fn(move |request: Request<kube::client::Body>| {
            let (site, way, writer) = (site.clone(), way.clone(), writer.clone());
            let path = request.uri().path().to_owned();
            let mut state = way.0.lock().unwrap();
            if path.contains("/leases") {
                let name = path.rsplit('/').next().unwrap_or_default();
                state.requests.push(format!("{} {name}", request.method()));
            }
            let refused = state.lists_nothing && path.ends_with("/leases") && request.method() == Method::GET;
            drop(state);
            async move {
                let answer = tokio::spawn(async move {
                    way.travel().await;
                    if request.method() == Method::POST && path.contains("/configmaps") {
                        site.writers.lock().unwrap().push(writer);
                    }
                    let answer = if refused { Ok(forbidden()) } else { site.server.oneshot(request).await };
                    way.travel().await;
                    answer.map(|answer| answer.map(|body| piece_by_piece(body, way)))
                });
                answer.await.unwrap()
            }
        });
        (Client::new(service, "default"), link)
    }

    pub fn candidate(&self, identity: &str) -> Candidate {
        self.candidate_with(identity, clock)
    }

    pub fn candidate_with(&self, identity: &str, clock: fn() -> Timestamp) -> Candidate {
        let (client, link) = self.linked(identity);
        let election = Election {
            namespace: "default".into(),
            name: "operator".into(),
            identity: identity.into(),
            timing: Timing::DEFAULT,
        };
        let leadership = Leadership::candidate();
        // Constant for a candidate, and different between candidates.
        let tenths = identity.bytes().map(u32::from).sum::<u32>() % 10;
        let jitter = Arc::new(move |most: Duration| most * tenths / 10);
        let mut elector = Elector::new(client.clone(), election, leadership.clone(), clock, jitter);
        let work = write(leadership.guard(client));
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let task = tokio::spawn(async move {
            let lead = async {
                elector.acquire().await;
                tokio::select! {
                lost = elector.renew_until_lost() => lost,
                    () = work => unreachable!("work never ends"),
                }
            };
            let lost = stopped.run_until_cancelled(lead).await;
            if lost.is_none() {
                elector.release().await;
            }
            lost
        });
        Candidate { link, leadership, stop, task }
    }

    /// Asserts that no candidate wrote after another one had begun to.
    pub fn assert_one_after_another(&self) {
        let mut terms = self.writers.lock().unwrap().clone();
        assert!(!terms.is_empty());
        terms.dedup();
        let mut distinct = terms.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), terms.len(), "{terms:?}");
    }
}

fn forbidden() -> Response<Body> {
    let status = Status::failure("not you", "Forbidden").with_code(403);
    let body = serde_json::to_vec(&status).unwrap();
    Response::builder().status(403).body(Body::full(body)).unwrap()
}

/// Sends the events of a watch over the connection one by one.
fn piece_by_piece(body: Body, way: Link) -> Body {
    let pieces = body.into_pieces().then(move |piece| {
        let way = way.clone();
        async move {
            way.travel().await;
            piece
        }
    });
    Body::stream(pieces)
}

/// Creates objects, one after the other.
async fn write(client: Client) {
    let api: Api<ConfigMap> = Api::namespaced(client, "default");
    let object = ConfigMap {
        metadata: ObjectMeta { generate_name: Some("x-".into()), ..ObjectMeta::default() },
        ..ConfigMap::default()
    };
    loop {
        let _answer = api.create(&PostParams::default(), &object).await;
        sleep(WRITE_PERIOD).await;
    }
}

/// A minimal operator; killed when it is dropped.
pub struct Candidate {
    pub link: Link,
    pub leadership: Leadership,
    stop: CancellationToken,
    task: JoinHandle<Option<Lost>>,
}

impl Candidate {
    pub async fn until_leading(&self) {
        while !self.leadership.leads() {
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Stops it. It releases the lease.
    pub async fn stop(mut self) {
        self.stop.cancel();
        (&mut self.task).await.unwrap();
    }

    pub fn kill(self) {
        self.task.abort();
    }

    /// Waits until it has lost the lease.
    pub async fn lost(&mut self) -> Lost {
        (&mut self.task).await.unwrap().unwrap()
    }

    pub fn is_over(&self) -> bool {
        self.task.is_finished()
    }
}

impl Drop for Candidate {
    fn drop(&mut self) {
        self.task.abort();
    }
}
