//! The pages as HTML. The templates escape all values.

use crate::{
    Page,
    drawing::Drawing,
    reading::{Read, ShownEvent},
    store::{Address, List, Node, Query, Seconds},
};
use askama::Template;
use axum::response::{Html, IntoResponse as _, Response};
use http::StatusCode;
use jiff::Timestamp;
use plan::ObjectKey;
use progress::{Found, Phase, Summary, Tally};
use std::{collections::BTreeMap, fmt::Write as _};

/// The parts that all pages share.
pub(crate) struct Frame {
    /// The title of all pages.
    title: &'static str,
    /// The heading of this page.
    heading: String,
    /// The path of the stream of changes.
    changes: String,
    revision: u64,
    now: Timestamp,
}

/// The list of all objects.
#[derive(Template)]
#[template(path = "overview.html")]
pub(crate) struct Overview {
    frame: Frame,
    rows: Vec<Line>,
    tabs: Vec<Tab>,
    total: usize,
    found: usize,
    query: String,
    state: Option<Phase>,
    earlier: Option<String>,
    later: Option<String>,
}

/// The page of one object.
#[derive(Template)]
#[template(path = "object.html")]
pub(crate) struct Object {
    frame: Frame,
    line: Line,
    parent: Option<Link>,
    after: Vec<Line>,
    parts: Vec<Line>,
    tally: Tally,
    counts: BTreeMap<Phase, usize>,
    drawing: Drawing,
    /// What people call the system that has it; `None` for objects of the cluster.
    system: Option<String>,
    content: Content,
}

/// What the cluster has about an object.
pub(crate) struct Content {
    /// Its manifest; for an object outside the cluster, that of the owner that describes it.
    pub(crate) manifest: Read<String>,
    /// Its last events. There are none about an object outside the cluster.
    pub(crate) events: Option<Read<Vec<ShownEvent>>>,
}

/// The page of an unknown object.
#[derive(Template)]
#[template(path = "unknown.html")]
struct Unknown {
    frame: Frame,
    name: String,
}

/// An object in a table, or at the top of its page.
struct Line {
    id: String,
    link: Link,
    namespace: String,
    state: Phase,
    since: Timestamp,
    why: Option<String>,
    blocked_by: Option<Link>,
    summary: Summary,
    composed: bool,
    after: Vec<Link>,
}

#[derive(Clone)]
struct Link {
    href: String,
    kind: String,
    name: String,
}

/// A filter of the list.
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

impl Overview {
    pub(crate) fn of(page: &Page, objects: &List, query: &Query, number: usize) -> Self {
        let total = objects.counts.values().sum();
        let tab = |state: Option<Phase>, count| Tab {
            word: state.map_or("all", Phase::word),
            href: list(state, &query.text, 1),
            count,
            current: state == query.phase,
        };
        // The chosen filter stays, even if it no longer matches an object.
        let states = Phase::ALL
            .into_iter()
            .filter(|state| objects.counts.contains_key(state) || query.phase == Some(*state));
        let tabs = [tab(None, total)].into_iter().chain(
            states.map(|state| tab(Some(state), objects.counts.get(&state).copied().unwrap_or_default())),
        );
        let further = objects.found > query.skip.saturating_add(query.take);
        Self {
            frame: Frame::of(page, "Installations".into(), "/changes".into(), objects.revision),
            tabs: tabs.collect(),
            rows: objects.shown.iter().map(|(node, summary)| Line::of(node, summary)).collect(),
            total,
            found: objects.found,
            query: query.text.clone(),
            state: query.phase,
            earlier: (number > 1).then(|| list(query.phase, &query.text, number - 1)),
            later: further.then(|| list(query.phase, &query.text, number + 1)),
        }
    }
}

impl Object {
    pub(crate) fn of(page: &Page, found: &Found<Seconds>, summary: &Summary, content: Content) -> Self {
        let Found { node, parent, after, revision } = found;
        let line = |node: &Node| Line::of(node, &Summary::default());
        let part = |part: &Node| {
            let after = part.after.iter().filter_map(|&before| node.children.get(before));
            Line { after: after.map(|before| Link::of(&before.key)).collect(), ..line(part) }
        };
        Self {
            frame: Frame::of(
                page,
                format!("{} {}", node.key.kind, node.key.name),
                format!("{}/changes", Link::of(&node.key).href),
                *revision,
            ),
            line: Line::of(node, summary),
            parent: parent.as_ref().map(Link::of),
            after: after.iter().map(line).collect(),
            parts: node.children.iter().map(part).collect(),
            tally: node.tally(),
            counts: node.counts(),
            drawing: Drawing::of(&node.children),
            system: node.key.system().map(ToString::to_string),
            content,
        }
    }

