//! Plays recorded requests on the server in memory, through what stood between in the recording: an nginx.

use crate::{
    credentials::{ADMIN_PASSWORD, Credentials, secret},
    recording::{Line, Request, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use harborserver::{HarborServer, Image, Installation, Network, TokioClock, Version};
use http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE};
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};
use tokio::time::sleep;
use tower::ServiceExt as _;

const STANDIN: &str = "http://standin.example.com:8090";

/// A server, and the world around it.
pub struct Stage {
    server: HarborServer,
    network: Network,
    credentials: Credentials,
    /// Recorded identifiers that are random, and ours.
    identifiers: BTreeMap<String, String>,
}

impl Stage {
    pub fn new(version: Version) -> Self {
        let network = Network::default();
        network.open(STANDIN);
        let installation = Installation {
            commit: "local".to_owned(),
            core_url: "http://acme-harbor-core:80".to_owned(),
            registry_cache_url: "redis://:<password>@redis.databases.svc:6379/1?idle_timeout_seconds=30"
                .to_owned(),
            ..Installation::default()
        };
        let server = HarborServer::builder(version, ADMIN_PASSWORD)
            .clock(TokioClock::starting_at("2026-11-16T06:48:52.564Z".parse().unwrap()))
            .installation(installation)
            .network(network.clone())
            .build();
        Self { server, network, credentials: Credentials::new(), identifiers: BTreeMap::new() }
    }

    /// Plays a step.
    pub async fn play(&mut self, line: &Line, request: &Request, recorded: &Response) -> Response {
        self.prepare(line).await;
        let (status, headers, text) = self.send(&line.step, request).await;
        let body = serde_json::from_str(&text).unwrap_or_else(|_| match text.as_str() {
            "" => Value::Null,
            text => Value::from(text),
        });
        if (200..300).contains(&status) {
            self.credentials.learn(request, headers.get("location").map(String::as_str), &body);
        }
        if let Some(ours) = headers.get("location") {
            self.identify(recorded.headers.get("location"), ours);
        }
        Response { status, headers, body }
    }

    /// Remembers random identifiers in locations.
    fn identify(&mut self, recorded: Option<&String>, ours: &str) {
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        if let Some(recorded) = recorded.map(|path| last(path)).filter(|name| name.len() == 36) {
            self.identifiers.insert(recorded, last(ours));
        }
    }

    /// Does what the script did beside its requests: waited, and switched its stand-in off and on.
    async fn prepare(&self, line: &Line) {
        match (line.step.as_str(), line.earlier) {
            (
                "retention: executions"
                | "replication: execution"
                | "scan: overview"
                | "gc: execution"
                | "jobservice: gc after resuming",
                _,
            ) => sleep(Duration::from_secs(6)).await,
            // Where queues cannot be paused, the script waited for the end.
            ("jobservice: gc while paused, execution", _) if self.server.version() < Version::new(7, 0) => {
                sleep(Duration::from_secs(6)).await;
            }
            ("jobservice: queues", 2) => sleep(Duration::from_secs(3)).await,
            // The policy copied two images into a project that did not exist.
            ("registry: delete in use", _) => self.replicate().await,
            ("registry down: update", _) => self.network.close(STANDIN),
            ("registry: clear the credential", _) => self.network.open(STANDIN),
            _ => sleep(Duration::from_millis(100)).await,
        }
    }

