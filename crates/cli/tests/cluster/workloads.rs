//! Pods that use a Harbor: their images are rewritten, and their ServiceAccount has the pull secret.

use crate::{
    team::{CLASS, Team, is_ready},
    world::World,
};
use api::v1beta1::{HarborServerConfiguration, PullSecretBinding};
use envtest::{ControlPlane, HarborApi, TIMEOUT};
use http::Request;
use k8s_openapi::{
    ByteString,
    api::{
        core::v1::{ConfigMap, Namespace, Pod, Secret},
        events::v1::Event,
    },
};
use kube::{
    Api, Client, Resource,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
    runtime::wait::await_condition,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{fmt::Debug, net::TcpListener, time::Duration};
use tokio::time::timeout;

/// The name of all objects that the operator creates for a Namespace.
const NAME: &str = "4k8s";
/// The image in the manifests of users.
const IMAGE: &str = "nginx:1.27";
/// The Secret with the certificate of the webhook.
const CERTIFICATE: &str = "harbor-operator-webhook";

/// A pod as it was created.
#[derive(Debug, PartialEq, Eq)]
struct Created {
    image: String,
    pull_secrets: Vec<String>,
    warnings: Vec<String>,
}

/// A namespace in which pods are created.
struct Workloads {
    client: Client,
    namespace: String,
    /// The image as it should be rewritten.
    rewritten: String,
}

impl Workloads {
    /// A namespace whose pods pull images through the Harbor, from a project of its own.
    async fn new(team: &Team) -> Self {
        let World { namespace: home, .. } = &team.world;
        let (client, namespace) = (home.plane.client(), home.plane.create_namespace("team").await.unwrap());
        let host = team.harbor.url.trim_start_matches("https://");
        let rewritten = format!("{host}/{namespace}/library/{IMAGE}");
        let workloads = Self { client, namespace, rewritten };
        workloads.set_rules(&home.name, &format!("docker.io=>{}", workloads.namespace)).await;
        let metadata = json!({
            "labels": {"harbor-day2-webhook-configuration": "enabled"},
            "annotations": {
                CLASS: home.name, "goharbor.io/harbor": home.name, "goharbor.io/project": "*",
                "goharbor.io/rewriting-rules": "rules",
            },
        });
        workloads.change_namespace(metadata).await;
        workloads
    }

    fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>,
    {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    async fn change_namespace(&self, metadata: Value) {
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        let patch = Patch::Merge(json!({"metadata": metadata}));
        namespaces.patch(&self.namespace, &PatchParams::default(), &patch).await.unwrap();
    }

    async fn set_rules(&self, server: &str, rules: &str) {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "rules"},
            "data": {"hsc": server, "rules": rules},
        });
        let params = PatchParams::apply("user").force();
        self.api::<ConfigMap>().patch("rules", &params, &Patch::Apply(object)).await.unwrap();
    }

    /// Creates a pod as users do, with an image of Docker Hub and without a pull secret.
    async fn create_pod(&self) -> Created {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "web-"},
            "spec": {
                // Old servers create a pod with a token only if a controller has made one.
                "automountServiceAccountToken": false,
                "containers": [{"name": "web", "image": IMAGE}],
            },
        });
        let request = Request::post(format!("/api/v1/namespaces/{}/pods", self.namespace))
            .header("content-type", "application/json")
            .body(pod.to_string().into_bytes().into())
            .unwrap();
        let response = self.client.send(request).await.unwrap();
        let headers = response.headers().get_all("warning").iter();
        let warnings = headers.map(|value| value.to_str().unwrap().to_owned()).collect();
        let body = response.into_body().collect_bytes().await.unwrap();
        let pod: Pod = serde_json::from_slice(&body).unwrap_or_else(|_| panic!("{body:?}"));
        let mut spec = pod.spec.unwrap();
        let image = spec.containers.remove(0).image.unwrap();
        let secrets = spec.image_pull_secrets.unwrap_or_default();
        Created { image, pull_secrets: secrets.into_iter().map(|it| it.name).collect(), warnings }
    }

    /// Creates pods until one has this image and the pull secret: API servers learn of changes after a while. Returns its
    /// warnings.
    async fn until_pod(&self, image: &str) -> Vec<String> {
        let mut last = None;
        let wanted = async {
            loop {
                let created = self.create_pod().await;
                if created.image == image && created.pull_secrets == [NAME] {
                    return created.warnings;
                }
                last = Some(created);
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        let in_time = timeout(TIMEOUT, wanted).await;
        in_time.unwrap_or_else(|_| panic!("no pod gets the image {image}; the last one was {last:?}"))
    }

    async fn until_rewritten(&self) {
        self.until_pod(&self.rewritten).await;
    }

    /// Creates pods until one has the image of its manifest, and returns the warning about it.
    async fn until_unchanged(&self) -> String {
        self.until_pod(IMAGE).await.pop().unwrap_or_default()
    }

    /// The credentials for the host of the rewritten image, in the pull secret of the ServiceAccount.
    async fn credentials(&self) -> (String, String) {
        let secret = self.api::<Secret>().get(NAME).await.unwrap();
        assert_eq!(secret.type_.as_deref(), Some("kubernetes.io/dockerconfigjson"));
        let config: Value = serde_json::from_slice(&secret.data.unwrap()[".dockerconfigjson"].0).unwrap();
        let host = self.rewritten.split('/').next().unwrap();
        let login = &config["auths"][host];
        let text = |field: &str| {
            login[field].as_str().unwrap_or_else(|| panic!("there are credentials for {host}")).to_owned()
        };
        (text("username"), text("password"))
    }

    /// Whether Harbor knows the credentials.
    async fn can_log_in(&self, harbor: &HarborApi) -> bool {
        let (username, password) = self.credentials().await;
        let path = format!("/projects/{}/repositories", self.namespace);
        // The robot account may pull, and not list.
        harbor.ask_as(&username, &password, "GET", &path, Value::Null).await.0 == 403
    }

    /// Waits for an event about an object in the events of a namespace, and returns its note.
    async fn until_event(&self, place: &str, about: &str, reason: &str) -> String {
        let events: Api<Event> = Api::namespaced(self.client.clone(), place);
        let is_it = |event: &Event| {
            let name = event.regarding.as_ref().and_then(|it| it.name.as_deref());
            name == Some(about) && event.reason.as_deref() == Some(reason)
        };
        let found = async {
            loop {
                let all = events.list(&ListParams::default()).await.unwrap();
                if let Some(event) = all.items.into_iter().find(is_it) {
                    return event.note.unwrap_or_default();
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        timeout(TIMEOUT, found).await.unwrap_or_else(|_| panic!("no event {reason} about {about}"))
    }
}

/// Waits until an object meets a condition, and returns it.
pub async fn until<K>(api: Api<K>, name: &str, met: impl Fn(&K) -> bool + Send + Sync) -> K
where
    K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
{
    let is_met = |object: Option<&K>| object.is_some_and(&met);
    let found = timeout(TIMEOUT, await_condition(api, name, is_met)).await;
    found.unwrap_or_else(|_| panic!("{name} is not as expected in time")).unwrap().unwrap()
}

/// A cluster with ServiceAccounts for pods, and an operator that serves webhooks on loopback.
async fn team() -> Team {
    let setup = ControlPlane::with_controller_manager().with_service_accounts();
    // Webhooks are for the whole cluster, so no other test uses it.
    let world = World::on(setup.start().await.unwrap()).await;
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = port.to_string();
    let of_run = ["--webhook-address", &address, "--webhook-host", &address];
    Team::in_world(world, &["--bind-namespaces", "--rewrite-images"], &of_run).await
}

#[tokio::test(flavor = "multi_thread")]
async fn pods_of_docker_hub_are_pulled_through_the_harbor_with_the_pull_secret_of_their_service_account() {
    let team = team().await;
    let workloads = Workloads::new(&team).await;
    until(workloads.api::<PullSecretBinding>(), NAME, is_ready).await;
    workloads.until_rewritten().await;
    assert!(workloads.can_log_in(&team.harbor).await);

    wrong_rules_leave_images_as_they_are(&workloads, &team.world.name).await;
    a_missing_secret_comes_back_or_is_reported(&workloads, &team).await;
    a_renewed_certificate_is_trusted_at_once(&workloads, &team.world).await;

    let (_team, ()) = team.without_operator(async |_, _| _ = workloads.until_unchanged().await).await;
    workloads.until_rewritten().await;
}

async fn wrong_rules_leave_images_as_they_are(workloads: &Workloads, server: &str) {
    let namespace = &workloads.namespace;
    workloads.set_rules(server, "docker.io").await;
    let warning = workloads.until_unchanged().await;
    let why = format!("ConfigMap {namespace}/rules: key `rules`, rule 1: it has no `=>`");
    assert!(warning.contains(&why), "{warning}");
    workloads.until_event(namespace, "rules", "WrongRewritingRules").await;

    workloads.change_namespace(json!({"annotations": {"goharbor.io/rewriting-rules": "none"}})).await;
    // An object of the cluster: its events are in the namespace `default`.
    let note = workloads.until_event("default", namespace, "WrongRewritingRules").await;
    assert!(note.contains("names ConfigMap none, which does not exist"), "{note}");
    let warning = workloads.until_unchanged().await;
    assert!(warning.contains(&note[..60]), "{warning}");

    workloads.change_namespace(json!({"annotations": {"goharbor.io/rewriting-rules": "rules"}})).await;
    workloads.set_rules(server, &format!("docker.io=>{namespace}")).await;
    workloads.until_rewritten().await;
}

async fn a_missing_secret_comes_back_or_is_reported(workloads: &Workloads, team: &Team) {
    let secrets = workloads.api::<Secret>();
    let uid = secrets.get(NAME).await.unwrap().metadata.uid;
    secrets.delete(NAME, &DeleteParams::default()).await.unwrap();
    until(secrets, NAME, |it| it.metadata.uid != uid).await;
    assert!(workloads.can_log_in(&team.harbor).await);

    // Without credentials for Harbor, nothing in the cluster is taken away.
    let world = &team.world;
    let servers: Api<HarborServerConfiguration> = Api::all(workloads.client.clone());
    let mut credentials = world.get::<Secret>("harbor").await;
    world.delete::<Secret>("harbor").await;
    until(servers.clone(), &world.name, |it| !is_ready(it)).await;
    workloads.until_rewritten().await;
    assert!(workloads.can_log_in(&team.harbor).await);
    credentials.metadata.resource_version = None;
    credentials.metadata.uid = None;
    credentials.metadata.managed_fields = None;
    world.api::<Secret>().create(&PostParams::default(), &credentials).await.unwrap();
    until(servers, &world.name, is_ready).await;
}

async fn a_renewed_certificate_is_trusted_at_once(workloads: &Workloads, world: &World) {
    let served = |secret: &Secret| -> Option<ByteString> { secret.data.as_ref()?.get("tls.crt").cloned() };
    let before = served(&world.get::<Secret>(CERTIFICATE).await);
    let damaged = ByteString(b"no certificate".to_vec());
    world.merge::<Secret>(CERTIFICATE, json!({"data": {"tls.crt": damaged}})).await;
    let is_renewed = |it: &Secret| served(it).is_some_and(|it| it != damaged && Some(it) != before);
    world.until::<Secret>(CERTIFICATE, is_renewed).await;
    for _ in 0..5 {
        let created = workloads.create_pod().await;
        assert_eq!((created.image.as_str(), created.warnings), (workloads.rewritten.as_str(), vec![]));
    }
}
