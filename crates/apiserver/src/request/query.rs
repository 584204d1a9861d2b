//! Parameters of a request.

use crate::failure::{Cause, Failure};
use http::StatusCode;
use serde_json::json;

/// The parameters of a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub fn parse(query: Option<&str>) -> Self {
        Self(form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect())
    }

    /// The first value of a parameter; None if it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value.as_str())
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A flag as Kubernetes parses it: present and not `false` or `0`.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| !matches!(value.to_lowercase().as_str(), "false" | "0"))
    }

    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Failure> {
        self.get(name)
            .map(|value| {
                value.parse().map_err(|_| {
                    Failure::bad_request(format!("strconv.ParseInt: parsing {value:?}: invalid syntax"))
                })
            })
            .transpose()
    }
}

/// Options of a list or watch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ListOptions {
    pub label_selector: Option<String>,
    pub field_selector: Option<String>,
    pub limit: Option<usize>,
    pub continue_token: Option<String>,
    pub version: Option<Version>,
    pub watch: bool,
    pub timeout_seconds: Option<u64>,
    pub bookmarks: bool,
    pub send_initial_events: Option<bool>,
}

/// The requested revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// Any.
    Any,
    /// This one or a newer one.
    NotOlderThan(u64),
    /// Exactly this one.
    Exact(u64),
}

impl ListOptions {
    /// `named` is true for a request for one object.
    pub fn parse(query: &Query, named: bool) -> Result<Self, Failure> {
        let watch = query.flag("watch").unwrap_or(false);
        let send_initial_events = query.flag("sendInitialEvents");
        let matching = query.get("resourceVersionMatch");
        let continue_token = query.get("continue").map(str::to_owned);
        let version = query.get("resourceVersion");
        let causes = contradictions(query, watch, send_initial_events);
        if !causes.is_empty() {
            return Err(Failure::invalid("meta.k8s.io", "ListOptions", "", &causes));
        }
        Ok(Self {
            label_selector: query.get("labelSelector").map(str::to_owned),
            field_selector: query.get("fieldSelector").map(str::to_owned),
            limit: query
                .number::<i64>("limit")?
                .filter(|limit| *limit > 0)
                .and_then(|limit| usize::try_from(limit).ok()),
            continue_token,
            version: version
                .map(|text| parse_version(text, matching))
                .transpose()
                .map_err(|nonsense| nonsense.failure(!named && !watch))?,
            watch,
            timeout_seconds: query.number("timeoutSeconds")?,
            bookmarks: query.flag("allowWatchBookmarks").unwrap_or(false),
            send_initial_events,
        })
    }
}

/// Options of a list or watch that contradict each other.
fn contradictions(query: &Query, watch: bool, send_initial_events: Option<bool>) -> Vec<Cause> {
    let (matching, version) = (query.get("resourceVersionMatch"), query.get("resourceVersion"));
    let forbidden = |why: &str| Cause::forbidden("resourceVersionMatch", why);
    let mut causes = Vec::new();
    if watch && send_initial_events.is_some() && matching != Some("NotOlderThan") {
        causes.push(forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    }
    let for_list = (!watch && send_initial_events.is_some())
        .then(|| Cause::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    let Some(word) = matching else { return causes.into_iter().chain(for_list).collect() };
    if watch && send_initial_events.is_none() {
        causes.push(forbidden(
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ));
    }
    if !watch && version.is_none() {
        causes.push(forbidden("resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if query.get("continue").is_some() {
        causes.push(forbidden("resourceVersionMatch is forbidden when continue is provided"));
    }
    let supported: &[&str] = if watch { &["NotOlderThan"] } else { &["Exact", "NotOlderThan", ""] };
    if !supported.contains(&word) {
        causes.push(Cause::not_supported("resourceVersionMatch", &json!(word), supported));
    }
    if !watch && word == "Exact" && version == Some("0") {
        causes.push(forbidden("resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    }
    causes.extend(for_list);
    causes
}

fn parse_version(text: &str, matching: Option<&str>) -> Result<Version, Nonsense> {
    let revision: u64 = text.parse().map_err(|_| Nonsense(text.to_owned()))?;
    Ok(match (revision, matching) {
        (0, _) => Version::Any,
        (revision, Some("Exact")) => Version::Exact(revision),
        (revision, _) => Version::NotOlderThan(revision),
    })
}

/// An invalid resource version. For a list it is a bad request; for a watch or a get it is an internal error.
struct Nonsense(String);

impl Nonsense {
    fn failure(self, lists: bool) -> Failure {
        let text = self.0;
        let why = format!(
            "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
        );
        if lists {
            Failure::bad_request(format!("invalid resource version: {why}"))
        } else {
            Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "", why)
        }
    }
}

/// Options of a write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WriteOptions {
    pub dry_run: bool,
    pub field_manager: Option<String>,
    pub force: Option<bool>,
    pub field_validation: FieldValidation,
}

/// How unknown fields are treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    Ignore,
    #[default]
    Warn,
    Strict,
}

impl WriteOptions {
    /// `options` is the kind of the options in Kubernetes: `CreateOptions`, `UpdateOptions`, `PatchOptions`.
    pub fn parse(query: &Query, options: &str) -> Result<Self, Failure> {
        let invalid = |cause| Failure::invalid("meta.k8s.io", options, "", &[cause]);
        let mut dry_run = false;
        for word in query.all("dryRun").filter(|word| !word.is_empty()) {
            if word != "All" {
                return Err(invalid(Cause::not_supported("dryRun", &json!([word]), &["All"])));
            }
            dry_run = true;
        }
        let field_manager = query.get("fieldManager").map(str::to_owned);
        if let Some(manager) = &field_manager {
            if manager.chars().count() > 128 {
                return Err(invalid(Cause {
                    fault: crate::failure::Fault::TooLong,
                    field: "fieldManager".into(),
                    message: "Too long: may not be more than 128 bytes".into(),
                }));
            }
            if let Some((at, character)) =
                manager.char_indices().find(|(_, character)| character.is_control())
            {
                let why = format!("invalid character U+{:04X} (at position {at})", u32::from(character));
                return Err(invalid(Cause::invalid("fieldManager", &json!(manager), why)));
            }
        }
        let field_validation = match query.get("fieldValidation") {
            None | Some("Warn") => FieldValidation::Warn,
            Some("Ignore") => FieldValidation::Ignore,
            Some("Strict") => FieldValidation::Strict,
            Some(word) => {
                let supported = ["", "Ignore", "Strict", "Warn"];
                return Err(invalid(Cause::not_supported("fieldValidation", &json!(word), &supported)));
            }
        };
        Ok(Self { dry_run, field_manager, force: query.flag("force"), field_validation })
    }
}
