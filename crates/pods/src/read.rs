//! Reads what a report is made of: one list of each kind in a namespace, and the ends of a few logs.

use crate::{
    LogInstance, LogKey, Unseen,
    fold::Observed,
    log::LINES,
    owner::Owned,
    report::Report,
    slim::Slim,
    text::message,
    unseen::{DEPLOYMENTS, EVENTS, JOBS, LOGS, PODS, REPLICA_SETS, STATEFUL_SETS},
    workload::{Kind, Sort, Standing, Workload, common_labels},
};
use futures::{
    FutureExt as _,
    future::{BoxFuture, join_all},
};
use http_body_util::{BodyExt as _, Limited};
use jiff::Timestamp;
use k8s_openapi::{
    NamespaceResourceScope,
    api::{
        apps::v1::{Deployment, ReplicaSet, StatefulSet},
        batch::v1::Job,
        core::v1::{Event, Pod},
    },
};
use kube::{
    Api, Client, Resource,
    api::{ListParams, LogParams},
    client::Body,
    core::{ObjectList, PartialObjectMeta, Request, Selector, Status},
};
use plan::ObjectKey;
use serde::de::DeserializeOwned;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    time::Duration,
};
use tokio::time::{Instant, timeout_at};

/// How long all requests of a report may take together. What is not known by then is left out.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Objects of a page of a list. Those of others may be large, and the operator, which reads them for the page, has little memory.
const PAGE: u32 = 20;
/// Most objects of a list. A namespace with more is not what the report is about.
const LISTED: usize = 500;
/// Most bytes that are requested of a log.
const LOG_BYTES: i64 = 16 * 1024;
/// Most bytes that are accepted, from an API server that does not keep to the request.
const LARGEST_ANSWER: usize = 64 * 1024;
/// Most logs of one report.
const LOGS_IN_ALL: usize = 16;

/// Reads the cluster once, and reports about the pods of these workloads.
pub async fn read(client: &Client, workloads: &BTreeMap<ObjectKey, Standing>, now: Timestamp) -> Report {
    let mut observed = Observed::default();
    let deadline = Instant::now() + TIMEOUT;
    let namespaces: BTreeSet<_> = workloads.keys().map(|key| key.namespace.as_str()).collect();
    for namespace in namespaces {
        Namespace { client, name: namespace, deadline }.read(workloads, &mut observed).await;
    }
    let wanted = observed.wanted_logs(now).into_iter().take(LOGS_IN_ALL);
    let logs = join_all(wanted.map(|key| log(client.clone(), key, deadline).boxed())).await;
    for (key, read) in logs {
        match read {
            Err(problem) if problem.forbidden => {
                observed.unseen.insert(problem.unseen(LOGS, &key.namespace));
            }
            read => {
                observed.logs.insert(key, read.map_err(|problem| problem.text));
            }
        }
    }
    observed.fold(now)
}

/// The workloads of one namespace that were asked for.
struct Asked<'a> {
    all: BTreeMap<&'a ObjectKey, Standing>,
}

impl<'a> Asked<'a> {
    fn within(namespace: &str, all: &'a BTreeMap<ObjectKey, Standing>) -> Self {
        let here = all.iter().filter(|(key, _)| key.namespace == namespace);
        Self { all: here.map(|(key, standing)| (key, *standing)).collect() }
    }

    /// Those whose pods are found in this way.
    fn of(&self, sort: Sort) -> impl Iterator<Item = (&ObjectKey, Standing)> {
        let all = self.all.iter().map(|(key, standing)| (*key, *standing));
        all.filter(move |(key, _)| Sort::of(key) == Some(sort))
    }

    fn has_other_operators(&self) -> bool {
        self.of(Sort::Owning).any(|(key, _)| key.kind != "Pod")
    }

    /// The list that has the workloads of a kind that were asked for; none if there are none. With objects of other operators,
    /// it has all of the kind: they may own others of it.
    fn named<K: Kind>(&self) -> Option<ListParams> {
        let is_asked = |key: &&&ObjectKey| key.group == K::group(&()) && key.kind == K::kind(&());
        let keys: Vec<_> = self.all.keys().filter(is_asked).collect();
        match keys[..] {
            [] => None,
            [only] if !self.has_other_operators() => {
                Some(ListParams::default().fields(&format!("metadata.name={}", only.name)))
            }
            _ => Some(ListParams::default()),
        }
    }
}

/// The resource of a kind of Kubernetes that owns pods, or owns what owns them.
fn resource(key: &ObjectKey) -> Option<&'static str> {
    match (&*key.group, &*key.kind) {
        ("apps", "Deployment") => Some(DEPLOYMENTS),
        ("apps", "StatefulSet") => Some(STATEFUL_SETS),
        ("apps", "ReplicaSet") => Some(REPLICA_SETS),
        ("batch", "Job") => Some(JOBS),
        _ => None,
    }
}

