//! A Harbor in memory: its management API, as a [`tower::Service`].
//!
//! It behaves as Harbor 2.5 to 2.15 do towards a client of `/api/v2.0`, and knows nothing of Kubernetes or of any
//! particular client. It is the stand-in for a Harbor in tests and in the sandbox.
//!
//! ```
//! use harborserver::{HarborServer, Version};
//! use http::{Request, StatusCode};
//! use http_body_util::Empty;
//! use tower::ServiceExt as _;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), http::Error> {
//! let server = HarborServer::new(Version::new(15, 2), "Harbor12345");
//! let ping = Request::get("/api/v2.0/ping").body(Empty::<bytes::Bytes>::new())?;
//! let Ok(answer) = server.clone().oneshot(ping).await;
//! assert_eq!(answer.status(), StatusCode::OK);
//! assert_eq!(server.served().len(), 1);
//! # Ok(()) }
//! ```
//!
//! What it guarantees:
//! - Answers are those of the version: status, headers that a client reads, bodies, the words of a refusal. Recordings
//!   of Harbors 2.5.6, 2.9.5 and 2.15.2 are the proof; where it answers otherwise, `tests/conformance/differences.yaml`
//!   says so. What changed in the versions between is listed in `src/version.rs`.
//! - Numbers of objects come out as in a real Harbor: an insertion that fails uses one up.
//! - It has no time and no randomness of its own: with a [`Clock`], an [`Entropy`] and tokio's paused time a run can be
//!   repeated. A wrong password takes 1.5 seconds of tokio's time.
//! - Requests may be hostile: bodies have 4 MiB at most, and none makes it panic.
//!
//! What it does not do:
//! - Store images: there is no registry behind `/v2/`, which only tells whether a manifest exists. [`HarborServer::push`] adds what a push would.
//! - Call anybody: [`Network`] says which other systems answer. Webhooks are counted, not sent.
//! - Run jobs: they take [`Builder::job_duration`] and succeed. Schedules never fire.
//! - Sessions of browsers, besides refusing requests that look like one.

mod access;
mod answer;
mod audit;
mod call;
mod clock;
mod configurations;
mod cron;
mod entropy;
mod failure;
mod glob;
mod groups;
mod immutable;
mod jobs;
mod labels;
mod members;
mod network;
mod preheat;
mod projects;
mod quotas;
mod registries;
mod replication;
mod repositories;
mod rest;
mod retention;
mod robots;
mod scanners;
mod secret;
mod server;
mod service;
mod state;
mod system;
mod users;
mod version;
mod webhooks;

pub use clock::{Clock, TokioClock};
pub use entropy::{Entropy, Seeded};
pub use network::Network;
pub use repositories::{Image, UnknownProject};
pub use server::{Backup, Builder, HarborServer};
pub use state::{Installation, Served};
pub use system::{Broken, Component};
pub use version::{Version, VersionError};
