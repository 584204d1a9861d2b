//! What the pods of a Harbor have: the environment they were started with, the files they have mounted, and which of them get
//! requests.

use crate::cluster::{Cluster, NAMESPACE};
use futures::StreamExt as _;
use k8s_openapi::{
    NamespaceResourceScope,
    api::{
        core::v1::{Container, Pod, Secret, Volume},
        discovery::v1::EndpointSlice,
    },
};
use kube::{
    Api, Client, Resource, ResourceExt as _,
    runtime::watcher::{self, Event, watcher},
};
use serde::de::DeserializeOwned;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::{task::JoinHandle, time::Instant};

/// The longest time after which a kubelet has written a changed Secret into the files of a pod.
const SYNC: Duration = Duration::from_secs(90);

/// The label of an EndpointSlice with the name of its Service.
const SERVICE: &str = "kubernetes.io/service-name";

/// The pods of the namespace, and what they have.
///
/// - A variable that refers to a Secret has the value of the moment in which the pod began to run, whatever happens to the
///   Secret afterwards.
/// - A file that is mounted with `subPath` never changes in a running pod. Kubelet changes any other file of a Secret
///   at some moment within 90 seconds: until then a pod may have the old content or the new one.
pub struct Pods {
    known: Arc<Mutex<Known>>,
    watches: [JoinHandle<()>; 3],
}

#[derive(Default)]
struct Known {
    /// By uid.
    pods: BTreeMap<String, Seen>,
    /// The contents of each Secret, oldest first. What is deleted stays in the files of pods.
    secrets: BTreeMap<String, Vec<Content>>,
    /// The uids of the ready pods by Service.
    endpoints: BTreeMap<String, Vec<String>>,
}

struct Seen {
    pod: Pod,
    /// The revision of the cluster in which it began to run.
    began: Option<u64>,
}

struct Content {
    revision: u64,
    since: Instant,
    data: BTreeMap<String, Vec<u8>>,
}

impl Pods {
    /// The pods of the namespace of all objects, once all of them are known.
    pub async fn of(cluster: &Cluster) -> Self {
        let known = Arc::<Mutex<Known>>::default();
        let pods = follow(&cluster.client, &known, |known, event| match event {
            Event::Apply(pod) | Event::InitApply(pod) => known.note_pod(pod),
            Event::Delete(pod) => drop(known.pods.remove(&pod.uid().unwrap_or_default())),
            Event::Init | Event::InitDone => {}
        });
        let secrets = follow(&cluster.client, &known, |known, event: Event<Secret>| {
            if let Event::Apply(secret) | Event::InitApply(secret) = event {
                known.note_secret(secret);
            }
        });
        let endpoints = follow(&cluster.client, &known, |known, event: Event<EndpointSlice>| match event {
            Event::Apply(slice) | Event::InitApply(slice) => known.note_endpoints(&slice),
            Event::Delete(slice) => drop(known.endpoints.remove(service(&slice))),
            Event::Init | Event::InitDone => {}
        });
        let pods = Self { known, watches: [pods, secrets, endpoints] };
        // In virtual time, nothing is left to read when this is over.
        tokio::time::sleep(Duration::from_millis(1)).await;
        pods
    }

    /// The names of the pods that a Service routes to.
    pub fn ready(&self, service: &str) -> Vec<String> {
        let known = self.known();
        let uids = known.endpoints.get(service).into_iter().flatten();
        uids.map(|uid| known.pods.get(uid).map_or_else(|| uid.clone(), |seen| seen.pod.name_any())).collect()
    }

    /// The value of a variable in a container of a pod that runs.
    pub fn variable(&self, pod: &str, container: &str, name: &str) -> Option<String> {
        let known = self.known();
        let seen = known.named(pod)?;
        let variable =
            self::container(&seen.pod, container)?.env.as_ref()?.iter().find(|it| it.name == name)?;
        let Some(from) = variable.value_from.as_ref().and_then(|from| from.secret_key_ref.as_ref()) else {
            return variable.value.clone();
        };
        let content = known.at_start(&from.name, seen.began?)?;
        String::from_utf8(content.data.get(&from.key)?.clone()).ok()
    }

    /// What a file of a Secret may hold in a container of a pod that runs.
    pub fn file(&self, pod: &str, container: &str, path: &str) -> BTreeSet<Vec<u8>> {
        let known = self.known();
        let found = || {
            let seen = known.named(pod)?;
            let (secret, key, is_fixed) = source(&seen.pod, container, path)?;
            let first = known.at_start(&secret, seen.began?)?;
            // A kubelet that is slow has what was there so long ago.
            let contents = known.secrets.get(&secret)?;
            let synced = contents.iter().rfind(|content| content.since.elapsed() >= SYNC);
            let oldest = synced.map_or(first.revision, |synced| synced.revision.max(first.revision));
            let later = contents.iter().filter(|content| content.revision > oldest && !is_fixed);
            let oldest = if is_fixed { first } else { contents.iter().find(|it| it.revision == oldest)? };
            Some([oldest].into_iter().chain(later).filter_map(|it| it.data.get(&key).cloned()).collect())
        };
        found().unwrap_or_default()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap()
    }
}

