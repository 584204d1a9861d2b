//! The pages as HTML. The templates escape all values.

mod address;
mod object;
mod overview;

pub(crate) use address::address;
pub(crate) use object::Object;
pub(crate) use overview::Overview;

use crate::{
    Page,
    filter::Filter,
    store::{Address, Node},
};
use address::href;
use askama::Template;
use axum::response::{Html, IntoResponse as _, Response};
use http::StatusCode;
use jiff::Timestamp;
use plan::ObjectKey;
use progress::{NodeState, Phase};
use std::collections::{BTreeMap, BTreeSet};

/// The parts that all pages share.
pub(crate) struct Frame {
    /// The title of all pages.
    title: &'static str,
    /// The title of this page.
    heading: String,
    /// The path of the stream of changes.
    changes: String,
    revision: u64,
    now: Timestamp,
}

/// The page of an unknown object.
#[derive(Template)]
#[template(path = "unknown.html")]
struct Unknown {
    frame: Frame,
    name: String,
}

/// A link to the page of an object.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) href: String,
    pub(crate) kind: String,
    pub(crate) name: String,
}

/// How long ago something was.
#[derive(Clone, Debug, Template)]
#[template(source = r#"<time datetime="{{ at }}" title="{{ at }}">{{ age }}</time>"#, ext = "html")]
pub(crate) struct Moment {
    at: Timestamp,
    age: String,
}

/// The filter of a page: its phases to choose from, and its text.
struct Tools {
    /// The path of the page.
    path: String,
    filter: Filter,
    tabs: Vec<Tab>,
    /// How many objects there are without the filter.
    total: usize,
    /// How many match.
    found: usize,
    /// Kinds that the filter suggests.
    kinds: BTreeSet<String>,
}

/// A phase to filter by.
struct Tab {
    word: &'static str,
    href: String,
    count: usize,
    current: bool,
}

/// A page.
pub(crate) fn shown(page: &impl Template) -> Response {
    answer(StatusCode::OK, page)
}

/// Unknown object. The operator may report it later, so the page listens for changes.
pub(crate) fn unknown(page: &Page, address: &Address) -> Response {
    let name = match &*address.namespace {
        "" => format!("{} {}", address.kind, address.name),
        namespace => format!("{} {namespace}/{}", address.kind, address.name),
    };
    let changes = format!("{}/changes", href(address));
    let frame = Frame::of(page, name.clone(), changes, 0);
    answer(StatusCode::NOT_FOUND, &Unknown { frame, name })
}

/// Unknown path.
pub(crate) fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "not found; the list is at /\n").into_response()
}

fn answer(status: StatusCode, page: &impl Template) -> Response {
    match page.render() {
        Ok(text) => (status, Html(text)).into_response(),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "cannot render the page; please report this\n")
            .into_response(),
    }
}

/// Why an object is not ready, in words that do not begin with its own name.
pub(crate) fn explanation(node: &Node) -> Option<String> {
    let NodeState { blocked_by, message, .. } = &node.state;
    if let Some(by) = blocked_by {
        return Some(format!("waits for {} {}", by.kind, by.name));
    }
    let own = message.as_ref().and_then(|it| it.strip_prefix(&format!("{}: ", node.key)));
    let message = own.map(str::to_owned).or_else(|| message.clone());
    NodeState { message, ..node.state.clone() }.explanation()
}

/// The URL, if it is a web address.
pub(crate) fn web_address(url: &str) -> Option<&str> {
    (url.starts_with("https://") || url.starts_with("http://")).then_some(url)
}

impl Frame {
    fn of(page: &Page, heading: String, changes: String, revision: u64) -> Self {
        Self { title: page.setup.title, heading, changes, revision, now: page.store.now() }
    }
}

impl Link {
    pub(crate) fn of(key: &ObjectKey) -> Self {
        Self { href: href(&key.into()), kind: key.kind.clone(), name: key.name.clone() }
    }
}

impl Moment {
    pub(crate) fn new(at: Timestamp, now: Timestamp) -> Self {
        Self { at, age: age(at, now) }
    }
}

impl Tools {
    fn of(path: String, filter: &Filter, counts: &BTreeMap<Phase, usize>, found: usize) -> Self {
        let total = counts.values().sum();
        let tab = |state: Option<Phase>, count| Tab {
            word: state.map_or("all", Phase::word),
            href: filter.in_phase(state).at(&path, 1),
            count,
            current: state == filter.phase,
        };
        // The chosen phase stays, even if it no longer matches an object.
        let states =
            Phase::ALL.into_iter().filter(|state| counts.contains_key(state) || filter.phase == Some(*state));
        let tabs = [tab(None, total)]
            .into_iter()
            .chain(states.map(|state| tab(Some(state), counts.get(&state).copied().unwrap_or_default())));
        Self { tabs: tabs.collect(), path, filter: filter.clone(), total, found, kinds: BTreeSet::new() }
    }

    fn suggesting(self, kinds: BTreeSet<String>) -> Self {
        Self { kinds, ..self }
    }
}

/// A time span in its largest unit, as kubectl writes it.
fn age(since: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(since).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86400),
    }
}

#[cfg(test)]
mod tests {
    use super::age;
    use jiff::Timestamp;

    #[test]
    fn ages_are_in_their_largest_unit() {
        let ages = [0, 119, 120, 7199, 7200, 172_799, 172_800]
            .map(|seconds| age(Timestamp::UNIX_EPOCH, Timestamp::from_second(seconds).unwrap()));
        assert_eq!(ages, ["0s", "119s", "2m", "119m", "2h", "47h", "2d"]);
        assert_eq!(age(Timestamp::from_second(9).unwrap(), Timestamp::UNIX_EPOCH), "0s", "clocks differ");
    }
}
