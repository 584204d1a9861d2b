//! Two operators, of which one works.

use crate::widget::{Widget, WidgetComponent, WidgetSpec};
use apiserver::ApiServer;
use election::{Election, Leadership, Lost, Timing};
use envtest::clock;
use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use kube::{
    Api, Client, CustomResourceExt as _,
    api::{Patch, PatchParams, PostParams},
    client::Body,
    runtime::wait::await_condition,
};
use plan::ComponentKind;
use runtime::{Ended, Operator, Options};
use sandbox::StandIns;
use serde_json::json;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt as _;

/// How many widgets are made.
const MANY: usize = 20;

type Requests = Arc<Mutex<Vec<String>>>;

struct Site {
    server: ApiServer,
    client: Client,
    _stop: DropGuard,
}

/// An operator; killed when it is dropped.
struct Rival {
    leadership: Leadership,
    requests: Requests,
    /// Hears when as many writes were sent as it was given.
    worn_out: CancellationToken,
    stop: CancellationToken,
    task: JoinHandle<Result<(), Ended>>,
}

impl Site {
    async fn new() -> Self {
        let server = ApiServer::builder().seed(1).start(Timestamp::UNIX_EPOCH).build().unwrap();
        let client = Client::new(server.clone(), "default");
        let stop = CancellationToken::new();
        tokio::spawn(StandIns::new(client.clone()).clock(clock).run(stop.clone()));
        let definitions = Api::all(client.clone());
        definitions.create(&PostParams::default(), &Widget::crd()).await.unwrap();
        Self { server, client, _stop: stop.drop_guard() }
    }

    fn operator(&self, identity: &str) -> Rival {
        self.short_lived(identity, usize::MAX)
    }

    /// One that does not hear the answer to this write to anything but its lease, nor to any later one.
    fn short_lived(&self, identity: &str, writes: usize) -> Rival {
        let (requests, worn_out) = (Requests::default(), CancellationToken::new());
        let (noted, server, over) = (Arc::clone(&requests), self.server.clone(), worn_out.clone());
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let (noted, server, over) = (Arc::clone(&noted), server.clone(), over.clone());
            async move {
                sleep(Duration::from_millis(5)).await;
                // What a killed process had not sent by now never arrives.
                note(&noted, &request, writes, &over);
                let answer = server.oneshot(request).await;
                if over.is_cancelled() {
                    std::future::pending::<()>().await;
                }
                answer
            }
        });
        let election = Election {
            namespace: "default".into(),
            name: "operator".into(),
            identity: identity.into(),
            timing: Timing::DEFAULT,
        };
        let options = Options { clock, election: Some(election), ..Options::default() };
        let operator = Operator::new(
            Client::new(service, "default"),
            vec![ComponentKind::of::<WidgetComponent>()],
            options,
        );
        let (leadership, stop) = (operator.leadership(), CancellationToken::new());
        let task = tokio::spawn(operator.run(stop.clone()));
        Rival { leadership, requests, worn_out, stop, task }
    }

    fn widgets(&self) -> Api<Widget> {
        Api::default_namespaced(self.client.clone())
    }

    async fn create(&self, name: &str) {
        let widget = Widget::new(name, WidgetSpec::default());
        self.widgets().create(&PostParams::default(), &widget).await.unwrap();
    }

    async fn until_ready(&self, name: &str) {
        let ready = |widget: Option<&Widget>| {
            let status = widget.and_then(|widget| widget.status.as_ref());
            let mut conditions = status.into_iter().flat_map(|status| &status.conditions);
            conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
        };
        let ready = timeout(Duration::from_mins(10), await_condition(self.widgets(), name, ready)).await;
        ready.expect("it becomes ready").unwrap();
    }
}

