//! The fields of the status that only PullSecretBindings have. Scripts for the old operator read `ready` and `error`.

use plan::{Conclusion, Verdict};
use serde_json::{Map, Value, json};

pub(super) fn fields(conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let before = |field: &str| conclusion.previous.get(field).cloned();
    let (state, problem) = match conclusion.verdict {
        Verdict::Ready => (json!("ready"), None),
        verdict if verdict.is_waiting() || *verdict == Verdict::Interrupted => {
            (before("status").unwrap_or_else(|| json!("")), None)
        }
        verdict => (json!("error"), Some(verdict)),
    };
    let secret = conclusion.record.amended().last().and_then(|it| it.amendment.item.get("name")).cloned();
    let fields = [
        ("status", Some(state)),
        ("reason", problem.map(|problem| json!(problem.reason()))),
        ("message", problem.and_then(Verdict::message).map(Value::from)),
        ("secretName", secret),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
