//! A namespace with the example Core and everything it reads.

use crate::{
    account,
    harbor_of_pods::{Elsewhere, HarborOfPods},
};
use envtest::{ControlPlane, Namespace, Requests, Setup};
use harbordriver::HarborDriver;
use harborserver::{HarborServer, Version};
use k8s_openapi::{
    ByteString, apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use plan::{Defaults, DigestKey};
use runtime::{DIGEST_KEY, Health, Operator, Options, Scope};
use serde_json::{Value, json};
use std::sync::Arc;
use std::{
    collections::BTreeSet,
    fs,
    ops::Deref,
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;
use tokio_util::sync::CancellationToken;

/// The password of `admin`, as examples/harbor-inputs.yaml has it.
const ADMIN_PASSWORD: &str = "example-only-Harbor12345";

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The documents of a YAML file.
pub fn documents(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let documents: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
    documents.into_iter().filter(|document| !document.is_null()).collect()
}

/// A namespace on a control plane that knows our kinds.
pub struct World {
    pub namespace: Namespace,
    /// The Harbor that the pods of a Core in the namespace serve.
    pub harbor: HarborOfPods,
    operators_kubeconfig: NamedTempFile,
}

impl Deref for World {
    type Target = Namespace;

    fn deref(&self) -> &Namespace {
        &self.namespace
    }
}

impl World {
    pub async fn new() -> Self {
        Self::on(ControlPlane::shared().await.unwrap()).await
    }

    pub async fn with_controller_manager(setup: Setup) -> Self {
        Self::on(setup.shared().await.unwrap()).await
    }

    /// Another namespace, on a control plane that has our definitions.
    pub async fn another() -> Self {
        Self::in_namespace_of(ControlPlane::shared().await.unwrap()).await
    }

    /// A namespace on this control plane, which learns our kinds.
    pub async fn on(plane: ControlPlane) -> Self {
        plane
            .once("kinds of Harbor", async || {
                let (what, ours): (_, fn() -> Vec<CustomResourceDefinition>) = if plane.version().serves_cel()
                {
                    ("our-kinds", api::crds::all)
                } else {
                    ("our-kinds-without-rules", || api::crds::without_rules(api::crds::all()))
                };
                plane.install_generated(what, || json_of(ours())).await;
                plane.until_owners(ours).await;
            })
            .await;
        Self::in_namespace_of(plane).await
    }

    /// A new namespace, in which the operator has the permissions that `rbac` prints.
    async fn in_namespace_of(plane: ControlPlane) -> Self {
        let namespace = Namespace::create(plane, "core").await;
        let operators_kubeconfig = account::kubeconfig(&namespace.plane, &account::name(&namespace.name));
        let harbor = HarborServer::new(Version::new(15, 2), ADMIN_PASSWORD);
        let harbor = HarborOfPods::new(harbor, namespace.plane.client(), Elsewhere::Refused);
        let world = Self { namespace, harbor, operators_kubeconfig };
        world.apply(account::objects(&world.name, &world.name)).await;
        world.apply(vec![digest_key()]).await;
        world
    }

    /// Whether a Service can be created by an apply with a resource version. Kubernetes 1.20 refuses that, so that the
    /// operator reads each Service that it creates, and applies it again.
    pub fn creates_services_at_once(&self) -> bool {
        self.plane.version().at_least(1, 21)
    }

    /// Creates or changes objects as a user would, in the namespaces that they name.
    pub async fn apply_as_named(&self, objects: Vec<Value>) {
        let file = std::env::temp_dir().join(format!("{}.json", self.name));
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        fs::write(&file, list.to_string()).unwrap();
        let arguments = ["apply", "--server-side", "-f", file.to_str().unwrap()];
        let output = self.plane.kubectl(arguments).output().await.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::remove_file(file).unwrap();
    }

    /// The example's Core.
    pub fn core() -> Value {
        documents(&root().join("examples/core.yaml")).remove(0)
    }

    /// The Secrets the example's Core reads.
    pub fn inputs() -> Vec<Value> {
        let mut files: Vec<_> = fs::read_dir(root().join("examples/inputs"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        files.iter().flat_map(|file| documents(file)).collect()
    }

    /// The kubeconfig of an operator with the permissions that `rbac` prints for this namespace.
    pub fn operators_kubeconfig(&self) -> &Path {
        self.operators_kubeconfig.path()
    }

    /// An operator for everything we know, in this namespace only, that may do nothing else.
    pub fn operator(&self, requests: &Requests) -> Running {
        self.operator_with(requests, self.plane.user(&account::name(&self.name), &[]))
    }

    /// The same, as another user.
    pub fn operator_with(&self, requests: &Requests, config: kube::Config) -> Running {
        let health = Arc::<Health>::default();
        let options = Options {
            health: Arc::clone(&health),
            external_drivers: vec![Arc::new(HarborDriver::over(self.harbor.clone()))],
            scopes: vec![Scope::Namespace(self.name.clone())],
            predecessors: predecessors(),
            // As the shipped manifests say.
            defaults: Defaults {
                operator_image: Some("example/harbor-operator".into()),
                ..Defaults::default()
            },
            ..Options::default()
        };
        let operator = Operator::new(requests.client(config).unwrap(), components::all(), options);
        let stop = CancellationToken::new();
        tokio::spawn(operator.run(stop.clone()));
        Running { stop, health }
    }

    /// A Core with an operator, both ready.
    pub async fn ready(&self, requests: &Requests) -> Running {
        let operator = self.operator(requests);
        self.apply(Self::inputs()).await;
        self.apply(vec![Self::core()]).await;
        self.make_available("harbor-core").await;
        self.until_condition("Ready", "True").await;
        operator
    }

    /// Waits for a condition of the Core at its newest generation, and returns its reason and message.
    pub async fn until_condition(&self, kind: &str, status: &str) -> (String, String) {
        let find = |core: &api::v1beta1::Core| {
            let conditions = core.status.iter().flat_map(|status| &status.conditions);
            conditions
                .filter(|c| c.type_ == kind && c.status == status)
                .find(|c| c.observed_generation == core.metadata.generation)
                .map(|c| (c.reason.clone().unwrap_or_default(), c.message.clone().unwrap_or_default()))
        };
        let core = self.until::<api::v1beta1::Core>("harbor", |core| find(core).is_some()).await;
        find(&core).unwrap()
    }
}

fn json_of(definitions: Vec<CustomResourceDefinition>) -> Vec<Value> {
    definitions.into_iter().map(|definition| json!(definition)).collect()
}

/// The key that operators in this process have, for those in others, and for `plan`.
fn digest_key() -> Value {
    let key = ByteString(vec![0; DigestKey::LENGTH]);
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": DIGEST_KEY},
        "immutable": true, "data": {"key": key},
    })
}

/// The names under which the old operator wrote.
fn predecessors() -> BTreeSet<String> {
    let controllers = components::all().into_iter().map(|component| component.name.to_owned());
    ["harbor-operator".to_owned()].into_iter().chain(controllers).collect()
}

/// Stops the operator when dropped.
pub struct Running {
    stop: CancellationToken,
    health: Arc<Health>,
}

impl Running {
    /// Whether the operator has listed all kinds, so that further requests are those of reconciles.
    pub fn has_listed(&self) -> bool {
        self.health.ready().is_ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
