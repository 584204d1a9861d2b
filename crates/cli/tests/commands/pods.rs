//! Examples whose pods pull images through a Harbor, in a sandbox.

use crate::run::Folder;
use api::v1beta1::{HarborCluster, HarborServerConfiguration, PullSecretBinding};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};
use kube::{
    Api, Client, Config, Resource,
    api::{ListParams, Patch, PatchParams, PostParams},
    config::{KubeConfigOptions, Kubeconfig},
    runtime::wait::await_condition,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    fmt::Debug,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Stdio},
    time::Duration,
};
use tokio::time::{sleep, timeout};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
const PATIENCE: Duration = Duration::from_mins(3);
const NAMESPACE: &str = "team";

/// A sandbox with examples, and a client of its API.
struct Sandbox {
    process: Child,
    client: Client,
    _folder: Folder,
}

impl Sandbox {
    /// Applies a Harbor and the example, and waits until both are ready.
    async fn with(example: &str) -> Self {
        let folder = Folder::empty();
        let files = format!("{EXAMPLES}/in-cluster.yaml {EXAMPLES}/day-2/{example}");
        let mut command =
            folder.command(&format!("sandbox --delay 0s --kubeconfig kubeconfig --apply {files}"));
        let mut process = command.stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains("kubectl --kubeconfig ")).unwrap();
        let kubeconfig = PathBuf::from(line.split_whitespace().nth(2).unwrap());
        // It prints more than a pipe holds.
        std::thread::spawn(move || lines.for_each(drop));
        let known = Kubeconfig::read_from(kubeconfig).unwrap();
        let config = Config::from_custom_kubeconfig(known, &KubeConfigOptions::default()).await.unwrap();
        let sandbox = Self { process, client: Client::try_from(config).unwrap(), _folder: folder };
        let clusters = Api::<HarborCluster>::namespaced(sandbox.client.clone(), "registry");
        Box::pin(sandbox.until(clusters, "acme", is_ready)).await;
        let servers = Api::<HarborServerConfiguration>::all(sandbox.client.clone());
        Box::pin(sandbox.until(servers, "main", is_ready)).await;
        sandbox
    }

    fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>,
    {
        Api::namespaced(self.client.clone(), NAMESPACE)
    }

    async fn until<K>(&self, api: Api<K>, name: &str, met: impl Fn(&K) -> bool + Send + Sync)
    where
        K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
    {
        let met = |object: Option<&K>| object.is_some_and(&met);
        let found = timeout(PATIENCE, await_condition(api, name, met)).await;
        found.unwrap_or_else(|_| panic!("{name} is not as expected in time")).unwrap();
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}

fn is_ready<K: Serialize>(object: &K) -> bool {
    let object = json!(object);
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|it| it["type"] == "Ready" && it["status"] == "True")
}

/// The images and the pull secrets of a pod.
fn pulled(pod: &Pod) -> (Vec<&str>, Vec<&str>) {
    let spec = pod.spec.as_ref().unwrap();
    let images = spec.containers.iter().filter_map(|it| it.image.as_deref());
    (images.collect(), spec.image_pull_secrets.iter().flatten().map(|it| &*it.name).collect())
}

/// Asks until the answer is as expected: pods of before do not change.
async fn until_pulled(expected: (&[&str], &[&str]), mut ask: impl AsyncFnMut() -> Vec<Pod>) {
    let mut last = Vec::new();
    let found = async {
        loop {
            last = ask().await;
            if last.iter().any(|pod| pulled(pod) == (expected.0.to_vec(), expected.1.to_vec())) {
                return;
            }
            sleep(Duration::from_millis(200)).await;
        }
    };
    let in_time = timeout(PATIENCE, found).await;
    in_time.unwrap_or_else(|_| panic!("{:?}", last.iter().map(pulled).collect::<Vec<_>>()));
}

#[tokio::test]
async fn workloads_get_rewritten_images_and_the_pull_secret_of_their_service_account() {
    let sandbox = Sandbox::with("workloads.yaml").await;
    sandbox.until::<PullSecretBinding>(sandbox.api(), "4k8s", is_ready).await;

    // As the example says: pods that were created before do not have it.
    let restarted = json!({"spec": {"template": {"metadata": {"annotations": {"restarted": "yes"}}}}});
    let deployments = sandbox.api::<Deployment>();
    deployments.patch("web", &PatchParams::default(), &Patch::Merge(restarted)).await.unwrap();
    let image = "harbor.example.com/docker-hub/library/nginx:1.27";
    let pods = sandbox.api::<Pod>();
    let all = async || pods.list(&ListParams::default().labels("app=web")).await.unwrap().items;
    until_pulled((&[image], &["4k8s"]), all).await;
    let is_available =
        |it: &Deployment| it.status.as_ref().is_some_and(|it| it.available_replicas == Some(1));
    sandbox.until(deployments, "web", is_available).await;
}

#[tokio::test]
async fn images_are_rewritten_by_the_rules_of_the_namespace_and_of_the_harbor() {
    let sandbox = Sandbox::with("image-rewriting.yaml").await;
    let images = ["nginx", "ghcr.io/a/b:1", "registry.example.com/c:2", "gcr.io/d:3"];
    let container = |(place, image): (usize, &&str)| json!({"name": format!("c{place}"), "image": image});
    let containers: Vec<Value> = images.iter().enumerate().map(container).collect();
    let pod = json!({"metadata": {"generateName": "web-"}, "spec": {"containers": containers}});
    let pod: Pod = serde_json::from_value(pod).unwrap();
    let pods = sandbox.api::<Pod>();
    let created = async || vec![pods.create(&PostParams::default(), &pod).await.unwrap()];
    let rewritten = [
        "harbor.example.com/hub/library/nginx:latest",
        "harbor.example.com/mirror/a/b:1",
        "harbor.example.com/team/c:2",
        "gcr.io/d:3",
    ];
    until_pulled((&rewritten, &[]), created).await;
}
