//! Raw requests, for those that a typed client would not send.

use apiserver::ApiServer;
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tower::ServiceExt as _;

pub const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
pub const BOATS: &str = "/apis/test.io/v1/namespaces/default/boats";

/// The definition of the custom kind `Boat` with this schema.
pub fn boats(schema: &Value) -> Value {
    json!({
        "metadata": {"name": "boats.test.io"},
        "spec": {
            "group": "test.io",
            "scope": "Namespaced",
            "names": {"plural": "boats", "singular": "boat", "kind": "Boat", "listKind": "BoatList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

/// A client of a server.
#[derive(Clone)]
pub struct Caller {
    pub server: ApiServer,
    headers: Vec<(&'static str, String)>,
}

/// Status code and body; a body that is not JSON is a string.
pub type Answer = (u16, Value);

impl Caller {
    pub fn of(server: &ApiServer) -> Self {
        Self { server: server.clone(), headers: Vec::new() }
    }

    /// The same client with another header.
    pub fn with(&self, name: &'static str, value: impl Into<String>) -> Self {
        let mut caller = self.clone();
        caller.headers.push((name, value.into()));
        caller
    }

    /// The same client with this bearer token.
    pub fn bearing(server: &ApiServer, token: &str) -> Self {
        Self::of(server).with("authorization", format!("Bearer {token}"))
    }

    pub async fn send(&self, method: &str, path: &str, content_type: &str, body: impl Into<Bytes>) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header("content-type", content_type);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(body.into())).unwrap();
        let response = self.server.clone().oneshot(request).await.unwrap();
        let code = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned().into());
        (code, body)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "application/json", Bytes::new()).await
    }

    /// An object that must exist.
    pub async fn object(&self, path: &str) -> Value {
        let (code, object) = self.get(path).await;
        assert_eq!(code, 200, "GET {path}: {object}");
        object
    }

    pub async fn exists(&self, path: &str) -> bool {
        self.get(path).await.0 != StatusCode::NOT_FOUND.as_u16()
    }

    pub async fn create(&self, path: &str, object: &Value) -> Answer {
        self.send("POST", path, "application/json", object.to_string()).await
    }

    /// Creates an object, which must succeed.
    pub async fn created(&self, path: &str, object: &Value) -> Value {
        let (code, object) = self.create(path, object).await;
        assert_eq!(code, 201, "POST {path}: {object}");
        object
    }

    pub async fn merge(&self, path: &str, change: &Value) -> Answer {
        self.send("PATCH", path, "application/merge-patch+json", change.to_string()).await
    }

    pub async fn delete(&self, path: &str, options: &Value) -> Answer {
        self.send("DELETE", path, "application/json", options.to_string()).await
    }

    /// The names of a collection's objects.
    pub async fn names(&self, path: &str) -> Vec<String> {
        let list = self.object(path).await;
        let items = list["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["metadata"]["name"].as_str().unwrap_or_default().to_owned()).collect()
    }
}
