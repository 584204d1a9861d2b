//! The object as YAML, to read and to copy.

use super::Known;
use crate::reading::{Read, yaml};
use askama::Template;

/// The section.
#[derive(Template)]
#[template(path = "manifest.html")]
pub(super) struct Manifest {
    text: Read<String>,
    /// Whether it is that of the owner that describes an object outside the cluster.
    of_owner: bool,
    /// Whether it is shown without being asked for.
    open: bool,
}

impl Manifest {
    pub(super) fn of(known: &Known<'_>) -> Self {
        let text = known.content.object.as_ref().map_err(Clone::clone).and_then(yaml);
        let node = known.node();
        Self { text, of_owner: node.key.system().is_some(), open: node.children.is_empty() }
    }
}
