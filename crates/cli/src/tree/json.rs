//! Trees for programs.

use super::{Header, Node, message, word};
use crate::output::Error;
use pods::{Report, WorkloadReport};
use serde::Serialize;

/// An object, its state, and the objects it wants to exist.
#[derive(Serialize)]
struct Object {
    kind: String,
    namespace: String,
    name: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(flatten)]
    header: Header,
    /// The siblings it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
    /// What its pods report.
    #[serde(flatten)]
    workload: Option<WorkloadReport>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Object>,
}

impl Object {
    fn of(node: &Node, siblings: &[Node], header: Header, report: &Report) -> Self {
        let below = |child: &Node| Self::of(child, &node.children, Header::default(), report);
        let after = node.after.iter().filter_map(|&position| siblings.get(position));
        Self {
            kind: node.key.kind.clone(),
            namespace: node.key.namespace.clone(),
            name: node.key.name.clone(),
            state: word(node.state.phase),
            message: message(&node.state),
            header,
            after: after.map(|before| format!("{}/{}", before.key.kind, before.key.name)).collect(),
            workload: report.about(&node.key).cloned(),
            children: node.children.iter().map(below).collect(),
        }
    }
}

/// A list of trees with their headers, and with what pods report.
pub fn json<'n>(
    roots: impl IntoIterator<Item = (&'n Node, Header)>,
    report: &Report,
) -> Result<String, Error> {
    let objects = roots.into_iter().map(|(root, header)| Object::of(root, &[], header, report));
    let objects: Vec<_> = objects.collect();
    let text = serde_json::to_string_pretty(&objects);
    let problem =
        |error: serde_json::Error| Error::Encode { object: "the status".into(), problem: error.to_string() };
    Ok(text.map_err(problem)? + "\n")
}