/// The requests to one namespace.
struct Namespace<'a> {
    client: &'a Client,
    name: &'a str,
    deadline: Instant,
}

impl Namespace<'_> {
    async fn read(&self, asked: &BTreeMap<ObjectKey, Standing>, observed: &mut Observed) {
        let asked = Asked::within(self.name, asked);
        let mut listed = BTreeSet::new();
        let mut found = self.workloads::<Deployment>(DEPLOYMENTS, &asked, observed, &mut listed).await;
        found.extend(self.workloads::<StatefulSet>(STATEFUL_SETS, &asked, observed, &mut listed).await);
        found.extend(self.workloads::<Job>(JOBS, &asked, observed, &mut listed).await);
        let owning = asked.of(Sort::Owning).map(|(key, standing)| Workload::owning(key, standing));
        found.extend(owning);
        if found.is_empty() {
            return;
        }
        let unready: Vec<_> = found.iter().filter(|it| it.standing == Standing::Unready).collect();
        let has_revision = unready.iter().any(|workload| workload.revision.is_some());
        let has_unready = !unready.is_empty();
        let params = ListParams::default();
        // Nothing is known of the labels that other operators give to their pods.
        let labels =
            if asked.of(Sort::Owning).next().is_some() { BTreeMap::new() } else { common_labels(&found) };
        let labels: Selector = labels.into_iter().collect();
        let selected =
            if labels.selects_all() { params.clone() } else { params.clone().labels_from(&labels) };
        let pods = self.list(PODS, selected.clone(), objects::<Pod>, observed).await;
        observed.pods.extend(pods);
        observed.workloads.extend(found);
        if has_revision {
            self.owned::<ReplicaSet>(REPLICA_SETS, selected, observed).await;
            listed.insert(REPLICA_SETS);
        }
        if asked.has_other_operators() {
            self.between(&asked, observed, &mut listed).await;
        }
        if has_unready {
            let warnings = params.fields("type!=Normal");
            let events = self.list(EVENTS, warnings, objects::<Event>, observed).await;
            observed.events.extend(events);
        }
    }

    /// Reads what is between the objects of other operators and their pods: each kind once, and only if a pod has such an owner.
    /// If an object is not ready, its StatefulSets are read even if they have no pods: they say why.
    async fn between(&self, asked: &Asked<'_>, observed: &mut Observed, listed: &mut BTreeSet<&'static str>) {
        let is_unready =
            |(key, standing): (&ObjectKey, _)| key.kind != "Pod" && standing == Standing::Unready;
        let mut wanted: BTreeSet<_> =
            asked.of(Sort::Owning).any(is_unready).then_some(STATEFUL_SETS).into_iter().collect();
        loop {
            let unread = observed.unread().into_iter().filter(|key| key.namespace == self.name);
            wanted.extend(unread.filter_map(|key| resource(&key)));
            let Some(next) = wanted.difference(listed).next().copied() else { return };
            listed.insert(next);
            let all = ListParams::default();
            match next {
                DEPLOYMENTS => self.owned::<Deployment>(next, all, observed).await,
                STATEFUL_SETS => self.owned::<StatefulSet>(next, all, observed).await,
                JOBS => self.owned::<Job>(next, all, observed).await,
                _ => self.owned::<ReplicaSet>(next, all, observed).await,
            }
        }
    }

    /// Notes the owners of all objects of a kind.
    async fn owned<K>(&self, resource: &'static str, params: ListParams, observed: &mut Observed)
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
            + Clone
            + Debug
            + DeserializeOwned
            + 'static,
    {
        let found = self.list(resource, params, metadata::<K>, observed).await;
        observed.owners.extend(found.iter().map(|it| Owned::of::<K>(&it.metadata)));
    }

    /// The workloads of a kind that exist, of those that were asked for.
    async fn workloads<K>(
        &self,
        plural: &'static str,
        asked: &Asked<'_>,
        observed: &mut Observed,
        listed: &mut BTreeSet<&'static str>,
    ) -> Vec<Workload>
    where
        K: Kind
            + Slim
            + Resource<Scope = NamespaceResourceScope>
            + Clone
            + Debug
            + DeserializeOwned
            + 'static,
    {
        let Some(params) = asked.named::<K>() else { return Vec::new() };
        let found = self.list(plural, params, objects::<K>, observed).await;
        listed.insert(plural);
        observed.owners.extend(found.iter().map(|it| Owned::of::<K>(it.meta())));
        let name = |object: &K| object.meta().name.clone().unwrap_or_default();
        let standing = |object: &K| asked.all.get(&ObjectKey::of::<K>(self.name, &name(object))).copied();
        found.iter().filter_map(|object| Some(Workload::of(object, standing(object)?))).collect()
    }

    /// The objects of a list, which is read in pages. What is missing is noted.
    async fn list<K, T>(
        &self,
        resource: &'static str,
        params: ListParams,
        page: fn(Api<K>, ListParams) -> Page<T>,
        observed: &mut Observed,
    ) -> Vec<T>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + 'static,
        T: Slim + Clone + 'static,
    {
        let api = Api::namespaced(self.client.clone(), self.name);
        let mut all = Vec::new();
        let mut params = params.limit(PAGE);
        let problem = loop {
            let mut list = match self.in_time(page(api.clone(), params.clone())).await {
                Ok(list) => list,
                Err(problem) => break Some(problem),
            };
            list.items.iter_mut().for_each(Slim::slim);
            all.append(&mut list.items);
            match list.metadata.continue_.filter(|token| !token.is_empty()) {
                None => break None,
                Some(_) if all.len() >= LISTED => {
                    let text = format!("there are more than {LISTED}, and only these were read");
                    break Some(Problem { forbidden: false, text });
                }
                Some(token) => params = params.continue_token(&token),
            }
        };
        observed.unseen.extend(problem.map(|problem| problem.unseen(resource, self.name)));
        all
    }

    async fn in_time<T>(&self, request: impl Future<Output = kube::Result<T>>) -> Result<T, Problem> {
        let answer = timeout_at(self.deadline, request).await;
        answer.map_or_else(|_elapsed| Err(Problem::slow()), |answer| answer.map_err(Problem::of))
    }
}

