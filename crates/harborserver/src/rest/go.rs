//! The words of Go's JSON decoder.

use serde_json::{Value, error::Category};

/// What Go says of a text that is not JSON.
pub(crate) fn syntax_error(text: &str) -> String {
    let trimmed = text.trim_start();
    let Some(first) = trimmed.chars().next() else { return "unexpected end of JSON input".to_owned() };
    for literal in ["null", "true", "false"] {
        if literal.starts_with(first) {
            return in_literal(literal, trimmed);
        }
    }
    match serde_json::from_str::<Value>(text) {
        Ok(_) => String::new(),
        Err(error) if error.classify() == Category::Eof => "unexpected end of JSON input".to_owned(),
        Err(error) => {
            let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
            let found = line.chars().nth(error.column().saturating_sub(1)).unwrap_or(first);
            format!("invalid character '{found}' looking for beginning of value")
        }
    }
}

fn in_literal(literal: &str, text: &str) -> String {
    for (expected, found) in literal.chars().zip(text.chars()) {
        if expected != found {
            return format!("invalid character '{found}' in literal {literal} (expecting '{expected}')");
        }
    }
    "unexpected end of JSON input".to_owned()
}

/// The value of a body, or what Go's decoder of streams says.
pub(crate) fn parse(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|error| match error.classify() {
        Category::Eof => "unexpected EOF".to_owned(),
        // Go reads 10,000 levels, and what is nested deeper than we read is usually cut off.
        _ if error.to_string().starts_with("recursion limit") => "unexpected EOF".to_owned(),
        _ => syntax_error(&String::from_utf8_lossy(body)),
    })
}

/// The name of a value's type in Go's messages.
pub(super) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(number) if number.is_f64() || number.is_u64() && !number.is_i64() => {
            format!("number {number}")
        }
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "string".to_owned(),
        Value::Array(_) => "array".to_owned(),
        Value::Object(_) => "object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, syntax_error};

    #[test]
    fn broken_literals_are_told_as_go_does() {
        assert_eq!(syntax_error("no"), "invalid character 'o' in literal null (expecting 'u')");
        assert_eq!(syntax_error(""), "unexpected end of JSON input");
        assert_eq!(syntax_error("{\"a\":"), "unexpected end of JSON input");
        assert_eq!(syntax_error("x"), "invalid character 'x' looking for beginning of value");
    }

    #[test]
    fn a_body_that_ends_early_or_never_is_an_unexpected_end() {
        assert_eq!(parse(b"{"), Err("unexpected EOF".to_owned()));
        assert_eq!(parse("[".repeat(4_000).as_bytes()), Err("unexpected EOF".to_owned()));
    }
}
