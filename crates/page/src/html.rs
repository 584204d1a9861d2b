//! What is shown, as HTML. The templates escape whatever is put into them.

use crate::{
    Page,
    board::{Address, Listing, Part, Query, Sight, Summary},
    drawing::Drawing,
    reading::{Read, Told},
    state::State,
};
use askama::Template;
use axum::response::{Html, IntoResponse as _, Response};
use http::StatusCode;
use jiff::Timestamp;
use runtime::Tally;
use std::{collections::BTreeSet, fmt::Write as _};

/// What is around every page.
pub(crate) struct Frame {
    /// Whose page it is.
    title: &'static str,
    /// What this one is about.
    heading: String,
    /// Where to hear of changes.
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
    state: Option<State>,
    earlier: Option<String>,
    later: Option<String>,
}

/// One object and all there is to know of it.
#[derive(Template)]
#[template(path = "object.html")]
pub(crate) struct Object {
    frame: Frame,
    line: Line,
    parent: Option<Link>,
    after: Vec<Line>,
    parts: Vec<Line>,
    tally: Tally,
    drawing: Drawing,
    manifest: Read<String>,
    events: Read<Vec<Told>>,
}

/// An object nobody told of.
#[derive(Template)]
#[template(path = "unknown.html")]
struct Unknown {
    frame: Frame,
    name: String,
}

/// An object in a table, or on top of its page.
struct Line {
    id: String,
    link: Link,
    namespace: String,
    state: State,
    since: Timestamp,
    why: Option<String>,
    culprit: Option<Link>,
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

/// A page, or an apology: no template of ours fails.
pub(crate) fn shown(page: &impl Template) -> Response {
    answer(StatusCode::OK, page)
}

/// That nobody told of an object. It may come, so the page stays open for changes.
pub(crate) fn unknown(page: &Page, address: &Address) -> Response {
    let name = format!("{} {}/{}", address.kind, address.namespace, address.name);
    let changes = format!("{}/changes", href(address));
    let frame = Frame::of(page, name.clone(), changes, 0);
    answer(StatusCode::NOT_FOUND, &Unknown { frame, name })
}

/// That there is nothing at an address.
pub(crate) fn nothing() -> Response {
    (StatusCode::NOT_FOUND, "there is nothing here; the list is at /\n").into_response()
}

fn answer(status: StatusCode, page: &impl Template) -> Response {
    match page.render() {
        Ok(text) => (status, Html(text)).into_response(),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "the page cannot be shown; please report this\n")
            .into_response(),
    }
}

impl Overview {
    pub(crate) fn of(page: &Page, listing: &Listing, query: &Query, number: usize) -> Self {
        let total = listing.counts.values().sum();
        let tab = |state: Option<State>, count| Tab {
            word: state.map_or("all", State::word),
            href: list(state, &query.text, 1),
            count,
            current: state == query.state,
        };
        // A filter that is chosen stays, also when nothing is left of what it chooses.
        let states = State::ALL
            .into_iter()
            .filter(|state| listing.counts.contains_key(state) || query.state == Some(*state));
        let tabs = [tab(None, total)].into_iter().chain(
            states.map(|state| tab(Some(state), listing.counts.get(&state).copied().unwrap_or_default())),
        );
        let further = listing.found > query.skip.saturating_add(query.take);
        Self {
            frame: Frame::of(page, "Installations".into(), "/changes".into(), listing.revision),
            tabs: tabs.collect(),
            rows: listing.shown.iter().map(|row| Line::of(&row.part, &row.summary)).collect(),
            total,
            found: listing.found,
            query: query.text.clone(),
            state: query.state,
            earlier: (number > 1).then(|| list(query.state, &query.text, number - 1)),
            later: further.then(|| list(query.state, &query.text, number + 1)),
        }
    }
}

impl Object {
    pub(crate) fn of(page: &Page, sight: &Sight, manifest: Read<String>, events: Read<Vec<Told>>) -> Self {
        let address = &sight.part.address;
        let mut parts: Vec<_> = sight.parts.iter().map(|part| Line::of(part, &Summary::default())).collect();
        for edge in &sight.edges {
            if let Some(before) = sight.parts.get(edge.before)
                && let Some(line) = parts.get_mut(edge.after)
            {
                line.after.push(Link::of(&before.address));
            }
        }
        Self {
            frame: Frame::of(
                page,
                format!("{} {}", address.kind, address.name),
                format!("{}/changes", href(address)),
                sight.revision,
            ),
            line: Line::of(&sight.part, &sight.summary),
            parent: sight.parent.as_ref().map(Link::of),
            after: sight.after.iter().map(|part| Line::of(part, &Summary::default())).collect(),
            parts,
            tally: Tally::of(sight.parts.iter().map(|part| part.state == State::Ready)),
            drawing: Drawing::of(sight),
            manifest,
            events,
        }
    }

    /// The states of what it is made of that are not ready, in words.
    fn unready(&self) -> String {
        let states: BTreeSet<_> =
            self.parts.iter().map(|part| part.state).filter(|state| *state != State::Ready).collect();
        let count = |state: State| self.parts.iter().filter(|part| part.state == state).count();
        let words: Vec<_> = states.into_iter().map(|state| format!("{} {state}", count(state))).collect();
        words.join(", ")
    }
}

impl Frame {
    fn of(page: &Page, heading: String, changes: String, revision: u64) -> Self {
        Self { title: page.setup.title, heading, changes, revision, now: page.board.now() }
    }

    /// How long ago something was.
    fn age(&self, since: &Timestamp) -> String {
        age(*since, self.now)
    }
}

impl Line {
    fn of(part: &Part, summary: &Summary) -> Self {
        Self {
            id: format!("{}-{}-{}", part.address.namespace, part.address.kind, part.address.name),
            link: Link::of(&part.address),
            namespace: part.address.namespace.to_string(),
            state: part.state,
            since: part.since,
            why: part.why.clone(),
            culprit: part.culprit.as_ref().map(Link::of),
            summary: summary.clone(),
            composed: part.composed,
            after: Vec::new(),
        }
    }

    /// Where users reach it, if a browser can.
    fn url(&self) -> Option<&str> {
        let url = self.summary.url.as_deref()?;
        (url.starts_with("https://") || url.starts_with("http://")).then_some(url)
    }
}

impl Link {
    fn of(address: &Address) -> Self {
        Self { href: href(address), kind: address.kind.to_string(), name: address.name.to_string() }
    }
}

/// Where an object is shown.
fn href(address: &Address) -> String {
    let Address { namespace, kind, name } = address;
    format!("/{}/{}/{}", segment(namespace), segment(kind), segment(name))
}

/// Where a part of the list is shown.
fn list(state: Option<State>, text: &str, number: usize) -> String {
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
    use super::{age, list, segment};
    use crate::State;
    use jiff::Timestamp;

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
    fn the_address_of_a_list_says_only_what_matters() {
        assert_eq!(list(None, "", 1), "/");
        assert_eq!(list(Some(State::Failed), "a b&c", 2), "/?state=failed&q=a+b%26c&page=2");
    }
}
