//! Bodies of admission reviews: one that is answered is an AdmissionReview with a uid, and the answer echoes
//! the uid.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::LazyLock;
use webhook::admission::{NamespaceSource, ServerSource, Sources, review};

#[derive(Deserialize)]
struct Asked {
    kind: String,
    request: AskedRequest,
}

#[derive(Deserialize)]
struct AskedRequest {
    uid: String,
}

static SOURCES: LazyLock<Sources> = LazyLock::new(|| {
    let mut sources = Sources::default();
    let namespace = json!({ "metadata": { "name": "team" } });
    let namespace = NamespaceSource::new(&serde_json::from_value(namespace).expect("a Namespace"));
    sources.namespaces.insert((String::new(), "team".to_owned()), namespace);
    let server = json!({ "metadata": { "name": "main" }, "spec": {
        "serverURL": "https://harbor.example.com", "version": "2.12.0", "default": true,
        "accessCredential": { "namespace": "harbor", "accessSecretRef": "login" },
        "rules": ["docker.io=>hub", "*=>rest"],
    } });
    let server = ServerSource::new(&serde_json::from_value(server).expect("a HarborServerConfiguration"));
    sources.servers.insert((String::new(), "main".to_owned()), server);
    sources
});

fuzz_target!(|body: &[u8]| {
    match review(body, &SOURCES) {
        Ok(reviewed) => {
            let asked: Asked = serde_json::from_slice(body).expect("what is answered is a review");
            assert_eq!(asked.kind, "AdmissionReview");
            assert!(!asked.request.uid.is_empty());
            let answer: Value = serde_json::from_slice(&reviewed.body).expect("the answer is JSON");
            assert_eq!(answer["response"]["uid"], asked.request.uid);
            assert_eq!(answer["response"]["allowed"], true);
        }
        Err(error) => assert!(error.to_string().len() < 300),
    }
});