impl Rival {
    async fn until_leading(&self) {
        while !self.leadership.leads() {
            sleep(Duration::from_millis(10)).await;
        }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Notes a request that has arrived.
fn note(noted: &Requests, request: &http::Request<Body>, most: usize, over: &CancellationToken) {
    let mut noted = noted.lock().unwrap();
    noted.push(format!("{} {}", request.method(), request.uri().path()));
    if own(&noted).len() >= most {
        over.cancel();
    }
}

/// Those of some requests that change something other than the lease.
fn own(requests: &[String]) -> Vec<&str> {
    let writes = envtest::writes(requests);
    writes.into_iter().filter(|request| !request.contains("/leases")).collect()
}

async fn two() -> (Site, Rival, Rival) {
    let site = Site::new().await;
    let first = site.operator("first");
    first.until_leading().await;
    let second = site.operator("second");
    sleep(Duration::from_secs(5)).await;
    (site, first, second)
}

#[tokio::test(start_paused = true)]
async fn a_standby_watches_everything_and_changes_nothing() {
    let (site, _first, second) = two().await;
    site.create("w").await;
    site.until_ready("w").await;
    sleep(Duration::from_mins(10)).await;

    let mut counts = BTreeMap::<String, usize>::new();
    for request in second.requests() {
        *counts.entry(request).or_default() += 1;
    }
    let reads = counts.remove("GET /apis/coordination.k8s.io/v1/namespaces/default/leases/operator");
    assert_eq!(reads, Some(1), "it reads the lease once, and then watches it");
    let watched: Vec<_> = counts.into_keys().collect();
    assert_eq!(
        watched,
        [
            "GET /api/v1/configmaps",
            "GET /api/v1/secrets",
            "GET /apis/apps/v1/deployments",
            "GET /apis/coordination.k8s.io/v1/namespaces/default/leases",
            "GET /apis/engine.test/v1/widgets"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn when_the_leader_is_killed_at_work_the_other_goes_on_and_nothing_is_written_twice() {
    for writes in [1, 2, 17, 34, 61] {
        let site = Site::new().await;
        let first = site.short_lived("first", writes);
        first.until_leading().await;
        let second = site.operator("second");
        sleep(Duration::from_secs(5)).await;
        for i in 0..MANY {
            site.create(&format!("w{i}")).await;
        }
        first.worn_out.cancelled().await;
        let killed = Instant::now();
        let by_first = first.requests();
        drop(first);
        second.until_leading().await;
        assert!(killed.elapsed() < Duration::from_millis(17_200), "{:?}", killed.elapsed());
        for i in 0..MANY {
            site.until_ready(&format!("w{i}")).await;
        }
        sleep(Duration::from_mins(1)).await;

        let mut children = BTreeMap::<String, usize>::new();
        for request in own(&by_first).into_iter().map(str::to_owned).chain(second.requests()) {
            let child = ["/configmaps/", "/deployments/", "POST /api/v1/namespaces/default/secrets"];
            let child = child.iter().any(|child| request.contains(child));
            if child && !request.starts_with("GET ") {
                *children.entry(request).or_default() += 1;
            }
        }
        let secrets = children.remove("POST /api/v1/namespaces/default/secrets");
        assert_eq!(secrets, Some(MANY), "{writes}");
        assert_eq!(children.len(), 2 * MANY, "{writes}");
        let twice: Vec<_> = children.into_iter().filter(|(_, times)| *times > 1).collect();
        assert_eq!(twice, [], "{writes}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deposed_operator_ends_and_writes_nothing_more() {
    let (site, mut first, second) = two().await;
    drop(second);
    let leases: Api<Lease> = Api::default_namespaced(site.client.clone());
    let theirs = json!({"spec": {"holderIdentity": "another", "leaseDurationSeconds": 3600}});
    leases.patch("operator", &PatchParams::default(), &Patch::Merge(theirs)).await.unwrap();
    let taken = Lost::Taken { lease: "default/operator".into(), holder: "another".into() };
    let ended = (&mut first.task).await.unwrap().unwrap_err();
    assert!(matches!(&ended, Ended::Deposed(lost) if *lost == taken), "{ended}");
    let before = first.requests().len();
    site.create("w").await;
    sleep(Duration::from_mins(10)).await;
    assert_eq!(first.requests().len(), before);
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_stopped_hands_over_at_once() {
    let (site, mut first, second) = two().await;
    first.stop.cancel();
    (&mut first.task).await.unwrap().unwrap();
    let stopped = Instant::now();
    site.create("w").await;
    second.until_leading().await;
    assert!(stopped.elapsed() < Duration::from_millis(2_300), "{:?}", stopped.elapsed());
    site.until_ready("w").await;
}

#[tokio::test(start_paused = true)]
async fn a_standby_that_is_stopped_leaves_the_lease_alone() {
    let (_site, first, mut second) = two().await;
    second.stop.cancel();
    (&mut second.task).await.unwrap().unwrap();
    assert_eq!(envtest::writes(&second.requests()), Vec::<&str>::new());
    assert!(first.leadership.leads());
}
