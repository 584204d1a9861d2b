//! Where an object is, what it runs, and since when it is in its state.

use super::Known;
use crate::{
    html::{Link, Moment, web_address},
    store::Node,
};
use askama::Template;
use plan::ObjectKey;
use progress::Tally;
use serde_json::Value;

/// The section.
#[derive(Template)]
#[template(path = "facts.html")]
pub(super) struct Facts {
    /// What people call the system that has it; `None` for objects of the cluster.
    system: Option<String>,
    /// The object above it in the tree; for an object outside the cluster, the object that describes it.
    parent: Option<Link>,
    /// Its owner, if that is another one: it was created by another operator, and the object above it waits for it.
    owner: Option<Link>,
    namespace: String,
    version: Option<String>,
    url: Option<String>,
    since: Moment,
    tally: Option<Tally>,
    /// The images of its containers, if it has a template of pods.
    images: Vec<String>,
}

impl Facts {
    pub(super) fn of(known: &Known<'_>) -> Self {
        let (node, summary) = (known.node(), &known.selection.summary);
        let tally = node.tally();
        let parent = known.selection.found.parent().map(|parent| Link::of(&parent.key));
        let owner = known.content.object.as_ref().ok().filter(|_| node.key.system().is_none());
        let owner = owner.and_then(|object| owner_among(known.selection.found.root(), object));
        Self {
            system: node.key.system().map(ToString::to_string),
            owner: owner.filter(|owner| parent.as_ref().is_some_and(|parent| parent.href != owner.href)),
            parent,
            namespace: node.key.namespace.clone(),
            version: summary.version.as_deref().map(str::to_owned),
            url: summary.url.as_deref().map(str::to_owned),
            since: Moment::new(node.since.into(), known.now),
            tally: (tally.all > 0).then_some(tally),
            images: known.content.object.as_ref().map(images).unwrap_or_default(),
        }
    }

    /// The URL, if it is a web address.
    fn web(&self) -> Option<&str> {
        web_address(self.url.as_deref()?)
    }
}

/// The controller of an object, if the tree has it.
fn owner_among(root: &Node, object: &Value) -> Option<Link> {
    let references = object.pointer("/metadata/ownerReferences")?.as_array()?;
    let owner = references.iter().find(|owner| owner["controller"] == true)?;
    let is_owner = |key: &ObjectKey| owner["kind"] == *key.kind && owner["name"] == *key.name;
    let mut ahead = vec![root];
    while let Some(node) = ahead.pop() {
        if is_owner(&node.key) {
            return Some(Link::of(&node.key));
        }
        ahead.extend(&node.children);
    }
    None
}

/// The images of a pod or of the template of a workload, each once.
fn images(object: &Value) -> Vec<String> {
    let spec = object.pointer("/spec/template/spec").unwrap_or(&object["spec"]);
    let containers = ["initContainers", "containers"].into_iter().filter_map(|field| spec[field].as_array());
    let mut images: Vec<String> = Vec::new();
    for image in containers.flatten().filter_map(|container| container["image"].as_str()) {
        if !images.iter().any(|known| known == image) {
            images.push(image.to_owned());
        }
    }
    images
}
