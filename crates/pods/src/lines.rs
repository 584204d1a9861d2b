//! A report as lines, for the terminal and for the page.

use crate::{
    report::{ContainerReport, Ended, EventReport, PodReport, WorkloadReport},
    text::ago,
};
use jiff::{SignedDuration, Timestamp};

/// Most pods of one workload that are described. The others of a template fail in the same way.
const PODS: usize = 3;
/// A restart of a container that is ready again is shown for so long.
const RECENT: SignedDuration = SignedDuration::from_hours(1);

/// A line about a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How far it is indented: 0 for pods, 1 for what belongs to a pod, 2 for lines of a log.
    pub depth: usize,
    /// What it is.
    pub mark: Mark,
    /// The text, on one line.
    pub text: String,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A pod that is ready.
    Ready,
    /// A pod that is not ready yet.
    Waiting,
    /// A pod that fails.
    Failed,
    /// A fact about the line above.
    Fact,
    /// A line that a container has logged.
    Quote,
}

impl WorkloadReport {
    /// What a user should know: of a workload that is not ready, its pods that are not either, the last lines of their logs, and
    /// warnings. Of one that is ready, the pods that were restarted recently.
    pub fn lines(&self, now: Timestamp) -> Vec<Line> {
        let is_recent = |pod: &PodReport| last_end(pod).is_some_and(|at| now.duration_since(at) < RECENT);
        let is_shown = |pod: &&PodReport| if self.ready { is_recent(pod) } else { !pod.is_well() };
        let pods: Vec<_> = self.pods.iter().filter(is_shown).collect();
        let mut lines = Vec::new();
        for pod in pods.iter().take(PODS) {
            lines.push(Line { depth: 0, mark: mark(pod), text: headline(pod) });
            lines.extend(details(pod, now));
        }
        if let Some(others) = pods.len().checked_sub(PODS).filter(|others| *others > 0) {
            let what = if self.ready { "were restarted" } else { "are not ready" };
            let text = format!("and {others} more pods that {what}");
            lines.push(fact(0, text));
        }
        if !self.ready {
            lines.extend(self.events.iter().map(|event| fact(0, sentence(event, now))));
        }
        lines
    }
}

impl PodReport {
    /// The pod, its state, and its last words, on one line.
    pub fn summary(&self) -> String {
        let words = self.containers.iter().filter(|container| !container.well).find_map(|it| it.log.last());
        let messages = self.containers.iter().filter(|it| !it.well).find_map(|it| it.message.as_ref());
        let why = words.or(messages).or(self.message.as_ref());
        why.map_or_else(|| headline(self), |why| format!("{}: {why}", headline(self)))
    }
}

fn headline(pod: &PodReport) -> String {
    let PodReport { name, state, restarts, tally, .. } = pod;
    let containers = match tally.all {
        0 | 1 => String::new(),
        _ => format!(", {tally} containers ready"),
    };
    let restarts = match restarts {
        0 => String::new(),
        1 => ", 1 restart".to_owned(),
        restarts => format!(", {restarts} restarts"),
    };
    format!("Pod {name}  {state}{containers}{restarts}")
}

fn mark(pod: &PodReport) -> Mark {
    match (pod.failed, pod.is_well()) {
        (true, _) => Mark::Failed,
        (false, true) => Mark::Ready,
        (false, false) => Mark::Waiting,
    }
}

fn details(pod: &PodReport, now: Timestamp) -> Vec<Line> {
    let mut lines: Vec<_> = pod.message.iter().map(|message| fact(1, message.clone())).collect();
    for container in &pod.containers {
        lines.extend(about(container, now).map(|text| fact(1, text)));
        let log = container.log.iter().filter(|_| !container.well);
        lines.extend(log.map(|line| Line { depth: 2, mark: Mark::Quote, text: line.clone() }));
        let problem = container.log_problem.iter();
        lines.extend(problem.map(|problem| fact(2, format!("its log cannot be read: {problem}"))));
    }
    lines.extend(pod.events.iter().filter(|_| !pod.is_well()).map(|event| fact(1, sentence(event, now))));
    lines
}

/// The state of a container unless it is well, and how it last ended. None for a container that is well and never failed.
fn about(container: &ContainerReport, now: Timestamp) -> Option<String> {
    let ContainerReport { name, state, well, message, last_end, .. } = container;
    let end = last_end.as_ref().filter(|end| !well || end.exit_code != 0).map(|end| ended(end, now));
    let is_ended = last_end.as_ref().is_some_and(|end| end.reason.as_ref() == Some(state));
    let state = (!well && !is_ended).then(|| match (&**state, message) {
        ("running", _) => "runs and is not ready".to_owned(),
        (state, Some(message)) => format!("{state}: {message}"),
        (state, None) => state.to_owned(),
    });
    let said: Vec<_> = [state, end].into_iter().flatten().collect();
    (!said.is_empty()).then(|| format!("container {name}: {}", said.join("; ")))
}

fn ended(end: &Ended, now: Timestamp) -> String {
    let Ended { exit_code, reason, at } = end;
    let reason = reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let at = at.map(|at| format!(" {}", ago(at, now))).unwrap_or_default();
    format!("ended with exit code {exit_code}{reason}{at}")
}

fn sentence(event: &EventReport, now: Timestamp) -> String {
    let EventReport { reason, message, count, last_seen } = event;
    let times = if *count > 1 { format!(", {count} times") } else { String::new() };
    format!("{reason} ({}{times}): {message}", ago(*last_seen, now))
}

fn last_end(pod: &PodReport) -> Option<Timestamp> {
    let restarted = pod.containers.iter().filter(|container| container.restarts > 0);
    restarted.filter_map(|container| container.last_end.as_ref()?.at).max()
}

fn fact(depth: usize, text: String) -> Line {
    Line { depth, mark: Mark::Fact, text }
}
