//! A namespace for one test, and operations in it. The functions panic on errors, because a test would.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::{ControlPlane, TIMEOUT};
use futures::StreamExt as _;
use k8s_openapi::{
    NamespaceResourceScope,
    api::{apps::v1::Deployment, events::v1::Event},
};
use kube::{
    Api, Resource, ResourceExt as _,
    api::{DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams, TypeMeta},
    discovery::pinned_kind,
    runtime::{
        WatchStreamExt as _,
        wait::{await_condition, conditions},
        watcher,
    },
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{fmt::Debug, pin::pin, time::Duration};
use tokio::time::timeout;

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// A kind that can be used in a test.
pub trait Kind:
    Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + Clone
    + Debug
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<K> Kind for K where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// A namespace that no other test uses.
pub struct Namespace {
    /// The control plane that it is on.
    pub plane: ControlPlane,
    /// Its name.
    pub name: String,
}

impl Namespace {
    /// A new namespace on `plane`, whose name begins with `prefix`.
    pub async fn create(plane: ControlPlane, prefix: &str) -> Self {
        let name = plane.create_namespace(prefix).await.unwrap();
        Self { plane, name }
    }

    /// The objects of one kind.
    pub fn api<K: Kind>(&self) -> Api<K> {
        Api::namespaced(self.plane.client(), &self.name)
    }

    /// Creates an object.
    pub async fn post<K: Kind>(&self, object: &K) -> K {
        self.api().create(&PostParams::default(), object).await.unwrap()
    }

    /// Creates an object from JSON, as this field manager.
    pub async fn post_json_as<K: Kind>(&self, manager: &str, object: Value) -> K {
        let params = PostParams { field_manager: Some(manager.to_owned()), ..PostParams::default() };
        self.api().create(&params, &serde_json::from_value(object).unwrap()).await.unwrap()
    }

    /// Creates an object from JSON.
    pub async fn post_json<K: Kind>(&self, object: Value) -> K {
        self.post(&serde_json::from_value(object).unwrap()).await
    }

    /// Creates or changes objects in this namespace with the requests of `kubectl apply --server-side`. A process of
    /// kubectl takes longer than the requests.
    pub async fn apply(&self, objects: Vec<Value>) {
        for mut object in objects {
            object["metadata"]["namespace"] = json!(self.name);
            let types: TypeMeta = serde_json::from_value(object.clone()).unwrap();
            let name = object["metadata"]["name"].as_str().unwrap();
            let kind = GroupVersionKind::try_from(&types).unwrap();
            let (kind, _) = pinned_kind(&self.plane.client(), &kind).await.unwrap();
            let api: Api<DynamicObject> = Api::namespaced_with(self.plane.client(), &self.name, &kind);
            let params = PatchParams::apply("kubectl").validation_strict();
            let applied = api.patch(name, &params, &Patch::Apply(&object)).await;
            applied.unwrap_or_else(|error| panic!("{} {name}: {error}", kind.kind));
        }
    }

    /// Reads an object that must exist.
    pub async fn get<K: Kind>(&self, name: &str) -> K {
        self.api().get(name).await.unwrap()
    }

    /// Whether an object exists.
    pub async fn has<K: Kind>(&self, name: &str) -> bool {
        self.api::<K>().get_opt(name).await.unwrap().is_some()
    }

    /// Changes an object as a user would, with a merge patch.
    pub async fn merge<K: Kind>(&self, name: &str, patch: Value) -> K {
        self.api::<K>().patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap()
    }

    /// Deletes an object.
    pub async fn delete<K: Kind>(&self, name: &str) {
        self.api::<K>().delete(name, &DeleteParams::default()).await.unwrap();
    }

    /// Waits until an object meets a condition, and returns it.
    pub async fn until<K: Kind>(&self, name: &str, condition: impl Fn(&K) -> bool + Send + Sync) -> K {
        let met = |object: Option<&K>| object.is_some_and(&condition);
        let object = insist(async || await_condition(self.api::<K>(), name, met).await);
        if let Ok(object) = timeout(TIMEOUT, object).await {
            return object.unwrap();
        }
        let now = serde_json::to_string_pretty(&self.api::<K>().get_opt(name).await.unwrap()).unwrap();
        panic!("{} {name} did not meet the condition: {now}", K::kind(&()));
    }

    /// Waits until an object no longer exists.
    pub async fn until_gone<K: Kind>(&self, name: &str) {
        let Some(object) = self.api::<K>().get_opt(name).await.unwrap() else { return };
        let uid = object.uid().unwrap();
        let gone =
            insist(async || await_condition(self.api::<K>(), name, conditions::is_deleted(&uid)).await);
        timeout(TIMEOUT, gone).await.expect("it is deleted in time");
    }

    /// Waits for an event about the object of this name, and returns its note.
    pub async fn until_event(&self, about: &str, reason: &str) -> String {
        let matches = |event: &Event| {
            event.regarding.as_ref().and_then(|object| object.name.as_deref()) == Some(about)
                && event.reason.as_deref() == Some(reason)
        };
        let events = watcher(self.api::<Event>(), watcher::Config::default()).default_backoff();
        let events = events.applied_objects().filter_map(|event| std::future::ready(event.ok()));
        let mut seen = pin!(events.filter(|event| std::future::ready(matches(event))));
        let event = timeout(TIMEOUT, seen.next()).await.expect("the event comes in time").unwrap();
        event.note.unwrap_or_default()
    }

    /// Sets the status of a Deployment as its controller and the kubelets would.
    pub async fn make_available(&self, name: &str) {
        let deployment = self.until::<Deployment>(name, |_| true).await;
        let replicas = deployment.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1);
        let status = json!({"status": {
            "observedGeneration": deployment.metadata.generation,
            "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
            "availableReplicas": replicas,
        }});
        let api = self.api::<Deployment>();
        api.patch_status(name, &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    }

    /// Runs kubectl and returns its output. Panics with kubectl's error message.
    pub async fn kubectl(&self, arguments: &[&str]) -> String {
        let output = self.plane.kubectl(["--namespace", &self.name]).args(arguments).output().await.unwrap();
        assert!(
            output.status.success(),
            "kubectl {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// Grants a user permissions in this namespace.
    pub async fn allow(&self, user: &str, verbs: &str, resources: &str) {
        let role: String =
            resources.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let (verbs, resources) = (format!("--verb={verbs}"), format!("--resource={resources}"));
        self.kubectl(&["create", "role", &role, &verbs, &resources]).await;
        let (role_flag, user) = (format!("--role={role}"), format!("--user={user}"));
        self.kubectl(&["create", "rolebinding", &role, &role_flag, &user]).await;
    }
}

/// Retries until it succeeds. A busy API server may refuse or end a watch at any time, and clients restart it. kube's
/// [`await_condition`] does not.
async fn insist<T, E: Debug>(attempt: impl AsyncFn() -> Result<T, E>) -> T {
    loop {
        match attempt().await {
            Ok(done) => return done,
            Err(error) => eprintln!("tried again after {error:?}"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::insist;
    use std::cell::Cell;

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_is_cut_off_is_opened_again() {
        let attempts = Cell::new(0);
        let third = async || {
            attempts.set(attempts.get() + 1);
            if attempts.get() < 3 { Err("cut off") } else { Ok(attempts.get()) }
        };
        assert_eq!(insist(third).await, 3);
    }
}
