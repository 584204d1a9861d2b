//! The list of all installations.

use super::{Frame, Link, Moment, Tools, explanation, web_address};
use crate::{
    Page,
    store::{List, Node, Query},
};
use askama::Template;
use jiff::Timestamp;
use progress::{Phase, Summary};

/// The page.
#[derive(Template)]
#[template(path = "overview.html")]
pub(crate) struct Overview {
    frame: Frame,
    rows: Vec<Row>,
    tools: Tools,
    earlier: Option<String>,
    later: Option<String>,
}

/// An installation.
struct Row {
    id: String,
    link: Link,
    namespace: String,
    state: Phase,
    since: Moment,
    why: Option<String>,
    summary: Summary,
}

impl Overview {
    pub(crate) fn of(page: &Page, objects: &List, query: &Query, number: usize) -> Self {
        let frame = Frame::of(page, "Installations".into(), "/changes".into(), objects.revision);
        let further = objects.found > query.skip.saturating_add(query.take);
        Self {
            rows: objects.shown.iter().map(|(node, summary)| Row::of(node, summary, frame.now)).collect(),
            tools: Tools::of("/".to_owned(), &query.filter, &objects.counts, objects.found),
            earlier: (number > 1).then(|| query.filter.at("/", number - 1)),
            later: further.then(|| query.filter.at("/", number + 1)),
            frame,
        }
    }
}

impl Row {
    fn of(node: &Node, summary: &Summary, now: Timestamp) -> Self {
        let Node { key, state, since, .. } = node;
        Self {
            id: format!("{}-{}-{}", key.namespace, key.kind, key.name),
            link: Link::of(key),
            namespace: key.namespace.clone(),
            state: state.phase,
            since: Moment::new((*since).into(), now),
            why: explanation(node),
            summary: summary.clone(),
        }
    }

    fn web(&self) -> Option<&str> {
        web_address(self.summary.url.as_deref()?)
    }
}