/// One page of a list.
type Page<T> = BoxFuture<'static, kube::Result<ObjectList<T>>>;

fn objects<K: Clone + Debug + DeserializeOwned + 'static>(api: Api<K>, params: ListParams) -> Page<K> {
    async move { api.list(&params).await }.boxed()
}

/// Of objects that take a lot of room, only the metadata.
fn metadata<K: Clone + Debug + DeserializeOwned + 'static>(
    api: Api<K>,
    params: ListParams,
) -> Page<PartialObjectMeta<K>> {
    async move { api.list_metadata(&params).await }.boxed()
}

/// The end of a log. Its bytes may be no text.
async fn log(client: Client, key: LogKey, deadline: Instant) -> (LogKey, Result<String, Problem>) {
    let answer = timeout_at(deadline, requested(&client, &key)).await;
    (key, answer.unwrap_or_else(|_elapsed| Err(Problem::slow())))
}

async fn requested(client: &Client, key: &LogKey) -> Result<String, Problem> {
    let params = LogParams {
        container: Some(key.container.clone()),
        limit_bytes: Some(LOG_BYTES),
        previous: key.instance == LogInstance::Previous,
        // Empty lines are not shown.
        tail_lines: i64::try_from(LINES * 2).ok(),
        ..LogParams::default()
    };
    let request = Request::new(Pod::url_path(&(), Some(&key.namespace))).logs(&key.pod, &params);
    let request = request.map_err(|error| Problem::new(&error))?.map(Body::from);
    let response = client.send(request).await.map_err(Problem::of)?;
    let status = response.status();
    let body = Limited::new(response.into_body(), LARGEST_ANSWER).collect().await;
    let body = body.map_err(|error| Problem::new(&error))?.to_bytes();
    let text = String::from_utf8_lossy(&body).into_owned();
    if status.is_success() {
        return Ok(text);
    }
    let said = serde_json::from_str::<Status>(&text).map(|status| status.message);
    Err(Problem { forbidden: status.as_u16() == 403, text: message(&said.unwrap_or(text)) })
}

/// Why something could not be read.
#[derive(Debug)]
struct Problem {
    forbidden: bool,
    text: String,
}

impl Problem {
    fn new(error: &dyn std::fmt::Display) -> Self {
        Self { forbidden: false, text: message(&error.to_string()) }
    }

    fn of(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) => {
                Self { forbidden: status.is_forbidden(), text: message(&status.message) }
            }
            error => Self::new(&error),
        }
    }

    fn slow() -> Self {
        Self { forbidden: false, text: format!("the API server did not answer in {} s", TIMEOUT.as_secs()) }
    }

    fn unseen(self, resource: &'static str, namespace: &str) -> Unseen {
        let Self { forbidden, text: problem } = self;
        Unseen { resource, namespace: namespace.to_owned(), forbidden, problem }
    }
}
