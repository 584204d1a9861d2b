//! The documents of discovery and their paths. Each is created once and kept.

use super::{
    aggregated, health, legacy, openapi,
    served::{self, Group, Version},
};
use crate::{
    kinds::Resource,
    present::{Clause, clauses},
};
use bytes::Bytes;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// Something a client can read about the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    pub content_type: &'static str,
    /// Quoted, as in the header. A client that sends it back gets 304 if the document has not changed.
    pub etag: Option<String>,
    pub body: Bytes,
}

/// Every document about one set of kinds. Each is created when it is first requested.
pub(crate) struct Documents {
    groups: Vec<Group>,
    definitions: &'static BTreeMap<String, Value>,
    made: Mutex<BTreeMap<(Page, Form), Document>>,
    hashes: OnceLock<BTreeMap<String, String>>,
}

/// The document at a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Page {
    Paths,
    ServerVersion,
    Core,
    Groups,
    Group(String),
    Kinds { group: String, version: String },
    OpenApiV2,
    OpenApiV3Index,
    OpenApiV3 { group: String, version: String },
}

/// The requested form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Plain,
    Aggregated,
    AggregatedBeta,
    Protobuf,
}

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
const V2_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/// Clients still send the `@`, which no media type may contain; the answer is spelled without it.
const V2_PROTOBUF_ASKED: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const AGGREGATED_BETA: &str = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

/// The document at a path; none if the path is not one of discovery.
pub(crate) fn respond(
    documents: &Documents,
    path: &str,
    query: Option<&str>,
    accept: &str,
) -> Option<Document> {
    let verbose = query
        .is_some_and(|query| form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "verbose"));
    if let Some(report) = health::health(path, verbose) {
        return Some(Document { content_type: TEXT, etag: None, body: report.into() });
    }
    let page = Page::parse(path)?;
    let form = page.form(accept);
    documents.get(page, form)
}

impl Page {
    fn parse(path: &str) -> Option<Self> {
        let trimmed = path.strip_suffix('/').unwrap_or(path);
        if trimmed.is_empty() {
            return Some(Self::Paths);
        }
        let parts: Vec<&str> = trimmed.strip_prefix('/')?.split('/').collect();
        Some(match parts.as_slice() {
            ["version"] => Self::ServerVersion,
            ["api"] => Self::Core,
            ["apis"] => Self::Groups,
            ["api", version] => Self::Kinds { group: String::new(), version: (*version).into() },
            ["apis", group] => Self::Group((*group).into()),
            ["apis", group, version] => Self::Kinds { group: (*group).into(), version: (*version).into() },
            ["openapi", "v2"] => Self::OpenApiV2,
            ["openapi", "v3"] => Self::OpenApiV3Index,
            ["openapi", "v3", "api", version] => {
                Self::OpenApiV3 { group: String::new(), version: (*version).into() }
            }
            ["openapi", "v3", "apis", group, version] => {
                Self::OpenApiV3 { group: (*group).into(), version: (*version).into() }
            }
            _ => return None,
        })
    }

    fn form(&self, accept: &str) -> Form {
        let clauses = clauses(accept);
        match self {
            Self::Core | Self::Groups => clauses.iter().find_map(aggregated).unwrap_or(Form::Plain),
            Self::OpenApiV2 => clauses
                .iter()
                .find_map(|clause| {
                    if clause.admits(JSON) {
                        Some(Form::Plain)
                    } else if clause.admits(V2_PROTOBUF_ASKED) || clause.admits(V2_PROTOBUF) {
                        Some(Form::Protobuf)
                    } else {
                        None
                    }
                })
                .unwrap_or(Form::Plain),
            _ => Form::Plain,
        }
    }
}

/// The aggregated form that a client requests, if it does.
fn aggregated(clause: &Clause<'_>) -> Option<Form> {
    let asked = clause.admits(JSON)
        && clause.parameter("g") == "apidiscovery.k8s.io"
        && clause.parameter("as") == "APIGroupDiscoveryList";
    match clause.parameter("v") {
        "v2" if asked => Some(Form::Aggregated),
        "v2beta1" if asked => Some(Form::AggregatedBeta),
        _ => None,
    }
}

impl Documents {
    /// Documents about these kinds, whose built-in schemas are among the definitions.
    pub fn new(resources: &[Arc<Resource>], definitions: &'static BTreeMap<String, Value>) -> Self {
        Self {
            groups: served::groups(resources),
            definitions,
            made: Mutex::default(),
            hashes: OnceLock::new(),
        }
    }

