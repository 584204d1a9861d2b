//! The webhooks that rewrite images and convert objects, on loopback.

use super::unavailable;
use crate::{commands::run::WEBHOOK, flags::OPERATORS, output::Error};
use api::conversion::{ConversionWebhook, kinds};
use apiserver::RemoteWebhooks;
use election::Leadership;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Api, Client, runtime::wait::await_condition};
use runtime::Options;
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use webhookserver::{Certificate, Conversion, Reach, Rewriting, Settings, WebhookServer};

/// How long the registration may take: the operator generates keys before it.
const REGISTRATION: Duration = Duration::from_mins(1);

/// The Service of the webhooks, which has no pods here.
pub fn service() -> ConversionWebhook {
    ConversionWebhook::Service { namespace: OPERATORS.to_owned(), name: WEBHOOK.to_owned() }
}

/// Calls of the API server to the Service reach this address.
pub fn reached_at(address: SocketAddr) -> RemoteWebhooks {
    RemoteWebhooks::new(move |namespace, name, _| {
        (namespace == OPERATORS && name == WEBHOOK).then_some(address)
    })
}

/// A free port for webhooks.
pub async fn listen() -> Result<(TcpListener, SocketAddr), Error> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(unavailable)?;
    let address = listener.local_addr().map_err(unavailable)?;
    Ok((listener, address))
}

/// Serves until stopped.
pub fn serve(listener: TcpListener, client: Client, options: &Options, stop: CancellationToken) {
    let settings = Settings {
        namespace: OPERATORS.to_owned(),
        name: WEBHOOK.to_owned(),
        reach: Reach::Service,
        certificate: Certificate::Issued,
        rewriting: Some(Rewriting::default()),
        conversion: Some(Conversion::default()),
    };
    let server = WebhookServer {
        client,
        leadership: Leadership::permanent(),
        settings,
        metrics: Arc::clone(&options.metrics),
        health: Arc::clone(&options.health),
        clock: options.clock,
        entropy: Arc::clone(&options.entropy),
    };
    tokio::spawn(server.run(listener, stop));
}

/// Waits until all definitions with v1alpha3 name the webhook. If that fails, the API server says why it cannot convert.
pub async fn until_registered(client: &Client) {
    let is_registered = |definition: Option<&CustomResourceDefinition>| {
        let conversion = definition.and_then(|definition| definition.spec.conversion.as_ref());
        let client = conversion.and_then(|it| it.webhook.as_ref()?.client_config.as_ref());
        client.is_some_and(|client| client.ca_bundle.is_some())
    };
    let all = async {
        for definition in kinds().filter_map(api::crds::of) {
            let name = definition.metadata.name.unwrap_or_default();
            let _registered = await_condition(Api::all(client.clone()), &name, is_registered).await;
        }
    };
    let _in_time = tokio::time::timeout(REGISTRATION, all).await;
}

#[cfg(test)]
mod tests {
    use super::{listen, serve, until_registered};
    use crate::commands::sandbox::{Cluster, ClusterOptions};
    use api::v1beta1::{HarborServerConfiguration, Portal};
    use k8s_openapi::api::core::v1::{Namespace, Pod};
    use kube::{
        Api, Client,
        api::{ApiResource, DynamicObject, GroupVersionKind, PostParams},
    };
    use runtime::Options;
    use serde::{Serialize, de::DeserializeOwned};
    use serde_json::{Value, json};
    use std::{fmt::Debug, path::Path, time::Duration};
    use tempfile::TempDir;
    use tokio_util::sync::CancellationToken;

    async fn create<K: Clone + Debug + Serialize + DeserializeOwned>(api: Api<K>, object: Value) -> K {
        api.create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap()
    }

    async fn image(client: &Client) -> Option<String> {
        let pod = json!({ "metadata": { "generateName": "web-" },
            "spec": { "containers": [{ "name": "web", "image": "nginx" }] } });
        let pod: Pod = create(Api::namespaced(client.clone(), "team"), pod).await;
        pod.spec?.containers.pop()?.image
    }

    /// A cluster with webhooks.
    async fn serving(kubeconfig: &Path) -> (Cluster, Client, CancellationToken) {
        let (listener, webhooks) = listen().await.unwrap();
        let cluster = Cluster::start(ClusterOptions {
            listen: "127.0.0.1:0".parse().unwrap(),
            state: None,
            delay: Duration::ZERO,
            kubeconfig,
            webhooks,
        });
        let (cluster, stop) = (cluster.await.unwrap(), CancellationToken::new());
        let client = cluster.client.clone();
        serve(listener, client.clone(), &Options::default(), stop.clone());
        (cluster, client, stop)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn objects_of_v1alpha3_can_be_created_and_read() {
        let folder = TempDir::new().unwrap();
        let (cluster, client, stop) = serving(&folder.path().join("kubeconfig")).await;
        until_registered(&client).await;
        let kind = GroupVersionKind::gvk("goharbor.io", "v1alpha3", "Portal");
        let old = ApiResource::from_gvk_with_plural(&kind, "portals");
        let portals: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &old);
        let portal = json!({ "apiVersion": "goharbor.io/v1alpha3", "kind": "Portal",
            "metadata": { "name": "acme" }, "spec": { "replicas": 2 } });
        create(portals.clone(), portal).await;
        let stored: Portal = Api::namespaced(client, "default").get("acme").await.unwrap();
        assert_eq!(stored.spec.component.replicas, Some(2));
        assert_eq!(portals.get("acme").await.unwrap().data["spec"]["replicas"], 2);
        stop.cancel();
        cluster.end().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn pods_show_the_rewritten_image() {
        let folder = TempDir::new().unwrap();
        let kubeconfig = folder.path().join("kubeconfig");
        let (cluster, client, stop) = serving(&kubeconfig).await;
        let labels = json!({ "harbor-day2-webhook-configuration": "enabled" });
        let namespace = json!({ "metadata": { "name": "team", "labels": labels } });
        create(Api::<Namespace>::all(client.clone()), namespace).await;
        let server = json!({ "apiVersion": "goharbor.io/v1beta1", "kind": "HarborServerConfiguration",
            "metadata": { "name": "main" }, "spec": {
                "serverURL": "https://harbor.example.com",
                "version": "2.12.0",
                "accessCredential": { "namespace": "ops", "accessSecretRef": "login" },
                "default": true,
                "rules": ["docker.io=>hub"],
            } });
        create(Api::<HarborServerConfiguration>::all(client.clone()), server).await;

        let rewritten = async {
            while image(&client).await.as_deref() != Some("harbor.example.com/hub/library/nginx:latest") {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), rewritten).await.unwrap();
        stop.cancel();
        cluster.end().await;
    }
}
