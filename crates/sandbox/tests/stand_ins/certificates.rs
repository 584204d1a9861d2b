//! The stand-in for cert-manager: real keys and chains.

use crate::world::{World, condition};
use k8s_openapi::ByteString;
use rustls::{
    RootCertStore,
    client::{WebPkiServerVerifier, danger::ServerCertVerifier as _},
    crypto::ring::default_provider,
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
};
use serde_json::{Value, json};
use std::sync::Arc;

fn content(secret: &Value, key: &str) -> String {
    let bytes: ByteString = serde_json::from_value(secret["data"][key].clone()).unwrap();
    String::from_utf8(bytes.0).unwrap()
}

/// Verifies the chain in a Secret against the authority in it, as a client would.
fn verify(secret: &Value, host: &str) -> Result<(), rustls::Error> {
    let certificates = |key| -> Vec<CertificateDer<'static>> {
        CertificateDer::pem_slice_iter(content(secret, key).as_bytes()).map(Result::unwrap).collect()
    };
    let mut roots = RootCertStore::empty();
    for root in certificates("ca.crt") {
        roots.add(root).unwrap();
    }
    let provider = Arc::new(default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
    let chain = certificates("tls.crt");
    let name = ServerName::try_from(host.to_owned()).unwrap();
    verifier.verify_server_cert(&chain[0], &chain[1..], &name, &[], UnixTime::now()).map(|_| ())
}

async fn authority(world: &World) {
    world.create("Issuer", "self", json!({"spec": {"selfSigned": {}}})).await;
    let root = json!({"spec": {
        "secretName": "root", "isCA": true, "commonName": "root", "issuerRef": {"name": "self"},
        "privateKey": {"algorithm": "ECDSA"},
    }});
    world.create("Certificate", "root", root).await;
    world.create("Issuer", "ca", json!({"spec": {"ca": {"secretName": "root"}}})).await;
}

fn leaf() -> Value {
    json!({"spec": {
        "secretName": "tls",
        "issuerRef": {"name": "ca", "kind": "Issuer"},
        "dnsNames": ["core", "core.example.com"],
        "ipAddresses": ["10.0.0.1"],
        "usages": ["server auth", "client auth", "digital signature"],
        "duration": "24h",
    }})
}

#[tokio::test]
async fn a_chain_from_an_own_authority_verifies() {
    let world = World::with_definitions().await;
    authority(&world).await;
    world.create("Certificate", "tls", leaf()).await;

    world.until_condition("Certificate", "tls", "Ready", "True").await;

    let secret = world.get("Secret", "tls").await;
    assert_eq!(secret["type"], "kubernetes.io/tls");
    assert!(content(&secret, "tls.key").starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
    assert_eq!(content(&secret, "ca.crt"), content(&world.get("Secret", "root").await, "tls.crt"));
    for host in ["core", "core.example.com", "10.0.0.1"] {
        verify(&secret, host).unwrap();
    }
    verify(&secret, "portal").unwrap_err();
    let status = world.get("Certificate", "tls").await["status"].clone();
    let day = |field: &str| -> jiff::Timestamp { status[field].as_str().unwrap().parse().unwrap() };
    assert_eq!(day("notAfter").duration_since(day("notBefore")), jiff::SignedDuration::from_hours(24));
    assert_eq!(day("notAfter").duration_since(day("renewalTime")), jiff::SignedDuration::from_hours(8));
    assert_eq!(status["revision"], 1);
    world.assert_quiet().await;
}

#[tokio::test]
async fn an_authority_below_an_authority_signs_a_chain_that_verifies() {
    let world = World::with_definitions().await;
    authority(&world).await;
    let middle = json!({"spec": {
        "secretName": "middle", "isCA": true, "commonName": "middle", "issuerRef": {"name": "ca"},
        "privateKey": {"encoding": "PKCS8"},
    }});
    world.create("Certificate", "middle", middle).await;
    world.create("Issuer", "below", json!({"spec": {"ca": {"secretName": "middle"}}})).await;
    let mut certificate = leaf();
    certificate["spec"]["issuerRef"]["name"] = "below".into();
    world.create("Certificate", "tls", certificate).await;

    world.until_condition("Certificate", "tls", "Ready", "True").await;

    let (secret, middle) = (world.get("Secret", "tls").await, world.get("Secret", "middle").await);
    assert!(content(&secret, "tls.crt").ends_with(&content(&middle, "tls.crt")), "the leaf comes first");
    assert!(content(&middle, "tls.key").starts_with("-----BEGIN PRIVATE KEY-----\n"));
    verify(&secret, "core").unwrap();
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_changed_spec_or_a_lost_secret_makes_a_new_certificate() {
    let world = World::with_definitions().await;
    authority(&world).await;
    world.create("Certificate", "tls", leaf()).await;
    world.until_condition("Certificate", "tls", "Ready", "True").await;
    let first = world.get("Secret", "tls").await;

    world.merge("Certificate", "tls", json!({"spec": {"dnsNames": ["portal"]}})).await;
    let certificate = world.until("Certificate", "tls", |object| object["status"]["revision"] == 2).await;
    assert_eq!(condition(&certificate, "Ready")["observedGeneration"], certificate["metadata"]["generation"]);
    let second = world.get("Secret", "tls").await;
    verify(&second, "portal").unwrap();
    assert_ne!(content(&first, "tls.key"), content(&second, "tls.key"));

    world.delete("Secret", "tls").await;
    let uid = &second["metadata"]["uid"];
    let third = world.until("Secret", "tls", |secret| secret["metadata"]["uid"] != *uid).await;
    verify(&third, "portal").unwrap();
    world.assert_quiet().await;
}

#[tokio::test]
async fn a_certificate_waits_for_its_issuer_and_fails_when_annotated() {
    let world = World::with_definitions().await;
    world.create("Certificate", "tls", leaf()).await;
    let waiting = world.until_condition("Certificate", "tls", "Ready", "False").await;
    assert_eq!(waiting["message"], "Referenced Issuer not found: \"ca\"");

    world.create("Issuer", "ca", json!({"spec": {"ca": {"secretName": "root"}}})).await;
    let unready = world.until_condition("Issuer", "ca", "Ready", "False").await;
    assert_eq!(unready["message"], "Error getting keypair for CA issuer: secrets \"root\" not found");
    world.fail("Certificate", "tls", "rate limited").await;
    world.delete("Issuer", "ca").await;
    authority(&world).await;
    world.until_condition("Issuer", "ca", "Ready", "True").await;
    let failed =
        world.until("Certificate", "tls", |object| condition(object, "Ready")["reason"] == "Failed").await;
    assert_eq!(condition(&failed, "Ready")["message"], "rate limited");

    world.mend("Certificate", "tls").await;
    world.until_condition("Certificate", "tls", "Ready", "True").await;
    world.assert_quiet().await;
}
