//! A namespace with its own stand-ins, on the shared control plane.

use api::names::SANDBOX_FAIL_ANNOTATION;
use envtest::{ControlPlane, Requests, TIMEOUT, writes};
use kube::{
    Api, ResourceExt,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
    core::{ApiResource, DynamicObject, GroupVersionKind},
    runtime::wait::await_condition,
};
use sandbox::{StandIns, definitions};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

pub struct World {
    pub plane: ControlPlane,
    pub namespace: String,
    pub requests: Requests,
    stop: DropGuard,
}

impl World {
    pub async fn new() -> Self {
        Self::slow(Duration::ZERO).await
    }

    /// A world whose stand-ins have a delay.
    pub async fn slow(delay: Duration) -> Self {
        let plane = ControlPlane::shared().await.unwrap();
        let namespace = plane.create_namespace("sandbox").await.unwrap();
        Self::start(plane, namespace.clone(), |stand_ins| stand_ins.delay(delay).within(namespace))
    }

    /// A separate control plane with garbage collection, with stand-ins for all namespaces.
    pub async fn whole() -> Self {
        let plane = ControlPlane::with_controller_manager().start().await.unwrap();
        let namespace = plane.create_namespace("sandbox").await.unwrap();
        Self::start(plane, namespace, |stand_ins| stand_ins)
    }

    pub fn start(plane: ControlPlane, namespace: String, setup: impl FnOnce(StandIns) -> StandIns) -> Self {
        let requests = Requests::default();
        let client = requests.client(plane.config()).unwrap();
        let stop = CancellationToken::new();
        tokio::spawn(setup(StandIns::new(client)).run(stop.clone()));
        Self { plane, namespace, requests, stop: stop.drop_guard() }
    }

    /// The same world with new stand-ins.
    pub fn restarted(self) -> Self {
        let Self { plane, namespace, stop, .. } = self;
        drop(stop);
        Self::start(plane, namespace.clone(), |stand_ins| stand_ins.within(namespace))
    }

    /// A world with the third-party kinds.
    pub async fn with_definitions() -> Self {
        let world = Self::new().await;
        install(&world.plane).await;
        world
    }

    pub fn api(&self, kind: &str) -> Api<DynamicObject> {
        Api::namespaced_with(self.plane.client(), &self.namespace, &resource(kind))
    }

    pub async fn create(&self, kind: &str, name: &str, mut object: Value) -> Value {
        let resource = resource(kind);
        object["apiVersion"] = resource.api_version.clone().into();
        object["kind"] = resource.kind.clone().into();
        object["metadata"]["name"] = name.into();
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let created = self.api(kind).create(&PostParams::default(), &object).await.unwrap();
        serde_json::to_value(created).unwrap()
    }

    pub async fn merge(&self, kind: &str, name: &str, patch: Value) {
        let patch = Patch::Merge(patch);
        self.api(kind).patch(name, &PatchParams::default(), &patch).await.unwrap();
    }

    /// Makes an object fail, with the annotation.
    pub async fn fail(&self, kind: &str, name: &str, message: &str) {
        self.merge(kind, name, json!({"metadata": {"annotations": {SANDBOX_FAIL_ANNOTATION: message}}}))
            .await;
    }

    /// Removes the annotation that makes an object fail.
    pub async fn mend(&self, kind: &str, name: &str) {
        self.merge(kind, name, json!({"metadata": {"annotations": {SANDBOX_FAIL_ANNOTATION: null}}})).await;
    }

    pub async fn delete(&self, kind: &str, name: &str) {
        self.api(kind).delete(name, &DeleteParams::default()).await.unwrap();
    }

    pub async fn get(&self, kind: &str, name: &str) -> Value {
        serde_json::to_value(self.api(kind).get(name).await.unwrap()).unwrap()
    }

    /// The objects of a kind, ordered by name.
    pub async fn list(&self, kind: &str) -> Vec<Value> {
        let all = self.api(kind).list(&ListParams::default()).await.unwrap();
        all.into_iter().map(|object| serde_json::to_value(object).unwrap()).collect()
    }

    pub async fn names(&self, kind: &str) -> Vec<String> {
        self.api(kind).list(&ListParams::default()).await.unwrap().iter().map(ResourceExt::name_any).collect()
    }

    /// Waits until an object meets a condition, and returns it.
    pub async fn until(&self, kind: &str, name: &str, is: impl Fn(&Value) -> bool + Send + Sync) -> Value {
        let met = |object: Option<&DynamicObject>| {
            object.is_some_and(|object| is(&serde_json::to_value(object).unwrap()))
        };
        if let Ok(found) = timeout(TIMEOUT, await_condition(self.api(kind), name, met)).await {
            return serde_json::to_value(found.unwrap().unwrap()).unwrap();
        }
        let now = self.api(kind).get_opt(name).await.unwrap();
        panic!(
            "{kind} {name} did not come to what was waited for: {}",
            serde_json::to_string_pretty(&now).unwrap()
        );
    }

    /// Waits until a condition of an object has this status.
    pub async fn until_condition(&self, kind: &str, name: &str, condition: &str, status: &str) -> Value {
        let object =
            self.until(kind, name, |object| self::condition(object, condition)["status"] == *status).await;
        self::condition(&object, condition)
    }

    /// Waits until an object no longer exists.
    pub async fn until_gone(&self, kind: &str, name: &str) {
        let gone = await_condition(self.api(kind), name, |object: Option<&DynamicObject>| object.is_none());
        timeout(TIMEOUT, gone).await.expect("it is gone in time").unwrap();
    }

    /// Asserts that the stand-ins write nothing once they are quiet.
    pub async fn assert_quiet(&self) {
        self.requests.until_quiet().await;
        let sent = self.requests.until_quiet().await;
        assert!(writes(&sent).is_empty(), "{sent:#?}");
    }
}

pub fn condition(object: &Value, kind: &str) -> Value {
    let conditions = object["status"]["conditions"].as_array();
    conditions.into_iter().flatten().find(|condition| condition["type"] == kind).cloned().unwrap_or_default()
}

pub async fn install(plane: &ControlPlane) {
    plane
        .once("kinds of others", async || plane.install_generated("kinds-of-others", definitions::all).await)
        .await;
}

fn resource(kind: &str) -> ApiResource {
    let (group, version) = match kind {
        "Deployment" | "ReplicaSet" | "StatefulSet" => ("apps", "v1"),
        "Job" => ("batch", "v1"),
        "Ingress" => ("networking.k8s.io", "v1"),
        "EndpointSlice" => ("discovery.k8s.io", "v1"),
        "HTTPRoute" => ("gateway.networking.k8s.io", "v1"),
        "Issuer" | "Certificate" => ("cert-manager.io", "v1"),
        "postgresql" => ("acid.zalan.do", "v1"),
        "Cluster" => ("postgresql.cnpg.io", "v1"),
        "RedisFailover" => ("databases.spotahome.com", "v1"),
        "Redis" | "RedisReplication" | "RedisSentinel" => ("redis.redis.opstreelabs.in", "v1beta2"),
        "Tenant" => ("minio.min.io", "v2"),
        _ => ("", "v1"),
    };
    let gvk = GroupVersionKind::gvk(group, version, kind);
    if kind == "Redis" {
        ApiResource::from_gvk_with_plural(&gvk, "redis")
    } else {
        ApiResource::from_gvk(&gvk)
    }
}
