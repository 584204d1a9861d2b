//! Where an answer differs from the recorded one.

use crate::{normal::normal, recording::Response};
use serde_json::{Map, Value, json};
use std::fmt;

/// Headers that clients read.
const TELLING: [&str; 7] =
    ["content-type", "location", "link", "x-total-count", "www-authenticate", "set-cookie", "x-request-id"];

/// One place where an answer is not as recorded.
#[derive(Debug, PartialEq)]
pub struct Difference {
    pub step: String,
    pub path: String,
    recorded: Value,
    answered: Value,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let brief = |value: &Value| {
            let text = value.to_string();
            match text.char_indices().nth(500) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        };
        let (recorded, answered) = (brief(&self.recorded), brief(&self.answered));
        write!(f, "- [{:?}, {}]\n    recorded: {recorded}\n    answered: {answered}", self.step, self.path)
    }
}

/// All differences of a step.
pub fn differences(step: &str, recorded: &Response, answered: &Response) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(step, "", &flat(recorded), &flat(answered), &mut found);
    found
}

/// Everything of an answer that is compared.
fn flat(response: &Response) -> Value {
    let headers: Map<String, Value> = response
        .headers
        .iter()
        .filter(|(name, _)| TELLING.contains(&name.as_str()) || name.starts_with("x-harbor"))
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect();
    normal(json!({ "status": response.status, "headers": headers, "body": response.body }))
}

fn compare(step: &str, path: &str, recorded: &Value, answered: &Value, found: &mut Vec<Difference>) {
    match (recorded, answered) {
        (Value::Object(recorded), Value::Object(answered)) => {
            let mut keys: Vec<&String> = recorded.keys().chain(answered.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let value =
                    |object: &Map<String, Value>| object.get(key).cloned().unwrap_or("<absent>".into());
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

#[cfg(test)]
mod tests {
    use super::differences;
    use crate::recording::Response;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[test]
    fn a_difference_is_named_by_step_and_path() {
        let answer = |body| Response { status: 200, headers: BTreeMap::new(), body };
        let found =
            differences("get", &answer(json!({"a": 1, "b": [1]})), &answer(json!({"a": 2, "b": [1, 2]})));
        let paths: Vec<&str> = found.iter().map(|found| found.path.as_str()).collect();
        assert_eq!(paths, ["body.a", "body.b"]);
    }
}
