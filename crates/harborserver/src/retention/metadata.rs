//! What the web interface offers for rules.

use crate::{call::Call, failure::Failure, rest::Reply};
use serde_json::{Value, json};

pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.authenticated()?;
    let template = |name: &str, text: &str, unit: Option<&str>| -> Value {
        let parameter = |unit: &str| json!({ "type": "int", "unit": unit, "required": true });
        let parameters: Vec<Value> = unit.map(parameter).into_iter().collect();
        json!({ "rule_template": name, "display_text": text, "action": "retain", "params": parameters })
    };
    Ok(Reply::json(json!({
        "templates": [
            template("latestPushedK", "the most recently pushed # artifacts", Some("COUNT")),
            template("latestPulledN", "the most recently pulled # artifacts", Some("COUNT")),
            template("nDaysSinceLastPush", "pushed within the last # days", Some("DAYS")),
            template("nDaysSinceLastPull", "pulled within the last # days", Some("DAYS")),
            template("always", "always", None),
        ],
        "scope_selectors": [
            { "display_text": "Repositories", "kind": "doublestar", "decorations": ["repoMatches", "repoExcludes"] },
        ],
        "tag_selectors": [
            { "display_text": "Tags", "kind": "doublestar", "decorations": ["matches", "excludes"] },
        ],
    })))
}
