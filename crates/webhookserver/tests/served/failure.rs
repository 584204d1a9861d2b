//! Pods while the operator is down, if the user asks for the failure policy `Fail`, and reviews while it stops.

use crate::{
    rewriting::{HUB, UNCHANGED, image},
    world::{NAME, REWRITING, Served, World, apply, eventually},
};
use election::Leadership;
use jiff::Timestamp;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use serde_json::json;
use std::sync::Arc;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use webhookserver::FailurePolicy;

/// Pods that the operator does not review are refused.
const STRICT: Served = Served { rewriting: Some(FailurePolicy::Fail), ..REWRITING };

#[tokio::test(flavor = "multi_thread")]
async fn with_fail_an_operator_that_is_down_keeps_only_pods_from_starting_that_it_would_review() {
    let mut world = World::start_as(&["docker.io=>hub"], STRICT, Timestamp::now).await;
    let labels = json!({ "harbor-day2-webhook-configuration": "enabled" });
    let namespace = world.team.replace("team", "registry");
    let registry = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace, "labels": labels } });
    apply(&world.client(), registry).await;
    world.create_harbor(&namespace).await;
    world.until_image(HUB).await;

    world.server.end().await;

    let refused = world.create_pod(&world.team, json!({})).await.unwrap_err();
    let why = "Internal error occurred: failed calling webhook \"rewrite-images.goharbor.io\"";
    assert_eq!((refused.code, refused.message.starts_with(why)), (500, true), "{refused:?}");
    let opted_out = json!({ "goharbor.io/rewrite": "false" });
    assert_eq!(world.image(&world.team, opted_out).await, (UNCHANGED.into(), vec![]));
    assert_eq!(world.image(&world.others, json!({})).await, (UNCHANGED.into(), vec![]));
    if world.plane.version().at_least(1, 21) {
        let created = async || world.create_pod(&namespace, json!({})).await;
        let (pod, _) = eventually("a pod is created beside the Harbor", created).await;
        assert_eq!(image(&pod), UNCHANGED);
    } else {
        println!("not tested: Kubernetes before 1.21 does not label namespaces with their names");
    }

    world.server = world.serve(Leadership::permanent(), STRICT).await;
    world.until_image(HUB).await;
}

impl World {
    /// A connection to the server of webhooks.
    async fn connection(&self) -> TlsStream<TcpStream> {
        let secret = self.secrets().get(NAME).await.unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(&secret.data.unwrap()["ca.crt"].0).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let socket = TcpStream::connect(("127.0.0.1", self.server.port)).await.unwrap();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, socket).await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_has_begun_to_arrive_is_answered_while_the_server_stops() {
    let mut world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    let review = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "operation": "CREATE", "namespace": world.team,
        "resource": { "group": "", "version": "v1", "resource": "pods" },
        "object": { "spec": { "containers": [{ "name": "web", "image": "nginx" }] } },
    } })
    .to_string();
    let mut connection = world.connection().await;
    let head = format!(
        "POST /mutate-image-path HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n",
        review.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut begun = [0; "HTTP/1.1 100 Continue\r\n\r\n".len()];
    connection.read_exact(&mut begun).await.unwrap();

    world.server.stop();
    connection.write_all(review.as_bytes()).await.unwrap();

    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("\"patch\""), "{answer}");
    world.server.end().await;
}
