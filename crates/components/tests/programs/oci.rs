//! A client that pushes and pulls, as the OCI distribution specification has it.

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, Uri, header};
use k8s_openapi::ByteString;
use programs::Client;
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// The media type of an image's manifest.
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// A client of a registry.
pub struct Pusher {
    pub client: Client,
    /// The user and the password, if it has any.
    pub credentials: Option<(&'static str, String)>,
}

impl Pusher {
    /// The registry's response to these credentials.
    pub fn welcome(&self) -> StatusCode {
        self.send(Method::GET, "/v2/", "", Bytes::new()).status()
    }

    /// Pushes an image of one layer, then pulls it, manifest and layer, and compares.
    pub fn push_and_pull(&self, repository: &str, layer: &'static [u8]) {
        let layer = Bytes::from_static(layer);
        let config = Bytes::from_static(b"{}");
        let manifest = Bytes::from(
            json!({
                "schemaVersion": 2,
                "mediaType": MANIFEST,
                "config": self.upload(repository, "application/vnd.oci.image.config.v1+json", &config),
                "layers": [self.upload(repository, "application/vnd.oci.image.layer.v1.tar", &layer)],
            })
            .to_string(),
        );
        let tag = format!("/v2/{repository}/manifests/latest");
        let pushed = self.send(Method::PUT, &tag, MANIFEST, manifest.clone());
        assert_eq!(pushed.status(), StatusCode::CREATED, "{pushed:?}");

        let pulled = self.send(Method::GET, &tag, "", Bytes::new());
        assert_eq!((pulled.status(), pulled.body()), (StatusCode::OK, &manifest), "{pulled:?}");
        let blob = format!("/v2/{repository}/blobs/{}", digest(&layer));
        let pulled = self.send(Method::GET, &blob, "", Bytes::new());
        assert_eq!((pulled.status(), pulled.body()), (StatusCode::OK, &layer), "{pulled:?}");
    }

    /// Uploads a blob and describes it.
    fn upload(&self, repository: &str, media_type: &str, blob: &Bytes) -> serde_json::Value {
        let begun = self.send(Method::POST, &format!("/v2/{repository}/blobs/uploads/"), "", Bytes::new());
        assert_eq!(begun.status(), StatusCode::ACCEPTED, "{begun:?}");
        let location: Uri = begun.headers()[header::LOCATION].to_str().unwrap().parse().unwrap();
        let digest = digest(blob);
        let place = format!("{}&digest={digest}", location.path_and_query().unwrap());
        let done = self.send(Method::PUT, &place, "application/octet-stream", blob.clone());
        assert_eq!(done.status(), StatusCode::CREATED, "{done:?}");
        json!({ "mediaType": media_type, "digest": digest, "size": blob.len() })
    }

    fn send(&self, method: Method, path: &str, media_type: &str, body: Bytes) -> Response<Bytes> {
        let mut request = Request::builder().method(method).uri(path).header(header::ACCEPT, MANIFEST);
        if !media_type.is_empty() {
            request = request.header(header::CONTENT_TYPE, media_type);
        }
        if let Some((user, password)) = &self.credentials {
            let encoded = json!(ByteString(format!("{user}:{password}").into_bytes()));
            request = request.header(header::AUTHORIZATION, format!("Basic {}", encoded.as_str().unwrap()));
        }
        self.client.send(request.body(body).unwrap()).unwrap()
    }
}

fn digest(blob: &Bytes) -> String {
    let bytes = Sha256::digest(blob);
    bytes.iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}
