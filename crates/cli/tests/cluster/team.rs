//! An operator process and a Harbor, which it reaches over the network, with TLS.
//!
//! A HarborServerConfiguration is in no namespace, so the operator reconciles the whole cluster, which the tests share.
//! Each operator has a class of its own.

use crate::{account, logged::Process, world::World};
use api::v1beta1::HarborServerConfiguration;
use envtest::{ControlPlane, HarborApi, Kind, TIMEOUT};
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Resource,
    api::{DeleteParams, PostParams},
    runtime::wait::{await_condition, conditions},
};
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tokio::time::timeout;

/// The annotation with the class of an object.
pub const CLASS: &str = "goharbor.io/harbor-class";

/// A namespace, a Harbor, a HarborServerConfiguration with the name of the namespace, and an operator.
pub struct Team {
    pub world: World,
    pub harbor: HarborApi,
    pub operator: Process,
    kubeconfig: NamedTempFile,
    flags: Vec<String>,
}

impl Team {
    pub async fn new() -> Self {
        Self::with(&[]).await
    }

    /// With flags that `rbac` has, too.
    pub async fn with(flags: &[&str]) -> Self {
        let world = World::with_controller_manager(ControlPlane::with_controller_manager()).await;
        Self::in_world(world, flags, &[]).await
    }

    /// In this world, with flags that `rbac` has, too, and with flags that only `run` has.
    pub async fn in_world(world: World, flags: &[&str], of_run: &[&str]) -> Self {
        let harbor = HarborApi::start().await;
        let secret = |name: &str, values: Value| json!({"metadata": {"name": name}, "stringData": values});
        let credentials = json!({"accessKey": "admin", "accessSecret": HarborApi::PASSWORD});
        world.post_json::<Secret>(secret("harbor", credentials)).await;
        world.post_json::<Secret>(secret("authority", json!({"ca.crt": harbor.authority}))).await;
        let server = json!({
            "apiVersion": "goharbor.io/v1beta1", "kind": "HarborServerConfiguration",
            "metadata": {"name": world.name, "annotations": {CLASS: world.name}},
            "spec": {
                "serverURL": harbor.url, "version": "v2.15.2",
                "accessCredential": {"namespace": world.name, "accessSecretRef": "harbor"},
                "caRef": {"namespace": world.name, "name": "authority"},
            },
        });
        let kubeconfig = account::kubeconfig(&world.plane, &account::name(&world.name));
        world.apply_as_named(permissions(&world.name, flags)).await;
        let servers: Api<HarborServerConfiguration> = Api::all(world.plane.client());
        servers.create(&PostParams::default(), &serde_json::from_value(server).unwrap()).await.unwrap();
        let own = ["--class", &world.name, "--digest-key-namespace", &world.name];
        let flags: Vec<_> = own.iter().chain(flags).chain(of_run).map(|&flag| flag.to_owned()).collect();
        let operator = start(&kubeconfig, &flags);
        Self { world, harbor, operator, kubeconfig, flags }
    }

    /// Kills the operator, does something, and starts it again.
    pub async fn without_operator<T>(self, act: impl AsyncFnOnce(&World, &HarborApi) -> T) -> (Self, T) {
        let Self { world, harbor, operator, kubeconfig, flags } = self;
        drop(operator);
        let done = act(&world, &harbor).await;
        let operator = start(&kubeconfig, &flags);
        (Self { world, harbor, operator, kubeconfig, flags }, done)
    }

    /// Creates an object of this operator's class, with more metadata.
    pub async fn create_with<K: Kind>(&self, name: &str, metadata: Value, spec: Value) {
        let mut object = json!({"metadata": metadata, "spec": spec});
        object["metadata"]["name"] = name.into();
        object["metadata"]["annotations"] = json!({CLASS: self.world.name});
        object["spec"]["harborServerConfig"] = self.world.name.clone().into();
        self.world.post_json::<K>(object).await;
    }

    pub async fn create<K: Kind>(&self, name: &str, spec: Value) {
        self.create_with::<K>(name, json!({}), spec).await;
    }

    pub async fn until_ready<K: Kind>(&self, name: &str) -> Value {
        json!(Box::pin(self.world.until::<K>(name, is_ready)).await)
    }

    pub async fn change<K: Kind>(&self, name: &str, spec: Value) {
        self.world.merge::<K>(name, json!({"spec": spec})).await;
        self.until_ready::<K>(name).await;
    }

    pub async fn delete<K: Kind>(&self, name: &str) {
        self.world.delete::<K>(name).await;
        self.world.until_gone::<K>(name).await;
    }
}

pub async fn delete_server_configuration(world: &World) {
    let servers: Api<HarborServerConfiguration> = Api::all(world.plane.client());
    servers.delete(&world.name, &DeleteParams::default()).await.unwrap();
    until_gone(servers, &world.name).await;
}

fn start(kubeconfig: &NamedTempFile, flags: &[String]) -> Process {
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    Process::start(kubeconfig.path(), &flags)
}

/// What `rbac` prints for the whole cluster, under names that no other test uses.
fn permissions(namespace: &str, flags: &[&str]) -> Vec<Value> {
    let mut objects = account::printed(&[&["--operator-namespace", namespace], flags].concat());
    let rename = |name: &mut Value| {
        *name = name.as_str().unwrap().replace("harbor-operator", namespace).into();
    };
    for object in &mut objects {
        if object["kind"].as_str().is_some_and(|kind| kind.starts_with("Cluster")) {
            rename(&mut object["metadata"]["name"]);
        }
        if object["kind"] == "ClusterRoleBinding" {
            rename(&mut object["roleRef"]["name"]);
        }
    }
    objects
}

/// Whether an object is ready in its newest generation.
pub fn is_ready<K: Serialize>(object: &K) -> bool {
    let object = json!(object);
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions
        .filter(|it| it["type"] == "Ready" && it["status"] == "True")
        .any(|it| it["observedGeneration"] == object["metadata"]["generation"])
}

pub async fn until_gone<K>(api: Api<K>, name: &str)
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + serde::de::DeserializeOwned + Send + 'static,
{
    let Some(object) = api.get_opt(name).await.unwrap() else { return };
    let uid = object.meta().uid.clone().unwrap();
    let gone = await_condition(api, name, conditions::is_deleted(&uid));
    timeout(TIMEOUT, gone).await.unwrap_or_else(|_| panic!("{name} is gone in time")).unwrap();
}
