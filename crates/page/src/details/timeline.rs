//! What happened to an object and to what it owns, the newest first: its conditions, its events, and the states that the
//! operator saw.

use super::Known;
use crate::{
    html::{Moment, explanation},
    outline::is_cause,
    reading::ShownEvent,
    store::Node,
};
use askama::Template;
use jiff::Timestamp;
use progress::Phase;
use serde_json::Value;

/// Most entries that are shown.
const SHOWN: usize = 40;

/// The section.
#[derive(Template)]
#[template(path = "timeline.html")]
pub(super) struct Timeline {
    entries: Vec<Entry>,
    /// Why there are no events, if they could not be read.
    problem: Option<String>,
    /// How many older entries there are.
    left_out: usize,
}

/// Something that happened.
#[derive(Debug)]
struct Entry {
    at: Option<Moment>,
    tone: Tone,
    what: String,
    detail: String,
    /// Where that is known from.
    source: &'static str,
    count: i32,
}

/// How much attention an entry needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tone {
    Good,
    Busy,
    Bad,
    Plain,
}

impl Timeline {
    pub(super) fn of(known: &Known<'_>) -> Self {
        let node = known.node();
        let mut found = vec![(Some(node.since.into()), Fact::state(node, "State"))];
        below(node, &mut found);
        if node.key.system().is_none()
            && let Ok(object) = &known.content.object
        {
            found.extend(lifetime(object));
            found.extend(conditions(object));
        }
        let problem = match &known.content.events {
            Some(Ok(events)) => {
                found.extend(events.iter().map(|event| (event.at, Fact::event(event))));
                None
            }
            Some(Err(problem)) => Some(problem.clone()),
            None => None,
        };
        // What has no time comes last.
        found.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        let left_out = found.len().saturating_sub(SHOWN);
        let entry = |(at, fact): (Option<Timestamp>, Fact)| {
            let Fact { tone, what, detail, source, count } = fact;
            Entry { at: at.map(|at| Moment::new(at, known.now)), tone, what, detail, source, count }
        };
        Self { entries: found.into_iter().take(SHOWN).map(entry).collect(), problem, left_out }
    }
}

/// An entry without its time.
#[derive(Debug, PartialEq, Eq)]
struct Fact {
    tone: Tone,
    what: String,
    detail: String,
    source: &'static str,
    count: i32,
}

type Dated = (Option<Timestamp>, Fact);

impl Fact {
    fn new(source: &'static str, tone: Tone, what: String, detail: String) -> Self {
        Self { tone, what, detail, source, count: 1 }
    }

    /// The state of an object, as the operator saw it.
    fn state(node: &Node, name: &str) -> Self {
        let phase = node.state.phase;
        // What an owner says about the objects below it is told by these.
        let detail = is_cause(node).then(|| explanation(node)).flatten().unwrap_or_default();
        Self::new("operator", Tone::of(phase), format!("{name}: {phase}"), detail)
    }

    fn event(event: &ShownEvent) -> Self {
        let tone = if event.warning { Tone::Bad } else { Tone::Plain };
        let (what, detail) = (event.reason.clone(), event.message.clone());
        Self { count: event.count, ..Self::new("event", tone, what, detail) }
    }
}

impl Tone {
    fn of(phase: Phase) -> Self {
        match phase {
            Phase::Failed => Self::Bad,
            Phase::Waiting | Phase::Applying => Self::Busy,
            Phase::Ready => Self::Good,
            Phase::Blocked | Phase::Pending | Phase::Paused | Phase::Deleted => Self::Plain,
        }
    }

    /// The class in the style sheet.
    fn class(self) -> &'static str {
        match self {
            Self::Good => "ready",
            Self::Busy => "waiting",
            Self::Bad => "failed",
            Self::Plain => "plain",
        }
    }
}

/// The states below an object: of all owners, and of everything else that the operator has begun with and that is not ready.
fn below(node: &Node, found: &mut Vec<Dated>) {
    for child in &node.children {
        let begun = !matches!(child.state.phase, Phase::Pending | Phase::Ready | Phase::Blocked);
        if begun || (child.is_owner && child.is_ready()) {
            let name = format!("{} {}", child.key.kind, child.key.name);
            found.push((Some(child.since.into()), Fact::state(child, &name)));
        }
        below(child, found);
    }
}

/// When an object was created, and when its deletion was requested.
fn lifetime(object: &Value) -> impl Iterator<Item = Dated> {
    [("creationTimestamp", "Created"), ("deletionTimestamp", "Deletion requested")].into_iter().filter_map(
        |(field, what)| {
            let at = object["metadata"][field].as_str()?.parse().ok()?;
            Some((Some(at), Fact::new("object", Tone::Plain, what.to_owned(), String::new())))
        },
    )
}

/// The last changes of its conditions.
fn conditions(object: &Value) -> Vec<Dated> {
    let all = object["status"]["conditions"].as_array();
    let dated = |condition: &Value| {
        let text = |field: &str| condition[field].as_str().unwrap_or_default().to_owned();
        let at = condition["lastTransitionTime"].as_str().and_then(|at| at.parse().ok());
        let (name, status) = (text("type"), text("status"));
        let is_good = ["Ready", "Available", "Complete"].iter().any(|end| name.ends_with(end));
        let is_bad = ["Failed", "Stalled", "ReplicaFailure"].contains(&name.as_str());
        let tone = match status.as_str() {
            "True" if is_good => Tone::Good,
            "True" if is_bad => Tone::Bad,
            "False" | "Unknown" if is_good => Tone::Busy,
            _ => Tone::Plain,
        };
        let detail = [text("reason"), text("message")];
        let detail = detail.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(": ");
        (at, Fact::new("condition", tone, format!("{name}: {status}"), detail))
    };
    all.into_iter().flatten().map(dated).collect()
}

#[cfg(test)]
mod tests {
    use super::{Fact, Tone, conditions, lifetime};
    use serde_json::json;

    #[test]
    fn conditions_and_the_lifetime_of_an_object_are_dated() {
        let object = json!({
            "metadata": {"creationTimestamp": "2026-01-02T03:04:05Z"},
            "status": {"conditions": [
                {"type": "Ready", "status": "False", "reason": "Rejected", "message": "no such class",
                 "lastTransitionTime": "2026-01-02T03:05:00Z"},
                {"type": "StorageReady", "status": "True", "reason": "Ready"},
                {"type": "Stalled", "status": "True"},
            ]},
        });
        let at = |text: &str| Some(text.parse().unwrap());
        let fact =
            |source, tone, what: &str, detail: &str| Fact::new(source, tone, what.into(), detail.into());
        let created = (at("2026-01-02T03:04:05Z"), fact("object", Tone::Plain, "Created", ""));
        assert_eq!(lifetime(&object).collect::<Vec<_>>(), [created]);
        let ready = fact("condition", Tone::Busy, "Ready: False", "Rejected: no such class");
        let storage = fact("condition", Tone::Good, "StorageReady: True", "Ready");
        let stalled = fact("condition", Tone::Bad, "Stalled: True", "");
        assert_eq!(
            conditions(&object),
            [(at("2026-01-02T03:05:00Z"), ready), (None, storage), (None, stalled)]
        );
    }
}
