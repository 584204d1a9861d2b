//! The panel about the selected object: a list of sections, each made from what is known of the object.
//!
//! A new section is a type with a template, and a line in [`Details::of`].

mod commands;
mod facts;
mod manifest;
mod order;
mod pods;
mod timeline;

use crate::{
    html::{Link, explanation},
    reading::{Read, ShownEvent},
    store::{Node, Selection},
};
use ::pods::Report;
use askama::{DynTemplate, Template};
use commands::Commands;
use facts::Facts;
use jiff::Timestamp;
use kube::core::ApiResource;
use manifest::Manifest;
use order::Order;
use pods::Pods;
use progress::Phase;
use serde_json::Value;
use timeline::Timeline;

/// What the cluster has about an object.
pub(crate) struct Content {
    /// The object; for one outside the cluster, the owner that describes it.
    pub(crate) object: Read<Value>,
    /// Its last events. There are none about an object outside the cluster.
    pub(crate) events: Option<Read<Vec<ShownEvent>>>,
    /// What the pods of the object, and of what is below it, report. None if it has no workloads.
    pub(crate) pods: Option<Report>,
}

/// What every section is made from.
pub(crate) struct Known<'a> {
    pub(crate) selection: &'a Selection,
    pub(crate) content: &'a Content,
    /// The kind of the object, if the operator can read it.
    pub(crate) kind: Option<&'a ApiResource>,
    /// The command that shows the object on a terminal.
    pub(crate) status: Option<&'a str>,
    pub(crate) now: Timestamp,
}

/// The panel.
#[derive(Template)]
#[template(path = "details.html")]
pub(crate) struct Details {
    link: Link,
    state: Phase,
    why: Option<String>,
    blocked_by: Option<Link>,
    sections: Vec<Section>,
}

/// A part of the panel with a heading.
struct Section {
    id: &'static str,
    heading: &'static str,
    content: Box<dyn DynTemplate>,
}

impl Details {
    /// All sections that have something to show.
    pub(crate) fn of(known: &Known<'_>) -> Self {
        let node = known.node();
        let external = node.key.system().is_some();
        let mut sections = vec![Section::new("facts", "Overview", Facts::of(known))];
        sections.extend(Pods::of(known).map(|pods| Section::new("pods", "Pods", pods)));
        sections.extend(Order::of(known).map(|order| Section::new("order", "Order", order)));
        sections.push(Section::new("timeline", "What happened", Timeline::of(known)));
        sections.extend(Commands::of(known).map(|it| Section::new("commands", "Commands", it)));
        let heading = if external { "What is desired" } else { "YAML" };
        sections.push(Section::new("manifest", heading, Manifest::of(known)));
        Self {
            link: Link::of(&node.key),
            state: node.state.phase,
            // Of a whole installation, the page says it above the tree.
            why: known.selection.found.parent().and_then(|_| explanation(node)),
            blocked_by: node.state.blocked_by.as_ref().map(Link::of),
            sections,
        }
    }
}

impl Known<'_> {
    pub(crate) fn node(&self) -> &Node {
        self.selection.found.node()
    }
}

impl Section {
    fn new(id: &'static str, heading: &'static str, content: impl Template + 'static) -> Self {
        Self { id, heading, content: Box::new(content) }
    }
}
