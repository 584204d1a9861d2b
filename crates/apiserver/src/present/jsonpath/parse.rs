//! Parses paths.

use super::{End, JsonPath, Operand, Operator, PathError, Slice, Step};
use serde_json::Value;

/// The maximum nesting of unions and filters. No sensible path is deeper.
const DEEPEST: usize = 8;

pub(super) fn path(text: &str) -> Result<JsonPath, PathError> {
    steps(text, DEEPEST)
}

fn syntax(message: impl Into<String>) -> PathError {
    PathError::Syntax(message.into())
}

fn steps(text: &str, depth: usize) -> Result<JsonPath, PathError> {
    let depth = depth.checked_sub(1).ok_or_else(|| syntax("filters are nested too deeply"))?;
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("[?(") {
            let end = filter_end(after)?;
            steps.push(filter(&after[..end], depth)?);
            rest = &after[end + ")]".len()..];
        } else if let Some(after) = rest.strip_prefix("..") {
            if steps.last() == Some(&Step::Descend) {
                return Err(syntax("invalid multiple recursive descent"));
            }
            steps.push(Step::Descend);
            rest = after;
            if rest.starts_with(|next: char| next == '_' || next.is_alphanumeric()) {
                let (field, after) = field(rest);
                steps.push(field);
                rest = after;
            }
        } else if let Some(after) = rest.strip_prefix('[') {
            let end = after.find(']').ok_or_else(|| syntax("unterminated array"))?;
            subscript(&after[..end], depth, &mut steps)?;
            rest = &after[end + 1..];
        } else if let Some(after) = rest.strip_prefix('.') {
            let (field, after) = field(after);
            steps.push(field);
            rest = after;
        } else if matches!(first, ' ' | '@' | '$') {
            rest = &rest[1..];
        } else {
            return Err(syntax(format!("unrecognized character in action: {first:?}")));
        }
    }
    Ok(JsonPath { steps })
}

/// A field's name, up to an unescaped terminator, and the text after it.
fn field(text: &str) -> (Step, &str) {
    let mut name = String::new();
    let mut end = text.len();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => name.extend(characters.next().map(|(_, escaped)| escaped)),
            ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}' => {
                end = at;
                break;
            }
            character => name.push(character),
        }
    }
    let step = if name == "*" { Step::Wildcard } else { Step::Field(name) };
    (step, &text[end..])
}

/// The content of brackets: an index, a range, a quoted key, or several of them.
fn subscript(text: &str, depth: usize, into: &mut Vec<Step>) -> Result<(), PathError> {
    if text.contains(',') {
        let paths = text.split(',').map(|part| steps(&format!("[{}]", part.trim()), depth));
        into.push(Step::Union(paths.collect::<Result<_, _>>()?));
    } else if let Some(key) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        into.extend(steps(&format!(".{key}"), depth)?.steps);
    } else {
        into.push(Step::Slice(slice(text)?));
    }
    Ok(())
}

fn slice(text: &str) -> Result<Slice, PathError> {
    let text = if text == "*" { ":" } else { text };
    let number = |part: &str| match part {
        "" => Ok(None),
        part => part.parse().map(Some).map_err(|_| syntax(format!("invalid array index {text}"))),
    };
    let parts: Vec<&str> = text.split(':').collect();
    match parts.as_slice() {
        [start] => Ok(Slice { start: number(start)?, end: End::AfterStart, step: None }),
        [start, end] => {
            Ok(Slice { start: number(start)?, end: number(end)?.map_or(End::Open, End::At), step: None })
        }
        [start, end, step] => Ok(Slice {
            start: number(start)?,
            end: number(end)?.map_or(End::Open, End::At),
            step: number(step)?,
        }),
        _ => Err(syntax(format!("invalid array index {text}"))),
    }
}

/// The position of the `)]` of a filter; parentheses in quotes do not count.
fn filter_end(text: &str) -> Result<usize, PathError> {
    let mut quote = None;
    let mut nested = 0_usize;
    let mut previous = ' ';
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), closing) if open == closing && previous != '\\' => quote = None,
            (None, '(') => nested += 1,
            (None, ')') if nested == 0 => {
                let closed = text[at + 1..].starts_with(']');
                return if closed { Ok(at) } else { Err(syntax("unclosed array expect ]")) };
            }
            (None, ')') => nested -= 1,
            _ => {}
        }
        previous = character;
    }
    Err(syntax("unterminated filter"))
}

fn filter(text: &str, depth: usize) -> Result<Step, PathError> {
    let is_operator = |character: char| matches!(character, '!' | '<' | '>' | '=');
    let Some(at) = text.find(is_operator).filter(|at| *at > 0) else {
        return Ok(Step::Exists(steps(text, depth)?));
    };
    let right_at =
        text[at..].find(|character| !is_operator(character)).map_or(text.len(), |length| at + length);
    let operator = match &text[at..right_at] {
        "==" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        other => return Err(syntax(format!("unrecognized filter operator {other}"))),
    };
    Ok(Step::Compare(steps(&text[..at], depth)?, operator, operand(text[right_at..].trim(), depth)?))
}

fn operand(text: &str, depth: usize) -> Result<Operand, PathError> {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            let inner = inner.strip_suffix(quote).ok_or_else(|| syntax("unterminated quoted string"))?;
            return Ok(Operand::Literal(Value::String(unescaped(inner))));
        }
    }
    if text.starts_with(['@', '$', '.', '[']) {
        return Ok(Operand::Path(steps(text, depth)?));
    }
    match serde_json::from_str(text) {
        Ok(literal @ (Value::Bool(_) | Value::Number(_))) => Ok(Operand::Literal(literal)),
        _ => Err(syntax(format!("unrecognized identifier {text}"))),
    }
}

fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        result.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    result
}
