//! A Harbor in a cluster in memory, and everything the operator made of it.

use crate::pod::Pod;
use apiserver::ApiServer;
use jiff::Timestamp;
use k8s_openapi::{
    NamespaceResourceScope,
    api::{
        apps::v1::Deployment,
        core::v1::{Namespace, Secret},
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, Resource,
    api::{ApiResource, DynamicObject, ListParams, PostParams},
    core::GroupVersionKind,
    runtime::wait::await_condition,
};
use runtime::{Operator, Options};
use sandbox::StandIns;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Debug, time::Duration};
use tokio::{runtime::Builder, time::timeout};
use tokio_util::sync::CancellationToken;

/// Longer than everything takes, keys included.
const TIMEOUT: Duration = Duration::from_mins(2);

/// The objects of one namespace, as they are stored.
pub struct Installation {
    pub objects: Vec<Value>,
}

impl Installation {
    /// The objects that the operator creates without cert-manager for a Harbor with internal TLS, in the cluster and
    /// to users, as soon as all of these Secrets and Deployments exist.
    pub fn of(redis: Value, secrets: &[&str], deployments: &[&str]) -> Self {
        on_a_runtime(async {
            let client = Client::new(ApiServer::new(), "registry");
            prepare(&client).await;
            let stop = start(&client, Options::default());
            for object in inputs().into_iter().chain([harbor(redis)]) {
                create(&client, object).await;
            }
            for name in secrets {
                until_made::<Secret>(&client, name).await;
            }
            for name in deployments {
                until_made::<Deployment>(&client, name).await;
            }
            let objects = stored(&client).await;
            stop.cancel();
            Self { objects }
        })
    }

    /// A Harbor that users reach under a URL, as soon as a certificate has been issued, and after an operator that
    /// starts later has renewed it.
    pub fn over_a_renewal(url: &str, secret: &str, later: fn() -> Timestamp) -> (Self, Self) {
        on_a_runtime(async {
            let client = Client::new(ApiServer::new(), "registry");
            prepare(&client).await;
            let stop = start(&client, Options::default());
            let mut harbor = harbor(json!({ "host": "redis.example.com" }));
            harbor["spec"]["externalURL"] = url.into();
            for object in inputs().into_iter().chain([harbor]) {
                create(&client, object).await;
            }
            let first = until_made::<Secret>(&client, secret).await;
            let before = Self { objects: stored(&client).await };
            stop.cancel();
            let stop = start(&client, Options { clock: later, ..Options::default() });
            until::<Secret>(&client, secret, move |secret| secret.data != first.data).await;
            let after = Self { objects: stored(&client).await };
            stop.cancel();
            (before, after)
        })
    }

    /// What the pods of a Deployment get to see.
    pub fn pod(&self, deployment: &str) -> Pod {
        let others =
            |object: &Value| object["kind"] == "Deployment" && object["metadata"]["name"] != deployment;
        Pod::of(&self.objects.iter().filter(|object| !others(object)).cloned().collect::<Vec<_>>())
    }

    /// What a Secret holds, as text.
    pub fn secret(&self, name: &str) -> BTreeMap<String, String> {
        let secret = self
            .objects
            .iter()
            .find(|object| object["kind"] == "Secret" && object["metadata"]["name"] == name);
        let secret: Secret = serde_json::from_value(secret.unwrap().clone()).unwrap();
        let data = secret.data.unwrap_or_default().into_iter();
        data.map(|(key, value)| (key, String::from_utf8(value.0).unwrap())).collect()
    }
}

/// Unoptimised, the watch of Harbors takes more than the usual two mebibytes.
fn on_a_runtime<T>(future: impl Future<Output = T>) -> T {
    let runtime = Builder::new_multi_thread().thread_stack_size(16 << 20).enable_all().build().unwrap();
    runtime.block_on(future)
}

/// Starts an operator, and stand-ins for the rest of a cluster.
fn start(client: &Client, options: Options) -> CancellationToken {
    let stop = CancellationToken::new();
    tokio::spawn(StandIns::new(client.clone()).run(stop.clone()));
    tokio::spawn(operator(client.clone(), options).run(stop.clone()));
    stop
}

async fn prepare(client: &Client) {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = serde_json::from_value(json!({ "metadata": { "name": "registry" } })).unwrap();
    namespaces.create(&PostParams::default(), &namespace).await.unwrap();
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    for definition in api::crds::all() {
        definitions.create(&PostParams::default(), &definition).await.unwrap();
    }
}

fn operator(client: Client, options: Options) -> Operator {
    Operator::new(client, components::all(), options)
}

/// The password of Redis and of the database. YAML, as which the registry reads its environment, has several meanings
/// for it.
pub const PASSWORD: &str = r#"0123: #{p@ss}'" *&![ß]"#;

fn inputs() -> Vec<Value> {
    let secret = |name: &str, key: &str| {
        let metadata = json!({ "name": name });
        json!({ "apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": { key: PASSWORD } })
    };
    vec![
        secret("admin", "secret"),
        secret("postgres", "postgres-password"),
        secret("redis", "redis-password"),
    ]
}

fn harbor(redis: Value) -> Value {
    json!({
        "apiVersion": "goharbor.io/v1beta1",
        "kind": "Harbor",
        "metadata": { "name": "acme" },
        "spec": {
            "version": "2.15.0",
            "externalURL": "https://harbor.example.com",
            "harborAdminPasswordRef": "admin",
            "internalTLS": { "enabled": true },
            "database": { "hosts": [{ "host": "postgres.example.com" }], "username": "harbor" },
            "redis": redis,
            "core": { "tokenIssuer": { "name": "none" } },
            "portal": {},
            "expose": { "core": { "tls": {}, "ingress": { "host": "harbor.example.com" } } },
            "imageChartStorage": { "filesystem": { "registryPersistentVolume": { "claimName": "images" } } },
        },
    })
}

async fn until_made<K>(client: &Client, name: &str) -> K
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + Debug + DeserializeOwned + Send + 'static,
{
    until(client, name, |_| true).await
}

async fn until<K>(client: &Client, name: &str, holds: impl Fn(&K) -> bool) -> K
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + Debug + DeserializeOwned + Send + 'static,
{
    let api: Api<K> = Api::default_namespaced(client.clone());
    let made = await_condition(api, name, |object: Option<&K>| object.is_some_and(&holds));
    let Ok(Ok(Some(object))) = timeout(TIMEOUT, made).await else {
        panic!("{} {name} was not made in time", K::kind(&()));
    };
    object
}

async fn create(client: &Client, object: Value) {
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    let types = object.types.as_ref().unwrap();
    let resource = ApiResource::from_gvk(&GroupVersionKind::try_from(types).unwrap());
    let api: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
    api.create(&PostParams::default(), &object).await.unwrap();
}

async fn stored(client: &Client) -> Vec<Value> {
    let mut objects = Vec::new();
    for (group, kind) in [("", "Secret"), ("", "ConfigMap"), ("apps", "Deployment")] {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, "v1", kind));
        let api: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
        let found = api.list(&ListParams::default()).await.unwrap();
        objects.extend(found.items.into_iter().map(|object| {
            let mut object = json!(object);
            object["kind"] = json!(kind);
            object
        }));
    }
    objects
}
