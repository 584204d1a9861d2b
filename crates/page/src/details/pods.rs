//! The pods of an object and of what is below it, as `status` shows them: the same lines of the same report.

use super::Known;
use crate::html::Link;
use ::pods::{Line, Mark, Unseen, WorkloadReport};
use askama::Template;
use progress::Tally;

/// The section.
#[derive(Template)]
#[template(path = "pods.html")]
pub(super) struct Pods {
    /// How many pods are ready.
    tally: Option<Tally>,
    workloads: Vec<Workload>,
    gaps: Vec<String>,
}

/// A workload about whose pods there is something to say.
struct Workload {
    /// Unless it is the selected object itself.
    link: Option<Link>,
    lines: Vec<Line>,
}

impl Pods {
    /// Nothing if there is no workload, or none has pods.
    pub(super) fn of(known: &Known<'_>) -> Option<Self> {
        let (report, selected) = (known.content.pods.as_ref()?, &known.node().key);
        let workload = |(key, about): (_, &WorkloadReport)| Workload {
            link: (key != selected).then(|| Link::of(key)),
            lines: about.lines(known.now),
        };
        let workloads = report.workloads.iter().map(workload).filter(|workload| !workload.lines.is_empty());
        let pods = Self {
            tally: report.tally(|_| true),
            workloads: workloads.collect(),
            gaps: report.unseen.iter().map(gap).collect(),
        };
        let is_empty = pods.tally.is_none() && pods.workloads.is_empty() && pods.gaps.is_empty();
        (!is_empty).then_some(pods)
    }
}

/// What could not be read, and why, in the words of the other sections.
fn gap(unseen: &Unseen) -> String {
    let Unseen { resource, forbidden, problem, .. } = unseen;
    if !forbidden {
        return format!("{resource} cannot be shown: {problem}");
    }
    let group = if unseen.group().is_empty() { "\"\"" } else { unseen.group() };
    let verb = unseen.verb();
    format!(
        "{resource} cannot be shown: the operator may not {verb} {resource} (API group {group}); allow it in its role"
    )
}

/// The class in the style sheet.
fn class(line: &Line) -> &'static str {
    match line.mark {
        Mark::Ready => "ready",
        Mark::Waiting => "waiting",
        Mark::Failed => "failed",
        Mark::Fact => "fact",
        Mark::Quote => "quote",
    }
}
