//! The page of an object: the installation that it belongs to as a tree, and the object in the panel beside it.

use super::{Frame, Link, Tools, explanation, web_address};
use crate::{
    Page,
    details::{Content, Details, Known},
    filter::Filter,
    outline::{Outline, cause},
    store::{Node, Selection},
};
use askama::Template;
use pods::{PodReport, Report};
use progress::{Phase, Summary, Tally};
use std::collections::{BTreeMap, BTreeSet};

/// The page.
#[derive(Template)]
#[template(path = "object.html")]
pub(crate) struct Object {
    frame: Frame,
    /// From the topmost owner to the object.
    line: Vec<Link>,
    /// The topmost owner.
    root: Link,
    state: Phase,
    summary: Summary,
    tally: Tally,
    counts: BTreeMap<Phase, usize>,
    cause: Option<Cause>,
    tools: Tools,
    outline: Outline,
    details: Details,
}

/// Why an installation is not ready.
struct Cause {
    link: Link,
    state: Phase,
    why: String,
    /// A pod that fails, with its last words, if the pods of the object were read.
    pod: Option<String>,
}

impl Object {
    pub(crate) fn of(page: &Page, selection: &Selection, content: &Content, filter: &Filter) -> Self {
        let found = &selection.found;
        let (root, node) = (found.root(), found.node());
        let outline = Outline::of(found, filter, page.store.now());
        let is_listed = page.setup.listed.contains(&node.key.kind.as_str());
        let known = Known {
            selection,
            content,
            kind: page.reader.kind(&node.key),
            status: page.setup.status.filter(|_| is_listed),
            now: page.store.now(),
        };
        let path = Link::of(&node.key).href;
        let changes = format!("{}/changes", Link::of(&root.key).href);
        let heading = format!("{} {}", node.key.kind, node.key.name);
        Self {
            frame: Frame::of(page, heading, changes, root.revision),
            line: found.line().into_iter().map(|node| Link::of(&node.key)).collect(),
            root: Link::of(&root.key),
            state: root.state.phase,
            summary: selection.root.clone(),
            tally: root.tally(),
            counts: root.counts(),
            cause: cause(root).and_then(|node| Cause::of(node, content.pods.as_ref())),
            tools: Tools::of(path, filter, &root.counts(), outline.matching).suggesting(kinds(root)),
            outline,
            details: Details::of(&known),
        }
    }

    /// How many objects below the topmost owner are in each phase but ready, in words.
    fn unready(&self) -> String {
        let unready = self.counts.iter().filter(|(phase, _)| **phase != Phase::Ready);
        unready.map(|(phase, count)| format!("{count} {phase}")).collect::<Vec<_>>().join(", ")
    }

    /// The URL of the installation, if it is a web address.
    fn web(&self) -> Option<&str> {
        web_address(self.summary.url.as_deref()?)
    }
}

impl Cause {
    fn of(node: &Node, pods: Option<&Report>) -> Option<Self> {
        let why = explanation(node)?;
        let workload = pods.and_then(|report| report.about(&node.key));
        // The first one needs most attention.
        let pod = workload.and_then(|workload| workload.pods.first()).filter(|pod| !pod.is_well());
        let (link, pod) = (Link::of(&node.key), pod.map(PodReport::summary));
        Some(Self { link, state: node.state.phase, why, pod })
    }
}

/// The kinds of an object and of everything below it.
fn kinds(root: &Node) -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    let mut ahead = vec![root];
    while let Some(node) = ahead.pop() {
        kinds.insert(node.key.kind.clone());
        ahead.extend(&node.children);
    }
    kinds
}
