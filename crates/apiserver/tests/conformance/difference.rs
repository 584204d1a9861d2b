//! Differences between two transcripts, and which are expected.

use crate::scenario::Version;
use crate::transcript::{Entry, Transcript};
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write as _;

/// A reason why a server answers differently, and all places where it does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    pub reason: String,
    /// The server that answers differently.
    #[serde(default)]
    pub server: Server,
    /// The first version that no longer does.
    pub before: Option<Version>,
    /// The first version that does.
    pub since: Option<Version>,
    /// Scenario, step, and a path in the step's entry; everything below it may differ, too.
    #[serde(rename = "where")]
    pub places: Vec<(String, String, String)>,
}

/// The server under test.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Server {
    /// A kube-apiserver; the newest was recorded.
    #[default]
    Real,
    /// The in-memory server.
    Memory,
}

/// One difference between a transcript and the recorded one.
#[derive(Debug, PartialEq)]
pub struct Difference {
    pub step: String,
    pub path: String,
    recorded: Value,
    answered: Value,
}

impl Listed {
    fn applies(&self, server: Server, version: Version) -> bool {
        self.server == server
            && self.before.is_none_or(|before| version < before)
            && self.since.is_none_or(|since| version >= since)
    }
}

/// All differences of the steps that were executed.
pub fn differences(recorded: &Transcript, answered: &Transcript) -> Vec<Difference> {
    let mut found = Vec::new();
    let steps = |transcript: &Transcript| -> Vec<String> {
        transcript.0.iter().map(|entry| entry.step.clone()).collect()
    };
    assert_eq!(steps(recorded), steps(answered), "the transcript is of another scenario; record it again");
    for (recorded, answered) in recorded.0.iter().zip(&answered.0) {
        if answered.skipped.is_none() {
            let value = |entry: &Entry| serde_json::to_value(entry).unwrap();
            compare(&answered.step, "", &value(recorded), &value(answered), &mut found);
        }
    }
    found
}

fn compare(step: &str, path: &str, recorded: &Value, answered: &Value, found: &mut Vec<Difference>) {
    match (recorded, answered) {
        (Value::Object(recorded), Value::Object(answered)) => {
            let mut keys: Vec<&String> = recorded.keys().chain(answered.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let value = |object: &serde_json::Map<String, Value>| {
                    object.get(key).cloned().unwrap_or_else(|| "<absent>".into())
                };
                compare(step, &path, &value(recorded), &value(answered), found);
            }
        }
        (Value::Array(recorded), Value::Array(answered)) if recorded.len() == answered.len() => {
            for (index, (recorded, answered)) in recorded.iter().zip(answered).enumerate() {
                compare(step, &format!("{path}[{index}]"), recorded, answered, found);
            }
        }
        _ if recorded == answered => {}
        _ => found.push(Difference {
            step: step.to_owned(),
            path: path.to_owned(),
            recorded: recorded.clone(),
            answered: answered.clone(),
        }),
    }
}

/// The errors of a transcript: differences that are not listed, and listed ones that do not occur.
pub fn problems(
    scenario: &str,
    (server, version): (Server, Version),
    found: &[Difference],
    listed: &[Listed],
    answered: &Transcript,
) -> String {
    let mut problems = String::new();
    let places = || {
        listed
            .iter()
            .filter(|listed| listed.applies(server, version))
            .flat_map(|listed| listed.places.iter().map(move |place| (listed, place)))
            .filter(|(_, (named, ..))| named == scenario)
    };
    for difference in found {
        let is_listed =
            places().any(|(_, (_, step, path))| *step == difference.step && is_below(&difference.path, path));
        if !is_listed {
            let Difference { step, path, .. } = difference;
            let (recorded, answered) = (brief(&difference.recorded), brief(&difference.answered));
            writeln!(
                problems,
                "- [{scenario}, {step}, {path}]\n    recorded: {recorded}\n    answered: {answered}"
            )
            .unwrap();
        }
    }
    for (listed, (_, step, path)) in places() {
        let taken = answered.0.iter().any(|entry| entry.step == *step && entry.skipped.is_none());
        let occurs = found.iter().any(|found| found.step == *step && is_below(&found.path, path));
        if !(taken && occurs) {
            writeln!(
                problems,
                "- [{scenario}, {step}, {path}] is listed, but does not differ: {}",
                listed.reason
            )
            .unwrap();
        }
    }
    problems
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(600) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn is_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::{Listed, Server, differences, problems};
    use crate::scenario::Version;
    use crate::transcript::Transcript;

    #[test]
    fn a_difference_is_named_by_step_and_path() {
        let found =
            differences(&transcript("{spec: {a: 1, b: [1]}}"), &transcript("{spec: {a: 2, b: [1, 2]}}"));
        let paths: Vec<&str> = found.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(paths, ["body.spec.a", "body.spec.b"]);
    }

    #[test]
    fn a_listed_difference_is_no_complaint_until_it_goes_away() {
        let (one, other) = (transcript("{a: 1}"), transcript("{a: 2}"));
        let found = differences(&one, &other);
        let check = |found, version| problems("any", (Server::Real, version), found, &listed(), &other);
        assert_eq!(check(&found[..], Version(1, 20)), "");
        assert!(check(&[], Version(1, 20)).contains("is listed, but does not differ: old"));
        assert!(check(&found[..], Version(1, 30)).contains("recorded: 1"));
    }

    fn transcript(body: &str) -> Transcript {
        Transcript::from_yaml(&format!("- {{step: get, status: 200, body: {body}}}"))
    }

    fn listed() -> Vec<Listed> {
        serde_saphyr::from_str("- {reason: old, before: '1.25', where: [[any, get, body.a]]}").unwrap()
    }
}
