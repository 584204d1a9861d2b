//! Where an object is, what it runs, and since when it is in its state.

use super::Known;
use crate::html::{Link, Moment, web_address};
use askama::Template;
use progress::Tally;

/// The section.
#[derive(Template)]
#[template(path = "facts.html")]
pub(super) struct Facts {
    /// What people call the system that has it; `None` for objects of the cluster.
    system: Option<String>,
    /// Its owner; for an object outside the cluster, the object that describes it.
    parent: Option<Link>,
    namespace: String,
    version: Option<String>,
    url: Option<String>,
    since: Moment,
    tally: Option<Tally>,
}

impl Facts {
    pub(super) fn of(known: &Known<'_>) -> Self {
        let (node, summary) = (known.node(), &known.selection.summary);
        let tally = node.tally();
        Self {
            system: node.key.system().map(ToString::to_string),
            parent: known.selection.found.parent().map(|parent| Link::of(&parent.key)),
            namespace: node.key.namespace.clone(),
            version: summary.version.as_deref().map(str::to_owned),
            url: summary.url.as_deref().map(str::to_owned),
            since: Moment::new(node.since.into(), known.now),
            tally: (tally.all > 0).then_some(tally),
        }
    }

    /// The URL, if it is a web address.
    fn web(&self) -> Option<&str> {
        web_address(self.url.as_deref()?)
    }
}
