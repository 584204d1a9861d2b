//! One compiled rule of a schema.

use super::{dialect, field_errors};
use crate::schema::extensions::{is, text};
use kube::core::cel::cel::{IdedExpr, parser::Parser};
use serde_json::Value;
use std::thread;

/// `x-kubernetes-validations`
#[derive(Debug)]
pub(super) struct Rule {
    pub text: String,
    pub message: Option<String>,
    pub message_expression: Option<(String, Result<IdedExpr, String>)>,
    pub reason: Reason,
    /// The path to append to that of the value that the rule is about; an error if there is no such field.
    pub field: Option<Result<String, String>>,
    pub optional_old_self: Option<bool>,
    pub program: Result<IdedExpr, String>,
    pub uses_old_self: bool,
    /// The unchanged text.
    source: Value,
}

/// The type of the error of a violated rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    Invalid,
    Forbidden,
    Required,
    Duplicate,
}

impl Rule {
    /// The rules of a schema.
    pub fn all(schema: &Value) -> Vec<Self> {
        let rules = schema.get("x-kubernetes-validations").and_then(Value::as_array);
        rules.into_iter().flatten().map(|rule| Self::parse(schema, rule)).collect()
    }

    fn parse(schema: &Value, rule: &Value) -> Self {
        let given = |attribute: &str| text(rule, attribute).filter(|text| !text.is_empty());
        let expression = given("rule").unwrap_or_default();
        let program = compiled(expression);
        Self {
            text: expression.trim().to_owned(),
            message: given("message").map(|message| message.trim().to_owned()),
            message_expression: given("messageExpression")
                .map(|message| (message.to_owned(), compiled(message))),
            reason: match given("reason") {
                Some("FieldValueForbidden") => Reason::Forbidden,
                Some("FieldValueRequired") => Reason::Required,
                Some("FieldValueDuplicate") => Reason::Duplicate,
                _ => Reason::Invalid,
            },
            field: given("fieldPath").map(|path| normal_path(schema, path).ok_or_else(|| path.to_owned())),
            optional_old_self: rule.get("optionalOldSelf").map(|_| is(rule, "optionalOldSelf")),
            uses_old_self: program.as_ref().is_ok_and(|program| program.references().has_variable("oldSelf")),
            program,
            source: rule.clone(),
        }
    }

    /// The message for a violation; the rule itself if it has none.
    pub fn named(&self) -> &str {
        self.message.as_deref().unwrap_or(&self.text)
    }

    /// The rule in the format of Go's errors.
    pub fn shown(&self) -> String {
        let text = |attribute: &str| Value::from(text(&self.source, attribute).unwrap_or_default());
        let given = |attribute: &str| self.source.get(attribute).cloned().unwrap_or(Value::Null);
        let fields = [
            ("Rule", text("rule")),
            ("Message", text("message")),
            ("MessageExpression", text("messageExpression")),
            ("Reason", given("reason")),
            ("FieldPath", text("fieldPath")),
            ("OptionalOldSelf", given("optionalOldSelf")),
        ];
        let fields = fields.map(|(name, value)| format!("\"{name}\":{}", field_errors::json(&value)));
        format!("{{{}}}", fields.join(","))
    }
}

/// The parser calls itself for these, and for each of them about twenty times.
const STEPS: [char; 9] = ['(', '[', '{', '!', '-', '?', '.', '&', '|'];
/// With so few of them, any stack is large enough.
const FEW_STEPS: usize = 24;
/// With more of them, no stack would be large enough.
const MOST_STEPS: usize = 2_000;
const LARGE_STACK: usize = 256 << 20;

fn compiled(expression: &str) -> Result<IdedExpr, String> {
    let steps = expression.matches(STEPS).count();
    if steps <= FEW_STEPS {
        return parsed(expression);
    }
    let too_deep = || "compilation failed: expression recursion limit exceeded".to_owned();
    if steps > MOST_STEPS {
        return Err(too_deep());
    }
    let text = expression.to_owned();
    let parsing = thread::Builder::new().stack_size(LARGE_STACK).spawn(move || parsed(&text));
    parsing.ok().and_then(|parsing| parsing.join().ok()).unwrap_or_else(|| Err(too_deep()))
}

fn parsed(expression: &str) -> Result<IdedExpr, String> {
    let parsed = Parser::default().enable_optional_syntax(true).parse(expression);
    let mut parsed = parsed
        .map_err(|errors| format!("compilation failed: {}", errors.to_string().replace("\n|", "\n |")))?;
    dialect::translate(&mut parsed);
    Ok(parsed)
}

/// A path such as `.spec['replicas']` in the format of field errors, if there is such a field.
pub(super) fn normal_path(schema: &Value, path: &str) -> Option<String> {
    let mut node = schema;
    let mut normal = String::new();
    let mut rest = path;
    while !rest.is_empty() {
        let name;
        if let Some(quoted) = rest.strip_prefix("['") {
            let (inside, after) = quoted.split_once("']")?;
            (name, rest) = (inside.replace("\\'", "'"), after);
        } else {
            let plain = rest.strip_prefix('.')?;
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            let (inside, after) = plain.split_at(end);
            (name, rest) = (inside.to_owned(), after);
        }
        if let Some(properties) = node.get("properties") {
            node = properties.get(&name)?;
            if !normal.is_empty() {
                normal.push('.');
            }
            normal.push_str(&name);
        } else {
            node = node.get("additionalProperties")?;
            normal.extend(["[", &name, "]"]);
        }
    }
    Some(normal)
}
