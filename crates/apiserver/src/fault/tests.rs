use super::{Faults, Mishap, Plan};
use crate::body::Body;
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{Method, Request, Response};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;
use tower::{BoxError, Layer, ServiceExt, service_fn};

/// Answers a watch with five events in uneven pieces, and other requests with the number of earlier requests.
#[derive(Clone, Default)]
struct Server(Arc<AtomicUsize>);

impl Server {
    fn served(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    /// The answer through the faults: status and text, or `dropped`.
    async fn ask(&self, faults: &Faults, method: Method, uri: &str) -> String {
        let served = Arc::clone(&self.0);
        let service = service_fn(move |request: Request<()>| {
            let before = served.fetch_add(1, Ordering::SeqCst);
            let body = if request.uri().query().is_some_and(|query| query.contains("watch")) {
                let pieces = ["{1}\n{2", "}\n{3}\n", "{4}\n{5}\n"];
                Body::stream(stream::iter(pieces.map(|piece| Ok(Bytes::from(piece)))))
            } else {
                Body::full(before.to_string())
            };
            async { Ok::<_, Infallible>(Response::new(body)) }
        });
        let request = Request::builder().method(method).uri(uri).body(()).expect("a request");
        match faults.layer(service).oneshot(request).await {
            Ok(response) => shown(response).await,
            Err(_) => "dropped".into(),
        }
    }
}

async fn shown(response: Response<Body>) -> String {
    let status = response.status().as_u16();
    let pieces: Vec<Result<Bytes, BoxError>> = response.into_body().into_pieces().collect().await;
    let text: String = pieces
        .into_iter()
        .map(|piece| piece.map_or_else(|_| "!".into(), |bytes| String::from_utf8_lossy(&bytes).into_owned()))
        .collect();
    format!("{status} {text}")
}

fn always(mishap: Mishap) -> Faults {
    Faults::new(1, Plan::none().with(mishap, 1.0))
}

const OBJECT: &str = "/apis/apps/v1/namespaces/a/deployments/x";
const WATCH: &str = "/api/v1/pods?watch=true&resourceVersion=5";

#[tokio::test]
async fn no_faults_occur_without_a_plan() {
    let faults = Faults::new(1, Plan::none());
    let server = Server::default();
    assert_eq!(server.ask(&faults, Method::PUT, OBJECT).await, "200 0");
    assert_eq!(server.ask(&faults, Method::GET, WATCH).await, "200 {1}\n{2}\n{3}\n{4}\n{5}\n");
    assert_eq!(faults.log(), []);
}

#[tokio::test]
async fn a_drop_loses_the_request_or_only_the_answer() {
    let server = Server::default();
    assert_eq!(server.ask(&always(Mishap::DropBefore), Method::POST, OBJECT).await, "dropped");
    assert_eq!(server.served(), 0);
    assert_eq!(server.ask(&always(Mishap::DropAfter), Method::POST, OBJECT).await, "dropped");
    assert_eq!(server.served(), 1);
}

#[tokio::test]
async fn failures_have_the_messages_of_a_real_server() {
    let server = Server::default();
    let status = |code: u16, reason: &str, message: &str| {
        let reason = if reason.is_empty() { String::new() } else { format!("\"reason\":\"{reason}\",") };
        format!(
            "{code} {{\"apiVersion\":\"v1\",\"code\":{code},\"kind\":\"Status\",\"message\":\"{message}\",\
             \"metadata\":{{}},{reason}\"status\":\"Failure\"}}"
        )
    };
    let put = async |mishap| server.ask(&always(mishap), Method::PUT, OBJECT).await;
    assert_eq!(put(Mishap::TooManyRequests).await, "429 Too many requests, please try again later.\n");
    assert_eq!(put(Mishap::InternalError).await, status(500, "", "etcdserver: request timed out"));
    assert_eq!(
        put(Mishap::Unavailable).await,
        status(503, "ServiceUnavailable", "the server is currently unable to handle the request")
    );
    assert_eq!(
        put(Mishap::Timeout).await,
        status(
            504,
            "Timeout",
            "Timeout: request did not complete within requested timeout - context deadline exceeded"
        )
    );
    let conflict = put(Mishap::Conflict).await;
    assert!(
        conflict.starts_with("409 ")
            && conflict
                .contains("Operation cannot be fulfilled on deployments.apps \\\"x\\\": the object has been"),
        "{conflict}"
    );
    assert_eq!(server.ask(&always(Mishap::Conflict), Method::POST, "/api/v1/pods").await, "200 0");
}

#[tokio::test(start_paused = true)]
async fn a_delay_takes_virtual_time_and_no_more_than_planned() {
    let plan = Plan::none().with(Mishap::Delay, 1.0).longest_delay(Duration::from_mins(1));
    let faults = Faults::new(1, plan);
    let start = Instant::now();
    Server::default().ask(&faults, Method::GET, OBJECT).await;
    assert!(start.elapsed() > Duration::ZERO && start.elapsed() <= Duration::from_mins(1));
}

#[tokio::test(start_paused = true)]
async fn a_watch_ends_breaks_stutters_and_expires_but_never_reorders() {
    let server = Server::default();
    let watch = async |mishap| server.ask(&always(mishap), Method::GET, WATCH).await;
    assert_eq!(watch(Mishap::WatchEnd).await, "200 {1}\n");
    assert_eq!(watch(Mishap::WatchBreak).await, "200 {1!");
    assert_eq!(watch(Mishap::WatchDuplicate).await, "200 {1}\n{1}\n{2}\n{2}\n{3}\n{3}\n{4}\n{4}\n{5}\n{5}\n");
    assert_eq!(watch(Mishap::WatchDelay).await, "200 {1}\n{2}\n{3}\n{4}\n{5}\n");
    assert_eq!(
        watch(Mishap::WatchExpired).await,
        "200 {\"object\":{\"apiVersion\":\"v1\",\"code\":410,\"kind\":\"Status\",\"message\":\"too old resource \
         version: 5 (6)\",\"metadata\":{},\"reason\":\"Expired\",\"status\":\"Failure\"},\"type\":\"ERROR\"}\n"
    );
}

#[tokio::test]
async fn a_read_of_any_age_may_get_an_earlier_answer_and_others_may_not() {
    let faults = always(Mishap::StaleRead);
    let server = Server::default();
    let any = "/api/v1/pods?resourceVersion=0";
    assert_eq!(server.ask(&faults, Method::GET, any).await, "200 0");
    assert_eq!(server.ask(&faults, Method::GET, any).await, "200 0");
    assert_eq!(server.ask(&faults, Method::GET, "/api/v1/pods").await, "200 2");
    assert_eq!(faults.log().len(), 1);
}

/// The faults of these requests, sent in this order.
async fn transcript(seed: u64, requests: &[(Method, String)]) -> Vec<(String, String)> {
    let faults = Faults::new(seed, Plan::everything(0.3));
    let server = Server::default();
    let mut answers = Vec::new();
    for (method, uri) in requests {
        server.ask(&faults, method.clone(), uri).await;
    }
    for incident in faults.log() {
        answers.push((incident.request.clone(), incident.to_string()));
    }
    answers.sort();
    answers
}

#[tokio::test(start_paused = true)]
async fn a_seed_reproduces_a_run_however_its_requests_interleave() {
    let requests: Vec<(Method, String)> = (0..20)
        .flat_map(|name| {
            let object = format!("/apis/apps/v1/namespaces/a/deployments/x{name}");
            [(Method::GET, object.clone()), (Method::PUT, object.clone()), (Method::PUT, object)]
        })
        .chain([(Method::GET, WATCH.to_owned())])
        .collect();
    let mut reversed = requests.clone();
    reversed.reverse();

    let run = transcript(42, &requests).await;
    assert!(run.len() > 20, "{run:?}");
    assert_eq!(transcript(42, &requests).await, run);
    assert_eq!(transcript(42, &reversed).await, run);
    assert_ne!(transcript(43, &requests).await, run);
}

#[tokio::test(start_paused = true)]
async fn faults_end_when_planned_or_switched_off() {
    let server = Server::default();
    let plan = || Plan::none().with(Mishap::DropBefore, 1.0);
    let get = async |faults: &Faults| server.ask(faults, Method::GET, OBJECT).await;

    let counted = Faults::new(1, plan().until_requests(1));
    assert_eq!((get(&counted).await.as_str(), get(&counted).await.as_str()), ("dropped", "200 0"));

    let timed = Faults::new(1, plan().until(Instant::now() + Duration::from_secs(1)));
    assert_eq!(get(&timed).await, "dropped");
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(get(&timed).await, "200 1");

    let switched = Faults::new(1, plan());
    switched.switch_off();
    assert_eq!(get(&switched).await, "200 2");
    switched.switch_on();
    assert_eq!(get(&switched).await, "dropped");
}

#[tokio::test]
async fn a_client_in_process_gets_faults_as_over_a_network() {
    let service = service_fn(async |_: Request<kube::client::Body>| {
        Ok::<_, Infallible>(Response::new(Body::full("served")))
    });
    let asked = async |mishap: Mishap| {
        let client = kube::Client::new(always(mishap).layer(service), "default");
        client.request_text(Request::get("/version").body(Vec::new()).expect("a request")).await
    };
    assert!(matches!(asked(Mishap::DropAfter).await, Err(kube::Error::Service(_))));
    assert!(matches!(asked(Mishap::Unavailable).await, Err(kube::Error::Api(status)) if status.code == 503));
    assert!(
        matches!(asked(Mishap::TooManyRequests).await, Err(kube::Error::Api(status)) if status.code == 429)
    );
    assert_eq!(asked(Mishap::Conflict).await.ok().as_deref(), Some("served"));
}
