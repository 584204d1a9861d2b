//! The webhook that rewrites images, on loopback.

use super::unavailable;
use crate::{commands::run::WEBHOOK, flags::OPERATORS, output::Error};
use election::Leadership;
use kube::Client;
use runtime::Options;
use std::{net::Ipv4Addr, sync::Arc};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use webhookserver::{Certificate, FailurePolicy, Reach, Settings, WebhookServer};

/// Serves until stopped.
pub async fn serve(client: Client, options: &Options, stop: CancellationToken) -> Result<(), Error> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(unavailable)?;
    let address = listener.local_addr().map_err(unavailable)?;
    let settings = Settings {
        namespace: OPERATORS.to_owned(),
        name: WEBHOOK.to_owned(),
        reach: Reach::At { host: address.ip().to_string(), port: address.port() },
        failure_policy: FailurePolicy::Ignore,
        certificate: Certificate::Issued,
    };
    let server = WebhookServer {
        client,
        leadership: Leadership::permanent(),
        settings,
        metrics: Arc::clone(&options.metrics),
        clock: options.clock,
        entropy: Arc::clone(&options.entropy),
    };
    tokio::spawn(server.run(listener, stop));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::serve;
    use crate::commands::sandbox::{Cluster, ClusterOptions};
    use api::v1beta1::HarborServerConfiguration;
    use k8s_openapi::api::core::v1::{Namespace, Pod};
    use kube::{Api, Client, api::PostParams};
    use runtime::Options;
    use serde::{Serialize, de::DeserializeOwned};
    use serde_json::{Value, json};
    use std::{fmt::Debug, time::Duration};
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

    #[tokio::test(flavor = "multi_thread")]
    async fn pods_show_the_rewritten_image() {
        let folder = TempDir::new().unwrap();
        let kubeconfig = folder.path().join("kubeconfig");
        let cluster = Cluster::start(ClusterOptions {
            listen: "127.0.0.1:0".parse().unwrap(),
            state: None,
            delay: Duration::ZERO,
            kubeconfig: &kubeconfig,
        });
        let cluster = cluster.await.unwrap();
        let client = cluster.client.clone();
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

        let stop = CancellationToken::new();
        serve(client.clone(), &Options::default(), stop.clone()).await.unwrap();
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