    /// Documents about other kinds, keeping the schemas of versions that did not change.
    pub fn renewed(&self, resources: &[Arc<Resource>]) -> Self {
        let renewed = Self::new(resources, self.definitions);
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let kept: BTreeMap<_, _> = made
            .iter()
            .filter(|((page, _), _)| match page {
                Page::OpenApiV3 { group, version } => {
                    let place = openapi::place(group, version);
                    renewed.hashes().get(&place) == self.hashes().get(&place)
                }
                _ => *page == Page::ServerVersion,
            })
            .map(|(key, document)| (key.clone(), document.clone()))
            .collect();
        drop(made);
        Self { made: Mutex::new(kept), ..renewed }
    }

    fn get(&self, page: Page, form: Form) -> Option<Document> {
        let key = (page, form);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(document) = made.get(&key) {
            return Some(document.clone());
        }
        let document = self.make(&key.0, form)?;
        made.insert(key, document.clone());
        Some(document)
    }

    fn make(&self, page: &Page, form: Form) -> Option<Document> {
        let (core, others): (Vec<&Group>, Vec<&Group>) =
            self.groups.iter().partition(|group| group.name.is_empty());
        let plain =
            |value: Value| Document { content_type: JSON, etag: None, body: value.to_string().into() };
        let tagged = |value: Value| document(JSON, value.to_string().into());
        Some(match (page, form) {
            (Page::Core, Form::Aggregated) => one_document(AGGREGATED, core, "v2"),
            (Page::Core, Form::AggregatedBeta) => one_document(AGGREGATED_BETA, core, "v2beta1"),
            (Page::Groups, Form::Aggregated) => one_document(AGGREGATED, others, "v2"),
            (Page::Groups, Form::AggregatedBeta) => one_document(AGGREGATED_BETA, others, "v2beta1"),
            (Page::Core, _) => plain(legacy::api_versions(core.first()?)),
            (Page::Groups, _) => plain(legacy::api_group_list(&self.groups)),
            (Page::Group(name), _) => {
                plain(legacy::api_group(others.into_iter().find(|group| group.name == *name)?))
            }
            (Page::Kinds { group, version }, _) => {
                plain(legacy::api_resource_list(self.version(group, version)?))
            }
            (Page::Paths, _) => plain(health::paths(&self.groups)),
            (Page::ServerVersion, _) => plain(health::version()),
            (Page::OpenApiV2, Form::Protobuf) => {
                document(V2_PROTOBUF, openapi::gnostic(&openapi::v2(&self.groups, self.definitions)).into())
            }
            (Page::OpenApiV2, _) => tagged(openapi::v2(&self.groups, self.definitions)),
            (Page::OpenApiV3Index, _) => {
                Document { content_type: TEXT, ..plain(openapi::v3_index(self.hashes())) }
            }
            (Page::OpenApiV3 { group, version }, _) => {
                tagged(openapi::v3(self.version(group, version)?, self.definitions))
            }
        })
    }

    fn version(&self, group: &str, version: &str) -> Option<&Version> {
        let group = self.groups.iter().find(|known| known.name == group)?;
        group.versions.iter().find(|known| known.name == version)
    }

    /// The hash of each version's schemas, by its place in the index.
    fn hashes(&self) -> &BTreeMap<String, String> {
        self.hashes.get_or_init(|| {
            self.groups
                .iter()
                .flat_map(|group| &group.versions)
                .map(|version| {
                    let mut content = legacy::api_resource_list(version).to_string();
                    for schema in version.kinds.iter().filter_map(|kind| kind.resource.custom.as_ref()) {
                        content.push_str(&schema.to_string());
                    }
                    (openapi::place(&version.group, &version.name), hash(content.as_bytes()))
                })
                .collect()
        })
    }
}

fn one_document(content_type: &'static str, groups: Vec<&Group>, version: &str) -> Document {
    document(content_type, aggregated::group_discovery_list(groups.into_iter(), version).to_string().into())
}

fn document(content_type: &'static str, body: Bytes) -> Document {
    Document { content_type, etag: Some(format!("\"{}\"", hash(&body))), body }
}

/// 128 bits that change when the content does.
fn hash(content: &[u8]) -> String {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        content.hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016X}{:016X}", half(0), half(1))
}
