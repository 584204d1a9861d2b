//! Plays a scenario on any server.

use crate::normal::normalise;
use crate::scenario::{Only, Scenario, Step, Version};
use crate::template::Known;
use crate::transcript::{Entry, Transcript};
use crate::watching::Watching;
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt as _;
use kube::Client;
use kube::client::Body;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const TIMEOUT: Duration = Duration::from_mins(1);

/// A server to play scenarios on.
pub struct TestServer {
    pub client: Client,
    pub version: Version,
    /// A namespace that exists and is empty.
    pub namespace: String,
}

struct Answer {
    status: u16,
    headers: BTreeMap<String, Vec<String>>,
    body: Value,
}

impl TestServer {
    /// The transcript of the server's answers, without values that differ between runs.
    pub async fn play(&self, scenario: &Scenario) -> Transcript {
        let mut known = Known { namespace: self.namespace.clone(), answers: BTreeMap::new() };
        let mut watches = BTreeMap::new();
        let mut entries = Vec::new();
        for step in &scenario.steps {
            let since = step.since.or(scenario.since).filter(|since| self.version < *since);
            entries.push(match since {
                Some(since) => Entry::skipped(&step.step, since),
                None => self.take(step, &mut known, &mut watches).await,
            });
        }
        let mut transcript = normalise(Transcript(entries), &known.namespace, &scenario.text);
        // Not before, because parts that are not shown define placeholders for parts that are.
        for (entry, step) in transcript.0.iter_mut().zip(&scenario.steps) {
            entry.body = entry.body.take().map(|body| shown(step, body));
            entry.events = entry.events.drain(..).map(|event| shown(step, event)).collect();
        }
        transcript
    }

    async fn take(&self, step: &Step, known: &mut Known, watches: &mut BTreeMap<String, Watching>) -> Entry {
        let mut entry = Entry { step: step.step.clone(), ..Entry::default() };
        if let Some(watched) = &step.collect {
            let watch = watches.get_mut(watched).unwrap_or_else(|| panic!("{watched} is no watch"));
            if step.end {
                let (events, ended) = watch.rest().await;
                entry.events = events;
                entry.ended = Some(ended);
            } else {
                entry.events = watch.next(step.events).await;
            }
            if step.unordered {
                entry.events.sort_by_key(|event| event["object"]["metadata"]["name"].to_string());
            }
            known.answers.insert(step.step.clone(), Value::Array(entry.events.clone()));
            return entry;
        }

        let response = self.send(step, known).await;
        if step.watch && response.status().is_success() {
            entry.status = Some(response.status().as_u16());
            entry.headers = relevant(response.headers());
            watches.insert(step.step.clone(), Watching::start(response.into_body(), step.bookmarks));
            return entry;
        }
        let answer = self.awaited(step, known, response).await;
        known.answers.insert(step.step.clone(), answer.body.clone());
        entry.status = Some(answer.status);
        entry.headers = answer.headers;
        entry.body = Some(answer.body).filter(|body| !body.is_null());
        entry
    }

    /// The answer, after repeating the request as long as the step requires.
    async fn awaited(&self, step: &Step, known: &Known, first: Response<Body>) -> Answer {
        let mut answer = Answer::read(first).await;
        let deadline = Instant::now() + TIMEOUT;
        while let Some(condition) = &step.until {
            if condition.holds(answer.status, &answer.body) || Instant::now() > deadline {
                break;
            }
            sleep(Duration::from_millis(50)).await;
            answer = Answer::read(self.send(step, known).await).await;
        }
        answer
    }

    async fn send(&self, step: &Step, known: &Known) -> Response<Body> {
        let line = known.fill(step.request.as_deref().unwrap_or_default());
        let (method, uri) = line.split_once(' ').unwrap_or_else(|| panic!("{line} is no request"));
        let mut request = Request::builder().method(method).uri(uri.replace(' ', "%20"));
        let mut headers = step.headers.clone();
        if let Some(patch) = step.patch {
            headers.insert("content-type".to_owned(), patch.media_type().to_owned());
        } else if step.body.is_some() {
            headers.entry("content-type".to_owned()).or_insert_with(|| "application/json".to_owned());
        }
        for (name, value) in headers {
            request = request.header(name, known.fill(&value));
        }
        let body = match (&step.body, &step.raw) {
            (Some(body), _) => known.fill(&body.to_string()),
            (None, Some(raw)) => known.fill(raw),
            (None, None) => String::new(),
        };
        let request = request.body(Body::from(body.into_bytes())).unwrap();
        self.client.send(request).await.unwrap_or_else(|error| panic!("{}: {line}: {error}", step.step))
    }
}

impl Answer {
    async fn read(response: Response<Body>) -> Self {
        let status = response.status().as_u16();
        let headers = relevant(response.headers());
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let body = if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes)
                .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()))
        };
        Self { status, headers, body }
    }
}

/// The headers that clients depend on; JSON is the default and left out.
fn relevant(headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let mut relevant = BTreeMap::new();
    for name in ["content-type", "retry-after", "warning"] {
        let values: Vec<String> = headers
            .get_all(name)
            .iter()
            .map(|value| value.to_str().unwrap_or("?").to_owned())
            .filter(|value| value != "application/json")
            .collect();
        if !values.is_empty() {
            relevant.insert(name.to_owned(), values);
        }
    }
    relevant
}

/// The parts of an answer that the step selects.
fn shown(step: &Step, mut body: Value) -> Value {
    if !step.managed_fields {
        forget_managed_fields(&mut body);
    }
    for only in &step.only {
        select(&mut body, only);
    }
    match &step.show {
        None => body,
        Some(pointers) => {
            let part = |pointer: &String| {
                (pointer.clone(), body.pointer(pointer).cloned().unwrap_or_else(|| "<absent>".into()))
            };
            Value::Object(pointers.iter().map(part).collect::<Map<_, _>>())
        }
    }
}

fn select(body: &mut Value, only: &Only) {
    if let Some(list) = body.pointer_mut(&only.list).and_then(Value::as_array_mut) {
        let name = |element: &Value| element.pointer(&only.by).and_then(Value::as_str).map(str::to_owned);
        list.retain(|element| name(element).is_some_and(|name| only.of.contains(&name)));
        list.sort_by_key(name);
    }
}

fn forget_managed_fields(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
                metadata.remove("managedFields");
            }
            object.values_mut().for_each(forget_managed_fields);
        }
        Value::Array(list) => list.iter_mut().for_each(forget_managed_fields),
        _ => {}
    }
}
