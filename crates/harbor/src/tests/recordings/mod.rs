//! Answers of real Harbors 2.5.6, 2.9.5 and 2.15.2.
//!
//! The recordings are beside the repository, in `../shared/data/harbor-api`. Without them, these tests pass and say so.

mod types;

use crate::{
    Failure, Version,
    configurations::{Configurations, KEYS, Kind, Writable},
    error::{Masks, classify},
    registries::RegistryType,
    system::PermissionTables,
    version::permissions::{self, Level},
    webhooks::{EventType, SupportedEvents},
};
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::Path};

#[derive(Debug, Deserialize)]
struct Line {
    #[serde(default)]
    step: String,
    request: Option<Request>,
    response: Option<Response>,
}

#[derive(Debug, Deserialize)]
struct Request {
    method: String,
    path: String,
}

#[derive(Debug, Deserialize)]
struct Response {
    status: u16,
    #[serde(default)]
    body: Value,
}

/// An exchange below `/api/v2.0`.
struct Exchange {
    step: String,
    method: String,
    path: String,
    status: u16,
    body: Value,
}

impl Exchange {
    fn of(line: Line) -> Option<Self> {
        let (request, response) = (line.request?, line.response?);
        let path = request.path.strip_prefix("/api/v2.0/")?.to_owned();
        Some(Self {
            step: line.step,
            method: request.method,
            path,
            status: response.status,
            body: response.body,
        })
    }

    fn segments(&self) -> Vec<&str> {
        self.path.split('?').next().unwrap().split('/').filter(|segment| !segment.is_empty()).collect()
    }

    fn is(&self, method: &str, path: &str) -> bool {
        self.method == method && self.segments().join("/") == path && self.status == 200
    }
}

/// All recordings: empty if they are absent.
fn recordings() -> Vec<(Version, Vec<Exchange>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = [root.join("../shared/data/harbor-api"), root.join("crates/harborserver/tests/recordings")];
    let Some(folder) = folders.iter().find(|folder| folder.join("recorded-2.15.2.jsonl").exists()) else {
        eprintln!("skipped: there are no recordings in ../shared/data/harbor-api");
        return Vec::new();
    };
    let read = |version: &str| {
        let text = fs::read_to_string(folder.join(format!("recorded-{version}.jsonl"))).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Line>(line).unwrap());
        (version.parse().unwrap(), lines.filter_map(Exchange::of).collect())
    };
    ["2.5.6", "2.9.5", "2.15.2"].map(read).into()
}

/// The body of the first successful answer to this request.
fn first<'a>(exchanges: &'a [Exchange], path: &str) -> Option<&'a Value> {
    exchanges.iter().find(|exchange| exchange.is("GET", path)).map(|exchange| &exchange.body)
}

fn read<T: serde::de::DeserializeOwned>(body: &Value) -> T {
    crate::client::decode::decode_value(body.clone()).unwrap()
}

#[test]
fn every_answer_has_the_type_of_its_call() {
    for (version, exchanges) in recordings() {
        let mut read = 0;
        for exchange in exchanges.iter().filter(|exchange| (200..300).contains(&exchange.status)) {
            match types::read(exchange) {
                types::Reading::Read => read += 1,
                types::Reading::Nothing | types::Reading::NotOurs => {}
                types::Reading::Failed(problem) => {
                    panic!("{version} {}: {} {}: {problem}", exchange.step, exchange.method, exchange.path)
                }
                types::Reading::Forgotten => {
                    panic!("{version}: no type for {} {}", exchange.method, exchange.path)
                }
            }
        }
        assert!(read > 150, "{version}: only {read} answers were read");
    }
}

#[test]
fn every_error_has_a_failure_mode() {
    for (version, exchanges) in recordings() {
        for exchange in
            exchanges.iter().filter(|exchange| exchange.status >= 400 && exchange.method != "HEAD")
        {
            let body = if exchange.body.is_null() { String::new() } else { exchange.body.to_string() };
            let status = StatusCode::from_u16(exchange.status).unwrap();
            if status == StatusCode::UNAUTHORIZED {
                continue;
            }
            let failure =
                classify::failure(status, body.as_bytes(), classify::Checks::Nothing, &Masks::default());
            let unexpected = matches!(failure, Failure::Unexpected(_));
            assert!(!unexpected, "{version} {}: {failure}", exchange.step);
        }
    }
}

#[test]
fn the_table_of_permissions_is_that_of_harbor() {
    for (version, exchanges) in recordings() {
        let Some(body) = first(&exchanges, "permissions") else { continue };
        let tables: PermissionTables = read(body);
        for level in [Level::System, Level::Project] {
            let ours: BTreeSet<_> = permissions::granted(version, level).collect();
            assert_eq!(ours, tables.pairs(level), "{version}");
        }
    }
}

#[test]
fn the_table_of_settings_is_that_of_harbor() {
    for (version, exchanges) in recordings() {
        let body = first(&exchanges, "configurations").unwrap();
        let configurations: Configurations = read(body);
        let shown: BTreeSet<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
        let ours = KEYS.iter().filter(|key| key.versions.contains(version));
        let visible =
            ours.filter(|key| !matches!(key.kind, Kind::Password) && !key.name.starts_with("pull_"));
        assert_eq!(visible.clone().map(|key| key.name).collect::<BTreeSet<_>>(), shown, "{version}");
        for key in visible.filter(|key| key.writable == Writable::Yes) {
            let fits = match key.kind {
                Kind::Flag => configurations.flag(key.name).is_some(),
                Kind::Number(..) | Kind::Bytes => configurations.number(key.name).is_some(),
                Kind::Text
                | Kind::NonEmptyText
                | Kind::JsonText
                | Kind::Map
                | Kind::Choice(_)
                | Kind::Password => configurations.text(key.name).is_some(),
            };
            assert!(fits, "{version} {}: {:?}", key.name, configurations.value(key.name));
        }
    }
}

#[test]
fn the_events_of_webhooks_are_those_of_harbor() {
    let all = [
        "PUSH_ARTIFACT",
        "PULL_ARTIFACT",
        "DELETE_ARTIFACT",
        "QUOTA_EXCEED",
        "QUOTA_WARNING",
        "SCANNING_FAILED",
        "SCANNING_STOPPED",
        "SCANNING_COMPLETED",
        "REPLICATION",
        "TAG_RETENTION",
        "UPLOAD_CHART",
        "DOWNLOAD_CHART",
        "DELETE_CHART",
    ];
    for (version, exchanges) in recordings() {
        let supported: SupportedEvents = read(first(&exchanges, "projects/alpha/webhook/events").unwrap());
        let ours: BTreeSet<_> =
            all.map(EventType::from).into_iter().filter(|event| event.is_in(version)).collect();
        assert_eq!(ours, supported.events.into_iter().collect(), "{version}");
    }
}

#[test]
fn the_types_of_registries_are_those_of_harbor() {
    for (version, exchanges) in recordings() {
        let types: Vec<RegistryType> = read(first(&exchanges, "replication/adapters").unwrap());
        assert!(!types.is_empty() && types.iter().all(|kind| kind.is_in(version)), "{version}: {types:?}");
    }
}