impl Drop for Pods {
    fn drop(&mut self) {
        self.watches.iter().for_each(JoinHandle::abort);
    }
}

impl Known {
    fn note_pod(&mut self, pod: Pod) {
        let uid = pod.uid().unwrap_or_default();
        let runs = pod.status.as_ref().and_then(|status| status.phase.as_deref()) == Some("Running");
        let before = self.pods.get(&uid).and_then(|seen| seen.began);
        let began = before.or_else(|| runs.then(|| revision(&pod)));
        self.pods.insert(uid, Seen { pod, began });
    }

    fn note_secret(&mut self, secret: Secret) {
        let content = Content {
            revision: revision(&secret),
            since: Instant::now(),
            data: secret.data.iter().flatten().map(|(key, value)| (key.clone(), value.0.clone())).collect(),
        };
        self.secrets.entry(secret.name_any()).or_default().push(content);
    }

    fn note_endpoints(&mut self, slice: &EndpointSlice) {
        let ready = slice.endpoints.iter().filter(|endpoint| {
            endpoint.conditions.as_ref().is_some_and(|conditions| conditions.ready == Some(true))
        });
        let uids = ready.filter_map(|endpoint| endpoint.target_ref.as_ref()?.uid.clone()).collect();
        self.endpoints.insert(service(slice).to_owned(), uids);
    }

    fn named(&self, pod: &str) -> Option<&Seen> {
        self.pods.values().find(|seen| seen.pod.name_any() == pod)
    }

    /// What a Secret had in this revision; the oldest known content, if that is newer.
    fn at_start(&self, secret: &str, revision: u64) -> Option<&Content> {
        let contents = self.secrets.get(secret)?;
        contents.iter().rfind(|content| content.revision <= revision).or(contents.first())
    }
}

fn container<'p>(pod: &'p Pod, name: &str) -> Option<&'p Container> {
    pod.spec.as_ref()?.containers.iter().find(|container| container.name == name)
}

/// The Secret and the key that a file of a container comes from, and whether it is mounted with `subPath`.
pub fn source(pod: &Pod, name: &str, path: &str) -> Option<(String, String, bool)> {
    let mounts = container(pod, name)?.volume_mounts.as_ref()?;
    mounts.iter().find_map(|mount| {
        let (file, is_fixed) = match &mount.sub_path {
            Some(file) if mount.mount_path == path => (file.as_str(), true),
            Some(_) => return None,
            None => (path.strip_prefix(&mount.mount_path)?.strip_prefix('/')?, false),
        };
        let volumes = pod.spec.as_ref()?.volumes.as_ref()?;
        let volume = volumes.iter().find(|volume| volume.name == mount.name)?;
        let (secret, key) = key_of(volume, file)?;
        Some((secret, key, is_fixed))
    })
}

/// The Secret and the key behind a file of a volume.
fn key_of(volume: &Volume, file: &str) -> Option<(String, String)> {
    let secret = volume.secret.iter().map(|it| (it.secret_name.clone().unwrap_or_default(), &it.items));
    let sources = volume.projected.iter().flat_map(|projected| projected.sources.iter().flatten());
    let projected = sources.filter_map(|it| it.secret.as_ref()).map(|it| (it.name.clone(), &it.items));
    secret.chain(projected).find_map(|(secret, items)| {
        let key = match items {
            Some(items) => items.iter().find(|item| item.path == file)?.key.clone(),
            None => file.to_owned(),
        };
        Some((secret, key))
    })
}

fn follow<K>(
    client: &Client,
    known: &Arc<Mutex<Known>>,
    note: impl Fn(&mut Known, Event<K>) + Send + 'static,
) -> JoinHandle<()>
where
    K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
        + Clone
        + Debug
        + DeserializeOwned
        + Send
        + 'static,
{
    let (api, known) = (Api::<K>::namespaced(client.clone(), NAMESPACE), Arc::clone(known));
    tokio::spawn(async move {
        let mut events = std::pin::pin!(watcher(api, watcher::Config::default()));
        while let Some(event) = events.next().await {
            note(&mut known.lock().unwrap(), event.unwrap());
        }
    })
}

fn service(slice: &EndpointSlice) -> &str {
    slice.labels().get(SERVICE).map_or("", String::as_str)
}

/// Revisions of the API server in memory count all writes to the cluster.
fn revision<K: Resource>(object: &K) -> u64 {
    object.resource_version().and_then(|version| version.parse().ok()).unwrap_or_default()
}