    /// How many objects below it are in each phase but ready, in words.
    fn unready(&self) -> String {
        let unready = self.counts.iter().filter(|(phase, _)| **phase != Phase::Ready);
        unready.map(|(phase, count)| format!("{count} {phase}")).collect::<Vec<_>>().join(", ")
    }
}

impl Frame {
    fn of(page: &Page, heading: String, changes: String, revision: u64) -> Self {
        Self { title: page.setup.title, heading, changes, revision, now: page.store.now() }
    }

    /// How long ago something was.
    fn age(&self, since: &Timestamp) -> String {
        age(*since, self.now)
    }
}

impl Line {
    fn of(node: &Node, summary: &Summary) -> Self {
        let Node { key, state, .. } = node;
        let blocked_by = state.blocked_by.as_ref();
        let waits = blocked_by.map(|by| format!("waits for {} {}", by.kind, by.name));
        Self {
            id: format!("{}-{}-{}", key.namespace, key.kind, key.name),
            link: Link::of(key),
            namespace: key.namespace.clone(),
            state: state.phase,
            since: node.since.into(),
            why: waits.or_else(|| state.explanation()),
            blocked_by: blocked_by.map(Link::of),
            summary: summary.clone(),
            composed: node.is_owner,
            after: Vec::new(),
        }
    }

    /// The URL, if it is a web address.
    fn url(&self) -> Option<&str> {
        let url = self.summary.url.as_deref()?;
        (url.starts_with("https://") || url.starts_with("http://")).then_some(url)
    }
}

impl Link {
    fn of(key: &ObjectKey) -> Self {
        Self { href: href(&key.into()), kind: key.kind.clone(), name: key.name.clone() }
    }
}

/// In the place of a namespace in the path of an object that has none: an empty segment would make the kind a host.
const NO_NAMESPACE: &str = "-";

/// The path of the page of an object.
fn href(address: &Address) -> String {
    let Address { namespace, kind, name } = address;
    let namespace = if namespace.is_empty() { NO_NAMESPACE } else { namespace };
    format!("/{}/{}/{}", segment(namespace), segment(kind), segment(name))
}

/// The object that a path names.
pub(crate) fn address([namespace, kind, name]: [Box<str>; 3]) -> Address {
    let namespace = if *namespace == *NO_NAMESPACE { Box::default() } else { namespace };
    Address { namespace, kind, name }
}

/// The path of a page of the list.
fn list(state: Option<Phase>, text: &str, number: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    if let Some(state) = state {
        query.append_pair("state", state.word());
    }
    if !text.is_empty() {
        query.append_pair("q", text);
    }
    if number > 1 {
        query.append_pair("page", &number.to_string());
    }
    let query = query.finish();
    if query.is_empty() { "/".to_owned() } else { format!("/?{query}") }
}

/// A segment of a path.
fn segment(text: &str) -> String {
    text.bytes().fold(String::new(), |mut path, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            path.push(byte.into());
        } else {
            // Writing to a string cannot fail.
            let _ = write!(path, "%{byte:02X}");
        }
        path
    })
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
    use super::{Address, address, age, href, list, segment};
    use jiff::Timestamp;
    use progress::Phase;

    #[test]
    fn ages_are_in_their_largest_unit() {
        let ages = [0, 119, 120, 7199, 7200, 172_799, 172_800]
            .map(|seconds| age(Timestamp::UNIX_EPOCH, Timestamp::from_second(seconds).unwrap()));
        assert_eq!(ages, ["0s", "119s", "2m", "119m", "2h", "47h", "2d"]);
        assert_eq!(age(Timestamp::from_second(9).unwrap(), Timestamp::UNIX_EPOCH), "0s", "clocks differ");
    }

    #[test]
    fn a_name_cannot_leave_its_segment() {
        assert_eq!(segment("a/../b?c#d%\"é"), "a%2F..%2Fb%3Fc%23d%25%22%C3%A9");
    }

    #[test]
    fn the_path_of_an_object_stays_on_this_host_and_names_the_object_again() {
        for (namespace, path) in [
            ("ns", "/ns/Kind/name"),
            ("", "/-/Kind/name"),
            ("harbor:ns/acme", "/harbor%3Ans%2Facme/Kind/name"),
        ] {
            let object = Address { namespace: namespace.into(), kind: "Kind".into(), name: "name".into() };
            assert_eq!(href(&object), path);
        }
        let object = Address { namespace: "".into(), kind: "Kind".into(), name: "name".into() };
        assert_eq!(address(["-".into(), "Kind".into(), "name".into()]), object);
    }

    #[test]
    fn the_address_of_a_list_says_only_what_matters() {
        assert_eq!(list(None, "", 1), "/");
        assert_eq!(list(Some(Phase::Failed), "a b&c", 2), "/?state=failed&q=a+b%26c&page=2");
    }
}
