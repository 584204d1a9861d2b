//! A certificate of cert-manager: it writes the Secret and the authority, and the operator only serves.

use crate::{
    conversion::{PORTALS, client, portal},
    rewriting::HUB,
    world::{CONVERSION, NAME, REWRITING, Served, World, eventually},
};
use api::conversion::Version;
use jiff::Timestamp;
use k8s_openapi::{
    ByteString, api::core::v1::Secret,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, ResourceExt as _,
    api::{Patch, PatchParams},
};
use pki::{Algorithm, Authority, Encoding, KeySpec, Purpose, Request, generate};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::{
    error::Error,
    fmt::Debug,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

const CERTIFICATE: Option<&str> = Some("serving");
const REWRITES: Served = Served { certificate: CERTIFICATE, ..REWRITING };
const CONVERTS: Served = Served { certificate: CERTIFICATE, ..CONVERSION };
const HOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// The field manager with which cert-manager writes the Secrets of Certificates.
const ISSUING: &str = "cert-manager-certificates-issuing";
/// A key that takes no time to generate, and that the operator would not make.
const KEY: KeySpec = KeySpec { algorithm: Algorithm::Ecdsa, encoding: Encoding::Pkcs8, size: 256 };

/// What cert-manager knows: an authority and its key, in PEM.
struct CertManager {
    authority: String,
    key: String,
}

impl CertManager {
    fn new() -> Self {
        let request = Request {
            subject: "authority".into(),
            dns_names: vec![],
            ip_addresses: vec![],
            purpose: Purpose::Authority { only_for: None },
            days: 10,
        };
        let key = generate(KEY).unwrap();
        let issued = request.issue(&Authority::Itself, key, [1; 16], Timestamp::now()).unwrap();
        Self { authority: issued.chain, key: issued.key }
    }

    /// Writes the Secret with a new certificate. Returns the certificate, and the Secret.
    async fn issue(&self, world: &World, serial: u8) -> (Vec<u8>, Secret) {
        let authority = Authority::from_pem(self.authority.clone(), self.key.clone()).unwrap();
        let request = Request {
            subject: "serving".into(),
            dns_names: vec![],
            ip_addresses: vec![HOST],
            purpose: Purpose::Leaf,
            days: 5,
        };
        let key = generate(KEY).unwrap();
        let issued = request.issue(&authority, key, [serial; 16], Timestamp::now()).unwrap();
        let bytes = |text: &str| ByteString(text.as_bytes().to_vec());
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
            "metadata": { "name": NAME, "annotations": { "cert-manager.io/certificate-name": "serving" } },
            "data": {
                "ca.crt": bytes(&self.authority), "tls.crt": bytes(&issued.chain), "tls.key": bytes(&issued.key),
            },
        });
        let params = PatchParams::apply(ISSUING).force();
        let secret = world.secrets().patch(NAME, &params, &Patch::Apply(secret)).await.unwrap();
        (CertificateDer::from_pem_slice(issued.chain.as_bytes()).unwrap().to_vec(), secret)
    }

    /// Writes the authority into an object that names a webhook, at this place.
    async fn inject<K>(&self, api: Api<K>, name: &str, client_config: &str)
    where
        K: Clone + Debug + DeserializeOwned,
    {
        let bundle = ByteString(self.authority.as_bytes().to_vec());
        let place = format!("{client_config}/caBundle");
        let add = json!([{ "op": "add", "path": place, "value": bundle }]);
        let patch = Patch::Json::<()>(serde_json::from_value(add).unwrap());
        api.patch(name, &PatchParams::default(), &patch).await.unwrap();
    }

    /// Waits until a client that trusts the authority gets this certificate.
    async fn until_presented(&self, port: u16, expected: &[u8]) {
        eventually("the certificate is served", async || {
            let presented = self.presented(port).await.map_err(|error| error.to_string())?;
            if presented == expected { Ok(()) } else { Err("another certificate is served".to_owned()) }
        })
        .await;
    }

    /// The certificate that a client gets that trusts the authority.
    async fn presented(&self, port: u16) -> Result<Vec<u8>, Box<dyn Error>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.authority.as_bytes())?)?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let socket = TcpStream::connect((HOST, port)).await?;
        let stream = TlsConnector::from(Arc::new(config)).connect(ServerName::from(HOST), socket).await?;
        let certificates = stream.get_ref().1.peer_certificates().ok_or("no certificate")?;
        Ok(certificates.first().ok_or("no certificate")?.to_vec())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_of_cert_manager_and_its_successor_are_served_and_never_written() {
    let world = World::start_as(&["docker.io=>hub"], REWRITES, Timestamp::now).await;
    let registered = world.until(world.configurations(), NAME, |_| true).await;
    assert_eq!(registered.annotations()["cert-manager.io/inject-ca-from"], format!("{}/serving", world.ops));
    assert_eq!(registered.webhooks.unwrap()[0].client_config.ca_bundle, None);
    assert_eq!(world.secrets().get_opt(NAME).await.unwrap(), None);

    let cert_manager = CertManager::new();
    let (first, _) = cert_manager.issue(&world, 2).await;
    cert_manager.inject(world.configurations(), NAME, "/webhooks/0/clientConfig").await;
    world.until_image(HUB).await;
    assert_eq!(cert_manager.presented(world.server.port).await.unwrap(), first);

    let (second, written) = cert_manager.issue(&world, 3).await;
    cert_manager.until_presented(world.server.port, &second).await;
    world.until_image(HUB).await;

    let secret = world.secrets().get(NAME).await.unwrap();
    assert_eq!(secret.resource_version(), written.resource_version());
    let managers: Vec<_> = secret.managed_fields().iter().filter_map(|it| it.manager.as_deref()).collect();
    assert_eq!(managers, [ISSUING]);
    let configuration = world.configurations().get(NAME).await.unwrap();
    let bundle = configuration.webhooks.unwrap()[0].client_config.ca_bundle.clone().unwrap();
    assert_eq!(bundle, ByteString(cert_manager.authority.into_bytes()));
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_converted_with_a_certificate_of_cert_manager_and_the_authority_that_it_injects() {
    let world = World::converting(CONVERTS).await;
    let name = "portals.goharbor.io";
    let certificate = format!("{}/serving", world.ops);
    let injected = |it: &CustomResourceDefinition| {
        it.annotations().get("cert-manager.io/inject-ca-from").is_some_and(|it| *it == certificate)
    };
    let registered = world.until(world.definitions(), name, injected).await;
    assert_eq!(client(&registered).unwrap().ca_bundle, None);

    let cert_manager = CertManager::new();
    cert_manager.issue(&world, 2).await;
    cert_manager.inject(world.definitions(), name, "/spec/conversion/webhook/clientConfig").await;

    world.create(PORTALS, Version::V1alpha3, &portal("acme")).await;
    assert_eq!(world.spec(PORTALS, Version::V1alpha3, "acme").await["replicas"], 2);
    let (second, _) = cert_manager.issue(&world, 3).await;
    cert_manager.until_presented(world.server.port, &second).await;
    assert_eq!(world.spec(PORTALS, Version::V1alpha3, "acme").await["replicas"], 2);
    let definition = world.definitions().get(name).await.unwrap();
    assert_eq!(client(&definition).unwrap().ca_bundle, Some(ByteString(cert_manager.authority.into_bytes())));
}
