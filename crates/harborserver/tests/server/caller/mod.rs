//! A client for tests.

#![allow(dead_code, reason = "not every test calls in every way")]

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use harborserver::{HarborServer, Version};
use http::{Request, Response, header::AUTHORIZATION, header::CONTENT_TYPE};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tower::ServiceExt as _;

pub const ADMIN_PASSWORD: &str = "Harbor12345";
pub const NEWEST: Version = Version::new(15, 2);

/// A client, with or without credentials.
#[derive(Clone)]
pub struct Caller {
    server: HarborServer,
    authorization: Option<String>,
}

/// Status, body, headers.
pub struct Answer {
    pub status: u16,
    pub body: Value,
    pub response: Response<()>,
}

impl Answer {
    /// The message of a refusal.
    pub fn message(&self) -> &str {
        self.body["errors"][0]["message"].as_str().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> &str {
        self.response.headers().get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }
}

/// The administrator of a new server.
pub fn admin_of(version: Version) -> Caller {
    Caller::admin(&HarborServer::new(version, ADMIN_PASSWORD))
}

impl Caller {
    pub fn admin(server: &HarborServer) -> Self {
        Self::anonymous(server).authorized("admin", ADMIN_PASSWORD)
    }

    pub fn anonymous(server: &HarborServer) -> Self {
        Self { server: server.clone(), authorization: None }
    }

    /// A client of the same server with these credentials.
    pub fn authorized(&self, name: &str, password: &str) -> Self {
        let encoded = STANDARD.encode(format!("{name}:{password}"));
        Self { server: self.server.clone(), authorization: Some(format!("Basic {encoded}")) }
    }

    pub fn server(&self) -> &HarborServer {
        &self.server
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "").await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], "").await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, &[], &body.to_string()).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send("PUT", path, &[], &body.to_string()).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send("PATCH", path, &[], &body.to_string()).await
    }

    /// Creates something, and returns the last part of its address.
    pub async fn create(&self, path: &str, body: Value) -> String {
        let answer = self.post(path, body).await;
        assert_eq!(answer.status, 201, "{path}: {}", answer.body);
        answer.header("location").rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// Changes settings.
    pub async fn configure(&self, settings: Value) {
        let answer = self.put("/configurations", settings).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    /// Sends a request to a path below `/api/v2.0`, or to a whole one.
    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let outside = ["/api", "/v2", "/service", "/c/"].iter().any(|start| path.starts_with(start));
        let path = if outside { path.to_owned() } else { format!("/api/v2.0{path}") };
        let mut request = Request::builder().method(method).uri(path);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        if !body.is_empty() && headers.iter().all(|(name, _)| *name != "content-type") {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
        let Ok(response) = self.server.clone().oneshot(request).await;
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes);
        let body = serde_json::from_str(&text)
            .unwrap_or_else(|_| if text.is_empty() { json!(null) } else { json!(text) });
        Answer { status: head.status.as_u16(), body, response: Response::from_parts(head, ()) }
    }
}
