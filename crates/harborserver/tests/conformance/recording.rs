//! What real Harbors answered.

use harborserver::Version;
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// A line of a recording.
pub struct Line {
    pub step: String,
    /// How many times the same step came before.
    pub earlier: usize,
    /// None: what a webhook sent, or a value read aside.
    pub exchange: Option<Exchange>,
}

/// A request and its answer.
pub struct Exchange {
    pub request: Request,
    pub response: Response,
}

/// A request as it was sent.
#[derive(Debug, Deserialize)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// A user name, or `nobody`.
    #[serde(rename = "as")]
    pub sender: String,
    pub body: Option<Value>,
    pub raw: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

/// An answer as it came, with those headers that tell something.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Response {
    pub status: u16,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

#[derive(Deserialize)]
struct Written {
    step: String,
    request: Option<Request>,
    response: Option<Response>,
}

impl Line {
    /// The step, with its number where it comes more than once.
    pub fn name(&self) -> String {
        match self.earlier {
            0 => self.step.clone(),
            earlier => format!("{} #{}", self.step, earlier + 1),
        }
    }
}

/// The recording of a version.
pub fn recording(version: Version) -> Vec<Line> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let text = fs::read_to_string(folder().join("recordings").join(format!("{version}.jsonl"))).unwrap();
    let line = |line: &str| {
        let Written { step, request, response } = serde_json::from_str(line).unwrap();
        let count = counts.entry(step.clone()).or_default();
        let earlier = *count;
        *count += 1;
        let exchange = request.zip(response).map(|(request, response)| Exchange { request, response });
        Line { step, earlier, exchange }
    };
    text.lines().map(line).collect()
}

/// The folder of the tests.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}
