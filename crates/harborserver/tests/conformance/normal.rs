//! Answers without what differs from run to run: times, secrets, random identifiers, random orders.

use regex::{Captures, Regex};
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Seconds of the years in which Harbors are recorded or played.
const EPOCHS: std::ops::Range<i64> = 1_700_000_000..1_850_000_000;

static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let rule = |pattern: &str, stands_for: &'static str| (Regex::new(pattern).unwrap(), stands_for);
    vec![
        rule(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", "<date>"),
        rule("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uuid>"),
        rule("^(?:[0-9a-f]{24})$", "<job>"),
        rule(r"\b(sid|_gorilla_csrf)=[^;]+", "$1=<token>"),
    ]
});

static TIME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(\d{4})-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z").unwrap());
static METHODS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"but \[([A-Z,]+)\] are$").unwrap());
static EPOCH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b1[78]\d{8}\b").unwrap());

/// An answer in a form that is the same each time.
pub fn normal(answer: Value) -> Value {
    value("", answer)
}

fn value(key: &str, found: Value) -> Value {
    match found {
        Value::Object(object) => self::object(object),
        Value::Array(list) => {
            let mut list: Vec<Value> = list.into_iter().map(|item| value("", item)).collect();
            // Harbor lists these as a map has them.
            if ["permissions", "access", "event_type"].contains(&key) {
                list.sort_by_key(Value::to_string);
            }
            Value::Array(list)
        }
        Value::String(text) => match key {
            // When a schedule fires next is a fact.
            "next_scheduled_time" => text.into(),
            "secret" | "token" | "x-harbor-csrf-token" => "<secret>".into(),
            _ => self::text(&text).into(),
        },
        Value::Number(number) if number.as_i64().is_some_and(|number| EPOCHS.contains(&number)) => {
            "<epoch>".into()
        }
        other => other,
    }
}

fn object(mut object: Map<String, Value>) -> Value {
    let seconds = |value: &Value| -> Option<i64> {
        let time: jiff::Timestamp = value.as_str()?.parse().ok()?;
        Some(time.as_second())
    };
    // A robot's life is counted from its creation.
    if let (Some(created), Some(expires)) =
        (object.get("creation_time").and_then(seconds), object.get("expires_at").and_then(Value::as_i64))
        && EPOCHS.contains(&expires)
    {
        object.insert("expires_at".to_owned(), format!("{} days later", (expires - created) / 86_400).into());
    }
    Value::Object(object.into_iter().map(|(key, found)| (key.clone(), value(&key, found))).collect())
}

fn text(text: &str) -> String {
    let shape = |found: &Captures<'_>| match &found[1] {
        "0001" | "2024" => found[0].to_owned(),
        // How exact a time is written is a fact, but Go leaves out zeros at the end.
        _ => match found.get(2).map_or(0, |fraction| fraction.len()) {
            0 => "<time>".to_owned(),
            1..=4 => "<time with milliseconds>".to_owned(),
            _ => "<time with microseconds>".to_owned(),
        },
    };
    let mut text = TIME.replace_all(text, shape).into_owned();
    for (pattern, stands_for) in RULES.iter() {
        text = pattern.replace_all(&text, *stands_for).into_owned();
    }
    let sorted = |found: &Captures<'_>| {
        let mut methods: Vec<&str> = found.get(1).map_or("", |methods| methods.as_str()).split(',').collect();
        methods.sort_unstable();
        format!("but [{}] are", methods.join(","))
    };
    text = METHODS.replace_all(&text, sorted).into_owned();
    EPOCH.replace_all(&text, "<epoch>").into_owned()
}

#[cfg(test)]
mod tests {
    use super::normal;
    use serde_json::json;

    #[test]
    fn times_keep_their_shape_and_the_zero_time_its_value() {
        let times = json!(["2026-11-16T06:49:15.100Z", "2026-11-16T06:50:30Z", "0001-01-01T00:00:00.000Z"]);
        assert_eq!(normal(times), json!(["<time with milliseconds>", "<time>", "0001-01-01T00:00:00.000Z"]));
    }

    #[test]
    fn the_end_of_a_robot_is_told_from_its_beginning() {
        let robot = json!({"creation_time": "2026-11-16T06:49:32.570Z", "expires_at": 1_797_403_772});
        assert_eq!(
            normal(robot),
            json!({"creation_time": "<time with milliseconds>", "expires_at": "30 days later"})
        );
    }
}