    async fn replicate(&self) {
        let encoded = STANDARD.encode(format!("admin:{ADMIN_PASSWORD}"));
        let request = http::Request::post("/api/v2.0/projects")
            .header(AUTHORIZATION, format!("Basic {encoded}"))
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(r#"{"project_name":"beta"}"#)))
            .unwrap();
        let Ok(response) = self.server.clone().oneshot(request).await;
        assert_eq!(response.status(), 201);
        for image in [first(), second()] {
            let copy = Image { repository: "beta/app".to_owned(), ..image };
            self.server.push(&copy, "admin").unwrap();
        }
    }

    /// What happened in a step that is not played, as far as later answers show it.
    pub fn stand_in(&self, line: &Line) {
        match line.step.as_str() {
            // The script pushed two more images without recording it.
            "push: manifest" => {
                let deep = "164df76d5a1b1437b686074c228aa72bc57095a910ab46db953f34e810a4db7f";
                for image in [first(), second(), image("alpha/deep/path", "x1", deep, 721)] {
                    self.server.push(&image, "admin").unwrap();
                }
            }
            "push by robot: manifest" => {
                let digest = "53b869740cfa7b5a7820e5cd140b423b749c01283d4e6b6b8c00b0e744f3e4be";
                self.server.push(&image("alpha/app", "robot", digest, 700), "robot$alpha+ci").unwrap();
            }
            // Harbor noted the first pull a few seconds after it.
            "webhook: received by the stand-in" if line.earlier == 0 => self.server.pull(&first(), "admin"),
            "read-only: pull" => self.server.pull(&first(), "admin"),
            // The blobs were there before the manifest was refused.
            "push over an immutable tag: manifest" => self.server.leave_blobs(308),
            _ => {}
        }
    }

    async fn send(&mut self, step: &str, request: &Request) -> (u16, BTreeMap<String, String>, String) {
        let mut path = through_nginx(&request.path);
        for (recorded, ours) in &self.identifiers {
            path = path.replace(recorded, ours);
        }
        let mut builder = http::Request::builder().method(request.method.as_str()).uri(path);
        if let Some((name, password)) = self.credentials.of(step, &request.sender) {
            let encoded = STANDARD.encode(format!("{name}:{password}"));
            builder = builder.header(AUTHORIZATION, format!("Basic {encoded}"));
        }
        let body = match (&request.raw, &request.body) {
            (Some(raw), _) => raw.clone(),
            (None, Some(body)) => self.ours(body),
            (None, None) => String::new(),
        };
        let has_type = request.headers.keys().any(|name| name.eq_ignore_ascii_case("content-type"));
        if !body.is_empty() && !has_type {
            builder = builder.header(CONTENT_TYPE, "application/json");
        }
        for (name, value) in &request.headers {
            builder = match name.as_str() {
                "Cookie" => builder.header(COOKIE, "sid=0123456789abcdef"),
                _ => builder.header(name, value),
            };
        }
        let request = builder.body(Full::new(Bytes::from(body))).unwrap();
        let Ok(response) = self.server.clone().oneshot(request).await;
        let status = response.status().as_u16();
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), value.to_str().unwrap().to_owned()))
            .collect();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, headers, String::from_utf8(body.to_vec()).unwrap())
    }

    /// A recorded body with secrets and identifiers put back.
    fn ours(&self, body: &Value) -> String {
        let mut text = secret(&body.to_string());
        for (recorded, ours) in &self.identifiers {
            text = text.replace(recorded, ours);
        }
        text
    }
}

fn image(repository: &str, tag: &str, digest: &str, size: i64) -> Image {
    let (repository, tag) = (repository.to_owned(), tag.to_owned());
    Image { repository, tag, digest: format!("sha256:{digest}"), size }
}

fn first() -> Image {
    image("alpha/app", "v1", "e6ae54fe64ee46c24faec087cfb9f342b9631f6410353c43dede6b4016095394", 680)
}

fn second() -> Image {
    image("alpha/app", "v2", "7a22f466b2eb124dc002c6883d36d64e1d30f62a0abee41d0a736a3463614fac", 680)
}

/// The nginx of the recording decodes the path once.
fn through_nginx(path: &str) -> String {
    let (path, query) = path.split_once('?').map_or((path, None), |(path, query)| (path, Some(query)));
    let path = path.replace("%2F", "/").replace("%25", "%");
    query.map_or(path.clone(), |query| format!("{path}?{query}"))
}
