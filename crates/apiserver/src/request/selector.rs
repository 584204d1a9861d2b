//! Label and field selectors.

use crate::{failure::Failure, kinds::names};
use serde_json::Value;

/// The labels that an object must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LabelSelector(Vec<Requirement>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    Exists,
    Missing,
    In(Vec<String>),
    /// Also matches an object without the label.
    NotIn(Vec<String>),
    Above(i64),
    Below(i64),
}

impl LabelSelector {
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let requirements = pieces(text)?.into_iter().map(requirement).collect::<Result<_, _>>()?;
        Ok(Self(requirements))
    }

    /// Whether it matches everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn matches(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        self.0.iter().all(|requirement| requirement.holds(labels[&requirement.key].as_str()))
    }
}

impl Requirement {
    fn holds(&self, label: Option<&str>) -> bool {
        let number = || label.and_then(|label| label.parse::<i64>().ok());
        match &self.test {
            Test::Exists => label.is_some(),
            Test::Missing => label.is_none(),
            Test::In(values) => label.is_some_and(|label| values.iter().any(|value| value == label)),
            Test::NotIn(values) => label.is_none_or(|label| values.iter().all(|value| value != label)),
            Test::Above(bound) => number().is_some_and(|number| number > *bound),
            Test::Below(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

/// The requirements, separated by commas outside parentheses.
fn pieces(text: &str) -> Result<Vec<&str>, Failure> {
    let (mut pieces, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => {
                depth = depth.checked_sub(1).ok_or_else(|| malformed("found ')', expected: identifier"))?;
            }
            ',' if depth == 0 => {
                pieces.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(malformed("found '', expected: ',' or ')'"));
    }
    pieces.push(text[start..].trim());
    if pieces.len() > 1 && pieces.last().is_some_and(|piece| piece.is_empty()) {
        return Err(Failure::bad_request("found '', expected: identifier after ','"));
    }
    if pieces.len() == 1 && pieces[0].is_empty() {
        pieces.clear();
    }
    Ok(pieces)
}

/// Creates a test from a key and the text after the operator.
type Operator = fn(&str, &str) -> Result<Test, Failure>;

fn requirement(piece: &str) -> Result<Requirement, Failure> {
    if let Some(key) = piece.strip_prefix('!') {
        return Ok(Requirement { key: label_key(key)?, test: Test::Missing });
    }
    let words = piece.find(char::is_whitespace).map(|at| (&piece[..at], piece[at..].trim_start()));
    if let Some((key, set)) = words {
        let values =
            |word: &str| set.strip_prefix(word).map(str::trim_start).filter(|rest| rest.starts_with('('));
        if let Some(values) = values("notin") {
            return Ok(Requirement { key: label_key(key)?, test: Test::NotIn(set_values(key, values)?) });
        }
        if let Some(values) = values("in") {
            return Ok(Requirement { key: label_key(key)?, test: Test::In(set_values(key, values)?) });
        }
    }
    let operators: [(&str, Operator); 5] = [
        ("!=", |key, value| Ok(Test::NotIn(vec![label_value(key, value)?]))),
        ("==", |key, value| Ok(Test::In(vec![label_value(key, value)?]))),
        ("=", |key, value| Ok(Test::In(vec![label_value(key, value)?]))),
        (">", |_, value| Ok(Test::Above(number(value)?))),
        ("<", |_, value| Ok(Test::Below(number(value)?))),
    ];
    for (operator, test) in operators {
        if let Some((key, value)) = piece.split_once(operator) {
            return Ok(Requirement { key: label_key(key)?, test: test(key, value)? });
        }
    }
    if let Some((_, rest)) = words {
        let found = rest.split_whitespace().next().unwrap_or_default();
        return Err(malformed(&format!("found '{found}', expected: in, notin, =, ==, !=, gt, lt")));
    }
    Ok(Requirement { key: label_key(piece)?, test: Test::Exists })
}

fn set_values(key: &str, text: &str) -> Result<Vec<String>, Failure> {
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.trim_end().strip_suffix(')'))
        .ok_or_else(|| malformed("found '', expected: ',' or ')'"))?;
    inner.split(',').map(|value| label_value(key, value)).collect()
}

fn label_key(key: &str) -> Result<String, Failure> {
    let key = key.trim();
    match names::qualified_name(key).first() {
        Some(why) => Err(malformed(&format!("<nil>: Invalid value: {key:?}: {why}"))),
        None => Ok(key.to_owned()),
    }
}

/// A value of this label.
fn label_value(key: &str, value: &str) -> Result<String, Failure> {
    let value = value.trim();
    if value.contains(char::is_whitespace) {
        let rest = value.split_whitespace().nth(1).unwrap_or_default();
        return Err(malformed(&format!("found '{rest}', expected: ',' or 'end of string'")));
    }
    match names::label_value(value).first() {
        Some(why) => Err(malformed(&format!("values[0][{}]: Invalid value: {value:?}: {why}", key.trim()))),
        None => Ok(value.to_owned()),
    }
}

fn number(value: &str) -> Result<i64, Failure> {
    value.trim().parse().map_err(|_| {
        malformed(&format!(
            "values[0]: Invalid value: {:?}: for 'Gt', 'Lt' operators, the value must be an integer",
            value.trim()
        ))
    })
}

fn malformed(why: &str) -> Failure {
    Failure::bad_request(format!("unable to parse requirement: {why}"))
}

/// The values that fields of an object must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FieldSelector(Vec<(String, Expected)>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Expected {
    Is(String),
    IsNot(String),
}

impl FieldSelector {
    /// `supported` returns an error for fields that the kind's selectors do not support.
    pub fn parse(text: &str, supported: impl Fn(&str) -> Result<(), String>) -> Result<Self, Failure> {
        let terms = text.split(',').filter(|term| !term.is_empty()).map(|term| {
            let (field, expected) = if let Some((field, value)) = term.split_once("!=") {
                (field, Expected::IsNot(value.to_owned()))
            } else if let Some((field, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
                (field, Expected::Is(value.to_owned()))
            } else {
                let what = format!("invalid selector: '{text}'; can't understand '{term}'");
                return Err(Failure::bad_request(what));
            };
            supported(field).map_err(Failure::bad_request)?;
            Ok((field.to_owned(), expected))
        });
        Ok(Self(terms.collect::<Result<_, _>>()?))
    }

    /// The same selector with renamed fields.
    pub fn renamed(&self, name: impl Fn(&str) -> std::borrow::Cow<'_, str>) -> Self {
        Self(self.0.iter().map(|(field, expected)| (name(field).into_owned(), expected.clone())).collect())
    }

    /// Whether it matches everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name that it selects, if it selects by name.
    pub fn name(&self) -> Option<&str> {
        self.0.iter().find_map(|(field, expected)| match expected {
            Expected::Is(name) if field == "metadata.name" => Some(name.as_str()),
            _ => None,
        })
    }

    pub fn matches(&self, object: &Value) -> bool {
        self.0.iter().all(|(field, expected)| {
            let value = value_of(object, field);
            match expected {
                Expected::Is(wanted) => value == *wanted,
                Expected::IsNot(unwanted) => value != *unwanted,
            }
        })
    }
}

/// A field as text; empty if it is missing.
fn value_of(object: &Value, field: &str) -> String {
    let value = field.split('.').fold(object, |value, part| &value[part]);
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{FieldSelector, LabelSelector};
    use serde_json::json;

    #[test]
    fn every_operator_selects_what_it_says() {
        let object = json!({"metadata": {"labels": {"app": "web", "tier": "3", "example.com/x": ""}}});
        let cases = [
            ("", true),
            ("app", true),
            ("!app", false),
            ("!nope", true),
            ("app=web", true),
            ("app==web,tier=3", true),
            ("app!=web", false),
            ("nope!=web", true),
            ("app in (api, web)", true),
            ("app notin (api,web)", false),
            ("nope notin (a)", true),
            ("tier>2,tier<4", true),
            ("tier > 3", false),
            ("example.com/x=", true),
        ];
        for (selector, expected) in cases {
            assert_eq!(LabelSelector::parse(selector).unwrap().matches(&object), expected, "{selector}");
        }
    }

    #[test]
    fn a_malformed_selector_is_a_bad_request() {
        for selector in ["a b", "a in (b", "a)", "=x", "a>b", "a,,b", "a=b c"] {
            assert_eq!(LabelSelector::parse(selector).unwrap_err().code, 400, "{selector}");
        }
    }

    #[test]
    fn fields_select_by_value() {
        let known = |field: &str| if field.starts_with("spec.") { Err("no".into()) } else { Ok(()) };
        let object = json!({"metadata": {"name": "a"}, "status": {"phase": "Running"}});
        let matches =
            |text: &str| FieldSelector::parse(text, known).map(|selector| selector.matches(&object));
        assert_eq!(matches("metadata.name=a,status.phase!=Failed"), Ok(true));
        assert_eq!(matches("metadata.name==b"), Ok(false));
        assert_eq!(matches("spec.x=1").unwrap_err().message, "no");
        assert_eq!(matches("x").unwrap_err().message, "invalid selector: 'x'; can't understand 'x'");
    }
}
